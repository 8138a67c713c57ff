import { Clock, Console, Effect, Exit, Layer, Option, Schema, type Scope } from "effect"
import { CliError, Command } from "effect/cli"
import { SqlClient } from "effect/sql"
import { readConfiguration } from "../Configured.ts"
import { Unhealthy } from "../output/CommandError.ts"
import { JsonFlag } from "../output/Output.ts"
import { accountFindings, setUpFindings } from "./DoctorAccounts.ts"
import { connections, replica, serverSettings } from "./StoreAdvice.ts"
import type { Configuration } from "../../layers/config/Configuration.ts"
import { checkMasterSecret, requireSecret } from "../../layers/crypto/MasterSecret.ts"
import { settingsLayer, simulatorLayer } from "../../layers/graphs/Infrastructure.ts"
import { ManagementLive } from "../../layers/graphs/Management.ts"
import {
  appliedMigration,
  checkHistory,
  hasMigrations,
  latestMigration,
  MIGRATIONS_TABLE
} from "../../layers/postgres/Migrations.ts"
import { waitingTimers } from "../../layers/postgres/DueTimersSql.ts"
import { rowsOf } from "../../layers/postgres/SqlRows.ts"
import { MasterKeyLive } from "../../layers/postgres/Store.ts"
import { isNotNow, withReason } from "../../layers/postgres/StoreAvailability.ts"
import { compareClocks } from "../../layers/postgres/ClockComparison.ts"
import { SqlLive } from "../../layers/postgres/StoreConnections.ts"
import { isEmbedded } from "../../layers/postgres/StoreLocation.ts"
import { requireEmbeddedStore } from "../../layers/postgres/StorePresence.ts"
import { settingsProblem } from "../../layers/postgres/StoreSettings.ts"
import { tryToWrite } from "../../layers/postgres/StoreWrites.ts"
import { Settings } from "../../services/Settings.ts"
import { CustomerRecords } from "../../services/customer/CustomerRecords.ts"
import { Wallets } from "../../services/Wallets.ts"

/** Whether PostgreSQL takes writes: reading works on a full disk and on a standby too. */
export const writes = tryToWrite.pipe(
  Effect.as("are accepted"),
  Effect.catchTag("SqlError", (error) =>
    isNotNow(error)
      ? Effect.fail(new Unhealthy({ message: `are refused: ${withReason(error)}` }))
      : Effect.succeed(`were not tried: ${withReason(error)}`)
  )
)

/** Whether this machine's clock agrees with PostgreSQL's. A server does nothing while they are apart. */
export const clock = Effect.flatMap(compareClocks, ({ agreement, description }) => {
  if (agreement === "agrees") return Effect.succeed("agrees with PostgreSQL's")
  const advice = `${description}; set it right (NTP, for example)`
  return agreement === "warned" ? Effect.succeed(`advice: ${advice}`) : new Unhealthy({ message: advice })
})

const MAX_NAMED = 3

const TableRow = Schema.Struct({ name: Schema.String, role: Schema.String })

/** The tables of whoever made the store: others may share its schema. */
const unusableTables = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  rowsOf(TableRow)(sql`
    select t.relname as name, current_user as role
    from pg_class t join pg_class m on m.relnamespace = t.relnamespace and m.relowner = t.relowner
    where m.oid = to_regclass(${MIGRATIONS_TABLE}) and t.relkind in ('r', 'p') and t.oid <> m.oid
      and not (has_table_privilege(t.oid, 'select') and has_table_privilege(t.oid, 'insert')
        and has_table_privilege(t.oid, 'update') and has_table_privilege(t.oid, 'delete'))
    order by t.relname`)
)

/** Whether the role of DATABASE_URL may read and write every table: it may not after a restore by another role. */
export const privileges = Effect.flatMap(unusableTables, (tables) => {
  const [first] = tables
  if (first === undefined) return Effect.succeed("all tables can be read and written")
  const named = tables.slice(0, MAX_NAMED).map(({ name }) => name)
  const others = tables.length - named.length
  return new Unhealthy({
    message:
      `${first.role} may not read and write ${named.join(", ")}${others === 0 ? "" : ` and ${others} more`}; ` +
      `grant select, insert, update, delete on all tables of the schema to ${first.role}`
  })
})

interface Finding {
  readonly check: string
  readonly ok: boolean
  readonly finding: string
  /** What to do about it, where the finding does not say. */
  readonly advice?: string
}

const MIN_NODE_MAJOR = 26

const messageOf = (exit: Exit.Failure<unknown, unknown>): string => {
  const [reason] = exit.cause.reasons
  const error = reason?._tag === "Fail" ? reason.error : reason?._tag === "Die" ? reason.defect : reason
  return error instanceof Error ? withReason(error) : String(error)
}

const examine = <E, R>(
  check: string,
  effect: Effect.Effect<string, E, R>
): Effect.Effect<Finding, never, R> =>
  Effect.map(Effect.exit(effect), (exit) =>
    Exit.isSuccess(exit)
      ? { check, ok: true, finding: exit.value }
      : { check, ok: false, finding: messageOf(exit) }
  )

const nodeVersion = Effect.suspend(() =>
  Number(process.versions.node.split(".")[0]) >= MIN_NODE_MAJOR
    ? Effect.succeed(process.version)
    : Effect.fail(
        new Unhealthy({ message: `${process.version}; Peyk needs Node ${MIN_NODE_MAJOR} or newer` })
      )
)

