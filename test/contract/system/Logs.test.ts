import { foldDigits } from "../../../src/domain/text/PastedText.ts"
import { randomBytes } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { FakeFarEnd, Scripted } from "../../support/fakes/FakeFarEnd.ts"
import { contactUpdate, spokenUpdate } from "../../support/fakes/FakeBotApi.ts"
import { signedByEitaa } from "../../support/fakes/FakeEitaa.ts"
import { messages, newKey, newPhone, otp, raw, request } from "../Client.ts"
import {
  BRIDGE_SECRET,
  connectArguments,
  digits,
  type FarEnds,
  local,
  onSends,
  openFarEnds,
  sendsOf,
  workingSettings
} from "../FarEnds.ts"
import { type Finished, makeDataDir, type Server, startServer, until } from "../Server.ts"
import { echoOf, failures, type Provider, providers, refusalOf } from "./Failures.ts"

/** All that may not be in any line of a log: the words, and what they are. */
const forbidden = new Map<string, string>()
/** The output of commands, without the answers that exist to show a secret. */
const printed: Array<string> = []
/** The phones that occur, in E.164. */
const phones: Array<string> = []
const somePhone = () => {
  const phone = newPhone()
  phones.push(phone)
  return phone
}

const CODE_LENGTH = 10
const MESSAGE = "Meet me at the bridge at midnight, Azadeh"
const MESSAGE_IN_PERSIAN = "قرار ما نیمه‌شب کنار پل، آزاده"
const SECRET = randomBytes(32).toString("base64")
const WRONG_KEY = "svc_live_MistypedKeyMistypedKeyMistypedKeyMistyped"
const WRONG_TOKEN = "MistypedTokenOfTelegramsLength12345"

let server: Server
let ends: FarEnds
let live: string
let test: string
const accounts = new Map<string, string>()
const inboxes = new Map<string, string>()

const remember = ({ out, err }: Finished) => {
  printed.push(out, err)
}

/** A command whose answer is a secret: of what it prints, only its errors are a log. */
const secretly = async (...args: ReadonlyArray<string>): Promise<Record<string, unknown>> => {
  const { code, out, err } = await server.run(...args, "--json")
  printed.push(err)
  expect(code, err).toBe(0)
  return JSON.parse(out) as Record<string, unknown>
}

const connect = async (channel: string, provider: string, settings: object, customer: string) => {
  const { code, out, err } = await server.run(
    ...connectArguments(customer, channel, provider, settings, "--json")
  )
  printed.push(out, err)
  expect(code, err).toBe(0)
  accounts.set(provider, String((JSON.parse(out) as { readonly credential_id: number }).credential_id))
}

const fakeOf = (provider: Provider): FakeFarEnd => {
  const found = providers.find(([, name]) => name === provider)
  if (found === undefined) throw new Error(provider)
  return ends[found[2]]
}

/** The providers' words, as the attempts show them. */
const providerErrors: Array<string> = []

/** Sends a code (where it sends codes) and a message over the provider, for each thing that can go wrong, and for none. */
const exercise = async (channel: string, provider: Provider, phone: string) => {
  const route = [{ channel, account_id: Number(accounts.get(provider)) }]
  const sends = provider === "telegram_bot" ? 0 : 1
  for (const failure of [...failures(provider, phone), undefined]) {
    for (let round = 0; round <= sends; round++) {
      // Twice: where a lost send is repeated, the repeat fails too.
      if (failure !== undefined) onSends(fakeOf(provider), failure)
      if (round === 0) {
        const text = failure === undefined ? MESSAGE_IN_PERSIAN : MESSAGE
        const { attempts } = await messages(server, live).delivered({
          to: phone,
          message: text,
          channels: route
        })
        providerErrors.push(...attempts.map((attempt) => attempt.provider_error ?? ""))
      } else await otp(server, live).sent({ phone, channels: route })
    }
  }
}

const hear = (channel: string, update: object, secret?: string) =>
  request(server, "POST", String(inboxes.get(channel)), {
    headers: { "content-type": "application/json", "x-telegram-bot-api-secret-token": secret },
    body: JSON.stringify({ update_id: 1, ...update })
  })

