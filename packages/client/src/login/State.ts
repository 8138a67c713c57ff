/** What the page shows, and how a reply changes it. */
import type { Reply } from "./Server.ts"
import type { ChannelName, Words } from "./Words.ts"

/** `ended`: no code can be entered any more; a new one can be sent. */
export type Step = "phone" | "code" | "ended" | "done"

export interface State {
  readonly step: Step
  /** 09121234567 */
  readonly phone: string
  readonly channel: ChannelName
  readonly codeLength: number
  /** Milliseconds since 1970. */
  readonly expiresAt: number
  readonly againAt: number
  readonly hasOther: boolean
  /** The channels that the visitor can ask for, as by “Call me”. */
  readonly ways: ReadonlyArray<ChannelName>
  readonly error: string
  readonly notice: string
  readonly busy: boolean
}

export const START: State = {
  step: "phone",
  phone: "",
  channel: "",
  codeLength: 6,
  expiresAt: 0,
  againAt: 0,
  hasOther: true,
  ways: [],
  error: "",
  notice: "",
  busy: false
}

/** Seconds before another code can be sent. */
const AGAIN_SECONDS = 60
const MAX_DIGITS = 10

const isOver = (status: string | undefined): boolean => status === "failed" || status === "expired"

/** The words for a refusal. */
const refusal = ({ error = "", retry_after }: Reply, words: Words): string => {
  if (error === "offline") return words.offline
  if (error.startsWith("too_many_")) return words.busy(retry_after ?? 0)
  if (error === "invalid_phone" || error === "validation_error") return words.badPhone
  if (error === "blocked_phone" || error === "suspected_fraud") return words.blocked
  return words.trouble
}

export const afterSend = (state: State, reply: Reply, words: Words, now: number): State => {
  if (reply.error !== undefined) {
    const wait = reply.retry_after ?? 0
    return { ...state, busy: false, notice: "", error: refusal(reply, words), againAt: now + wait * 1000 }
  }
  if (isOver(reply.status)) return { ...state, busy: false, notice: "", error: words.failed }
  return {
    ...state,
    step: "code",
    channel: reply.channel ?? "",
    codeLength: Math.min(MAX_DIGITS, Math.max(1, reply.code_length ?? START.codeLength)),
    expiresAt: now + (reply.expires_in ?? 120) * 1000,
    againAt: now + AGAIN_SECONDS * 1000,
    hasOther: true,
    ways: reply.channels ?? [],
    error: "",
    notice: state.step === "phone" ? "" : words.freshSent,
    busy: false
  }
}

const ended = (state: State, error: string): State => ({
  ...state,
  step: "ended",
  busy: false,
  notice: "",
  error
})

/** What an unknown or ended verification means to the person. */
const LOST: ReadonlySet<string> = new Set(["not_found", "validation_error", "verification_ended"])

export const afterVerify = (state: State, reply: Reply, words: Words): State => {
  if (reply.verified === true) return { ...state, step: "done", busy: false, error: "", notice: "" }
  const { reason, tries_left = null, error } = reply
  if (error !== undefined && LOST.has(error)) return ended(state, words.expired)
  if (reason === undefined) return { ...state, busy: false, notice: "", error: refusal(reply, words) }
  if (reason === "invalid_code" && reply.tries_left !== null) {
    return { ...state, busy: false, notice: "", error: words.wrong(tries_left) }
  }
  const isLocked = reason === "locked" || reason === "invalid_code"
  const said = isLocked ? words.locked : reason === "already_verified" ? words.used : words.expired
  return ended(state, reason === "failed" ? words.failed : said)
}

/** What the server says of a channel that this code cannot go over. */
const CLOSED: ReadonlySet<string> = new Set(["invalid_channel", "insufficient_balance"])

/** After `next`, perhaps for a channel that was asked for, and after a look at the status. */
export const afterLook = (state: State, reply: Reply, words: Words, now: number, asked?: string): State => {
  const { error, status, channel = state.channel, next_in, channels: ways = state.ways } = reply
  if (error !== undefined && CLOSED.has(error)) {
    const left = ways.filter((way) => way !== asked)
    return { ...state, busy: false, ways: left, notice: words.notThisWay }
  }
  if (error === "no_next_channel") return { ...state, busy: false, hasOther: false, notice: words.noOther }
  if (error !== undefined && LOST.has(error)) return ended(state, words.expired)
  if (error !== undefined) return { ...state, busy: false, error: refusal(reply, words) }
  if (status === "locked") return ended(state, words.locked)
  if (isOver(status)) return ended(state, status === "failed" ? words.failed : words.expired)
  const isNew = channel !== state.channel
  return {
    ...state,
    busy: false,
    channel,
    hasOther: next_in !== null,
    ways,
    ...(isNew && { error: "", notice: "", againAt: Math.max(state.againAt, now + AGAIN_SECONDS * 500) })
  }
}

/** As time goes by. */
export const afterTime = (state: State, words: Words, now: number): State =>
  state.step === "code" && !state.busy && now >= state.expiresAt ? ended(state, words.expired) : state

type Kept = Pick<State, "phone" | "channel" | "codeLength" | "expiresAt" | "againAt" | "ways">

/** A phone's browser may drop the page while the visitor reads the code in a messenger. */
export const restored = (text: string | null, now: number): State => {
  try {
    const kept = JSON.parse(text ?? "null") as Kept | null
    return kept !== null && kept.expiresAt > now ? { ...START, ...kept, step: "code" } : START
  } catch {
    return START
  }
}

/** Null: nothing is worth keeping. The verification's id is not in the page at all. */
export const kept = ({ step, phone, channel, codeLength, expiresAt, againAt, ways }: State): string | null =>
  step === "code"
    ? JSON.stringify({ phone, channel, codeLength, expiresAt, againAt, ways } satisfies Kept)
    : null
