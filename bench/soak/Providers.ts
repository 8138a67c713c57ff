/** The providers' far ends: they accept, refuse, throttle, stall, cut the connection and lie, and write down what they got. */
import { Effect, type Scope } from "effect"
import { setTimeout as pause } from "node:timers/promises"
import {
  type Answer,
  fakeFarEnd,
  type FakeFarEnd,
  type Fault,
  type Received
} from "../../test/support/fakes/FakeFarEnd.ts"
import { fakeBaleSafir, SAFIR_KEY } from "../../test/support/fakes/FakeBaleSafir.ts"
import { EITAA_TOKEN, fakeEitaa } from "../../test/support/fakes/FakeEitaa.ts"
import { fakeSmsir, SMSIR_KEY } from "../../test/support/fakes/FakeSmsir.ts"
import { type Proxy, startProxy } from "./Proxy.ts"
import { randomOf } from "./Random.ts"
import { now } from "./Time.ts"

export const channelNames = ["bale", "eitaa", "soroushplus", "sms"] as const
export type ChannelName = (typeof channelNames)[number]

/** A provider's reaction to a call: how often, whether the phone gets it, and what the caller can know. */
export const deeds = {
  accept: { weight: 700, delivers: true, answer: "accepted" },
  /** Accepts after a while. */
  slow: { weight: 60, delivers: true, answer: "accepted" },
  refuse: { weight: 50, delivers: false, answer: "refused" },
  throttle: { weight: 3, delivers: false, answer: "refused" },
  /** "Try again later." */
  unavailable: { weight: 40, delivers: false, answer: "unavailable" },
  /** Cuts the connection at once. */
  reset: { weight: 25, delivers: false, answer: "nothing" },
  silence: { weight: 8, delivers: false, answer: "nothing" },
  /** Stops in the middle of its answer. */
  stall: { weight: 8, delivers: true, answer: "nothing" },
  /** Accepts, and answers with a server's error. */
  lie: { weight: 40, delivers: true, answer: "nothing" },
  /** Accepts, and cuts the connection. */
  vanish: { weight: 25, delivers: true, answer: "nothing" },
  /** Accepts, and answers when nobody waits any more. */
  late: { weight: 8, delivers: true, answer: "nothing" }
} as const
export type Deed = keyof typeof deeds

/** A call as it arrived. */
/** Channels whose provider sends a repeated id once. */
export const DEDUPLICATING: ReadonlyArray<string> = ["bale", "soroushplus"]

export interface Arrival {
  readonly channel: ChannelName
  /** In E.164. */
  readonly phone: string
  /** The id of the send, where the provider is given one. */
  readonly id: string | null
  /** The code, or the text. */
  readonly content: string
  readonly deed: Deed
  readonly at: number
  /** The server that made the call. */
  readonly server: number
}

export interface Providers {
  readonly urls: Readonly<Record<string, string>>
  readonly accounts: ReadonlyArray<{
    readonly channel: ChannelName
    readonly provider: string
    readonly settings: object
    /** It reaches only phones that have met it. */
    readonly needsContact: boolean
  }>
  readonly arrivals: ReadonlyArray<Arrival>
  /** Everything that a phone received, oldest first. */
  readonly inbox: (phone: string) => ReadonlyArray<Arrival>
  /** The proxy between them and the processes. */
  readonly proxies: ReadonlyArray<Proxy>
  /** The account of the customer that floods: at the bridge that others use as well, with an address of its own there. */
  readonly floodedAccount: Providers["accounts"][number]
  /** Whether calls to that address get no answer. */
  readonly hangFlooded: (hangs: boolean) => void
  /** From now on they accept everything at once. */
  readonly calm: () => void
}