/** Updates for the bots, right and wrong. */
const postUpdates = async () => {
  const phone = somePhone()
  const telegram = await until("the webhook", async () => ends.telegram.webhook() ?? undefined)
  for (const platform of ["bale", "soroushplus", "telegram"] as const) {
    const secret = platform === "telegram" ? telegram.secret_token : undefined
    // The bot's reply to the person fails too, in words that repeat their number.
    const provider = `${platform}_bot` as const
    const refuse: Scripted = (received) => refusalOf(provider, echoOf(provider, phone, received), 400)
    onSends(ends[platform], refuse, refuse)
    const own = contactUpdate(77, { phone_number: digits(phone), user_id: 77 })
    expect((await hear(platform, own, secret)).status).toBe(200)
    await hear(platform, contactUpdate(78, { phone_number: phone, user_id: 79 }), secret)
    await hear(platform, spokenUpdate(77, `my number is ${phone}, ${MESSAGE}`), secret)
    const path = String(inboxes.get(platform))
    const headers = { "content-type": "application/json", "x-telegram-bot-api-secret-token": "wrong" }
    for (const [to, body] of [
      [path, `{"message": {"text": "${phone} ${MESSAGE}"`],
      [`${path}x`, JSON.stringify(own)],
      [path.slice(0, -1), JSON.stringify(own)],
      [`${path}?phone=${digits(phone)}`, JSON.stringify(own)],
      [path, JSON.stringify({ text: `${phone}${"x".repeat(70_000)}` })]
    ] as const) {
      await request(server, "POST", to, { headers, body })
    }
    await request(server, "GET", path, { headers })
  }
  await hear("eitaa", { init_data: "x", contact: `{"phone":"${digits(phone)}"}` })
  const auth_date = String(Math.floor(Temporal.Now.instant().epochMilliseconds / 1000))
  await hear("eitaa", {
    init_data: signedByEitaa({ auth_date, user: '{"id":77}' }),
    contact: signedByEitaa({ auth_date, contact: `{"phone":"${digits(phone)}","user_id":77}` })
  })
}

/** Mistakes of callers. */
const askBadly = async () => {
  const phone = somePhone()
  const json = { "content-type": "application/json", "idempotency-key": newKey() }
  const keyed = { ...json, "x-api-key": live }
  const bodies = [
    `{"phone":"${phone}","message":"${MESSAGE}"`,
    JSON.stringify({ phone: [phone], channels: { phone } }),
    JSON.stringify({ phone: `${phone}0`, to: `${phone}0`, message: MESSAGE, channels: "sms" }),
    JSON.stringify({ phone, to: phone, message: MESSAGE, channels: phone }),
    JSON.stringify({ phone, to: phone, message: MESSAGE, channels: [{ channel: "sms", account_id: 99 }] }),
    JSON.stringify({ phone, to: phone, message: `${MESSAGE}${"x".repeat(1_000)}`, channels: "sms" }),
    JSON.stringify({ phone, to: phone, message: `${MESSAGE}${"x".repeat(70_000)}`, channels: "sms" })
  ]
  for (const path of ["/v1/otp/send", "/v1/messages/send", "/v1/otp/verify", "/v1/sandbox/otp/send"]) {
    for (const body of bodies) {
      await request(server, "POST", path, { headers: { ...keyed, "idempotency-key": newKey() }, body })
    }
    const body = JSON.stringify({ phone, to: phone, message: MESSAGE, channels: "sms" })
    for (const key of [undefined, WRONG_KEY, test, `${live}x`]) {
      await request(server, "POST", path, { headers: { ...json, "x-api-key": key }, body })
    }
    await request(server, "POST", path, { headers: { ...keyed, "content-type": "text/plain" }, body })
    await request(server, "GET", `${path}?phone=${digits(phone)}&key=${live}`, { headers: keyed })
  }
  await request(server, "GET", `/v1/otp/${digits(phone)}`, { headers: keyed })
  await request(server, "GET", `/v1/messages/${live}`, { headers: keyed })
  await request(server, "GET", `/${live}/${local(phone)}`, { headers: keyed })
  await request(server, "GET", `/simulator/messages?phone=${encodeURIComponent(phone)}`)
  await request(server, "GET", "/v1/manage/api-keys", { headers: { authorization: `apikey ${live}` } })
  await request(server, "GET", "/v1/manage/api-keys", { headers: { authorization: `Bearer ${WRONG_KEY}` } })
  await raw(server, `GET /${digits(phone)} HTTP/1.1\r\nX-API-Key: ${live}\r\nbroken ${local(phone)}\r\n\r\n`)
  await raw(server, `POST /v1/otp/send HTTP/9.9\r\nX-API-Key: ${live}\r\n\r\n${phone}`)
}

