import type { Admission } from "../../domain/people/Admission.ts"

/** A request's column that holds a limit; 0 is without a limit. */
export type LimitColumn = "hour" | "day" | "platform_day" | "callers" | "quota" | "hold"

export type RefusalReason = "phone_hour" | "phone_day" | "platform_day" | "bombed" | "quota" | "wallet"

/** A condition over the request `r` and the rule's row, and the time until which it will hold. */
export interface Refusal {
  readonly reason: RefusalReason
  readonly when: string
  readonly until: string
}

/**
 * One thing that may refuse a request, in SQL texts. The request is a row `r`; the statement that accepts one request and
 * the one that accepts a batch are both made from these rules, in this order.
 */
export interface AdmissionRule {
  /** The part in which the single statement locks the rule's row. */
  readonly name: "phone" | "platform" | "quota" | "wallet"
  readonly table: string
  readonly alias: string
  /** Whether the row belongs to the request `r`. */
  readonly isRow: string
  /** The rule concerns requests that have one of these limits. */
  readonly limits: ReadonlyArray<LimitColumn>
  readonly concerns: (admission: Admission) => boolean
  readonly refusals: ReadonlyArray<Refusal>
  /**
   * Several requests of a batch use the same row, which has to suffice for all of them: `held_together` and
   * `counted_together` are what they ask for. Where it does not, each asks alone.
   */
  readonly isShared: boolean
  /** The parts that count the requests of `admitted`, which ends in a condition. */
  readonly count: (admitted: string) => string
  /** Whether the counts show that more was admitted of `rows` than the limits allow: others were faster. */
  readonly isExceeded: (rows: string) => string
}
