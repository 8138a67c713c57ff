import { PgClient } from "@effect/sql-pg"
import { Console, Effect, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import * as path from "node:path"
import {
  freeBytesAt,
  type ReadLine,
  readBackup,
  writeBackup
} from "../../layers/postgres/backup/BackupFile.ts"
import type { BackupHeader } from "../../layers/postgres/backup/BackupFormat.ts"
import { writeStore } from "../../layers/postgres/backup/StoreBackup.ts"
import { checkBackup, readHeader, restoreStore } from "../../layers/postgres/backup/StoreRestore.ts"
import { isOnOneMachine } from "../../layers/postgres/StoreConnections.ts"
import { decodedAs } from "../../layers/postgres/SqlRows.ts"
import type { Configuration } from "../../layers/config/Configuration.ts"
import { MasterKey } from "../../layers/crypto/Crypto.ts"
import { findMasterSecret, secretCheck, secretFileIn } from "../../layers/crypto/MasterSecret.ts"
import { StartupError } from "../../layers/system/StartupError.ts"
import { isEmbedded, locate } from "../../layers/postgres/StoreLocation.ts"
import { withReason } from "../../layers/postgres/StoreAvailability.ts"
import { requireStore } from "../../layers/postgres/StorePresence.ts"
import { withStoreLocation } from "../CommandContext.ts"
import { withConfiguration } from "../Configured.ts"
import { printOne } from "../output/Output.ts"

const file = Argument.String("file").pipe(Argument.withDescription("The file of the backup"))

const inWords = (what: string) => (error: { readonly _tag: string; readonly message: string }) =>
  error instanceof StartupError ? error : new StartupError({ message: `${what}: ${withReason(error)}` })

/** One connection, without the server's time limits: a large store takes long. */
const onOneConnection = <A, E, R>(
  configuration: Configuration,
  work: Effect.Effect<A, E, R | SqlClient.SqlClient>
) =>
  Effect.gen(function* () {
    const address = yield* locate(configuration)
    const sql = yield* PgClient.make({ ...address, applicationName: "peyk backup", maxConnections: 1 })
    return yield* Effect.provideService(work, SqlClient.SqlClient, sql)
  }).pipe(Effect.provide(Reactivity.layer), Effect.scoped)

const total = (rows: Readonly<Record<string, number>>) =>
  Object.values(rows).reduce((sum, count) => sum + count, 0)

const refuseCluster = Effect.fnUntraced(function* (configuration: Configuration) {
  if (yield* isOnOneMachine(configuration)) return
  return yield* new StartupError({
    message: "the cells are on the nodes of a Citus cluster: use the backups of its nodes"
  })
})

const FINAL_NOTE =
  "Do not start Peyk on this store again: two servers would send what waits in it twice. Restore the file elsewhere, " +
  "with the same master secret: docs/operations.md, “From the first machine to your own PostgreSQL”."

const backup = Effect.fnUntraced(function* (configuration: Configuration, target: string, final: boolean) {
  yield* requireStore(configuration)
  const work = Effect.gen(function* () {
    yield* refuseCluster(configuration)
    const writer = yield* writeBackup(target)
    const { migration, rows } = yield* writeStore(writer, { final })
    const bytes = yield* writer.finish
    yield* printOne({ file: path.resolve(target), bytes, schema: migration, rows: total(rows), final })
    if (final) yield* Console.error(FINAL_NOTE)
  })
  yield* Effect.mapError(
    onOneConnection(configuration, Effect.scoped(work)),
    inWords("the backup could not be made")
  )
})

const finalFlag = Flag.Boolean("final").pipe(
  Flag.withDescription(
    "To move the store: fails while Peyk runs on it, and lets nothing be written until the file is complete"
  ),
  Flag.withDefault(false)
)

const backupCommand = Command.make("backup", { file, final: finalFlag }, (given) =>
  withStoreLocation((configuration) => backup(configuration, given.file, given.final))
).pipe(
  Command.withExamples([
    { command: "peyk backup /backups/peyk.backup", description: "The master secret is not in it" },
    { command: "peyk backup --final /backups/move.backup", description: "To move, with every server stopped" }
  ])
)

/** Whether the secret that the backup needs exists; a different one is refused before anything is created. */
const checkSecret = Effect.fnUntraced(function* (configuration: Configuration, header: BackupHeader) {
  const { secret: given, dataDirectory } = configuration
  // with DATABASE_URL, the server does not look into the data directory
  const isFound = Option.isSome(given) || isEmbedded(configuration)
  const found = isFound ? yield* findMasterSecret({ given, dataDirectory }) : Option.none()
  if (Option.isNone(found)) return null
  const check = yield* Effect.provide(secretCheck, MasterKey.layer(found.value))
  if (header.secret_check === null || Buffer.from(check).toString("hex") === header.secret_check) {
    return "opens this store"
  }
  return yield* new StartupError({
    message: `the backup was made with another master secret: ${remedy(configuration)}`
  })
})

const remedy = (configuration: Configuration): string =>
  isEmbedded(configuration)
    ? `put the secret of the store that was backed up into ${secretFileIn(path.resolve(configuration.dataDirectory))}, or set PEYK_SECRET to it`
    : "set PEYK_SECRET to the secret of the store that was backed up (of an embedded store: the file secret in its data directory)"

const warnOfMissingSecret = (configuration: Configuration) =>
  Console.error(
    "warning: the store is restored, but its master secret is missing. Peyk does not start on it: accounts' settings, " +
      `webhook secrets, signing keys and codes are sealed with that secret. Before you start Peyk, ${remedy(configuration)}.`
  )

const warnOfRunningSource = (madeAt: string) =>
  Console.error(
    `warning: Peyk could write to its store while this backup was made. What it did after ${madeAt} is missing here. If ` +
      "that store still exists, never run Peyk on both: each would send what waits. To move without a loss, stop Peyk and " +
      "use peyk backup --final."
  )

const DatabaseRow = Schema.Tuple([Schema.Struct({ database: Schema.String })])

const nameOfStore = Effect.fnUntraced(function* (configuration: Configuration) {
  if (isEmbedded(configuration)) return path.resolve(configuration.dataDirectory)
  const sql = yield* SqlClient.SqlClient
  const [{ database }] = yield* decodedAs(DatabaseRow)(sql`select current_database() as database`)
  return `the database ${database}`
})

const restoreInto = Effect.fnUntraced(function* (
  configuration: Configuration,
  { source, replace }: { readonly source: string; readonly replace: boolean },
  readLine: ReadLine
) {
  const name = yield* nameOfStore(configuration)
  const header = yield* readHeader(readLine)
  const rows = yield* restoreStore(header, readLine, { name, replace })
  return { file: path.resolve(source), made_at: header.made_at, final: header.final, rows: total(rows) }
})

/** The rows have to fit on the disk of the embedded store; a PostgreSQL elsewhere does not say what it has. */
const roomFor = (configuration: Configuration) =>
  Effect.sync(() =>
    isEmbedded(configuration) ? freeBytesAt(configuration.dataDirectory) : Number.POSITIVE_INFINITY
  )

/** Reads the file twice: a damaged one creates nothing. */
const restore = Effect.fnUntraced(function* (configuration: Configuration, source: string, replace: boolean) {
  const freeBytes = yield* roomFor(configuration)
  const header = yield* Effect.scoped(Effect.flatMap(readBackup(source, freeBytes), checkBackup))
  const secret = yield* checkSecret(configuration, header)
  const readLine = yield* readBackup(source, freeBytes)
  const restored = yield* Effect.mapError(
    onOneConnection(configuration, restoreInto(configuration, { source, replace }, readLine)),
    inWords("the backup could not be restored")
  )
  yield* printOne({ ...restored, master_secret: secret ?? `missing: ${remedy(configuration)}` })
  if (!header.final) yield* warnOfRunningSource(header.made_at)
  if (secret === null) yield* warnOfMissingSecret(configuration)
})

const replaceFlag = Flag.Boolean("replace").pipe(
  Flag.withDescription("Delete the existing store, in the same transaction"),
  Flag.withDefault(false)
)

const restoreCommand = Command.make("restore", { file, replace: replaceFlag }, (given) =>
  withConfiguration((configuration) => Effect.scoped(restore(configuration, given.file, given.replace)))
).pipe(
  Command.withExamples([
    { command: "peyk restore /backups/peyk.backup", description: "Into PEYK_DATA_DIR, or DATABASE_URL" }
  ])
)

export const commands = { backup: backupCommand, restore: restoreCommand }