/** Mistakes of an operator. */
const commandBadly = async (customer: string) => {
  const phone = somePhone()
  const bale = String(accounts.get("bale_bot"))
  remember(
    await server.run(
      ...connectArguments(customer, "telegram", "telegram_bot", { token: `3000000003:${WRONG_TOKEN}` })
    )
  )
  remember(
    await server.run(...connectArguments(customer, "telegram", "telegram_bot", { token: `${WRONG_TOKEN} x` }))
  )
  const file = ["contacts", "import", "--account", bale, "--file", "-"]
  remember(await server.feed(`phone,chat_id\n${phone}0,5\n${phone},\n`, ...file))
  remember(await server.feed(`${phone},5\n`, ...file))
  remember(await server.run("contacts", "remove", "--account", bale, "--phone", `${phone}0`))
  remember(await server.run("account", "list", "--customer", customer))
  remember(await server.run("doctor"))
}

beforeAll(async () => {
  ends = await openFarEnds()
  server = await startServer({
    // a new store: the prepared one has another secret
    dataDir: await makeDataDir(),
    env: {
      ...ends.env,
      PEYK_LOG_LEVEL: "Debug",
      PEYK_CODE_LENGTH: String(CODE_LENGTH),
      PEYK_SECRET: SECRET,
      PEYK_PUBLIC_URL: "https://peyk.example.ir",
      PEYK_PROVIDER_TIMEOUT_MS: "700",
      PEYK_COOLDOWN_FAILURES: "1000",
      PEYK_LIMIT_PHONE_HOUR: "1000",
      PEYK_LIMIT_PHONE_DAY: "1000",
      PEYK_LIMIT_PLATFORM_PHONE_DAY: "1000",
      PEYK_LIMIT_MESSAGE_PHONE_HOUR: "1000",
      PEYK_LIMIT_MESSAGE_PHONE_DAY: "1000"
    }
  })
  const { id } = await secretly("customer", "create", "--name", "Azadeh", "--plan", "free")
  const customer = String(id)
  const keyOf = async (mode: string) =>
    String((await secretly("key", "create", "--customer", customer, "--mode", mode))["secret"])
  ;[live, test] = await Promise.all([keyOf("live"), keyOf("test")])
  const bridge = { url: `${ends.bridge.url}/send`, secret: BRIDGE_SECRET }
  await Promise.all(
    providers.map(([channel, provider]) =>
      connect(channel, provider, provider === "bridge" ? bridge : workingSettings[provider], customer)
    )
  )
  await Promise.all(
    (["bale", "soroushplus", "telegram", "eitaa"] as const).map(async (channel) => {
      const account = String(accounts.get(channel === "eitaa" ? "eitaa_app" : `${channel}_bot`))
      inboxes.set(channel, String((await secretly("account", "inbox", "--account", account))["path"]))
    })
  )
  const phoneOf = new Map(providers.map(([, provider]) => [provider, somePhone()]))
  await Promise.all(
    providers
      .filter(([, provider]) => /bot|app/.test(provider))
      .map(async ([, provider], at) => {
        const account = ["--account", String(accounts.get(provider))]
        const file = `phone,chat_id\n${phoneOf.get(provider)},7000${at}\n`
        remember(await server.feed(file, "contacts", "import", ...account, "--file", "-"))
      })
  )
  await Promise.all([
    ...providers.map(([channel, provider]) => exercise(channel, provider, String(phoneOf.get(provider)))),
    askBadly(),
    commandBadly(customer)
  ])
  await postUpdates()
  // Throttled in the end: the account begins a cooldown.
  await Promise.all(
    providers.map(async ([channel, provider]) => {
      const phone = String(phoneOf.get(provider))
      onSends(fakeOf(provider), (received) => refusalOf(provider, echoOf(provider, phone, received), 429))
      const route = [{ channel, account_id: Number(accounts.get(provider)) }]
      await messages(server, live).delivered({ to: phone, message: MESSAGE, channels: route })
    })
  )
  await server.terminate()

  for (const [word, what] of [
    [live, "the live key"],
    [test, "the test key"],
    [WRONG_KEY, "a mistyped key"],
    [WRONG_TOKEN, "a mistyped token"],
    [SECRET, "PEYK_SECRET"],
    [MESSAGE, "the message"],
    [MESSAGE_IN_PERSIAN, "the message in Persian"],
    [BRIDGE_SECRET.replace(/^whsec_/, ""), "the bridge's secret"],
    [String(ends.telegram.webhook()?.secret_token), "Telegram's secret header"]
  ] as const) {
    forbidden.set(word, what)
  }
  for (const [provider, settings] of Object.entries(workingSettings)) {
    const credential = "token" in settings ? settings.token.replace(/^\d+:/, "") : settings.api_key
    forbidden.set(credential, `the credential of ${provider}`)
  }
  for (const [channel, path] of inboxes) {
    forbidden.set(path.replace(/^.*\/(\d+-)?/, ""), `the inbox path of ${channel}`)
  }
  for (const phone of phones) {
    // The prefix does not matter: 98, +98, 0098 or 0.
    const bare = phone.replace("+98", "")
    forbidden.set(bare, `the phone ${phone}`)
    forbidden.set(
      bare.replace(/\d/g, (digit) => "۰۱۲۳۴۵۶۷۸۹".charAt(Number(digit))),
      `the phone ${phone}`
    )
  }
  for (const code of codesSent()) forbidden.set(code, "a code")
}, 240_000)
afterAll(async () => {
  await server?.stop()
  await ends?.close()
})