export const PROVIDER_TIMEOUT_MILLIS = 2500
const BRIDGE_SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`

/** How a phone is known to a provider that knows people by a number of its own: the phone itself, without its zero. */
export const chatOf = (phone: string): string => phone.slice("+98".length)

const fieldsOf = (value: unknown) => Object(value) as Readonly<Record<string, unknown>>

/** Persian texts have Persian digits. */
const latin = (text: string): string => text.replace(/[۰-۹]/g, (digit) => String("۰۱۲۳۴۵۶۷۸۹".indexOf(digit)))
const digitsIn = (text: string): string => /\d{4,}/.exec(latin(text))?.[0] ?? text

/** A gateway as docs/bridge.md asks for: what it has sent it does not send again, and answers the same. */
const fakeBridge = Effect.suspend(() => fakeFarEnd(() => ({ json: { status: "accepted", message_id: "1" } })))

type Call = Omit<Arrival, "channel" | "deed" | "at" | "server">

/** Undefined for what is no send. */
type Reader = (received: Received) => Call | undefined

const readSafir: Reader = ({ json }) => {
  const { request_id, phone_number, message_data } = fieldsOf(json)
  const { otp_message, message } = fieldsOf(message_data)
  const content = otp_message === undefined ? fieldsOf(message)["text"] : fieldsOf(otp_message)["otp"]
  return { phone: `+${String(phone_number)}`, id: String(request_id), content: String(content) }
}

const readBridge: Reader = ({ json }) => {
  const { id, phone, code, text } = fieldsOf(json)
  return { phone: String(phone), id: String(id), content: String(code ?? text) }
}

/** Codes come in a text here; texts of the load begin with a word of theirs. */
const contentOf = (text: string): string => (text.startsWith("soak ") ? text : digitsIn(text))

const readEitaa: Reader = ({ json }) => {
  const { chat_id, text } = fieldsOf(json)
  return { phone: `+98${String(chat_id)}`, id: null, content: contentOf(String(text)) }
}

const readSmsir: Reader = ({ method, json }) => {
  if (method !== "POST") return undefined
  const { mobile, mobiles, parameters, messageText } = fieldsOf(json)
  const [parameter] = (parameters ?? []) as ReadonlyArray<unknown>
  const number = String(mobile ?? (mobiles as ReadonlyArray<unknown>)[0])
  return {
    phone: `+98${number.slice(1)}`,
    id: null,
    content: String(parameter === undefined ? messageText : fieldsOf(parameter)["value"])
  }
}

const retryAfter = { "retry-after": "1" }

/** In each provider's own words. */
const refusals: Readonly<
  Record<ChannelName, Readonly<Record<"refuse" | "throttle" | "unavailable", Answer>>>
> = {
  bale: {
    refuse: {
      json: { message_id: "", error_data: [{ phone_number: "", code: 17, description: "NotBaleUser" }] }
    },
    throttle: {
      status: 429,
      headers: retryAfter,
      json: { message_id: "", error_data: [{ phone_number: "", code: 3, description: "RateLimitExceeded" }] }
    },
    unavailable: { status: 503, headers: retryAfter, text: "" }
  },
  eitaa: {
    refuse: { json: { ok: false } },
    throttle: { status: 429, headers: retryAfter, text: "" },
    unavailable: { status: 503, headers: retryAfter, text: "" }
  },
  soroushplus: {
    refuse: { json: { status: "rejected", reason: "recipient" } },
    throttle: { json: { status: "throttled", retry_after: 1 } },
    unavailable: { json: { status: "unavailable" } }
  },
  sms: {
    refuse: { status: 400, json: { status: 104, message: "invalid number", data: null } },
    throttle: {
      status: 429,
      headers: retryAfter,
      json: { status: 20, message: "too many requests", data: null }
    },
    unavailable: { status: 503, headers: retryAfter, text: "" }
  }
}

const totalWeight = Object.values(deeds).reduce((sum, { weight }) => sum + weight, 0)

const chooseDeed = (at: number): Deed => {
  let left = at * totalWeight
  for (const [deed, { weight }] of Object.entries(deeds)) {
    left -= weight
    if (left < 0) return deed as Deed
  }
  return "accept"
}

const carryOut = async (deed: Deed, channel: ChannelName, behave: () => Answer | Fault) => {
  switch (deed) {
    case "accept":
      return behave()
    case "slow":
      await pause(300 + (PROVIDER_TIMEOUT_MILLIS - 1000) / 2)
      return behave()
    case "refuse":
    case "throttle":
    case "unavailable":
      return refusals[channel][deed]
    case "reset":
    case "silence":
      return deed
    case "stall":
      behave()
      return "stall"
    case "lie":
      behave()
      return { status: 502, text: "<html>Bad Gateway</html>" }
    case "vanish":
      behave()
      return "reset"
    case "late":
      await pause(PROVIDER_TIMEOUT_MILLIS + 700)
      return behave()
  }
}

const FORGET_ABOVE = 1000
const FLOODED_PATH = "/flooded"

/** The same far end, reached through a proxy. */
const behindProxy = Effect.fnUntraced(function* (fake: FakeFarEnd) {
  const { port } = new URL(fake.url)
  const proxy = yield* Effect.acquireRelease(
    Effect.promise(() => startProxy(0, { host: "127.0.0.1", port: Number(port) })),
    ({ close }) => Effect.promise(close)
  )
  return { proxy, url: `http://127.0.0.1:${proxy.address}` }
})

