import { Effect, Option, Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { randomBytes, timingSafeEqual } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { MasterKey } from "./Crypto.ts"
import { rowsOf } from "../postgres/SqlRows.ts"
import { StartupError } from "../system/StartupError.ts"

const SECRET_BYTES = 32
const MAKE_ONE = "make one with: openssl rand -base64 32"

const decodeSecret = (
  encoded: string,
  origin: string
): Effect.Effect<Redacted.Redacted<Uint8Array>, StartupError> => {
  const bytes = Buffer.from(encoded.trim(), "base64")
  return bytes.length === SECRET_BYTES
    ? Effect.succeed(Redacted.make(new Uint8Array(bytes)))
    : Effect.fail(
        new StartupError({
          message: `${origin} is not ${SECRET_BYTES} bytes in base64 but ${bytes.length}; ${MAKE_ONE}`
        })
      )
}

const isExisting = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "EEXIST"

/** Creates the file completely or not at all; if another process was faster, its file stays. */
const createSecretFile = (file: string): void => {
  const draft = `${file}.${process.pid}`
  fs.writeFileSync(draft, `${randomBytes(SECRET_BYTES).toString("base64")}\n`, { mode: 0o600 })
  try {
    fs.linkSync(draft, file)
  } catch (error) {
    if (!isExisting(error)) throw error
  } finally {
    fs.rmSync(draft)
  }
}

/** Whether this store was already created with some secret. */
const isSealed = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // The table is there: the schema is up to date.
  return (yield* Effect.orDie(sql`select from installation`)).length > 0
})

const unusable = (file: string) => (error: unknown) =>
  new StartupError({ message: `the master secret ${file} cannot be read or made: ${String(error)}` })

export const secretFileIn = (directory: string): string => path.join(directory, "secret")

const secretOfDirectory = Effect.fnUntraced(function* (directory: string) {
  const file = secretFileIn(directory)
  if (!fs.existsSync(file)) {
    if (yield* isSealed) {
      return yield* new StartupError({
        message: `the master secret ${file} is gone: put it back, or set PEYK_SECRET to what it held`
      })
    }
    yield* Effect.try({ try: () => createSecretFile(file), catch: unusable(file) })
  }
  const encoded = yield* Effect.try({ try: () => fs.readFileSync(file, "utf8"), catch: unusable(file) })
  return yield* decodeSecret(encoded, file)
})

/** The existing master secret: the given one, else the one in the data directory. */
export const findMasterSecret = (options: {
  readonly given: Option.Option<Redacted.Redacted>
  readonly dataDirectory: string
}): Effect.Effect<Option.Option<Redacted.Redacted<Uint8Array>>, StartupError> =>
  Effect.gen(function* () {
    if (Option.isSome(options.given)) {
      return Option.some(yield* decodeSecret(Redacted.value(options.given.value), "PEYK_SECRET"))
    }
    const file = secretFileIn(options.dataDirectory)
    if (!fs.existsSync(file)) return Option.none()
    const encoded = yield* Effect.try({ try: () => fs.readFileSync(file, "utf8"), catch: unusable(file) })
    return Option.some(yield* decodeSecret(encoded, file))
  })

const noSecret = Effect.fail(
  new StartupError({ message: `PEYK_SECRET is required with DATABASE_URL; ${MAKE_ONE}` })
)

/** Fails if no secret is given: a store that is not embedded needs one. Known before the store is reached. */
export const requireSecret = (given: Option.Option<Redacted.Redacted>): Effect.Effect<void, StartupError> =>
  Option.isSome(given) ? Effect.void : noSecret

/** The master secret: the given one, else (embedded) the one in the data directory, created on the first start. */
export const resolveMasterSecret = (options: {
  readonly given: Option.Option<Redacted.Redacted>
  /** Null if the store is external. */
  readonly dataDirectory: string | null
}): Effect.Effect<Redacted.Redacted<Uint8Array>, StartupError, SqlClient.SqlClient> => {
  if (Option.isSome(options.given)) return decodeSecret(Redacted.value(options.given.value), "PEYK_SECRET")
  return options.dataDirectory === null ? noSecret : secretOfDirectory(options.dataDirectory)
}

const CheckRow = Schema.Struct({ secretCheck: Schema.Uint8Array })

/** The value that a store keeps to recognize its master secret. */
export const secretCheck = Effect.map(MasterKey, (key) => key.mac("secret-check", "peyk"))

/** Refuses a secret other than the store's: nothing sealed in it could be opened. */
export const checkMasterSecret = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const check = yield* secretCheck
  const stored = rowsOf(CheckRow)(sql`select secret_check as "secretCheck" from installation`)
  // Only the first start writes: a store that refuses writes does not look like one with another secret.
  if ((yield* stored).length === 0) {
    yield* Effect.orDie(sql`insert into installation (secret_check) values (${check}) on conflict do nothing`)
  }
  const [row] = yield* stored
  if (row === undefined || !timingSafeEqual(row.secretCheck, check)) {
    return yield* new StartupError({
      message:
        "PEYK_SECRET is not the secret this store was made with; accounts and codes in it cannot be read with it"
    })
  }
})
