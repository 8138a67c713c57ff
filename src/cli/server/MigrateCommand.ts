import { Cause, Effect, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { SqlClient } from "effect/sql"
import { withStore, withStoreLocation } from "../CommandContext.ts"
import { printOne, printMany } from "../output/Output.ts"
import { Infrastructure } from "../../layers/graphs/Infrastructure.ts"
import { addCell, makeCells, moveCell, placedCells } from "../../layers/postgres/Citus.ts"
import { appliedMigration } from "../../layers/postgres/Migrations.ts"
import { MigrationSql } from "../../layers/postgres/Pools.ts"
import { withReason } from "../../layers/postgres/StoreAvailability.ts"
import { StartupError } from "../../layers/system/StartupError.ts"

const CellCount = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1000 }))
const NodeAddress = Schema.String.check(Schema.isPattern(/^[^:\s]+:\d{1,5}$/))

/** On the connection for changes of the schema, which has no time-out. */
const migrating = <A, E extends { readonly message: string }>(
  work: Effect.Effect<A, E, SqlClient.SqlClient>
): Effect.Effect<A, StartupError, MigrationSql> =>
  Effect.flatMap(MigrationSql, (sql) => Effect.provideService(work, SqlClient.SqlClient, sql)).pipe(
    // What PostgreSQL refuses otherwise is a defect, but here it refuses the operator.
    Effect.catchCause((cause) => Effect.fail(toStartupError(Cause.squash(cause))))
  )

const toStartupError = (error: unknown): StartupError =>
  error instanceof StartupError
    ? error
    : new StartupError({ message: error instanceof Error ? withReason(error) : String(error) })

const migrateCommand = Command.make(
  "migrate",
  {
    citus: Flag.Boolean("citus").pipe(
      Flag.withDescription("Also spread the customers over the workers of a Citus cluster; stop Peyk first"),
      Flag.withDefault(false)
    ),
    cells: Flag.Int("cells").pipe(
      Flag.withDescription("With --citus: how many cells there are at least (default: four for each worker)"),
      Flag.withSchema(CellCount),
      Flag.optional
    )
  },
  ({ citus, cells }) =>
    withStoreLocation((configuration) =>
      Effect.gen(function* () {
        const spread = citus ? yield* migrating(makeCells(Option.getOrNull(cells))) : {}
        const applied = yield* Effect.orDie(appliedMigration)
        yield* printOne({ schema: "up to date", migration: applied, ...spread })
      }).pipe(Effect.provide(Infrastructure(configuration)))
    )
)

/** Runs the work on an existing store. */
const onStore = <A, E extends { readonly message: string }>(work: Effect.Effect<A, E, SqlClient.SqlClient>) =>
  withStore((configuration) => Effect.provide(migrating(work), Infrastructure(configuration)))

const listCommand = Command.make("list", {}, () => Effect.flatMap(onStore(placedCells), printMany)).pipe(
  Command.withDescription("List the cells, with their customers and nodes")
)

const addCommand = Command.make("add", {}, () =>
  Effect.flatMap(onStore(addCell), ({ id, name }) => printOne({ id, name }))
).pipe(Command.withDescription("Make one more cell; new customers go to the cell with the fewest"))

const moveCommand = Command.make(
  "move",
  {
    cell: Argument.String("cell"),
    to: Flag.String("to").pipe(Flag.withDescription("The node, as host:port"), Flag.withSchema(NodeAddress))
  },
  ({ cell, to }) => {
    const end = to.lastIndexOf(":")
    const moved = onStore(moveCell(cell, to.slice(0, end), Number(to.slice(end + 1))))
    return Effect.andThen(moved, printOne({ name: cell, node: to }))
  }
).pipe(Command.withDescription("Move a cell to another node of a Citus cluster, while Peyk runs"))

const cellCommand = Command.make("cell").pipe(Command.withSubcommands([listCommand, addCommand, moveCommand]))

export const commands = { migrate: migrateCommand, cell: cellCommand }