export const startProviders = (seed: string): Effect.Effect<Providers, never, Scope.Scope> =>
  Effect.gen(function* () {
    const arrivals: Array<Arrival> = []
    const inboxes = new Map<string, Array<Arrival>>()
    const counts = new Map<string, number>()
    let isCalm = false
    let floodedHangs = false

    const note = (arrival: Arrival) => {
      arrivals.push(arrival)
      if (!deeds[arrival.deed].delivers) return
      const inbox = inboxes.get(arrival.phone)
      if (inbox === undefined) inboxes.set(arrival.phone, [arrival])
      else inbox.push(arrival)
    }

    /** A provider that knows sends by their ids does not refuse one that it delivered. */
    const wasDelivered = (channel: ChannelName, { phone, id }: Call): boolean =>
      id !== null && (inboxes.get(phone) ?? []).some((each) => each.channel === channel && each.id === id)

    /** Depends on the phone and how often this came, not on what else arrives meanwhile. */
    const deedFor = (channel: ChannelName, call: Call): Deed => {
      const key = `${channel}/${call.phone}`
      const nth = counts.get(key) ?? 0
      counts.set(key, nth + 1)
      const deed = isCalm ? "accept" : chooseDeed(randomOf(seed, "provider", key, nth).next())
      return deed === "refuse" && wasDelivered(channel, call) ? "accept" : deed
    }

    const mischievous = (channel: ChannelName, fake: FakeFarEnd, read: Reader) => {
      const answer = async (received: Received): Promise<Answer | Fault> => {
        fake.script(answer)
        if (fake.received.length > FORGET_ABOVE) fake.received.length = 0
        const call = read(received)
        if (call === undefined) return fake.behave(received)
        const hangs = floodedHangs && received.path === FLOODED_PATH
        const deed = hangs ? "silence" : deedFor(channel, call)
        note({ ...call, channel, deed, at: now(), server: Number(received.headers["x-soak-server"]) })
        return carryOut(deed, channel, () => fake.behave(received))
      }
      fake.script(answer)
      return fake
    }

    const safir = yield* behindProxy(mischievous("bale", yield* fakeBaleSafir(), readSafir))
    const eitaa = yield* behindProxy(mischievous("eitaa", yield* fakeEitaa(), readEitaa))
    const smsir = yield* behindProxy(mischievous("sms", yield* fakeSmsir(), readSmsir))
    const bridge = yield* behindProxy(mischievous("soroushplus", yield* fakeBridge, readBridge))
    return {
      urls: {
        PEYK_BALE_SAFIR_URL: `${safir.url}/api/v3`,
        PEYK_EITAA_URL: `${eitaa.url}/api`,
        PEYK_SMSIR_URL: `${smsir.url}/v1`
      },
      accounts: [
        {
          channel: "bale",
          provider: "bale_safir",
          settings: { api_key: SAFIR_KEY, bot_id: 1 },
          needsContact: false
        },
        { channel: "eitaa", provider: "eitaa_app", settings: { token: EITAA_TOKEN }, needsContact: true },
        {
          channel: "soroushplus",
          provider: "bridge",
          settings: { url: `${bridge.url}/send`, secret: BRIDGE_SECRET },
          needsContact: false
        },
        {
          channel: "sms",
          provider: "smsir",
          settings: { api_key: SMSIR_KEY, line_number: 30_007_732_000_000, otp_template_id: 123_456 },
          needsContact: false
        }
      ],
      floodedAccount: {
        channel: "soroushplus",
        provider: "bridge",
        settings: { url: `${bridge.url}${FLOODED_PATH}`, secret: BRIDGE_SECRET },
        needsContact: false
      },
      hangFlooded: (hangs) => {
        floodedHangs = hangs
      },
      arrivals,
      proxies: [safir, eitaa, smsir, bridge].map(({ proxy }) => proxy),
      inbox: (phone) => inboxes.get(phone) ?? [],
      calm: () => {
        isCalm = true
      }
    }
  })
