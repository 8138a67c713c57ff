import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Cause, Console, Effect } from "effect"
import { BOT_TOKENS, fakeBotApi } from "./FakeBotApi.ts"
import { fakeBaleSafir, SAFIR_KEY } from "./FakeBaleSafir.ts"
import { EITAA_TOKEN, fakeEitaa } from "./FakeEitaa.ts"
import { type Answer, type FakeFarEnd, fakeFarEnd, type Fault, type Received } from "./FakeFarEnd.ts"
import { fakeFarazsms, FARAZSMS_KEY, FARAZSMS_LINE, FARAZSMS_PATTERN } from "./FakeFarazsms.ts"
import { fakeGhasedak, GHASEDAK_KEY, GHASEDAK_LINE, GHASEDAK_TEMPLATE } from "./FakeGhasedak.ts"
import { fakeKavenegar, KAVENEGAR_KEY, KAVENEGAR_LINE, KAVENEGAR_TEMPLATE } from "./FakeKavenegar.ts"
import { fakeIppanel, IPPANEL_KEY, IPPANEL_LINE, IPPANEL_PATTERN } from "./FakeIppanel.ts"
import {
  fakeMelipayamak,
  MELIPAYAMAK_BODY_ID,
  MELIPAYAMAK_LINE,
  MELIPAYAMAK_PASSWORD,
  MELIPAYAMAK_USER
} from "./FakeMelipayamak.ts"
import { fakeRubika, RUBIKA_TOKEN } from "./FakeRubika.ts"
import { fakeTelegramGateway, GATEWAY_TOKEN } from "./FakeTelegramGateway.ts"
import { fakeSmsir, SMSIR_KEY } from "./FakeSmsir.ts"

const CONTROL_PORT = Number(process.argv[2] ?? 9100)
const LAST_PORT = CONTROL_PORT + 13

const told = (name: string) => (received: Received, answer: Answer | Fault) => {
  const outcome = typeof answer === "string" ? answer : `${answer.status ?? 200}`
  process.stdout.write(`${name}: ${received.method} ${received.path} ${received.body} → ${outcome}\n`)
}

/** A provider to play against: how the service finds it, and how an account is connected to it. */
interface Playable {
  readonly fake: FakeFarEnd
  readonly push?: (update: object) => unknown
  readonly setting: readonly [name: string, path: string]
  readonly account: readonly [channel: string, settings: object]
}

const start = Effect.gen(function* () {
  const options = (index: number, name: string) => ({
    port: CONTROL_PORT + index,
    onReceived: told(name)
  })
  const bots = {
    bale: yield* fakeBotApi({ platform: "bale", ...options(3, "bale_bot") }),
    soroushplus: yield* fakeBotApi({ platform: "soroushplus", ...options(5, "soroushplus_bot") }),
    telegram: yield* fakeBotApi({ platform: "telegram", ...options(7, "telegram_bot") })
  }
  const rubikaUpdates: Array<unknown> = []
  const fakes: Record<string, Playable> = {
    smsir: {
      fake: yield* fakeSmsir(options(1, "smsir")),
      setting: ["PEYK_SMSIR_URL", "/v1"],
      account: ["sms", { api_key: SMSIR_KEY, line_number: 30_007_732_000_000, otp_template_id: 123_456 }]
    },
    kavenegar: {
      fake: yield* fakeKavenegar(options(8, "kavenegar")),
      setting: ["PEYK_KAVENEGAR_URL", "/v1"],
      account: ["sms", { api_key: KAVENEGAR_KEY, sender: KAVENEGAR_LINE, otp_template: KAVENEGAR_TEMPLATE }]
    },
    ippanel: {
      fake: yield* fakeIppanel(options(9, "ippanel")),
      setting: ["PEYK_IPPANEL_URL", "/v1"],
      account: ["sms", { api_key: IPPANEL_KEY, from_number: IPPANEL_LINE, otp_pattern: IPPANEL_PATTERN }]
    },
    melipayamak: {
      fake: yield* fakeMelipayamak(options(10, "melipayamak")),
      setting: ["PEYK_MELIPAYAMAK_URL", "/api"],
      account: [
        "sms",
        {
          username: MELIPAYAMAK_USER,
          password: MELIPAYAMAK_PASSWORD,
          from: MELIPAYAMAK_LINE,
          otp_body_id: MELIPAYAMAK_BODY_ID
        }
      ]
    },
    ghasedak: {
      fake: yield* fakeGhasedak(options(11, "ghasedak")),
      setting: ["PEYK_GHASEDAK_URL", "/rest/api/v1/WebService"],
      account: ["sms", { api_key: GHASEDAK_KEY, line_number: GHASEDAK_LINE, otp_template: GHASEDAK_TEMPLATE }]
    },
    farazsms: {
      fake: yield* fakeFarazsms(options(12, "farazsms")),
      setting: ["PEYK_FARAZSMS_URL", ""],
      account: ["sms", { api_key: FARAZSMS_KEY, line_number: FARAZSMS_LINE, otp_pattern: FARAZSMS_PATTERN }]
    },
    bale_safir: {
      fake: yield* fakeBaleSafir(options(2, "bale_safir")),
      setting: ["PEYK_BALE_SAFIR_URL", "/api/v3"],
      account: ["bale", { api_key: SAFIR_KEY, bot_id: 1 }]
    },
    bale_bot: {
      fake: bots.bale,
      push: bots.bale.push,
      setting: ["PEYK_BALE_BOT_URL", ""],
      account: ["bale", { token: BOT_TOKENS.bale }]
    },
    eitaa_app: {
      fake: yield* fakeEitaa(options(4, "eitaa_app")),
      setting: ["PEYK_EITAA_URL", "/api"],
      account: ["eitaa", { token: EITAA_TOKEN }]
    },
    soroushplus_bot: {
      fake: bots.soroushplus,
      push: bots.soroushplus.push,
      setting: ["PEYK_SOROUSHPLUS_URL", ""],
      account: ["soroushplus", { token: BOT_TOKENS.soroushplus }]
    },
    rubika_bot: {
      fake: yield* fakeRubika({ updates: rubikaUpdates, ...options(6, "rubika_bot") }),
      push: (update) => rubikaUpdates.push(update),
      setting: ["PEYK_RUBIKA_URL", "/v3"],
      account: ["rubika", { token: RUBIKA_TOKEN }]
    },
    telegram_bot: {
      fake: bots.telegram,
      push: bots.telegram.push,
      setting: ["PEYK_TELEGRAM_URL", ""],
      account: ["telegram", { token: BOT_TOKENS.telegram }]
    },
    telegram_gateway: {
      fake: yield* fakeTelegramGateway(options(13, "telegram_gateway")),
      setting: ["PEYK_TELEGRAM_GATEWAY_URL", ""],
      account: ["telegram", { token: GATEWAY_TOKEN }]
    }
  }
  return fakes
})

