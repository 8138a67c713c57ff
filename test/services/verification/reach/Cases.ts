import { safirError } from "../../../support/fakes/FakeBaleSafir.ts"
import type { Answer } from "../../../support/fakes/FakeFarEnd.ts"
import { kavenegarAnswer } from "../../../support/fakes/FakeKavenegar.ts"
import { smsirAnswer } from "../../../support/fakes/FakeSmsir.ts"
import type { FarEnd, Faults } from "./FarEnds.ts"

/** Seconds until the channel after the first one follows a code that was sent. */
export const WAIT = 45
/** Seconds after which a provider's answer is not awaited any more. */
const TIMEOUT = 10
/** An answer that comes in time, and one that does not. */
const SLOW = 9
const TOO_SLOW = 12

/** A send that a far end gets. */
export interface Call {
  readonly to: FarEnd
  /** Seconds after the code was requested. */
  readonly at: number
  /** When it is accepted; absent: it never is. */
  readonly acceptedAt?: number
}

/** What happens on one channel, in seconds after its first call. */
interface Course {
  readonly name: string
  readonly faults: Faults
  readonly calls: ReadonlyArray<Call>
  /** When the next channel follows. */
  readonly next: number
}

const call = (to: FarEnd, at = 0): Call => ({ to, at })
const sent = (to: FarEnd, at = 0, acceptedAt = at): Call => ({ to, at, acceptedAt })

const garbage: Answer = { json: { ok: "yes" } }
const page: Answer = { status: 502, text: "<html>Bad Gateway</html>" }
const comeBack: Answer = { status: 503, headers: { "retry-after": "5" }, text: "" }
const noCredit = kavenegarAnswer(418, "اعتبار کافی نیست")

/** SMS.ir takes over. */
const takesOver: ReadonlyArray<Course> = (
  [
    ["has no credit", noCredit],
    ["does not know the template", kavenegarAnswer(424, "?")],
    ["refuses the request", kavenegarAnswer(431, "?")],
    ["asks to slow down", kavenegarAnswer(451, "?")],
    ["is not ready", comeBack]
  ] as const
).map(([what, answer]) => ({
  name: `Kavenegar ${what}`,
  faults: { kavenegar: { answer } },
  calls: [call("kavenegar"), sent("smsir")],
  next: WAIT
}))

/** SMS.ir stays out: the person cannot be reached, or may have the code. */
const staysOut: ReadonlyArray<Course> = (
  [
    ["refuses the recipient", { answer: kavenegarAnswer(411, "?") }, 0],
    ["breaks the connection", { answer: "reset" }, 0],
    ["stops in the middle of its answer", { answer: "cut" }, 0],
    ["answers with garbage", { answer: garbage }, 0],
    ["answers with a page of its gateway", { answer: page }, 0],
    ["says nothing", { answer: "silence" }, TIMEOUT],
    ["answers after the time-out", { after: TOO_SLOW }, TIMEOUT]
  ] as const
).map(([what, kavenegar, next]) => ({
  name: `Kavenegar ${what}`,
  faults: { kavenegar },
  calls: [call("kavenegar")],
  next
}))

const smsWell: Course = { name: "SMS works", faults: {}, calls: [sent("kavenegar")], next: WAIT }

const smsSends: ReadonlyArray<Course> = [
  smsWell,
  {
    name: "Kavenegar says that it sent the code, and never delivers it",
    faults: { kavenegar: { report: kavenegarAnswer(200, "ok", [{ messageid: 1, status: 11 }]) } },
    calls: [sent("kavenegar")],
    next: WAIT
  },
  {
    name: "Kavenegar is slow",
    faults: { kavenegar: { after: SLOW } },
    calls: [sent("kavenegar", 0, SLOW)],
    next: WAIT
  },
  {
    name: "Kavenegar is slow to refuse",
    faults: { kavenegar: { after: SLOW, answer: noCredit } },
    calls: [call("kavenegar"), sent("smsir", SLOW)],
    next: SLOW + WAIT
  }
]

