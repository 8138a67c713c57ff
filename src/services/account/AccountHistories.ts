import { Cache, Clock, Context, Effect, Exit, Layer } from "effect"
import { HOUR_MILLIS, type Instant } from "../../domain/Instant.ts"
import type { AttemptErrorCode } from "../../domain/ProviderOutcome.ts"
import type { AccountState, Credit } from "../../domain/account/AccountState.ts"
import type { AccountOwner } from "./Accounts.ts"

/** One call of an account's provider for a code or a message. */
export interface AccountSend {
  readonly kind: "code" | "message"
  readonly id: string
  readonly phone: string
  readonly at: Instant
  readonly status: "sent" | "failed"
  readonly errorCode: AttemptErrorCode | null
  /** The provider's own words. */
  readonly providerError: string | null
  /** By the provider's report; null: none has come. */
  readonly delivery: string | null
}

/** How many calls ended alike within one half hour. */
export interface SendCount {
  readonly slot: Instant
  readonly status: "sent" | "failed"
  readonly errorCode: AttemptErrorCode | null
  readonly delivery: string | null
  readonly count: number
}

export interface AccountHistory {
  /** From then on all calls are counted: a busy customer's are not read to the beginning of the day. */
  readonly from: Instant
  readonly isWhole: boolean
  readonly counts: ReadonlyArray<SendCount>
  /** The newest first. */
  readonly last: ReadonlyArray<AccountSend>
}

/** What was left to spend at the provider, the last time of that day that it was asked. */
export interface Balance {
  readonly at: Instant
  readonly credit: NonNullable<Credit>
}

export class AccountHistoryRecords extends Context.Service<
  AccountHistoryRecords,
  {
    /** The calls since then, of a limited number of the customer's latest live codes and messages. */
    readonly sends: (customerId: number, id: number, from: Instant) => Effect.Effect<AccountHistory>
    /** One for each day of this zone, the oldest first. */
    readonly balances: (id: number, zone: string, from: Instant) => Effect.Effect<ReadonlyArray<Balance>>
  }
>()("peyk/services/account/AccountHistories/AccountHistoryRecords") {}

/** The current states of sending accounts, for people who watch them. */
export class AccountStates extends Context.Service<
  AccountStates,
  {
    /** By id; of these accounts those that the owner has, or may use because they are shared. */
    readonly read: (
      owner: AccountOwner,
      ids: ReadonlyArray<number>,
      now: Instant
    ) => Effect.Effect<ReadonlyMap<number, AccountState>>
  }
>()("peyk/services/account/AccountHistories/AccountStates") {}

const LOOKS_BACK_MILLIS = 24 * HOUR_MILLIS
const BALANCES_BACK_MILLIS = 30 * 24 * HOUR_MILLIS

/** Open pages keep themselves up to date: the sends are read once for all of them. */
const AGE = "15 seconds"
const MAX_ACCOUNTS = 1000

/** What became of the sends over one account of late, and its balance over time. */
export class AccountHistories extends Context.Service<
  AccountHistories,
  {
    readonly sends: (customerId: number, id: number) => Effect.Effect<AccountHistory>
    /** `id` is one of the owner's accounts. */
    readonly balances: (id: number, zone: string) => Effect.Effect<ReadonlyArray<Balance>>
  }
>()("peyk/services/account/AccountHistories") {
  static readonly layer = Layer.effect(
    AccountHistories,
    Effect.gen(function* () {
      const records = yield* AccountHistoryRecords
      const keyOf = (customerId: number, id: number) => `${customerId}:${id}`
      const sends = yield* Cache.makeWith(
        Effect.fnUntraced(function* (key: string) {
          const [customerId = 0, id = 0] = key.split(":").map(Number)
          const now = yield* Clock.currentTimeMillis
          return yield* records.sends(customerId, id, now - LOOKS_BACK_MILLIS)
        }),
        { capacity: MAX_ACCOUNTS, timeToLive: (exit) => (Exit.isSuccess(exit) ? AGE : 0) }
      )
      return AccountHistories.of({
        sends: (customerId, id) => Cache.get(sends, keyOf(customerId, id)),
        balances: (id, zone) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) =>
            records.balances(id, zone, now - BALANCES_BACK_MILLIS)
          )
      })
    })
  )
}