const HELP = {
  "POST /<provider>/script":
    'what it answers next: {"status":429,"json":{…}}, or "reset", "silence", "stall"',
  "POST /<provider>/updates": "what a person did with the bot, as the platform writes it",
  "GET /<provider>/received": "the requests that it got"
}

/** The paths that set the next responses of the fakes, and list what they received. */
const control =
  (fakes: Readonly<Record<string, Playable>>) =>
  ({ method, path, json }: Received): Answer => {
    const [, name = "", what] = path.split("/")
    const playable = fakes[name]
    if (playable === undefined) return { status: 404, json: { help: HELP, providers: Object.keys(fakes) } }
    const { fake, push } = playable
    if (method === "GET" && what === "received") {
      return { json: fake.received.map(({ method, path, json }) => ({ method, path, json })) }
    }
    if (method === "POST" && what === "script") {
      fake.script(typeof json === "string" ? (json as Fault) : (Object(json) as Answer))
      return { status: 204 }
    }
    if (method === "POST" && what === "updates" && push !== undefined) {
      push(Object(json))
      return { status: 204 }
    }
    return { status: 404, json: { help: HELP } }
  }

const introduction = (fakes: Readonly<Record<string, Playable>>, controlUrl: string): string => {
  const settings = Object.values(fakes).map(({ fake, setting: [name, path] }) => `${name}=${fake.url}${path}`)
  const accounts = Object.entries(fakes).map(
    ([
      provider,
      {
        account: [channel, given]
      }
    ]) =>
      `npx peyk account connect --customer 1 --channel ${channel} --provider ${provider} --label ${provider} --settings '${JSON.stringify(given)}'`
  )
  return [
    "Providers to play against. Start the service with",
    "",
    `  ${settings.join(" \\\n  ")} \\\n  npm start`,
    "",
    "and connect accounts, with the same settings before npx:",
    "",
    ...accounts.map((line) => `  ${line}`),
    "",
    `What they answer next: curl -X POST ${controlUrl}/smsir/script -d '{"status":400,"json":{"status":104,"message":"…","data":null}}'`,
    ""
  ].join("\n")
}

const main = Effect.scoped(
  Effect.gen(function* () {
    const fakes = yield* start
    const { url } = yield* fakeFarEnd(control(fakes), { port: CONTROL_PORT })
    yield* Console.log(introduction(fakes, url))
    return yield* Effect.never
  })
)

const needsPorts = (cause: Cause.Cause<never>) => {
  if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause)
  const { message } = Object(Cause.squash(cause)) as { readonly message?: string }
  return Effect.andThen(
    Console.error(
      `The fakes cannot listen: ${message}.\nThey need the ports ${CONTROL_PORT} to ${LAST_PORT}; ` +
        "choose others with `npm run fakes -- FIRST_PORT`."
    ),
    Effect.sync(() => void (process.exitCode = 1))
  )
}

NodeRuntime.runMain(Effect.catchCause(main, needsPorts))
