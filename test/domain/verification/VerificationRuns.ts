import { Arbitrary, Schema } from "effect"
import type { Channel } from "../../../src/domain/routing/Channel.ts"
import { WaitSeconds } from "../../../src/domain/routing/Waits.ts"
import { Phone } from "../../../src/domain/Phone.ts"
import { ProviderOutcome } from "../../../src/domain/ProviderOutcome.ts"
import type { Route, RouteStep } from "../../../src/domain/routing/Route.ts"
import {
  startVerification,
  type Verification,
  type VerificationStatus
} from "../../../src/domain/verification/Verification.ts"
import { recordAttempt } from "../../../src/domain/verification/Step.ts"
import {
  type Action,
  decide,
  expire,
  type VerificationTransition
} from "../../../src/domain/verification/VerificationMachine.ts"
import { modelOfCompare } from "../../support/CodeModel.ts"

export const START = 1_800_000_000_000

const CHANNELS = ["bale", "eitaa", "sms", "rubika", "soroushplus"] as const

const routeStep = (channel: Channel, wait: number, index: number): RouteStep => ({
  channel,
  account_id: index + 1,
  wait,
  descriptor: {
    type: channel === "sms" ? "sms" : "messenger",
    provider: channel,
    credential_id: index + 1,
    label: `account ${index + 1}`
  }
})

/** A route with these waits; the fallback is for an empty list only. */
export const routeOf = (waits: ReadonlyArray<number>): Route => {
  const [first, ...others] = CHANNELS.slice(0, waits.length).map((channel, index) =>
    routeStep(channel, waits[index] ?? 60, index)
  )
  return [first ?? routeStep("bale", 60, 0), ...others]
}

export const route = Arbitrary.array(Arbitrary.schema(WaitSeconds), { minLength: 1, maxLength: 5 }).pipe(
  Arbitrary.map(routeOf)
)

/** The default text, and no metadata. */
const plain = { textBody: null, textLocale: null, metadata: null }

export const created = (route: Route): Verification =>
  startVerification({ id: "v", customerId: 1, phone: Phone.make("+989121234567"), route, ...plain }, START)

export const outcomes = {
  Accepted: ProviderOutcome.Accepted({ messageId: "m" }),
  Rejected: ProviderOutcome.Rejected({ cause: "recipient", providerError: "no such user" }),
  Throttled: ProviderOutcome.Throttled({ retryAfterMillis: null, providerError: "slow down" }),
  Unavailable: ProviderOutcome.Unavailable({ providerError: "refused" }),
  Unknown: ProviderOutcome.Unknown({ providerError: "no answer" })
}

/** One thing that befalls a verification. */
const Happening = Schema.Struct({
  kind: Schema.Literals([
    // its timer runs, and what the machine decides is done
    "timer",
    "timer",
    "timer",
    "timer",
    // its timer runs after another process took it and never came back
    "abandoned",
    // its timer is looked at before it is due
    "early",
    // a code is compared, at rest or while a provider is being called
    "ended",
    "ended during call",
    // an attempt is reported a second time
    "repeated",
    // the end of validity is reported a second time
    "expired again"
  ]),
  outcome: Schema.Literals([
    "Accepted",
    "Accepted",
    "Accepted",
    "Rejected",
    "Throttled",
    "Unavailable",
    "Unknown"
  ]),
  end: Schema.Literals(["verified", "locked"]),
  lateMillis: Schema.Literals([0, 0, 0, 1, 700, 4_999, 5_000, 5_001, 60_000, 400_000]),
  callMillis: Schema.Literals([0, 35, 9_999])
})
type Happening = typeof Happening.Type

export const happenings = Arbitrary.array(Arbitrary.schema(Happening), { minLength: 1, maxLength: 12 })

/** Only definite failures, so that `failed` is common. */
export const failures = Arbitrary.array(
  Arbitrary.schema(
    Schema.Struct({ ...Happening.fields, outcome: Schema.Literals(["Rejected", "Throttled", "Unavailable"]) })
  ),
  { minLength: 1, maxLength: 12 }
)

