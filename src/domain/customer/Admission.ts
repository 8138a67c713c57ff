import {
  type AdmissionError,
  InsufficientBalance,
  QuotaExceeded,
  TooManyRequestsPhoneDay,
  TooManyRequestsPhoneHour
} from "../Errors.ts"
import type { Instant } from "../Instant.ts"
import type { Phone } from "../Phone.ts"
import { bombedUntil, type Callers } from "../guard/Bombing.ts"
import { monthOf } from "../money/Quota.ts"
import { LIMIT_WINDOWS, type PhoneLimits } from "./Limits.ts"

/** The conditions for accepting a request, which are also counted. */
export interface Admission {
  readonly phone: PhoneLimits
  /** Accepted requests in a calendar month; 0: no limit. */
  readonly monthlyQuota: number
  /** The amount that the wallet must cover, in rials; 0 needs no wallet. */
  readonly hold: number
}

/** Whole seconds from `now` until then, at least one. */
export const retryAfterSeconds = (until: Instant, now: Instant): number =>
  Math.max(1, Math.ceil((until - now) / 1000))

/** How often something was counted, and until when that counts. */
interface UsedWindow {
  readonly used: number
  readonly endsAt: Instant
}

/** What was counted of a request's phone and customer before it; null: nothing. */
export interface LimitState {
  readonly hour: UsedWindow | null
  readonly day: UsedWindow | null
  readonly platformDay: UsedWindow | null
  readonly callers: Callers | null
  readonly usedThisMonth: number
}

/** A request to send one code or message. */
export interface AdmissionRequest {
  readonly customerId: number
  readonly phone: Phone
  readonly now: Instant
  readonly admission: Admission
  readonly state: LimitState
}

/** The sums of what was admitted before, by what is counted. */
const makeCounts = <Key>() => {
  const counts = new Map<Key, number>()
  return {
    of: (key: Key): number => counts.get(key) ?? 0,
    add: (key: Key, amount: number) => void counts.set(key, (counts.get(key) ?? 0) + amount)
  }
}

/** Until when a window refuses: it is full, or the requests before this one have filled it. Null: it has room. */
const fullUntil = (
  window: UsedWindow | null,
  before: number,
  limit: number,
  now: Instant,
  lastsMillis: number
): Instant | null => {
  const isOpen = window !== null && window.endsAt > now
  const used = (isOpen ? window.used : 0) + before
  if (limit === 0 || used < limit) return null
  return isOpen ? window.endsAt : now + lastsMillis
}

const retryAt = (until: Instant, now: Instant) => ({ retryAfterSeconds: retryAfterSeconds(until, now) })

/**
 * Who may send: admits requests one after the other, as if each had come alone. Whatever refuses one, it counts nothing.
 * A phone's limits are asked first, then the quota, then the wallet.
 *
 * @param available what a customer's wallet can still hold, in rials
 * @returns in their order: why a request is refused; undefined: it is admitted
 */
export const admitInOrder = (
  requests: ReadonlyArray<AdmissionRequest>,
  available: (customerId: number) => number
): ReadonlyArray<AdmissionError | undefined> => {
  const toPhone = makeCounts<string>()
  const toPhoneOfAll = makeCounts<Phone>()
  const ofMonth = makeCounts<string>()
  const held = makeCounts<number>()

  const refusalOf = (request: AdmissionRequest): AdmissionError | undefined => {
    const { customerId, phone, now, admission, state } = request
    const { hour, day, platformDay } = admission.phone
    const before = toPhone.of(`${customerId} ${phone}`)
    const hourFull = fullUntil(state.hour, before, hour, now, LIMIT_WINDOWS.hour)
    if (hourFull !== null) return new TooManyRequestsPhoneHour(retryAt(hourFull, now))
    const dayFull =
      fullUntil(state.day, before, day, now, LIMIT_WINDOWS.day) ??
      fullUntil(state.platformDay, toPhoneOfAll.of(phone), platformDay, now, LIMIT_WINDOWS.day)
    if (dayFull !== null) return new TooManyRequestsPhoneDay(retryAt(dayFull, now))
    const bombed = bombedUntil(customerId, state.callers, admission.phone.callers, now)
    if (bombed !== null) return new TooManyRequestsPhoneHour({ ...retryAt(bombed, now), isBombed: true })
    const month = monthOf(now)
    const usedThisMonth = state.usedThisMonth + ofMonth.of(`${customerId} ${month.start}`)
    if (admission.monthlyQuota > 0 && usedThisMonth >= admission.monthlyQuota) {
      return new QuotaExceeded(retryAt(month.end, now))
    }
    const left = admission.hold === 0 ? 0 : available(customerId) - held.of(customerId)
    return left < admission.hold ? new InsufficientBalance() : undefined
  }

  return requests.map((request) => {
    const refusal = refusalOf(request)
    if (refusal === undefined) {
      const { customerId, phone, now, admission } = request
      toPhone.add(`${customerId} ${phone}`, 1)
      toPhoneOfAll.add(phone, 1)
      if (admission.monthlyQuota > 0) ofMonth.add(`${customerId} ${monthOf(now).start}`, 1)
      held.add(customerId, admission.hold)
    }
    return refusal
  })
}