/** Kavenegar has no credit, and SMS.ir is not well either. */
const standbyFails: ReadonlyArray<Course> = (
  [
    ["has no credit either", { answer: smsirAnswer(102, "?", null, 400) }, 0],
    ["refuses the recipient", { answer: smsirAnswer(104, "?", null, 400) }, 0],
    ["asks to slow down", { answer: smsirAnswer(20, "?", null, 429) }, 0],
    ["breaks the connection", { answer: "reset" }, 0],
    ["answers with garbage", { answer: garbage }, 0],
    ["says nothing", { answer: "silence" }, TIMEOUT]
  ] as const
).map(([what, smsir, next]) => ({
  name: `Kavenegar has no credit, and SMS.ir ${what}`,
  faults: { kavenegar: { answer: noCredit }, smsir },
  calls: [call("kavenegar"), call("smsir")],
  next
}))

const standbySlow: Course = {
  name: "Kavenegar has no credit, and SMS.ir is slow",
  faults: { kavenegar: { answer: noCredit }, smsir: { after: SLOW } },
  calls: [call("kavenegar"), sent("smsir", 0, SLOW)],
  next: WAIT
}

const baleWell: Course = { name: "Bale works", faults: {}, calls: [sent("safir")], next: WAIT }

const baleSends: ReadonlyArray<Course> = [
  baleWell,
  {
    name: "Bale is slow",
    faults: { safir: { after: SLOW } },
    calls: [sent("safir", 0, SLOW)],
    next: WAIT
  },
  {
    name: "Bale says nothing once",
    faults: { safir: { answer: "silence", times: 1 } },
    calls: [call("safir"), sent("safir", TIMEOUT)],
    next: TIMEOUT + WAIT
  }
]

const baleRefuses: ReadonlyArray<Course> = (
  [
    ["does not know the number", safirError(17, "NotBaleUser")],
    ["wants to be paid", safirError(20, "PaymentRequired")],
    ["refuses the request", safirError(4, "InvalidInput")],
    ["asks to slow down", safirError(3, "RateLimitExceeded")],
    ["is not ready", comeBack]
  ] as const
).map(([what, answer]) => ({
  name: `Bale ${what}`,
  faults: { safir: { answer } },
  calls: [call("safir")],
  next: 0
}))

/** Bale recognizes a send by its id, so a call with an unknown outcome is repeated once. */
const baleLost: ReadonlyArray<Course> = (
  [
    ["has an internal error", { answer: safirError(2, "InternalError") }, 0],
    ["breaks the connection", { answer: "reset" }, 0],
    ["answers with garbage", { answer: garbage }, 0],
    ["says nothing", { answer: "silence" }, TIMEOUT],
    ["answers after the time-out", { after: TOO_SLOW }, TIMEOUT]
  ] as const
).map(([what, safir, timeout]) => ({
  name: `Bale ${what}, twice`,
  faults: { safir },
  calls: [call("safir"), call("safir", timeout)],
  next: 2 * timeout
}))

const later = (seconds: number, { to, at, acceptedAt }: Call): Call => ({
  to,
  at: at + seconds,
  ...(acceptedAt !== undefined && { acceptedAt: acceptedAt + seconds })
})

/** A code whose route has one channel after the other. */
const inOrder = (first: "sms" | "bale", one: Course, other: Course) =>
  [
    `${one.name}; then ${other.name}`,
    {
      first,
      faults: { ...one.faults, ...other.faults },
      calls: [...one.calls, ...other.calls.map((each) => later(one.next, each))],
      end: one.next + other.next
    }
  ] as const

const sms = [...smsSends, ...takesOver, ...staysOut, ...standbyFails, standbySlow]
const bale = [...baleSends, ...baleRefuses, ...baleLost]
const notSent = ({ calls }: Course): boolean => calls.every(({ acceptedAt }) => acceptedAt === undefined)

export const cases = [
  ...sms.map((course) => inOrder("sms", course, baleWell)),
  ...bale.map((course) => inOrder("bale", course, smsWell)),
  // Everything fails, one far end after the other.
  ...baleLost.map((course) => inOrder("sms", standbyFails[0] ?? smsWell, course)),
  ...[...takesOver, ...staysOut, ...standbyFails, standbySlow].map((course) =>
    inOrder("bale", bale.findLast(notSent) ?? baleWell, course)
  )
]
