// @effect-diagnostics globalDate:off
/** The server's half of the login page: what its routes do, for any framework with sessions. */
import type { Client } from "./Client.ts"
import { isPeykError } from "./PeykError.ts"

/** What is kept in the visitor's session, and nowhere else. The page never sees the verification's id. */
export interface LoginState {
  readonly verification: string
  /** The attempt that the page shows. */
  readonly sequence: number
  /** When codes were asked for, in milliseconds since 1970. */
  readonly asked: ReadonlyArray<number>
}

/** The visitor's session: an object that your framework keeps on the server, such as `request.session`. */
export interface LoginSession {
  peykLogin?: LoginState | undefined
}

export interface LoginVisitor {
  readonly session: LoginSession
  /** The visitor's address, as your proxy reports it. */
  readonly ip?: string | undefined
}

/** The response to send to the page, as JSON. */
export interface LoginReply {
  readonly status: number
  readonly body: object
}

export interface VerifiedReply extends LoginReply {
  /** `+98…`, once the right code was entered: sign this person in. Otherwise null. */
  readonly phone: string | null
}

export interface LoginOptions {
  /** Codes in ten minutes for one session; another channel counts too. Default: 5 */
  readonly perSession?: number
  /** The same for one address. Visitors of a mobile network share addresses. Default: 30 */
  readonly perAddress?: number
  /**
   * The channels that visitors can ask for, such as `["sms", "voice"]`: the page has a button for each. Peyk decides
   * whether a code can go over them. Default: none
   */
  readonly channels?: ReadonlyArray<string>
  /** This site, as `https://shop.example.ir`, if the customer saved several `webotp_origins`: the text then names it. */
  readonly origin?: string
}

export interface Login {
  readonly send: (visitor: LoginVisitor, phone: unknown) => Promise<LoginReply>
  /** Tries the next channel now, or the one that the page names. */
  readonly next: (visitor: LoginVisitor, channel?: unknown) => Promise<LoginReply>
  readonly status: (visitor: LoginVisitor) => Promise<LoginReply>
  readonly verify: (visitor: LoginVisitor, code: unknown) => Promise<VerifiedReply>
}

const WINDOW = 600_000
/** It is no id, so Peyk refuses it, and the page offers a new code. */
const NONE = "none"

const refused = (error: string, status: number, retry_after: number | null): LoginReply => ({
  status,
  body: retry_after === null ? { error } : { error, retry_after }
})

const orRefused = <A extends LoginReply>(reply: Promise<A>): Promise<A | LoginReply> =>
  reply.catch((error: unknown) => {
    if (!isPeykError(error)) throw error
    // Not Peyk's own response: its status would say something wrong about this page.
    const isForeign = error.code === "invalid_response" || error.status === 0
    return refused(error.code, isForeign ? 503 : error.status, error.retryAfter)
  })

/** Counts in this process alone, in windows that are forgotten as a whole, so memory stays small. */
const makeCounter = () => {
  let counts = new Map<string, number>()
  let endsAt = 0
  return (key: string, now: number): number => {
    if (now >= endsAt) {
      counts = new Map()
      endsAt = now + WINDOW
    }
    const count = (counts.get(key) ?? 0) + 1
    counts.set(key, count)
    return count
  }
}

const makeLimit = ({ perSession = 5, perAddress = 30 }: LoginOptions) => {
  const count = makeCounter()
  /** Null if the visitor may go on. */
  return ({ session, ip }: LoginVisitor): LoginReply | null => {
    const now = Date.now()
    const earlier = session.peykLogin ?? { verification: NONE, sequence: 1, asked: [] }
    const asked = earlier.asked.filter((at) => at > now - WINDOW)
    const isOver = asked.length >= perSession || (ip !== undefined && count(ip, now) > perAddress)
    if (isOver) return refused("too_many_requests", 429, Math.ceil((WINDOW - now + (asked[0] ?? now)) / 1000))
    session.peykLogin = { ...earlier, asked: [...asked, now] }
    return null
  }
}

