import { Context, Data, type Effect, type Option } from "effect"
import type { Instant } from "../../domain/Instant.ts"
import type { Phone } from "../../domain/Phone.ts"
import type { LeasedTimer } from "../../domain/Timer.ts"
import type { Alarm, CodeCounts } from "../../domain/guard/Alarm.ts"
import type { Tally } from "../../domain/guard/Conversion.ts"
import type { GuardMode } from "../../domain/guard/GuardSettings.ts"
import type { Segment, SegmentState } from "../../domain/guard/Segments.ts"
import type { CustomerState } from "../../domain/guard/CustomerState.ts"
import type { DueCode, Round } from "../../domain/guard/Round.ts"
import type { CustomerTraffic } from "../../domain/guard/Outage.ts"

/** A request for codes of a segment's budget. */
export interface BudgetRequest {
  readonly customerId: number
  readonly segment: Segment
  readonly codes: number
  /** The customer's own budget; null: what the rounds have found. */
  readonly budget: number | null
  readonly now: Instant
}

export interface Grant {
  /** How many of the codes the budget grants. */
  readonly codes: number
  /** How many of the budget are used with these. */
  readonly used: number
  /** When the budget starts again. */
  readonly endsAt: Instant
}

export interface OpenStoredAlarm extends Alarm {
  readonly id: string
  readonly enforced: boolean
}

/** The state that a round starts from. */
export interface RoundSource {
  readonly state: CustomerState | null
  /** The id of the last code that was judged, or an id between two codes. */
  readonly judgedUntil: string | null
  readonly mode: GuardMode
  readonly alarms: ReadonlyArray<OpenStoredAlarm>
  /** Codes that were ever refused because the customer as a whole is suspicious. */
  readonly refusedWhole: number
}

/** A code that is due, as a round reports it. */
export interface ReadCode extends DueCode {
  readonly id: string
  readonly phone: Phone
  /** What enforcing would have done. */
  readonly flag: "no_sms" | "refuse" | null
  /** So many customers had sent to the phone. */
  readonly isBombed: boolean
  /** What it has cost: SMS that were sent, and rials for a messenger. */
  readonly sentSms: number
  readonly charged: number
}

export interface RoundResult {
  readonly customer: CustomerState
  /** What the round began with (`RoundSource`). */
  readonly judgedFrom: string | null
  readonly judgedUntil: string
  readonly segments: Round["segments"]
  readonly credits: Round["credits"]
  /** Budgets to write, by segment. */
  readonly budgets: ReadonlyMap<string, { readonly budget: number; readonly restarts: boolean }>
  readonly raised: ReadonlyArray<Alarm>
  readonly cleared: ReadonlyArray<OpenStoredAlarm>
  readonly days: CodeCounts
  readonly enforced: boolean
  readonly nextAt: Instant
  readonly now: Instant
}

export interface Reputation {
  /** The phone was verified by this customer within 90 days. */
  readonly isProven: boolean
  /** Codes of the network are verified as usual: enough of this customer, or with those of others. */
  readonly network: "known" | "vouched" | null
  /** A code of the network was verified, with any customer. */
  readonly isVerifiedNetwork: boolean
  /** How many of the networks around it have no verified code. */
  readonly unverifiedAround: number
}

/** How many codes of a customer were refused. */
export interface RefusalCounts {
  readonly customerId: number
  readonly refused: number
  /** Those of them that were refused because the customer as a whole is suspicious. */
  readonly refusedWhole: number
  readonly denied: number
}

/** The store has certainly taken none of the counts. */
export class CountsRefused extends Data.TaggedError("CountsRefused")<{ readonly cause: unknown }> {}

export class GuardStore extends Context.Service<
  GuardStore,
  {
    /** In the order of the requests, each for another segment. */
    readonly grant: (requests: ReadonlyArray<BudgetRequest>) => Effect.Effect<ReadonlyArray<Grant>>
    /** Ensures a round of the customer's codes then. */
    readonly wake: (customerId: number, at: Instant) => Effect.Effect<void>
    readonly reputation: (request: {
      readonly customerId: number
      readonly phone: string
      readonly network: string | null
      /** Other networks of its /56 and /48 that send codes. */
      readonly around: ReadonlyArray<string>
      readonly now: Instant
    }) => Effect.Effect<Reputation>
    /**
     * Counts a customer that was refused among those that bomb a phone, so that the others are refused too. The time does
     * not change. Raises the customer's alarm.
     */
    readonly bombed: (customerId: number, phone: Phone, until: Instant, now: Instant) => Effect.Effect<void>
    /** Whether the customer verified a bombed phone within 90 days, or cleared its alarm within an hour. */
    readonly passesBombed: (customerId: number, phone: Phone, now: Instant) => Effect.Effect<boolean>
    /** Raises an alarm outside a round. False if the segment has one for this reason. */
    readonly raise: (customerId: number, alarm: Alarm, enforced: boolean) => Effect.Effect<boolean>
    /** A defect: it is unknown whether the counts were written. */
    readonly countRefused: (
      counts: ReadonlyArray<RefusalCounts>,
      now: Instant
    ) => Effect.Effect<void, CountsRefused>
    readonly source: (customerId: number) => Effect.Effect<RoundSource>
    /**
     * The codes sent after `from` and up to `until`, in their order, and which of them were verified in time. Of more than
     * `sample` codes at most so many are chosen over the whole time, and each has the weight of those it stands for.
     */
    readonly dueCodes: (request: {
      readonly customerId: number
      readonly from: string
      readonly until: Instant
      readonly judgingDelayMillis: number
      readonly sample: number
    }) => Effect.Effect<ReadonlyArray<ReadCode>>
    /** When the first code after this id was sent. */
    readonly nextSentAt: (customerId: number, from: string) => Effect.Effect<Option.Option<Instant>>
    readonly segments: (
      customerId: number,
      segments: ReadonlyArray<Segment>
    ) => Effect.Effect<ReadonlyMap<string, SegmentState>>
    /** The 95th percentile of the times to verify of the last codes; none where there are few. */
    readonly timeToVerify: (customerId: number, now: Instant) => Effect.Effect<Option.Option<number>>
    /** The codes of all customers in the last 14 days. */
    readonly platform: Effect.Effect<Tally>
    /** What the largest customers sent in the last hour: those with the most codes in the last 14 days. */
    readonly largest: (now: Instant) => Effect.Effect<ReadonlyArray<CustomerTraffic>>
    /**
     * Writes a round and frees its timer. Returns its alarms, without those that are open already. Null, and nothing is
     * written, if the timer's lease was lost.
     */
    readonly save: (timer: LeasedTimer, result: RoundResult) => Effect.Effect<ReadonlyArray<Alarm> | null>
  }
>()("peyk/services/guard/GuardStore") {}

/** Compares addresses with networks. */
export class Networks extends Context.Service<
  Networks,
  { readonly isIn: (ip: string | null, networks: ReadonlyArray<string>) => boolean }
>()("peyk/services/guard/GuardStore/Networks") {}
