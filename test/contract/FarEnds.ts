/** The fakes of all providers' far ends, a server that takes them for the providers, and accounts over them. */
import { foldDigits } from "../../src/domain/text/PastedText.ts"
import { createHmac } from "node:crypto"
import { Effect, Exit, Scope } from "effect"
import { expect } from "vitest"
import { fakeBaleSafir, SAFIR_KEY } from "../support/fakes/FakeBaleSafir.ts"
import { BOT_TOKENS, fakeBotApi } from "../support/fakes/FakeBotApi.ts"
import { EITAA_TOKEN, fakeEitaa } from "../support/fakes/FakeEitaa.ts"
import {
  type Answer,
  type FakeFarEnd,
  fakeFarEnd,
  type Fault,
  type Received,
  type Scripted
} from "../support/fakes/FakeFarEnd.ts"
import {
  fakeKavenegar,
  KAVENEGAR_KEY,
  KAVENEGAR_LINE,
  KAVENEGAR_TEMPLATE
} from "../support/fakes/FakeKavenegar.ts"
import { fakeRubika, RUBIKA_TOKEN } from "../support/fakes/FakeRubika.ts"
import { fakeSmsir, SMSIR_KEY } from "../support/fakes/FakeSmsir.ts"
import { type Running, until } from "./Server.ts"

export const BRIDGE_SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwKey0"

/** A customer's gateway as `docs/bridge.md` asks for it: the same id again is answered as before, and not delivered again. */
const fakeBridge = Effect.gen(function* () {
  const answers = new Map<string, Answer>()
  const delivered: Array<Received> = []
  const deliver = (received: Received): Answer => {
    delivered.push(received)
    return { json: { status: "accepted", message_id: `bridge-${delivered.length}` } }
  }
  const fake = yield* fakeFarEnd((received) => {
    const id = String(Object(received.json).id)
    const answer = answers.get(id) ?? deliver(received)
    answers.set(id, answer)
    return answer
  })
  return { ...fake, delivered }
})

const openAll = Effect.gen(function* () {
  const rubikaUpdates: Array<unknown> = []
  return {
    smsir: yield* fakeSmsir(),
    kavenegar: yield* fakeKavenegar(),
    safir: yield* fakeBaleSafir(),
    bale: yield* fakeBotApi({ platform: "bale" }),
    soroushplus: yield* fakeBotApi({ platform: "soroushplus" }),
    telegram: yield* fakeBotApi({ platform: "telegram" }),
    eitaa: yield* fakeEitaa(),
    rubika: { ...(yield* fakeRubika({ updates: rubikaUpdates })), updates: rubikaUpdates },
    bridge: yield* fakeBridge
  }
})

export const openFarEnds = async () => {
  const scope = Scope.makeUnsafe()
  const fakes = await Effect.runPromise(Scope.provide(openAll, scope))
  const env = {
    PEYK_SMSIR_URL: `${fakes.smsir.url}/v1`,
    PEYK_KAVENEGAR_URL: `${fakes.kavenegar.url}/v1`,
    PEYK_BALE_SAFIR_URL: `${fakes.safir.url}/api/v3`,
    PEYK_BALE_BOT_URL: fakes.bale.url,
    PEYK_EITAA_URL: `${fakes.eitaa.url}/api`,
    PEYK_SOROUSHPLUS_URL: fakes.soroushplus.url,
    PEYK_RUBIKA_URL: `${fakes.rubika.url}/v3`,
    PEYK_TELEGRAM_URL: fakes.telegram.url
  }
  return { ...fakes, env, close: () => Effect.runPromise(Scope.close(scope, Exit.void)) }
}

export type FarEnds = Awaited<ReturnType<typeof openFarEnds>>

export const LINE = 30_007_732_000_000
export const TEMPLATE = 123_456

