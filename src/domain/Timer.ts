import type { Instant } from "./Instant.ts"

export const timerKinds = [
  "verification",
  "sandbox_verification",
  "message",
  "sandbox_message",
  "verification_report",
  "sandbox_verification_report",
  "message_report",
  "sandbox_message_report",
  "bot_updates",
  "webhook",
  "guard",
  "retention",
  "account_credits",
  "activity_sums",
  "alert_watch",
  "alert"
] as const
export type TimerKind = (typeof timerKinds)[number]

/** One timer: something is due for its subject at some time. */
interface TimerRef {
  readonly kind: TimerKind
  readonly customerId: number
  readonly subject: string
  /** Distinguishes the timers of one subject; 0 where it has only one. */
  readonly lane: number
}

/** The right to work on a timer until it runs out. A timer's tokens never repeat, so no lease passes for another. */
export interface Lease {
  readonly token: string
  readonly until: Instant
}

export interface LeasedTimer extends TimerRef {
  readonly leaseToken: string
  /** Later with each renewal. */
  leasedUntil: Instant
}

export interface DueTimer extends LeasedTimer {
  /** When it could be claimed. */
  readonly dueAt: Instant
  /** Another process leased it and let the lease run out: the outcome of that work is unknown. */
  readonly wasAbandoned: boolean
}
