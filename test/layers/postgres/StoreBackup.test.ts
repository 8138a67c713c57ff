import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { randomBytes } from "node:crypto"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { inject } from "vitest"
import { readBackup, writeBackup } from "../../../src/layers/postgres/backup/BackupFile.ts"
import { BACKUP_FORMAT } from "../../../src/layers/postgres/backup/BackupFormat.ts"
import { quoted, storedTables, writeStore } from "../../../src/layers/postgres/backup/StoreBackup.ts"
import { readHeader, restoreStore } from "../../../src/layers/postgres/backup/StoreRestore.ts"
import {
  appliedMigration,
  latestMigration,
  migrations,
  migrateTo
} from "../../../src/layers/postgres/Migrations.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => fs.mkdtempSync(path.join(os.tmpdir(), "peyk-backup-"))),
  (made) => Effect.sync(() => fs.rmSync(made, { recursive: true }))
)

/** A database with nothing in it, on one connection. */
const emptyDatabase = Effect.gen(function* () {
  const admin = yield* SqlClient.SqlClient
  const database = `empty_${randomBytes(6).toString("hex")}`
  yield* Effect.acquireRelease(admin.unsafe(`create database ${database}`), () =>
    Effect.ignore(admin.unsafe(`drop database ${database} with (force)`))
  )
  const made = yield* Layer.build(
    PgClient.layer({
      host: inject("postgresSocketDirectory"),
      username: "postgres",
      password: Redacted.make(inject("postgresPassword")),
      database,
      maxConnections: 1
    })
  )
  return Context.get(made, SqlClient.SqlClient)
})

const AWKWARD = `"quotes" 'and' \\backslashes\\, {braces}, NULL,\nlines\r\n\ttabs, سلام ‌ 😀, \u2028, [1] \\N $1`

/** Something in every table, and in every column of it that may hold something awkward. */
const fill = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`set session_replication_role = replica`
  const columns = yield* sql<{ readonly table: string; readonly column: string; readonly type: string }>`
    select c.relname as table, a.attname as column, format_type(a.atttypid, null) as type
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname <> 'peyk_migrations'
      and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''`
  const checks = yield* sql<{ readonly column: string; readonly definition: string }>`
    select conrelid::regclass::text || '.' || a.attname as column, pg_get_constraintdef(c.oid) as definition
    from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = any(c.conkey)
    where c.contype = 'c' and c.connamespace = 'public'::regnamespace`
  /** The text that a check allows: the first that it names, else one. */
  const allowed = new Map(
    checks.map(({ column, definition }) => [column, /'([^']+)'/.exec(definition)?.[1] ?? "1"])
  )
  const values: Readonly<Record<string, ReadonlyArray<unknown>>> = {
    text: [AWKWARD, ""],
    "text[]": [[AWKWARD, "", "NULL"], []],
    bytea: [Buffer.from([0, 92, 39, 255]), Buffer.alloc(0)],
    json: ['{"amount":1.10, "digits":123456789012345678901234567890}', "null"],
    numeric: ["0.10", "NaN"],
    jsonb: [JSON.stringify({ a: AWKWARD, n: 1.1, deep: [null, true] }), "[]"],
    integer: ["2147483647", "-1"],
    smallint: ["32767", "-1"],
    bigint: ["9223372036854775807", "-9007199254740993"],
    boolean: ["true", "false"],
    uuid: ["01a20890-4c0a-7696-bc54-c1240cc95000", "ffffffff-ffff-ffff-ffff-ffffffffffff"],
    "uuid[]": [["01a20890-4c0a-7696-bc54-c1240cc95000"], []],
    "timestamp with time zone": ["2026-11-23 13:20:04.123456+03:30", "infinity"],
    date: ["2026-11-01", "0001-01-01"],
    "integer[]": ["{1,-2}", "{}"],
    "smallint[]": ["{1,-2}", "{}"],
    "bigint[]": ["{1,-2}", "{}"],
    "timestamp with time zone[]": ['{"2026-11-23 13:20:04.123456+00"}', "{}"],
    "double precision": ["0.1", "1e-300"],
    "cidr[]": ["{10.0.0.0/8}", "{}"],
    inet: ["10.0.0.1", "::1"]
  }
  /** What checks of several columns allow. */
  const together: Readonly<Record<string, string | null>> = {
    "alert_recipients.type": "email",
    "alert_recipients.user_id": null
  }
  const tables = Map.groupBy(columns, ({ table }) => table)
  for (const [table, own] of tables) {
    const row = (nth: number) =>
      own.map(({ type, column }) => {
        const name = `${table}.${column}`
        const given = name in together ? together[name] : allowed.get(name)
        if (given !== undefined) return given
        return (values[type] ?? assert.fail(`there is no value for ${table}.${column}, a ${type}`))[nth]
      })
    const casts = own.map(({ type }, index) => `$${index + 1}::text::${type}`)
    const typed = own.map(({ type }, index) =>
      type === "bytea" || type === "text[]" ? `$${index + 1}::${type}` : casts[index]
    )
    const insert = `insert into ${quoted(table)} (${own.map(({ column }) => quoted(column)).join(", ")})
      overriding system value values (${typed.join(", ")})`
    yield* sql.unsafe(insert, row(0))
    if (table !== "installation" && table !== "retention") yield* sql.unsafe(insert, row(1))
  }
})

