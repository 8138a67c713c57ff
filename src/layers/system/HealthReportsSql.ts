import { Clock, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { dueTimers } from "../postgres/DueTimersSql.ts"
import { appliedMigration, latestMigration } from "../postgres/Migrations.ts"
import { sharedLookup } from "../postgres/SetUpCache.ts"
import { InstantColumn, rowsOf, timestamp } from "../postgres/SqlRows.ts"
import { StoreWrites } from "../postgres/StoreWrites.ts"
import { ClockAgreement } from "../../services/ClockAgreement.ts"
import { HealthReports, LostCells, Readiness } from "../../services/system/HealthReports.ts"

const MAX_LISTED = 100
const NANOS_PER_MILLI = 1e6

const owned = { customerId: Schema.NullOr(Schema.Int), customerName: Schema.NullOr(Schema.String) }
const AccountRow = Schema.Struct({
  id: Schema.Int,
  label: Schema.String,
  channel: Schema.String,
  coolingUntil: Schema.NullOr(InstantColumn),
  ...owned
})
const WebhookRow = Schema.Struct({
  id: Schema.Int,
  url: Schema.String,
  failingSince: Schema.NullOr(InstantColumn),
  ...owned
})
const CountRow = Schema.Struct({ count: Schema.Int })

export const HealthReportsSql = Layer.effect(
  HealthReports,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const clock = yield* Clock.Clock
    const accountRows = rowsOf(AccountRow)
    const webhookRows = rowsOf(WebhookRow)
    const countRows = rowsOf(CountRow)

    const failingAccounts = (now: number) =>
      accountRows(sql`
        select a.id, a.label, a.channel, a.customer_id as "customerId", c.name as "customerName",
          case when greatest(p.cooling_until, p.texts_cooling_until) > ${timestamp(now)}::timestamptz
            then greatest(p.cooling_until, p.texts_cooling_until) end as "coolingUntil"
        from sending_accounts a join account_pace p on p.account_id = a.id
          left join account_checks k on k.account_id = a.id left join customers c on c.id = a.customer_id
        where a.disabled_at is null and (k.result = 'refused'
          or greatest(p.cooling_until, p.texts_cooling_until) > ${timestamp(now)}::timestamptz)
        order by a.id limit ${MAX_LISTED}`)

    const failingWebhooks = webhookRows(sql`
      select w.id, w.url, w.customer_id as "customerId", c.name as "customerName",
        case when w.disabled_reason is null then w.failing_since end as "failingSince"
      from webhook_endpoints w join customers c on c.id = w.customer_id
      where w.disabled_reason in ('gone', 'failing') or w.disabled_at is null and w.failing_since is not null
      order by w.id limit ${MAX_LISTED}`)

    return HealthReports.of({
      read: Effect.fnUntraced(function* (now) {
        const begunAt = clock.monotonicTimeNanosUnsafe()
        const [row] = yield* countRows(sql`
          select count(*)::int as count from pg_stat_activity
          where datname = current_database() and usename = current_user and application_name like 'peyk%'`)
        const roundTripMillis = Number(clock.monotonicTimeNanosUnsafe() - begunAt) / NANOS_PER_MILLI
        const timers = yield* dueTimers(sql, now)
        return {
          roundTripMillis,
          connections: row?.count ?? 0,
          timers: timers.map(({ kind, due, oldestAt }) => ({ kind, count: due, oldestAt })),
          accounts: yield* failingAccounts(now),
          webhooks: yield* failingWebhooks
        }
      })
    })
  })
)

/** A hanging store is not ready either. */
const READINESS_TIMEOUT = "2 seconds"

const WritableRow = Schema.Struct({ writable: Schema.Boolean })

export const ReadinessSql = Layer.effect(
  Readiness,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { areFailing } = yield* StoreWrites
    const { mayBeApart } = yield* ClockAgreement
    const isMigrated = Effect.map(appliedMigration, (applied) => applied >= latestMigration)
    const isWritable = Effect.map(
      rowsOf(WritableRow)(sql`select current_setting('transaction_read_only') = 'off' as writable`),
      ([row]) => row?.writable === true
    )
    const readiness = Effect.map(
      Effect.all([isMigrated, isWritable], { concurrency: 2 }),
      ([migrated, writable]) => migrated && writable
    )
    const inTime = <E>(ready: Effect.Effect<boolean, E>) =>
      ready.pipe(
        Effect.catchCause(() => Effect.succeed(false)),
        Effect.timeoutOrElse({ duration: READINESS_TIMEOUT, orElse: () => Effect.succeed(false) })
      )
    // Anyone can ask at any rate: one query at a time serves all of them.
    const shared = yield* sharedLookup<"ready", boolean, never, never>(() =>
      inTime(Effect.provideService(readiness, SqlClient.SqlClient, sql))
    )
    return Readiness.of({
      lostCells: yield* LostCells,
      isReady: Effect.suspend(() =>
        areFailing() || mayBeApart() ? Effect.succeed(false) : inTime(shared.lookUp("ready"))
      )
    })
  })
).pipe(Layer.provide(StoreWrites.layerProbes))
