import { Effect, Schema } from "effect"
import { Migrator, SqlClient } from "effect/sql"
import verification from "./migrations/0001_verification.ts"
import messaging from "./migrations/0002_messaging.ts"
import limits from "./migrations/0003_limits.ts"
import providers from "./migrations/0004_providers.ts"
import management from "./migrations/0005_management.ts"
import speed from "./migrations/0006_speed.ts"
import retention from "./migrations/0007_retention.ts"
import checks from "./migrations/0008_checks.ts"
import accountChanges from "./migrations/0009_account_changes.ts"
import eventTimes from "./migrations/0010_event_times.ts"
import endedCodes from "./migrations/0011_ended_codes.ts"
import answers from "./migrations/0012_answers.ts"
import setUpVersions from "./migrations/0013_set_up_versions.ts"
import managementLimits from "./migrations/0014_management_limits.ts"
import answersAndTemplates from "./migrations/0015_answers_and_templates.ts"
import accountPace from "./migrations/0016_account_pace.ts"
import parkedTimers from "./migrations/0017_parked_timers.ts"
import consoleSessions from "./migrations/0018_console_sessions.ts"
import eventModes from "./migrations/0019_event_modes.ts"
import textRepeats from "./migrations/0020_text_repeats.ts"
import accountChecks from "./migrations/0021_account_checks.ts"
import codeRequests from "./migrations/0022_code_requests.ts"
import guard from "./migrations/0023_guard.ts"
import sandboxMessages from "./migrations/0024_sandbox_messages.ts"
import activity from "./migrations/0025_activity.ts"
import operators from "./migrations/0026_operators.ts"
import standbyAccounts from "./migrations/0027_standby_accounts.ts"
import accountCredits from "./migrations/0028_account_credits.ts"
import knownNetworks from "./migrations/0029_known_networks.ts"
import requestLog from "./migrations/0030_request_log.ts"
import measuredRoutes from "./migrations/0031_measured_routes.ts"
import messageBatches from "./migrations/0032_message_batches.ts"
import guardKnocks from "./migrations/0033_guard_knocks.ts"
import requestBlockKeys from "./migrations/0034_request_block_keys.ts"
import bombedPhones from "./migrations/0035_bombed_phones.ts"
import requestBlocksById from "./migrations/0036_request_blocks_by_id.ts"
import signInEpochs from "./migrations/0039_sign_in_epochs.ts"
import accountFailures from "./migrations/0041_account_failures.ts"
import { decodedAs, rowsOf } from "./SqlRows.ts"

const migrations = {
  "0001_verification": verification,
  "0002_messaging": messaging,
  "0003_limits": limits,
  "0004_providers": providers,
  "0005_management": management,
  "0006_speed": speed,
  "0007_retention": retention,
  "0008_checks": checks,
  "0009_account_changes": accountChanges,
  "0010_event_times": eventTimes,
  "0011_ended_codes": endedCodes,
  "0012_answers": answers,
  "0013_set_up_versions": setUpVersions,
  "0014_management_limits": managementLimits,
  "0015_answers_and_templates": answersAndTemplates,
  "0016_account_pace": accountPace,
  "0017_parked_timers": parkedTimers,
  "0018_console_sessions": consoleSessions,
  "0019_event_modes": eventModes,
  "0020_text_repeats": textRepeats,
  "0021_account_checks": accountChecks,
  "0022_code_requests": codeRequests,
  "0023_guard": guard,
  "0024_sandbox_messages": sandboxMessages,
  "0025_activity": activity,
  "0026_operators": operators,
  "0027_standby_accounts": standbyAccounts,
  "0028_account_credits": accountCredits,
  "0029_known_networks": knownNetworks,
  "0030_request_log": requestLog,
  "0031_measured_routes": measuredRoutes,
  "0032_message_batches": messageBatches,
  "0033_guard_knocks": guardKnocks,
  "0034_request_block_keys": requestBlockKeys,
  "0035_bombed_phones": bombedPhones,
  "0036_request_blocks_by_id": requestBlocksById,
  "0039_sign_in_epochs": signInEpochs,
  "0041_account_failures": accountFailures
}

export const MIGRATIONS_TABLE = "peyk_migrations"

export const latestMigration = Math.max(...Object.keys(migrations).map((name) => Number.parseInt(name, 10)))

/** The store had a migration that this version does not know by its number, so ours cannot follow. */
export class UnknownHistory extends Schema.TaggedError<UnknownHistory>()("UnknownHistory", {
  message: Schema.String
}) {}

const AppliedRow = Schema.Struct({ id: Schema.Int, name: Schema.String })
const HistoryRow = Schema.Struct({ exists: Schema.Boolean })

const appliedMigrations = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [table] = yield* rowsOf(HistoryRow)(
    sql`select to_regclass(${MIGRATIONS_TABLE}) is not null as exists`
  )
  if (table?.exists !== true) return []
  return yield* rowsOf(AppliedRow)(
    sql`select migration_id as id, name from ${sql(MIGRATIONS_TABLE)} order by migration_id`
  )
})

const isOurs = ({ id, name }: typeof AppliedRow.Type): boolean =>
  id > latestMigration || Object.hasOwn(migrations, `${String(id).padStart(4, "0")}_${name}`)

/**
 * Fails if the store's migrations differ from ours by number and name. With numbers alone, a store could pass as
 * current although it lacks one of ours. Migrations newer than ours come from a process of a later version.
 */
export const checkHistory = Effect.gen(function* () {
  const foreign = (yield* appliedMigrations).find((applied) => !isOurs(applied))
  if (foreign === undefined) return
  return yield* new UnknownHistory({
    message: `this store had migration ${foreign.id} "${foreign.name}", which this version of Peyk does not have. Use the version that made the store, or an empty store`
  })
})

/** Upgrades the schema, forward only. Safe in several processes at once: one does it, others wait. */
export const migrate = Effect.andThen(
  checkHistory,
  Migrator.make({})({ loader: Migrator.fromRecord(migrations), table: MIGRATIONS_TABLE })
)

/** The same, up to the schema of an earlier version. */
export const migrateTo = (last: number) =>
  Migrator.make({})({
    loader: Migrator.fromRecord(
      Object.fromEntries(Object.entries(migrations).filter(([name]) => Number.parseInt(name, 10) <= last))
    ),
    table: MIGRATIONS_TABLE
  })

/** Whether there is a store in the database. */
export const hasMigrations = Effect.map(appliedMigrations, (applied) => applied.length > 0)

const newestRow = decodedAs(Schema.Tuple([Schema.Struct({ id: Schema.NullOr(Schema.Int) })]))

/** The number of the store's newest migration; 0 for an empty store. */
export const appliedMigration = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [{ id }] = yield* newestRow(sql`select max(migration_id) as id from ${sql(MIGRATIONS_TABLE)}`)
  return id ?? 0
})