interface Descriptor {
  readonly type: string
  readonly provider: string
}

/** For the page: a messenger's name, `sms` or `voice`. Accounts and their labels are nobody's business. */
const nameOf = ({ type, provider }: Descriptor): string => (type === "messenger" ? provider : type)

type Status = Awaited<ReturnType<Client["otp"]["status"]>>

/** Nothing, where no channel may be asked for. One that was tried already cannot be asked for again. */
const offered = (channels: ReadonlyArray<string>, tried: ReadonlyArray<Descriptor>): object => {
  const names = new Set(tried.map(nameOf))
  return channels.length === 0 ? {} : { channels: channels.filter((channel) => !names.has(channel)) }
}

const shown = (session: LoginSession, channels: ReadonlyArray<string>, verification: Status): LoginReply => {
  const { peykLogin } = session
  const sequence = verification.attempts.at(-1)?.sequence ?? 1
  if (peykLogin !== undefined) session.peykLogin = { ...peykLogin, sequence }
  const { status, current_channel, remaining_seconds: next_in, attempts } = verification
  const tried = attempts.filter((each) => each.skip_reason !== "hours").map(({ channel }) => channel)
  const body = { status, channel: nameOf(current_channel), next_in, ...offered(channels, tried) }
  return { status: 200, body }
}

/** The routes of the login page. Give it a client with a live key. */
export const createLogin = ({ otp }: Pick<Client, "otp">, options: LoginOptions = {}): Login => {
  const limit = makeLimit(options)
  const { channels = [] } = options
  const site = options.origin === undefined ? {} : { origin: options.origin }
  const idIn = ({ peykLogin }: LoginSession) => peykLogin?.verification ?? NONE

  const send = async ({ session, ip }: LoginVisitor, phone: unknown): Promise<LoginReply> => {
    const earlier = idIn(session)
    const client = { ...site, ...(ip === undefined ? {} : { ip }) }
    const described = Object.keys(client).length === 0 ? {} : { client }
    const sent = await otp.send({ phone: String(phone), ...described })
    const asked = session.peykLogin?.asked ?? []
    session.peykLogin = { verification: sent.verification_id, sequence: 1, asked }
    // Otherwise the earlier code could still arrive over its next channel. That it has ended already is no error.
    if (earlier !== NONE) await otp.cancel(earlier).catch(() => undefined)
    const { status, current_attempt_channel: current, expires_in, code_length } = sent
    const about = { status, channel: nameOf(current), expires_in, code_length }
    return { status: 200, body: { ...about, ...offered(channels, [current]) } }
  }

  const next = async ({ session }: LoginVisitor, channel: string | undefined): Promise<LoginReply> => {
    const from_sequence = session.peykLogin?.sequence ?? 1
    const request = channel === undefined ? { from_sequence } : { from_sequence, channel }
    return shown(session, channels, await otp.next(idIn(session), request))
  }

  /** A channel that you did not offer is not asked for, whatever the page sends. */
  const nextOffered = async (visitor: LoginVisitor, given: unknown): Promise<LoginReply> => {
    const channel = channels.find((each) => each === given)
    if (given !== undefined && given !== null && channel === undefined) {
      return refused("invalid_channel", 422, null)
    }
    return limit(visitor) ?? (await orRefused(next(visitor, channel)))
  }

  const verify = async ({ session }: LoginVisitor, code: unknown): Promise<VerifiedReply> => {
    const verification_id = idIn(session)
    const body = await otp.verify({ verification_id, code: String(code) })
    if (!body.verified) return { status: 200, body, phone: null }
    const { phone } = await otp.status(verification_id)
    session.peykLogin = undefined
    return { status: 200, body, phone }
  }

  return {
    send: async (visitor, phone) => limit(visitor) ?? (await orRefused(send(visitor, phone))),
    next: nextOffered,
    status: async ({ session }) =>
      orRefused(otp.status(idIn(session)).then((verification) => shown(session, channels, verification))),
    verify: async (visitor, code) => ({ phone: null, ...(await orRefused(verify(visitor, code))) })
  }
}