/** The settings of an account of each provider. */
export const workingSettings = {
  smsir: { api_key: SMSIR_KEY, line_number: LINE, otp_template_id: TEMPLATE },
  kavenegar: { api_key: KAVENEGAR_KEY, sender: KAVENEGAR_LINE, otp_template: KAVENEGAR_TEMPLATE },
  bale_safir: { api_key: SAFIR_KEY, bot_id: 1 },
  bale_bot: { token: BOT_TOKENS.bale },
  eitaa_app: { token: EITAA_TOKEN },
  soroushplus_bot: { token: BOT_TOKENS.soroushplus },
  rubika_bot: { token: RUBIKA_TOKEN },
  telegram_bot: { token: BOT_TOKENS.telegram }
} as const

export interface Connected {
  readonly credential_id: number
  readonly label: string
  readonly check: string
}

export const connectArguments = (
  customer: string,
  channel: string,
  provider: string,
  settings: object,
  ...flags: ReadonlyArray<string>
) => [
  "account",
  "connect",
  "--customer",
  customer,
  "--channel",
  channel,
  "--provider",
  provider,
  "--label",
  `${provider} of ${channel}`,
  "--settings",
  JSON.stringify(settings),
  ...flags
]

/** Connects an account and gives its `credential_id`. */
export const connectAccount = async (
  server: Pick<Running, "cli">,
  ...given: Parameters<typeof connectArguments>
) => {
  const made = (await server.cli(...connectArguments(...given))) as Connected
  expect(made.credential_id).toBeTypeOf("number")
  return made.credential_id
}

const SENDS = /\/(send\/verify|send\/bulk|send_message|sendMessage|send)$/

/** Whether it is a send, and not a question, a poll or a report. */
export const isSend = ({ method, path }: Received) => method === "POST" && SENDS.test(path)

export const sendsOf = (fake: Pick<FakeFarEnd, "received">) => fake.received.filter(isSend)

/** Those sends in whose body this occurs: a phone's digits, a chat's id, a text. */
export const sendsWith = (fake: Pick<FakeFarEnd, "received">, text: string) =>
  sendsOf(fake).filter(({ body }) => body.includes(text))

/** The answers to the next sends, one after the other; polls get their usual answers. */
export const onSends = (fake: FakeFarEnd, ...answers: ReadonlyArray<Scripted>) => {
  const [first, ...others] = answers
  if (first === undefined) return
  fake.script((received) => {
    if (!isSend(received)) {
      onSends(fake, first, ...others)
      return fake.behave(received)
    }
    onSends(fake, ...others)
    return typeof first === "function" ? first(received) : first
  })
}

/** Takes the message, and loses the answer. */
export const lostAnswer =
  (fake: FakeFarEnd, fault: Fault = "reset"): Scripted =>
  (received) => {
    fake.behave(received)
    return fault
  }

/** Polls until a far end has this many sends with the text in them, and gives them. */
export const arrived = (
  fake: Pick<FakeFarEnd, "received">,
  text: string,
  count = 1,
  deadlineMs = 15_000
): Promise<ReadonlyArray<Received>> =>
  until(
    `${count} sends with ${text}`,
    async () => {
      const found = sendsWith(fake, text)
      return found.length >= count ? found : undefined
    },
    deadlineMs
  )

/** The forms in which providers want a phone, given in E.164. */
export const local = (phone: string) => phone.replace("+98", "0")
export const digits = (phone: string) => phone.slice(1)

/** The code that stands in a text, in whatever digits. */
export const codeIn = (text: unknown, length = 6) => {
  const code = new RegExp(`(?<!\\d)\\d{${length}}(?!\\d)`).exec(foldDigits(String(text)))?.[0]
  if (code === undefined) throw new Error(`no code in ${String(text)}`)
  return code
}

/** The signature that Standard Webhooks puts on a request. */
export const signatureOf = ({ headers, body }: Received, secret: string) => {
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64")
  const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`
  return `v1,${createHmac("sha256", key).update(signed).digest("base64")}`
}
