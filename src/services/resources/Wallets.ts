import { Context, type Effect, Schema } from "effect"
import { Instant } from "../../domain/Instant.ts"
import type { Page, PageRequest } from "../../domain/Paging.ts"
import type { TimeRange } from "../../domain/TimePosition.ts"

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
  occurredAt: Instant
})
export type LedgerEntry = typeof LedgerEntry.Type

/** A customer's view of its wallet, in rials. Lists have the newest first. */
export class Wallets extends Context.Service<
  Wallets,
  {
    readonly balance: (
      customerId: number
    ) => Effect.Effect<{ readonly balance: number; readonly held: number }>
    readonly holds: (customerId: number, page: PageRequest) => Effect.Effect<Page<Hold>>
    readonly ledger: (
      customerId: number,
      search: TimeRange & PageRequest & { readonly kind?: LedgerKind | undefined }
    ) => Effect.Effect<Page<LedgerEntry>>
  }
>()("peyk/services/resources/Wallets") {}
