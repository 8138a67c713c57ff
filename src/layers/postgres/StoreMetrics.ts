import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Instant } from "../../domain/Instant.ts"
import { smsProviders } from "../../domain/routing/Channel.ts"
import { gauge, withoutSpans } from "../../services/system/Observability.ts"
import { type TimerKind, timerKinds } from "../../domain/Timer.ts"
import { dueTimers } from "./DueTimersSql.ts"
import { rowsOf } from "./SqlRows.ts"

/** A hanging store has no figures, and readers of metrics give up soon. */
const TIMEOUT = "2 seconds"
/** However often metrics are read. */
const FRESH_FOR = "5 seconds"
const MILLIS_PER_SECOND = 1000
const NANOS_PER_SECOND = 1e9

/** The SMS providers that are not the customer's own. */
const gateways = smsProviders.filter((provider) => provider !== "bridge" && provider !== "simulator")

const states = ["active", "idle", "idle in transaction", "other"] as const
type State = (typeof states)[number]
const isState = (state: string): state is State => states.some((known) => known === state)

const AccountsRow = Schema.Struct({
  provider: Schema.String,
  lowest: Schema.NullOr(Schema.Finite),
  refused: Schema.Int
})
const ConnectionRow = Schema.Struct({ state: Schema.NullOr(Schema.String), count: Schema.Int })

interface Figures {
  readonly isUp: boolean
  readonly roundTripSeconds: number
  readonly due: ReadonlyMap<TimerKind, { readonly count: number; readonly oldestSeconds: number }>
  readonly connections: ReadonlyMap<State, number>
  readonly accounts: ReadonlyMap<string, { readonly lowest: number | null; readonly refused: number }>
}

const unknown: Figures = {
  isUp: false,
  roundTripSeconds: Number.NaN,
  due: new Map(),
  connections: new Map(),
  accounts: new Map()
}

const readFigures = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const clock = yield* Clock.Clock
  const now: Instant = clock.currentTimeMillisUnsafe()
  const begunAt = clock.monotonicTimeNanosUnsafe()
  yield* sql`select 1`
  const roundTripSeconds = Number(clock.monotonicTimeNanosUnsafe() - begunAt) / NANOS_PER_SECOND
  // A part of the store that is down leaves the other figures as they are.
  const due = yield* Effect.catchCause(dueTimers(sql, now), () => Effect.succeed([]))
  const accounts = yield* rowsOf(AccountsRow)(sql`
    select a.provider, min(c.credit) as lowest, (count(*) filter (where c.result = 'refused'))::int as refused
    from account_checks c join sending_accounts a on a.id = c.account_id
    where a.disabled_at is null group by a.provider`)
  const connections = yield* rowsOf(ConnectionRow)(sql`
    select state, count(*)::int as count from pg_stat_activity
    where datname = current_database() and usename = current_user and application_name like 'peyk%'
    group by state`)
  const byState = new Map<State, number>(states.map((state) => [state, 0]))
  for (const { state, count } of connections) {
    const known = state !== null && isState(state) ? state : "other"
    byState.set(known, (byState.get(known) ?? 0) + count)
  }
  const figures: Figures = {
    isUp: true,
    roundTripSeconds,
    due: new Map(
      due.map(({ kind, due: count, oldestAt }) => [
        kind,
        { count, oldestSeconds: oldestAt === null ? 0 : (now - oldestAt) / MILLIS_PER_SECOND }
      ])
    ),
    connections: byState,
    accounts: new Map(accounts.map((row) => [row.provider, row]))
  }
  return figures
})

/** Figures that only the store knows, queried when metrics are read. */
export class StoreMetrics extends Context.Service<
  StoreMetrics,
  {
    /** Queries, unless the last result is still fresh. */
    readonly refresh: Effect.Effect<void>
  }
>()("peyk/layers/postgres/StoreMetrics") {
  static readonly layer = (poolLimits: Readonly<Record<string, number>>) =>
    Layer.effect(
      StoreMetrics,
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const context = yield* Effect.context<never>()
        let figures = unknown
        const report = (
          name: string,
          description: string,
          read: (figures: Figures) => number,
          attributes: Readonly<{ [label: string]: string }> = {}
        ) => gauge(context, name, { description, attributes, read: () => read(figures) })

        report("peyk_database_up", "1 when PostgreSQL answered within 2 s, else 0.", ({ isUp }) =>
          Number(isUp)
        )
        report(
          "peyk_database_round_trip_seconds",
          "How long the smallest statement took, waiting for a connection included.",
          ({ roundTripSeconds }) => roundTripSeconds
        )
        for (const [pool, limit] of Object.entries(poolLimits)) {
          report(
            "peyk_database_pool_limit",
            "Connections that this process has at most, by what they are for.",
            () => limit,
            { pool }
          )
        }
        for (const state of states) {
          report(
            "peyk_database_connections",
            "Connections of all Peyk processes to this database, by what they do.",
            ({ connections }) => connections.get(state) ?? Number.NaN,
            { state: state.replaceAll(" ", "_") }
          )
        }
        for (const kind of timerKinds) {
          report(
            "peyk_timers_due",
            "Due timers that no process works on, by kind; at most 10000 are counted.",
            ({ due }) => due.get(kind)?.count ?? Number.NaN,
            { kind }
          )
          report(
            "peyk_timers_overdue_seconds",
            "For how long the oldest of those has been due, by kind.",
            ({ due }) => due.get(kind)?.oldestSeconds ?? Number.NaN,
            { kind }
          )
        }
        for (const provider of gateways) {
          report(
            "peyk_account_credit_lowest",
            "The least that is left to spend at an account that is switched on, by provider, in its own unit.",
            ({ accounts }) => accounts.get(provider)?.lowest ?? Number.NaN,
            { provider }
          )
          report(
            "peyk_accounts_refused",
            "Accounts that are switched on and were refused by their provider when it was last asked, by provider.",
            ({ isUp, accounts }) => (isUp ? (accounts.get(provider)?.refused ?? 0) : Number.NaN),
            { provider }
          )
        }
        const refresh = readFigures.pipe(
          Effect.provideService(SqlClient.SqlClient, sql),
          withoutSpans,
          Effect.timeoutOrElse({ duration: TIMEOUT, orElse: () => Effect.succeed(unknown) }),
          Effect.catchCause(() => Effect.succeed(unknown)),
          Effect.map((read) => {
            figures = read
          })
        )
        return StoreMetrics.of({ refresh: yield* Effect.cachedWithTTL(refresh, FRESH_FOR) })
      })
    )
}
