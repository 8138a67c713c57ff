import { PgClient } from "@effect/sql-pg"
import { Console, Effect, Option } from "effect"
import { Argument, Command } from "effect/cli"
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
import {
  checkBackup,
  isEmptyStore,
  readHeader,
  restoreStore
} from "../../layers/postgres/backup/StoreRestore.ts"
import type { Configuration } from "../../layers/config/Configuration.ts"
import { MasterKey } from "../../layers/crypto/Crypto.ts"
import { findMasterSecret, secretCheck, secretFileIn } from "../../layers/crypto/MasterSecret.ts"
import { StartupError } from "../../layers/system/StartupError.ts"
import { isEmbedded, locate } from "../../layers/postgres/StoreLocation.ts"
import { withConfiguration, withStorePlace } from "../CommandContext.ts"
import { printOne } from "../output/Output.ts"

const file = Argument.String("file").pipe(Argument.withDescription("The file of the backup"))

const requireEmbedded = (configuration: Configuration, tool: string) =>
  isEmbedded(configuration)
    ? Effect.void
    : Effect.fail(
        new StartupError({
          message: `DATABASE_URL names a PostgreSQL of your own: use ${tool} (docs/operations.md, “How do I back up and restore?”)`
        })
      )

const inWords = (what: string) => (error: { readonly _tag: string; readonly message: string }) =>
  error instanceof StartupError ? error : new StartupError({ message: `${what}: ${error.message}` })

/** One connection, without the server's time limits: a large store takes long. */
const onOneConnection = <A, E, R>(
  configuration: Configuration,
  work: Effect.Effect<A, E, R | SqlClient.SqlClient>
) =>
  Effect.gen(function* () {
    const place = yield* locate(configuration)
    const sql = yield* PgClient.make({ ...place, applicationName: "peyk backup", maxConnections: 1 })
    return yield* Effect.provideService(work, SqlClient.SqlClient, sql)
  }).pipe(Effect.provide(Reactivity.layer), Effect.scoped)

const total = (rows: Readonly<Record<string, number>>) =>
  Object.values(rows).reduce((sum, count) => sum + count, 0)

const backup = Effect.fnUntraced(function* (configuration: Configuration, target: string) {
  yield* requireEmbedded(configuration, "pg_dump")
  const work = Effect.gen(function* () {
    const writer = yield* writeBackup(target)
    const { migration, rows } = yield* writeStore(writer)
    const bytes = yield* writer.finish
    yield* printOne({ file: path.resolve(target), bytes, schema: migration, rows: total(rows) })
  })
  yield* Effect.mapError(
    onOneConnection(configuration, Effect.scoped(work)),
    inWords("the backup could not be made")
  )
})

const backupCommand = Command.make("backup", { file }, (given) =>
  withStorePlace((configuration) => backup(configuration, given.file))
).pipe(
  Command.withExamples([
    { command: "peyk backup /backups/peyk.backup", description: "The master secret is not in it" }
  ])
)

/** Whether the secret that the backup needs exists; a different one is refused before anything is created. */
const checkSecret = Effect.fnUntraced(function* (
  { secret: given, dataDirectory }: Configuration,
  header: BackupHeader
) {
  const found = yield* findMasterSecret({ given, dataDirectory })
  if (Option.isNone(found)) return null
  const check = yield* Effect.provide(secretCheck, MasterKey.layer(found.value))
  if (header.secret_check === null || Buffer.from(check).toString("hex") === header.secret_check) {
    return "opens this store"
  }
  return yield* new StartupError({
    message:
      "the backup was made with another master secret: put that into the data directory, or set PEYK_SECRET"
  })
})

const missingSecret = ({ dataDirectory }: Configuration) =>
  `missing: put it into ${secretFileIn(path.resolve(dataDirectory))}, or set PEYK_SECRET, before you start Peyk`

const warnOfMissingSecret = ({ dataDirectory }: Configuration) =>
  Console.error(
    "warning: the store is restored, but its master secret is missing. Peyk does not start on it: accounts' settings, " +
      "webhook secrets, signing keys and codes are sealed with that secret. Before you start Peyk, put the secret of the " +
      `store that was backed up into ${secretFileIn(path.resolve(dataDirectory))}, or set PEYK_SECRET to it.`
  )

const restoreInto = Effect.fnUntraced(function* (
  configuration: Configuration,
  source: string,
  header: BackupHeader,
  readLine: ReadLine
) {
  if (!(yield* isEmptyStore)) {
    return yield* new StartupError({
      message: `there is a store in ${path.resolve(configuration.dataDirectory)} already: set PEYK_DATA_DIR to an empty folder`
    })
  }
  const rows = yield* restoreStore(header, readLine)
  return { file: path.resolve(source), made_at: header.made_at, rows: total(rows) }
})

/** Reads the file twice: a damaged one creates nothing. */
const restore = Effect.fnUntraced(function* (configuration: Configuration, source: string) {
  yield* requireEmbedded(configuration, "pg_restore")
  const freeBytes = yield* Effect.sync(() => freeBytesAt(configuration.dataDirectory))
  const header = yield* Effect.scoped(Effect.flatMap(readBackup(source, freeBytes), checkBackup))
  const secret = yield* checkSecret(configuration, header)
  const readLine = yield* readBackup(source, freeBytes)
  const restored = yield* Effect.mapError(
    onOneConnection(configuration, restoreInto(configuration, source, yield* readHeader(readLine), readLine)),
    inWords("the backup could not be restored")
  )
  yield* printOne({ ...restored, master_secret: secret ?? missingSecret(configuration) })
  if (secret === null) yield* warnOfMissingSecret(configuration)
})

const restoreCommand = Command.make("restore", { file }, (given) =>
  withConfiguration((configuration) => Effect.scoped(restore(configuration, given.file)))
)

export const commands = { backup: backupCommand, restore: restoreCommand }
