import { Schema } from "effect"
import type { Segment, SegmentKind } from "./Segments.ts"

/**
 * Why a code that was sent looks risky to the customer that sent it. Each reason comes from that customer's own codes:
 * what other customers know of a network or a phone never shows here, nor an outage that others have.
 */
export const RiskReason = Schema.Literals([
  // An alarm of the guard is open: too few codes of this part were verified.
  "network_conversion_low",
  "device_conversion_low",
  "range_conversion_low",
  "customer_conversion_low",
  // The budget of unverified codes in an hour is used up.
  "network_budget_used",
  "device_budget_used",
  "range_budget_used",
  "customer_budget_used",
  // The third code to the phone within an hour, or a later one.
  "phone_retries"
])
export type RiskReason = typeof RiskReason.Type

export const RiskLevel = Schema.Literals(["low", "medium", "high"])
export type RiskLevel = typeof RiskLevel.Type

export interface Risk {
  readonly level: RiskLevel
  readonly reasons: ReadonlyArray<RiskReason>
}

const NO_REASONS: ReadonlyArray<RiskReason> = []
const NO_RISK: Risk = { level: "low", reasons: NO_REASONS }

/** So many earlier codes to a phone within an hour are no reason yet. */
const USUAL_EARLIER_CODES = 2

const parts = { network: "network", device: "device", prefix: "range", customer: "customer" } as const

const partsOf = (segments: ReadonlyArray<{ readonly kind: SegmentKind }>) =>
  new Set(segments.flatMap(({ kind }) => (kind === "phone" ? [] : [parts[kind]])))

/** What is known of a code when it is accepted. */
interface Signs {
  /** Segments with an open alarm of this customer's guard. */
  readonly alarmed: ReadonlyArray<Pick<Segment, "kind">>
  /** Segments whose budget is used up. */
  readonly spent: ReadonlyArray<Segment>
  /** This customer's earlier codes to the phone within the hour. */
  readonly earlierCodes: number
}

/** Nearly every code has none. */
export const riskReasons = ({ alarmed, spent, earlierCodes }: Signs): ReadonlyArray<RiskReason> =>
  alarmed.length === 0 && spent.length === 0 && earlierCodes < USUAL_EARLIER_CODES
    ? NO_REASONS
    : [
        ...[...partsOf(alarmed)].map((part) => `${part}_conversion_low` as const),
        ...[...partsOf(spent)].map((part) => `${part}_budget_used` as const),
        ...(earlierCodes < USUAL_EARLIER_CODES ? [] : ["phone_retries" as const])
      ]

const isOfMany = (reason: RiskReason): boolean =>
  reason === "phone_retries" || reason === "customer_conversion_low" || reason === "customer_budget_used"

/** High: what the code has in common with few others is suspicious. Medium: only its phone, or the customer as a whole. */
export const riskOf = (reasons: ReadonlyArray<RiskReason>): Risk =>
  reasons.length === 0 ? NO_RISK : { level: reasons.every(isOfMany) ? "medium" : "high", reasons }

/** As it is stored with a code, for replays; null: no reason. */
export const storedReasons = (reasons: ReadonlyArray<RiskReason>): string | null =>
  reasons.length === 0 ? null : reasons.join(" ")

const isReason = Schema.is(RiskReason)

export const readReasons = (stored: string | null): ReadonlyArray<RiskReason> =>
  stored === null ? NO_REASONS : stored.split(" ").filter(isReason)
