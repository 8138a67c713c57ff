import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { appliedMigration, latestMigration } from "../postgres/Migrations.ts"
import { rowsOf } from "../postgres/SqlRows.ts"
import { StoreWrites } from "../postgres/StoreWrites.ts"
import { sharedLookup } from "../postgres/cache/CachedLookup.ts"
import { ClockAgreement } from "../../services/ClockAgreement.ts"
import { Readiness } from "../../services/system/HealthReports.ts"

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
    const asked = Effect.map(
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
      inTime(Effect.provideService(asked, SqlClient.SqlClient, sql))
    )
    return Readiness.of({
      isReady: Effect.suspend(() =>
        areFailing() || mayBeApart() ? Effect.succeed(false) : inTime(shared.ask("ready"))
      )
    })
  })
).pipe(Layer.provide(StoreWrites.layerProbes))