/** All there is, table by table, and where the sequences are. */
const contents = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const found: Record<string, unknown> = {}
  for (const { table, columns } of yield* storedTables) {
    const fields = columns.toSorted().map((column) => `${quoted(column)}::text`)
    found[table] = yield* sql.unsafe(
      `select json_build_array(${fields.join(", ")})::text as row from ${quoted(table)} order by 1`
    )
  }
  found["sequences"] = yield* sql`
    select sequencename, last_value::text from pg_sequences where schemaname = 'public' order by 1`
  return found
})

const over = (sql: SqlClient.SqlClient) => Effect.provideService(SqlClient.SqlClient, sql)

const backUp = (file: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      const writer = yield* writeBackup(file)
      const written = yield* writeStore(writer)
      yield* writer.finish
      return written
    })
  )

const restore = (file: string, known = migrations) =>
  Effect.scoped(
    Effect.gen(function* () {
      const readLine = yield* readBackup(file)
      return yield* restoreStore(yield* readHeader(readLine), readLine, { known })
    })
  )

layer(TestDatabase, { excludeTestServices: true })("a backup of a store", (it) => {
  it.effect("restores every row of every table as it was, whatever is in it, and the sequences", () =>
    Effect.gen(function* () {
      const file = path.join(yield* folder, "store.backup")
      const source = yield* emptyDatabase
      yield* migrateTo(latestMigration, migrations).pipe(over(source))
      yield* fill.pipe(over(source))
      yield* source`select setval('customers_id_seq', 41)`
      const { rows } = yield* backUp(file).pipe(over(source))
      assert.isTrue(Object.values(rows).every((count) => count > 0))
      const target = yield* emptyDatabase
      yield* restore(file).pipe(over(target))
      assert.deepStrictEqual(yield* contents.pipe(over(target)), yield* contents.pipe(over(source)))
    })
  )

  it.effect("of an earlier version is restored at its schema, and brought up to date", () =>
    Effect.gen(function* () {
      const file = path.join(yield* folder, "old.backup")
      const source = yield* emptyDatabase
      yield* migrateTo(latestMigration, migrations).pipe(over(source))
      yield* source`insert into customers (name, plan, created_at) values ('old', 'free', now())`
      assert.strictEqual((yield* backUp(file).pipe(over(source))).migration, latestMigration)
      const target = yield* emptyDatabase
      const renamed = Effect.flatMap(
        SqlClient.SqlClient,
        (sql) => sql`update customers set name = name || ', upgraded'`
      )
      const later = {
        ...migrations,
        [`${String(latestMigration + 1).padStart(4, "0")}_later`]: Effect.asVoid(renamed)
      }
      yield* restore(file, later).pipe(over(target))
      assert.strictEqual(yield* appliedMigration.pipe(over(target)), latestMigration + 1)
      assert.deepStrictEqual(yield* target`select name from customers`, [{ name: "old, upgraded" }])
    })
  )

  it.effect("is not made of a store of a development version", () =>
    Effect.gen(function* () {
      const file = path.join(yield* folder, "development.backup")
      const source = yield* emptyDatabase
      yield* migrateTo(latestMigration, migrations).pipe(over(source))
      yield* source`update peyk_migrations set name = 'verification'`
      const error = yield* Effect.flip(backUp(file).pipe(over(source)))
      assert.match(error.message, /made by another version of Peyk/)
      assert.isFalse(fs.existsSync(file))
    })
  )

  it.effect("is not restored over a store", () =>
    Effect.gen(function* () {
      const file = path.join(yield* folder, "store.backup")
      const source = yield* emptyDatabase
      yield* migrateTo(latestMigration, migrations).pipe(over(source))
      yield* backUp(file).pipe(over(source))
      yield* source`insert into customers (name, plan, created_at) values ('kept', 'free', now())`
      const error = yield* Effect.flip(restore(file).pipe(over(source)))
      assert.match(error.message, /there is a store in the database already/)
      assert.lengthOf(yield* source`select from customers`, 1)
    })
  )

  it.effect("is refused where it names a table that is not of the schema", () =>
    Effect.gen(function* () {
      const file = path.join(yield* folder, "forged.backup")
      const header = {
        format: BACKUP_FORMAT,
        migration: latestMigration,
        made_at: "",
        final: false,
        secret_check: null,
        rows: {}
      }
      const role = { table: "pg_db_role_setting", columns: ["setdatabase", "setrole", "setconfig"] }
      const trailer = { sequences: {}, rows: { pg_db_role_setting: 1 } }
      yield* Effect.scoped(
        Effect.gen(function* () {
          const writer = yield* writeBackup(file)
          const rows = [header, role, ["0", "0", "{archive_command=id}"], trailer]
          yield* writer.write(rows.map((row) => JSON.stringify(row)))
          yield* writer.finish
        })
      )
      const target = yield* emptyDatabase
      const error = yield* Effect.flip(restore(file).pipe(over(target)))
      assert.match(error.message, /not whole: it has a table “pg_db_role_setting”/)
      assert.strictEqual(yield* Effect.orElseSucceed(appliedMigration, () => 0).pipe(over(target)), 0)
    })
  )

  it.effect("is of one moment: what is written while it is made is in it altogether or not at all", () =>
    Effect.gen(function* () {
      const file = path.join(yield* folder, "moment.backup")
      const writing = yield* SqlClient.SqlClient
      const add = writing.withTransaction(
        Effect.gen(function* () {
          yield* writing`insert into customers (name, plan, created_at) values ('late', 'free', now())`
          yield* writing`insert into wallets (customer_id, stripe, balance, held) select max(id), 0, 7, 0 from customers`
        })
      )
      yield* add
      const database = yield* writing<{ readonly name: string }>`select current_database() as name`
      const reading = yield* Layer.build(
        PgClient.layer({
          host: inject("postgresSocketDirectory"),
          username: "postgres",
          password: Redacted.make(inject("postgresPassword")),
          database: database[0]?.name ?? "",
          maxConnections: 1
        })
      )
      yield* Effect.scoped(
        Effect.gen(function* () {
          const writer = yield* writeBackup(file)
          const slow = {
            ...writer,
            write: (lines: ReadonlyArray<string>) => Effect.andThen(Effect.orDie(add), writer.write(lines))
          }
          yield* writeStore(slow)
          yield* writer.finish
        })
      ).pipe(over(Context.get(reading, SqlClient.SqlClient)))
      const target = yield* emptyDatabase
      const rows = yield* restore(file).pipe(over(target))
      assert.deepStrictEqual([rows["customers"], rows["wallets"]], [1, 1])
    })
  )
})
