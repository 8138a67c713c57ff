import { Context, Effect, Layer } from "effect"
import { TooManyRequestsPhoneHour } from "../../domain/Errors.ts"
import { HOUR_MILLIS, type Instant } from "../../domain/Instant.ts"
import type { SkipReason } from "../../domain/account/Pace.ts"
import { retryAfterSeconds } from "../../domain/customer/Admission.ts"
import { bombedUntil, type Callers } from "../../domain/guard/Bombing.ts"
import { isCallHour, nightEndsAt } from "../../domain/verification/PhoneCalls.ts"
import type { Verification } from "../../domain/verification/Verification.ts"
import { Settings } from "../Settings.ts"

/** A call that a verification wants to make. */
type PhoneCall = Pick<Verification, "id" | "customerId" | "phone">

/** A call to count, unless a limit refuses it. */
interface CallToCount extends PhoneCall {
  readonly now: Instant
  /** Calls in an hour; 0: no limit. */
  readonly limit: number
  readonly hourEndsAt: Instant
  /** It is the only one until then; null: not at night. */
  readonly nightEndsAt: Instant | null
  /** So many customers bomb the phone; 0: nobody asks. */
  readonly callersLimit: number
  /** It is made now. Otherwise it is requested, and can be given back until it begins. */
  readonly isBegun: boolean
}

/** A counted call that may be given back, with the ends of the hour and the night that it was counted in. */
type CountedCall = PhoneCall & Pick<CountedCalls, "hourEndsAt" | "nightEndsAt">

/** What is known of a phone after a call was counted, or refused. */
interface CountedCalls {
  /** The verification may call: with this count, or because it was counted before. */
  readonly isGranted: boolean
  readonly calls: number
  readonly hourEndsAt: Instant | null
  readonly nightEndsAt: Instant | null
  readonly callers: Callers
}

/** The codes of so many calls are kept of a phone, the last ones: those that may still be repeated or given back. */
export const KEPT_CALLS = 10

/**
 * The calls to each phone, of all customers. What was counted stays, also if the process dies before it calls. A
 * verification calls on one channel only, so it counts once: another account that takes over, and a repeated call, are
 * the same call, also if other codes called the phone in between.
 */
export class PhoneCallCounts extends Context.Service<
  PhoneCallCounts,
  {
    /** One statement. */
    readonly count: (call: CallToCount) => Effect.Effect<CountedCalls>
    /** Notes that a counted call is made now, so that nobody gives it back. False: it is not counted. */
    readonly begin: (call: PhoneCall) => Effect.Effect<boolean>
    /** Takes back the count of a requested call that did not begin. */
    readonly giveBack: (call: CountedCall) => Effect.Effect<void>
    /** Whether the verification's call is counted. */
    readonly isCounted: (call: PhoneCall) => Effect.Effect<boolean>
  }
>()("peyk/services/verification/PhoneCalls/PhoneCallCounts") {}

/** Why `next` may not call, and until when. */
const refusalOf = (
  { customerId, limit, nightEndsAt: night, callersLimit, now }: CallToCount,
  counted: CountedCalls
): TooManyRequestsPhoneHour => {
  const bombed = bombedUntil(customerId, counted.callers, callersLimit, now)
  const isFull = limit > 0 && counted.calls >= limit
  const until = Math.max(
    bombed ?? 0,
    isFull ? (counted.hourEndsAt ?? 0) : 0,
    night === null ? 0 : (counted.nightEndsAt ?? 0)
  )
  return new TooManyRequestsPhoneHour({
    retryAfterSeconds: retryAfterSeconds(until, now),
    ...(bombed !== null && { isBombed: true })
  })
}

/** Takes back the count of a call that is not made after all. Does nothing if the call has begun. */
export type GiveBack = Effect.Effect<void>

/** Whether a phone may be called. Each method is asked for calls only: other channels cost nothing. */
export class PhoneCalls extends Context.Service<
  PhoneCalls,
  {
    /** Whether a route may call at this hour. At night only a call that was asked for: that was counted then. */
    readonly isOpen: (call: PhoneCall, now: Instant) => Effect.Effect<boolean>
    /** Counts a call of a route that is about to be made; or why its step is skipped. */
    readonly take: (call: PhoneCall, now: Instant) => Effect.Effect<SkipReason | null>
    /** Counts a call that is asked for, at any hour: one at night. Returns what gives the count back. */
    readonly request: (
      call: PhoneCall & { readonly callersLimit: number },
      now: Instant
    ) => Effect.Effect<GiveBack, TooManyRequestsPhoneHour>
  }
>()("peyk/services/verification/PhoneCalls") {
  static readonly layer = Layer.effect(
    PhoneCalls,
    Effect.gen(function* () {
      const { callHours, callPhoneHourLimit: limit } = yield* Settings
      const counts = yield* PhoneCallCounts
      const isOpen = (call: PhoneCall, now: Instant) =>
        isCallHour(callHours, now) ? Effect.succeed(true) : counts.isCounted(call)

      return PhoneCalls.of({
        isOpen,

        take: Effect.fnUntraced(function* (call, now) {
          if (!isCallHour(callHours, now)) return (yield* counts.begin(call)) ? null : "hours"
          const hourEndsAt = now + HOUR_MILLIS
          const { isGranted } = yield* counts.count({
            ...call,
            now,
            limit,
            hourEndsAt,
            nightEndsAt: null,
            callersLimit: 0,
            isBegun: true
          })
          return isGranted ? null : "rate"
        }),

        request: Effect.fnUntraced(function* (call, now) {
          const wanted: CallToCount = {
            ...call,
            now,
            limit,
            hourEndsAt: now + HOUR_MILLIS,
            nightEndsAt: isCallHour(callHours, now) ? null : nightEndsAt(callHours, now),
            isBegun: false
          }
          const counted = yield* counts.count(wanted)
          if (!counted.isGranted) return yield* refusalOf(wanted, counted)
          return counts.giveBack({
            ...call,
            hourEndsAt: counted.hourEndsAt,
            nightEndsAt: wanted.nightEndsAt
          })
        })
      })
    })
  )

  /** Nobody is called. */
  static readonly layerUnlimited = Layer.succeed(
    PhoneCalls,
    PhoneCalls.of({
      isOpen: () => Effect.succeed(true),
      take: () => Effect.succeed(null),
      request: () => Effect.succeed(Effect.void)
    })
  )
}
