import { Context, Effect, Layer } from "effect"
import type { Instant } from "../../domain/Instant.ts"
import type { SendKind } from "../../domain/account/Pace.ts"
import type { ProviderOutcome } from "../../domain/account/ProviderOutcome.ts"
import type { RouteAccount } from "../../domain/routing/RouteAccount.ts"

export interface SlotRequest {
  readonly customerId: number
  readonly kind: SendKind
  /** The one to be preferred first. */
  readonly accounts: ReadonlyArray<RouteAccount>
  readonly now: Instant
  /** A slot later than this is not taken. */
  readonly until: Instant
  /** Whether a slot after an account's rest, or when it is below its rate again, will do as well. */
  readonly waitsForBlocked: boolean
}

/** The right to send once over one of the accounts, not before `at`; or when the earliest of them may. */
export type Slot = (
  | {
      readonly _tag: "Taken"
      readonly index: number
      readonly at: Instant
      /** That a call starts then is noted already; else `start` has to be asked, when it has come. */
      readonly hasStart: boolean
    }
  | { readonly _tag: "FreeAt"; readonly at: Instant }
) & {
  /** Those that rest, or are at their rate: not only within their gap. */
  readonly blocked: ReadonlyArray<number>
}

export interface StartRequest {
  readonly now: Instant
  /** The start that was noted for this very call, and passed unused. */
  readonly instead: Instant | null
}

/** It is noted that a call starts then; or when to ask again. */
export type Start = { readonly hasStart: boolean; readonly at: Instant }

export interface SendResult {
  readonly kind: SendKind
  readonly outcome: ProviderOutcome
  readonly now: Instant
}

/** When each sending account may send: its gap, its rate, its rests; over all processes. */
export class AccountSlots extends Context.Service<
  AccountSlots,
  {
    /**
     * Takes a slot of the first account that has one soon and is not blocked, else the earliest slot there is in time.
     */
    readonly take: (request: SlotRequest) => Effect.Effect<Slot>
    /**
     * The right to start a call at `now`, when a slot has come that had none: no other call of the account started within
     * its gap, and the next one is pushed.
     */
    readonly start: (account: RouteAccount, request: StartRequest) => Effect.Effect<Start>
    /** Whether the account rests: a slot taken before is worth nothing then. */
    readonly isResting: (account: RouteAccount, kind: SendKind, now: Instant) => Effect.Effect<boolean>
    /** What a send came to: an account that fails, or is told to slow down, rests. */
    readonly report: (account: RouteAccount, result: SendResult) => Effect.Effect<void>
  }
>()("peyk/services/account/AccountSlots") {
  /** Every account may always send. */
  static readonly layerUnlimited = Layer.succeed(
    AccountSlots,
    AccountSlots.of({
      take: ({ now }) => Effect.succeed({ _tag: "Taken", index: 0, at: now, hasStart: true, blocked: [] }),
      start: (_account, { now }) => Effect.succeed({ hasStart: true, at: now }),
      isResting: () => Effect.succeed(false),
      report: () => Effect.void
    })
  )
}
