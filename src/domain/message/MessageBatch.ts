import { Schema } from "effect"
import {
  type AdmissionError,
  InsufficientBalance,
  QuotaExceeded,
  TooManyRequestsPhoneDay,
  TooManyRequestsPhoneHour
} from "../Errors.ts"
import { DAY_MILLIS, HOUR_MILLIS, type Instant } from "../Instant.ts"
import { type Admission, monthOf, retryAfterSeconds } from "../people/Admission.ts"
import type { Phone } from "../Phone.ts"

/** What became of one message of a batch; kept for a repetition of the request. */
export const BatchOutcome = Schema.Union([
  Schema.Struct({ id: Schema.String }),
  /** An error's code and details. */
  Schema.Struct({ code: Schema.String, details: Schema.Record(Schema.String, Schema.Unknown) })
])
export type BatchOutcome = typeof BatchOutcome.Type

/** An error as it is kept. A batch has no Retry-After for one message, so the details have it. */
export const refusedOutcome = (error: {
  readonly _tag: string
  readonly details?: Readonly<Record<string, unknown>>
  readonly retryAfterSeconds?: number
}): BatchOutcome => ({
  code: error._tag,
  details: {
    ...error.details,
    ...(error.retryAfterSeconds === undefined ? {} : { retry_after_seconds: error.retryAfterSeconds })
  }
})

/** How often something was counted, and until when that counts. */
export interface UsedWindow {
  readonly used: number
  readonly endsAt: Instant
}

export interface PhoneStanding {
  readonly hour: UsedWindow
  readonly day: UsedWindow
}

/** The counters and the money of one customer before a batch. */
export interface Standing {
  readonly phones: ReadonlyMap<Phone, PhoneStanding>
  readonly usedThisMonth: number
  readonly available: number
}

export interface Asking {
  readonly phone: Phone
  readonly admission: Admission
}

const usedOf = (window: UsedWindow | undefined, now: Instant): number =>
  window !== undefined && window.endsAt > now ? window.used : 0

/** The end of a window; one that begins with the batch lasts its whole time. */
const endOf = (window: UsedWindow | undefined, now: Instant, lastsMillis: number): Instant =>
  window !== undefined && window.endsAt > now ? window.endsAt : now + lastsMillis

const retryIn = (until: Instant, now: Instant) => ({ retryAfterSeconds: retryAfterSeconds(until, now) })

/**
 * Admits the messages of a batch one after the other, as if each had come alone: a refused one counts nothing.
 * Undefined for an admitted one.
 */
export const admitInOrder = (
  standing: Standing,
  asking: ReadonlyArray<Asking>,
  now: Instant
): ReadonlyArray<AdmissionError | undefined> => {
  const perPhone = new Map<Phone, number>()
  let admitted = 0
  let held = 0
  const refusalOf = ({ phone, admission }: Asking): AdmissionError | undefined => {
    const windows = standing.phones.get(phone)
    const before = perPhone.get(phone) ?? 0
    const isFull = (window: UsedWindow | undefined, limit: number) =>
      limit > 0 && usedOf(window, now) + before >= limit
    if (isFull(windows?.hour, admission.phone.hour)) {
      return new TooManyRequestsPhoneHour(retryIn(endOf(windows?.hour, now, HOUR_MILLIS), now))
    }
    if (isFull(windows?.day, admission.phone.day)) {
      return new TooManyRequestsPhoneDay(retryIn(endOf(windows?.day, now, DAY_MILLIS), now))
    }
    if (admission.monthlyQuota > 0 && standing.usedThisMonth + admitted >= admission.monthlyQuota) {
      return new QuotaExceeded(retryIn(monthOf(now).end, now))
    }
    return admission.hold > 0 && standing.available - held < admission.hold
      ? new InsufficientBalance()
      : undefined
  }
  return asking.map((message) => {
    const refusal = refusalOf(message)
    if (refusal === undefined) {
      perPhone.set(message.phone, (perPhone.get(message.phone) ?? 0) + 1)
      admitted += 1
      held += message.admission.hold
    }
    return refusal
  })
}