/** The effect of one happening. */
export interface Entry {
  readonly before: Verification
  readonly after: Verification
  readonly now: number
  /** The machine's decision, when its timer ran. */
  readonly action: Action | null
  readonly wasAbandoned: boolean
  /** Null when the change came from outside. */
  readonly transition: VerificationTransition | null
  /** The call that was recorded as an attempt. */
  readonly call: {
    readonly step: number
    readonly outcome: ProviderOutcome
    readonly attemptedAt: number
    readonly finishedAt: number
  } | null
}

const idle = (verification: Verification, now: number): Entry => ({
  before: verification,
  after: verification,
  now,
  action: null,
  wasAbandoned: false,
  transition: null,
  call: null
})

/** The fifth wrong code locks. */
const endedBy = (verification: Verification, end: "verified" | "locked", now: number): Verification =>
  modelOfCompare(verification, { isRight: end === "verified", now, wrongCodes: 4, maxWrongCodes: 5 }).next

/** When the timer is due, as the contract has it: at the next step, and at the end of validity at the latest. */
const dueAt = ({ nextStepAt, expiresAt }: Verification): number =>
  Math.min(nextStepAt ?? expiresAt, expiresAt)

const runTimer = (before: Verification, happening: Happening, at: number): Entry => {
  const { kind, outcome, end, lateMillis, callMillis } = happening
  const now = Math.max(at, dueAt(before)) + lateMillis
  const wasAbandoned = kind === "abandoned"
  const action = decide(before, now, wasAbandoned)
  const entry = { ...idle(before, now), action, wasAbandoned }
  switch (action._tag) {
    case "TryStep": {
      const call = {
        step: action.steps[0],
        outcome: outcomes[outcome],
        attemptedAt: now,
        finishedAt: now + callMillis
      }
      const current = kind === "ended during call" ? endedBy(before, end, now) : before
      const transition = recordAttempt(current, call)
      return { ...entry, before: current, transition, after: transition.next, call }
    }
    case "AbandonStep": {
      const call = {
        step: action.step,
        outcome: outcomes.Unknown,
        attemptedAt: dueAt(before),
        finishedAt: now
      }
      const transition = recordAttempt(before, call)
      return { ...entry, transition, after: transition.next, call }
    }
    case "Expire": {
      const transition = expire(before)
      return { ...entry, transition, after: transition.next }
    }
    default:
      return entry
  }
}

const play = (before: Verification, happening: Happening, at: number): Entry => {
  const { kind, outcome, end } = happening
  switch (kind) {
    case "early": {
      const now = Math.max(at, at + Math.floor((dueAt(before) - at) / 2))
      return { ...idle(before, now), action: decide(before, now, false) }
    }
    case "ended":
      return { ...idle(before, at), after: endedBy(before, end, at) }
    case "repeated": {
      const last = before.attempts.at(-1)
      if (last === undefined) return idle(before, at)
      const call = { step: last.step, outcome: outcomes[outcome], attemptedAt: at, finishedAt: at }
      const transition = recordAttempt(before, call)
      return { ...idle(before, at), transition, after: transition.next }
    }
    case "expired again": {
      if (before.status !== "expired") return idle(before, at)
      const transition = expire(before)
      return { ...idle(before, at), transition, after: transition.next }
    }
    default:
      return runTimer(before, happening, at)
  }
}

/** A life: each happening follows from what the earlier ones left. */
export const live = (route: Route, happenings: ReadonlyArray<Happening>): ReadonlyArray<Entry> => {
  const entries: Array<Entry> = []
  let verification = created(route)
  let now = START
  for (const happening of happenings) {
    const entry = play(verification, happening, now)
    entries.push(entry)
    verification = entry.after
    now = Math.max(entry.now, entry.call?.finishedAt ?? entry.now)
  }
  return entries
}

const TERMINAL: ReadonlyArray<VerificationStatus> = ["verified", "failed", "locked", "expired", "canceled"]

export const isOver = ({ status }: { readonly status: VerificationStatus }): boolean =>
  TERMINAL.includes(status)