const VersionRow = Schema.Struct({ version: Schema.String })
const serverVersion = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* rowsOf(VersionRow)(sql`select current_setting('server_version') as version`)
  return `PostgreSQL ${row?.version ?? "?"}`
})

const databaseSettings = Effect.flatMap(settingsProblem, (problem) =>
  problem === undefined ? Effect.succeed("UTF8, and its sessions suit") : new Unhealthy({ message: problem })
)

const migrations = Effect.gen(function* () {
  if (!(yield* hasMigrations)) {
    return yield* new Unhealthy({ message: "no store in this database; run peyk migrate" })
  }
  yield* Effect.mapError(checkHistory, ({ message }) => new Unhealthy({ message }))
  const applied = yield* appliedMigration
  if (applied >= latestMigration) return `current (${applied})`
  return yield* new Unhealthy({ message: `at ${applied} of ${latestMigration}; run: peyk migrate` })
})

const timers = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { leaseMillis } = yield* Settings
  const { waiting, overdue } = yield* waitingTimers(sql, (yield* Clock.currentTimeMillis) - leaseMillis)
  if (overdue === 0) return `${waiting} waiting, none overdue`
  return yield* new Unhealthy({ message: `${overdue} of ${waiting} overdue; is a server running?` })
})

const wallets = Effect.gen(function* () {
  const differences = yield* (yield* Wallets).differences
  if (differences.length === 0) return "each is the sum of its ledger, and holds what its sends hold"
  const [first] = differences
  return yield* new Unhealthy({
    message:
      `${differences.length} do not add up; customer ${first?.customerId}: balance ${first?.balance}, ` +
      `ledger ${first?.ledger}, held ${first?.held}, holds ${first?.holds}`
  })
})

const customers = Effect.gen(function* () {
  const found = yield* (yield* CustomerRecords).list
  return found.length === 1 ? "1 customer" : `${found.length} customers`
})

const storeFindings = (configuration: Configuration) =>
  Effect.gen(function* () {
    const store = yield* examine(isEmbedded(configuration) ? "embedded store" : "store", serverVersion)
    if (!store.ok) return [store]
    const database = yield* examine("database", databaseSettings)
    if (!database.ok) return [store, database]
    // Without grants the schema cannot be read either.
    const allowed = yield* examine("privileges", privileges)
    if (!allowed.ok) return [store, database, allowed]
    const schema = yield* examine("schema", migrations)
    if (!schema.ok) return [store, database, schema]
    const ofOwn = isEmbedded(configuration)
      ? []
      : [
          yield* examine("connections", connections(configuration)),
          yield* examine("server settings", serverSettings)
        ]
    const ofReplica = Option.isNone(configuration.databaseReadUrl) ? [] : [yield* examine("replica", replica)]
    const secret = yield* examine("master secret", Effect.as(checkMasterSecret, "opens this store"))
    return [
      store,
      database,
      schema,
      allowed,
      yield* examine("writes", writes),
      yield* examine("clock", clock),
      ...ofOwn,
      ...ofReplica,
      secret,
      yield* examine("timers", timers),
      yield* examine("wallets", wallets),
      yield* examine("customers", customers),
      ...(secret.ok ? [...(yield* accountFindings), ...(yield* setUpFindings)] : [])
    ]
  }).pipe(
    Effect.provide(
      ManagementLive.pipe(
        Layer.provide(simulatorLayer(configuration)),
        Layer.provideMerge(settingsLayer(configuration)),
        Layer.provideMerge(MasterKeyLive(configuration)),
        Layer.provideMerge(SqlLive(configuration))
      )
    )
  )

const findingsOf = Effect.gen(function* (): Effect.fn.Return<ReadonlyArray<Finding>, never, Scope.Scope> {
  const node = yield* examine("node", nodeVersion)
  const settings = yield* Effect.exit(readConfiguration)
  if (Exit.isFailure(settings)) return [node, { check: "settings", ok: false, finding: messageOf(settings) }]
  const found = yield* Effect.exit(
    Effect.andThen(
      isEmbedded(settings.value)
        ? requireEmbeddedStore(settings.value)
        : requireSecret(settings.value.secret),
      storeFindings(settings.value)
    )
  )
  const rest = Exit.isSuccess(found)
    ? found.value
    : [{ check: "store", ok: false, finding: messageOf(found) }]
  return [node, { check: "settings", ok: true, finding: "can be used" }, ...rest]
})

const CHECK_WIDTH = 14
const INDENT = " ".repeat("✓ ".length + CHECK_WIDTH + "  ".length)

const show = ({ check, ok, finding, advice }: Finding): string =>
  `${ok ? "✓" : "✗"} ${check.padEnd(CHECK_WIDTH)}  ${finding}${advice === undefined ? "" : `\n${INDENT}→ ${advice}`}`

/** Exit code 1 if something is wrong. */
const doctorCommand = Command.make("doctor", {}, () =>
  Effect.gen(function* () {
    const findings = yield* Effect.scoped(findingsOf)
    const healthy = findings.every(({ ok }) => ok)
    const json = yield* JsonFlag
    yield* Console.log(json ? JSON.stringify({ healthy, checks: findings }) : findings.map(show).join("\n"))
    if (!healthy) {
      const userMessage = "something is wrong"
      return yield* new CliError.UserError({ cause: new Unhealthy({ message: userMessage }), userMessage })
    }
  })
)

export const commands = { doctor: doctorCommand }