/** Every code that reached a far end. */
const codesSent = () =>
  providers.flatMap(([, provider]) =>
    sendsOf(fakeOf(provider)).flatMap(({ json }) => {
      const { parameters, message_data, code, text } = Object(json)
      const given = [parameters?.[0]?.value, message_data?.otp_message?.otp, code, text]
      return given.flatMap((each) => /(?<!\d)\d{10}(?!\d)/.exec(foldDigits(String(each)))?.[0] ?? [])
    })
  )

/** The secrets in a text, each with a line that contains it. */
const leaksIn = (text: string) => {
  const lines = text.split("\n")
  return Object.fromEntries(
    [...forbidden].flatMap(([word, what]) => {
      const line = lines.find((each) => each.includes(word))
      return line === undefined ? [] : [[what, line]]
    })
  )
}

describe("what goes wrong", () => {
  it("did go wrong: everything was sent, and the far ends repeated it", () => {
    for (const [, provider] of providers) {
      expect(sendsOf(fakeOf(provider)).length, provider).toBeGreaterThan(10)
    }
    expect(new Set(codesSent()).size).toBeGreaterThan(50)
    expect(forbidden.size).toBeGreaterThan(80)
    for (const [word] of forbidden) expect(word.length).toBeGreaterThan(8)
  })

  it("is in the log, with phones masked and the providers' codes", () => {
    const log = server.output()
    for (const phone of phones.slice(0, providers.length)) {
      expect(log).toContain(`${phone.slice(0, 6)}•••${phone.slice(-4)}`)
    }
    expect(log).toMatch(/104/)
    expect(log).toMatch(/INVALID_INPUT/)
    expect(log).toMatch(/"level":"DEBUG"/)
  })
})

describe("no line", () => {
  it("of the server holds a key, a credential, a secret, a code, a phone or a text", () => {
    expect(leaksIn(server.output())).toEqual({})
  })

  it("of a command holds one", () => {
    expect(printed.join("\n")).toContain("bale_safir of bale")
    expect(leaksIn(printed.join("\n"))).toEqual({})
  })
})

describe("the status of a message", () => {
  it("shows what the provider said, without the credentials in it", () => {
    const all = providerErrors.join("\n")
    expect(all).toMatch(/cannot send to/)
    const credentials = [...forbidden].filter(([, what]) => /credential|secret/.test(what))
    expect(credentials.length).toBeGreaterThan(7)
    const told = credentials.filter(([word]) => all.includes(word)).map(([, what]) => what)
    expect(told).toEqual([])
  })
})
