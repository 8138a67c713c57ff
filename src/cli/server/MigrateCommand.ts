import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { SqlClient } from "effect/sql"
import { withStoreLocation } from "../CommandContext.ts"
import { printOne } from "../output/Output.ts"
import { Infrastructure } from "../../layers/graphs/Infrastructure.ts"
import { distributeTables } from "../../layers/postgres/Citus.ts"
import { appliedMigration } from "../../layers/postgres/Migrations.ts"
import { MigrationSql } from "../../layers/postgres/Pools.ts"
import { withReason } from "../../layers/postgres/StoreAvailability.ts"
import { StartupError } from "../../layers/system/StartupError.ts"

/** Enough for eight workers, and few enough that a statement over all of them is quick. */
const SHARDS = 32

const distributeForCitus = Effect.flatMap(MigrationSql, (sql) =>
  Effect.provideService(distributeTables(SHARDS), SqlClient.SqlClient, sql)
).pipe(
  Effect.mapError(
    (error) => new StartupError({ message: `the tables could not be distributed: ${withReason(error)}` })
  )
)

const migrateCommand = Command.make(
  "migrate",
  {
    citus: Flag.Boolean("citus").pipe(
      Flag.withDescription("Also distribute the tables over the workers of a Citus cluster"),
      Flag.withDefault(false)
    )
  },
  ({ citus }) =>
    withStoreLocation((configuration) =>
      Effect.gen(function* () {
        const distributed = citus ? { distributed: (yield* distributeForCitus).join(", ") } : {}
        const applied = yield* Effect.orDie(appliedMigration)
        yield* printOne({ schema: "up to date", migration: applied, ...distributed })
      }).pipe(Effect.provide(Infrastructure(configuration)))
    )
)

export const commands = { migrate: migrateCommand }
