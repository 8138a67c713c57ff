import { Clock, Context, Data, Effect, Layer } from "effect"
import { type Instant, MINUTE_MILLIS } from "../../domain/Instant.ts"
import type { ProviderOutcome } from "../../domain/ProviderOutcome.ts"
import { isSlotUsable, type SendKind, type SkipReason } from "../../domain/account/Pace.ts"
import type { RouteAccount } from "../../domain/routing/Route.ts"
import { flushAfter } from "../concurrency/Workers.ts"
import type { ProviderConnection } from "../provider/ProviderAdapter.ts"
import { warnOfFailure } from "../system/Observability.ts"

export interface SlotRequest {
  readonly customerId: number
  readonly kind: SendKind
  /** The preferred one first. */
  readonly accounts: ReadonlyArray<RouteAccount>
  readonly now: Instant
  /** A slot later than this is not taken. */
  readonly until: Instant
  /**
   * Whether a slot after a cooldown is good enough too, and one after the account was at its rate as good as another.
   * Otherwise the latter is only taken if no account has any other in time.
   */
  readonly waitsForBlocked: boolean
}

/** The right to send once over one of the accounts, not before `at`; or when the earliest of them can. */
export type Slot = (
  | {
      readonly _tag: "Taken"
      readonly index: number
      readonly at: Instant
      /** The start at that time is already recorded; else ask `start` when the time has come. */
      readonly hasStart: boolean
    }
  | { readonly _tag: "FreeAt"; readonly at: Instant }
) & {
  /** Accounts in cooldown or at their rate, not those that only wait for their gap. */
  readonly blocked: ReadonlyArray<number>
  /** What keeps each of the accounts from sending, in their order; absent: nothing does. */
  readonly reasons?: ReadonlyArray<SkipReason>
}

export interface StartRequest {
  readonly now: Instant
  /** The recorded start of this very call, which passed unused. */
  readonly instead: Instant | null
}

/** The call's start is recorded for then; or when to ask again. */
export type Start = { readonly hasStart: boolean; readonly at: Instant }

export interface SendResult {
  readonly kind: SendKind
  readonly outcome: ProviderOutcome
  readonly now: Instant
}

/** When each sending account can send: its gap, its rate, its cooldowns; over all processes. */
export class AccountSlots extends Context.Service<
  AccountSlots,
  {
    /**
     * Takes a slot of the first account that has one soon and is not blocked, else the earliest slot in time.
     */
    readonly take: (request: SlotRequest) => Effect.Effect<Slot>
    /**
     * The right to start a call at `now` after its slot came without a recorded start. No other call of the account
     * started within its gap, and the next call moves back.
     */
    readonly start: (account: RouteAccount, request: StartRequest) => Effect.Effect<Start>
    /** Whether the account is in cooldown: a slot taken before is then useless. */
    readonly isCooling: (account: RouteAccount, kind: SendKind, now: Instant) => Effect.Effect<boolean>
    /** The outcome of a send: an account that fails, or must slow down, cools down. */
    readonly report: (account: RouteAccount, result: SendResult) => Effect.Effect<void>
  }
>()("peyk/services/account/AccountSlots") {
  /** Every account can always send. */
  static readonly layerUnlimited = Layer.succeed(
    AccountSlots,
    AccountSlots.of({
      take: ({ now }) => Effect.succeed({ _tag: "Taken", index: 0, at: now, hasStart: true, blocked: [] }),
      start: (_account, { now }) => Effect.succeed({ hasStart: true, at: now }),
      isCooling: () => Effect.succeed(false),
      report: () => Effect.void
    })
  )
}

/** Whether a slot reserved earlier can be used: it is not long past, and the account is not in cooldown. */
export const isSlotReady = (
  slots: AccountSlots["Service"],
  account: RouteAccount,
  { kind, at, now }: { readonly kind: SendKind; readonly at: Instant; readonly now: Instant }
): Effect.Effect<boolean> =>
  isSlotUsable(at, now)
    ? Effect.map(slots.isCooling(account, kind, now), (isCooling) => !isCooling)
    : Effect.succeed(false)

/** An account whose set-up does not work; `message` is for people. */
export class AccountUnusable extends Data.TaggedError("AccountUnusable")<{ readonly message: string }> {}

/** The connected accounts, ready to use. */
export class AccountConnections extends Context.Service<
  AccountConnections,
  { readonly of: (accountId: number) => Effect.Effect<ProviderConnection, AccountUnusable> }
>()("peyk/services/account/AccountSlots/AccountConnections") {}

/** Steps that skipped an account in one minute. */
interface SkipsOfMinute {
  readonly accountId: number
  readonly startsAt: Instant
  readonly reason: SkipReason
  readonly steps: number
}

/** Where counts of skipped steps are kept, for as long as somebody asks about them. */
export class AccountSkipStore extends Context.Service<
  AccountSkipStore,
  {
    /** Adds to the counts that are there. Accounts that are gone are left out. */
    readonly add: (counts: ReadonlyArray<SkipsOfMinute>, now: Instant) => Effect.Effect<void>
  }
>()("peyk/services/account/AccountSlots/AccountSkipStore") {}

const INTERVAL = "1 second"

const keyOf = ({ accountId, startsAt, reason }: Omit<SkipsOfMinute, "steps">) =>
  `${accountId} ${startsAt} ${reason}`

/** Counts the steps that skip an account: a skip only adds to a number, which is written within about a second. */
export class AccountSkips extends Context.Service<
  AccountSkips,
  {
    readonly count: (accountId: number, reason: SkipReason) => void
    /** Writes what was counted. */
    readonly flush: Effect.Effect<void>
  }
>()("peyk/services/account/AccountSlots/AccountSkips") {
  static readonly layer = Layer.effect(
    AccountSkips,
    Effect.gen(function* () {
      const store = yield* AccountSkipStore
      const clock = yield* Clock.Clock
      let counts = new Map<string, SkipsOfMinute>()

      const flush = Effect.suspend(() => {
        if (counts.size === 0) return Effect.void
        const taken = [...counts.values()]
        counts = new Map()
        return store.add(taken, clock.currentTimeMillisUnsafe())
      }).pipe(Effect.catchCause((cause) => warnOfFailure("skipped steps were not counted", cause)))

      const added = yield* flushAfter(INTERVAL, flush)
      return AccountSkips.of({
        flush,
        count: (accountId, reason) => {
          const now = clock.currentTimeMillisUnsafe()
          const minute = { accountId, reason, startsAt: now - (now % MINUTE_MILLIS) }
          const key = keyOf(minute)
          counts.set(key, { ...minute, steps: (counts.get(key)?.steps ?? 0) + 1 })
          added()
        }
      })
    })
  )
}
