import { Context, type Effect, Schema } from "effect"
import type { NotFound } from "../domain/Errors.ts"
import { Instant } from "../domain/Instant.ts"
import type { Ordered, Page, PageRequest, TimeRange, TimeSpan } from "../domain/Paging.ts"

/** The subject for which money is held, or was captured. */
export const SubjectType = Schema.Literals(["verification", "message"])

export const Hold = Schema.Struct({
  subjectType: SubjectType,
  subjectId: Schema.String,
  amount: Schema.Int,
  /** When that subject was accepted. */
  createdAt: Instant
})
export type Hold = typeof Hold.Type

export const LedgerKind = Schema.Literals(["top_up", "capture"])
export type LedgerKind = typeof LedgerKind.Type

export const LedgerEntry = Schema.Struct({
  id: Schema.String,
  kind: LedgerKind,
  /** Negative for money that was spent. */
  amount: Schema.Int,
  subjectType: Schema.NullOr(SubjectType),
  subjectId: Schema.NullOr(Schema.String),
  /** The channel that was paid for; null for money that was paid in. */
  channel: Schema.NullOr(Schema.String),
  occurredAt: Instant,
  /** The sum of the ledger up to and with this entry; null in a list that leaves entries out. */
  balanceAfter: Schema.NullOr(Schema.Int)
})
export type LedgerEntry = typeof LedgerEntry.Type

/** What a time began with, what changed, and what it ended with, in rials. */
export interface Statement {
  readonly opening: number
  readonly topUps: number
  /** What was spent, by channel: not negative. */
  readonly captures: Readonly<Record<string, number>>
  readonly closing: number
}

/** In rials. */
export interface Balance {
  readonly balance: number
  readonly held: number
}

/** A wallet whose sums disagree. There is none, unless Peyk has a fault. */
interface WalletDifference extends Balance {
  readonly customerId: number
  /** The sum of the ledger, which the balance should be. */
  readonly ledger: number
  /** The sum of what is held for sends, which `held` should be. */
  readonly holds: number
}

/** Customers' wallets, in rials. Holds have the newest first. */
export class Wallets extends Context.Service<
  Wallets,
  {
    readonly balance: (customerId: number) => Effect.Effect<Balance>
    /** The balance after it. */
    readonly topUp: (customerId: number, amount: number) => Effect.Effect<Balance, NotFound>
    readonly holds: (customerId: number, page: PageRequest) => Effect.Effect<Page<Hold>>
    readonly ledger: (
      customerId: number,
      search: TimeRange & Ordered & PageRequest & { readonly kind?: LedgerKind | undefined }
    ) => Effect.Effect<Page<LedgerEntry>>
    /** When an entry of the ledger was made. */
    readonly entryAt: (customerId: number, id: string) => Effect.Effect<Instant, NotFound>
    /** The sums of the ledger before, within and after a time. */
    readonly statement: (customerId: number, span: TimeSpan) => Effect.Effect<Statement>
    /** Checks every wallet against its ledger and its holds. */
    readonly differences: Effect.Effect<ReadonlyArray<WalletDifference>>
  }
>()("peyk/services/Wallets") {}
