import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { idAt } from "../../src/domain/Paging.ts"
import { Phone } from "../../src/domain/Phone.ts"
import { makeLookUp } from "../../src/layers/activity/PhoneLookupsSql.ts"
import { MasterKey } from "../../src/layers/crypto/Crypto.ts"
import { guardCodes } from "../../src/layers/guard/GuardCodesSql.ts"
import { BatchSql, MessageBatchSql } from "../../src/layers/postgres/Pools.ts"
import { TestDatabase } from "../support/TestDatabase.ts"
import { goldenStatements, recordStatement } from "./GoldenStatements.ts"
import { lists, statementsOf } from "./ListStatements.ts"
import { type PlanNode, planOf } from "./QueryPlan.ts"
import { fillStore } from "./RealisticStore.ts"
import { recordingSql } from "./RecordedSql.ts"

/** A table with fewer rows than this may be read through. */
const LARGE = 1000
/** The most that a lookup by key may read, of each table and for each request. */
const MAX_ROWS = 20
/** Reading through an index of a large table, with a filter, would cost thousands. */
const MAX_COST = 50

const largeTables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly name: string }>`
    select relname as name from pg_class where relkind = 'r' and reltuples >= ${LARGE}`
  return new Set(rows.map(({ name }) => name))
})

/** Reads of a table that are not lookups by key. */
const readsThrough = (node: PlanNode): boolean =>
  (node["Index Cond"] ?? node["Recheck Cond"]) === undefined ||
  node["Plan Rows"] > MAX_ROWS ||
  node["Total Cost"] > MAX_COST

const isRead = (node: PlanNode): boolean => node["Node Type"].endsWith("Scan")

/** The answers to a lookup's statements. */
const PHONE_CODES = { codes24h: 0, ended: 0, verified: 0, lastVerifiedAt: null, firstSeen: null }
const PHONE_GUARD = { isBombed: false, listed: null }

type CodeReads = Effect.Success<ReturnType<typeof guardCodes>>

const from = idAt(1_800_000_000_000)
const until = 1_800_000_600_000

const roundReads: Readonly<Record<string, (codes: CodeReads) => Effect.Effect<unknown>>> = {
  "the codes that are due": (codes) =>
    codes.dueCodes({ customerId: 1, from, until, judgingDelayMillis: 60_000, sample: 1000 }),
  "when the next code was sent": (codes) => codes.nextSentAt(1, from),
  "how long users take to verify": (codes) => codes.timeToVerify(1, until)
}

/** A lookup of a phone, as the API makes it. */
const recordLookups = Effect.gen(function* () {
  const recording = recordingSql([[PHONE_CODES], [PHONE_GUARD]])
  const lookUp = yield* makeLookUp.pipe(
    Effect.provideServiceEffect(SqlClient.SqlClient, recording.client),
    Effect.provide(MasterKey.layer(Redacted.make(new Uint8Array(32))))
  )
  yield* lookUp(1, "live", Phone.make("+989120000002"))
  return recording.statements
})

const recordRead = Effect.fnUntraced(function* (read: (codes: CodeReads) => Effect.Effect<unknown>) {
  const recording = recordingSql([])
  const client: SqlClient.SqlClient = yield* recording.client
  yield* Effect.exit(read(yield* guardCodes({ batched: client, single: client }, null)))
  const [statement] = recording.statements
  return statement ?? (yield* Effect.die("no statement was made"))
})

const listed = new Set([
  "alerts",
  "alert_deliveries",
  "audit_log",
  "events",
  "ledger",
  "messages",
  "request_blocks",
  "verifications",
  "webhook_deliveries"
])

/** Reads a large table other than along an index, in the order of the list. */
const readsThroughList = (node: PlanNode): boolean =>
  listed.has(node["Relation Name"] ?? "") && !/^Index (Only )?Scan/.test(node["Node Type"])

/** Reads a large table by its customer and its id: as few rows of a customer with many as of one with few. */
const isBounded = ({ "Relation Name": table, "Index Cond": condition = "" }: PlanNode): boolean =>
  !listed.has(table ?? "") || (condition.includes("customer_id =") && /\bid [<>]/.test(condition))

const boundedLists = Object.keys(lists).filter((what) => /requests of one|phones/.test(what))

layer(Layer.provideMerge(Layer.effectDiscard(fillStore), TestDatabase), { excludeTestServices: true })(
  "in a store with weeks of sends",
  (it) => {
    for (const statement of goldenStatements) {
      it.effect(`${statement.name}.sql finds what it needs in large tables by their indexes`, () =>
        Effect.gen(function* () {
          const sql = statement.isBatched ? yield* BatchSql : yield* SqlClient.SqlClient
          const large = yield* largeTables
          const nodes = yield* planOf(sql, yield* recordStatement(statement))
          const reads = nodes.filter((node) => isRead(node) && large.has(node["Relation Name"] ?? ""))
          assert.isNotEmpty(reads)
          assert.deepStrictEqual(reads.filter(readsThrough), [])
        })
      )
    }

    it.effect(
      "a lookup of a phone reads its codes and messages by their indexes, oldest or newest first",
      () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const large = yield* largeTables
          const [codes, guard] = yield* recordLookups
          if (codes === undefined || guard === undefined) return assert.fail("not two statements")
          const nodes = yield* planOf(sql, codes)
          const reads = nodes.filter((node) => isRead(node) && large.has(node["Relation Name"] ?? ""))
          assert.deepStrictEqual(reads.map((node) => node["Index Name"]).toSorted(), [
            "messages_by_phone",
            "verifications_by_phone",
            "verifications_by_phone"
          ])
          assert.deepStrictEqual(reads.filter(readsThrough), [])
          const guarded = (yield* planOf(sql, guard)).filter(isRead)
          assert.deepStrictEqual(
            guarded.filter((node) => node["Index Cond"] === undefined),
            []
          )
        })
    )

    for (const [what, read] of Object.entries(roundReads)) {
      it.effect(`a round of the guard reads ${what} along the primary key, and sorts none of its rows`, () =>
        Effect.gen(function* () {
          const nodes = yield* planOf(yield* MessageBatchSql, yield* recordRead(read))
          const limit = nodes.findIndex((node) => node["Node Type"] === "Limit")
          assert.strictEqual(nodes[limit + 1]?.["Index Name"], "verifications_pkey")
        })
      )
    }

    for (const what of boundedLists) {
      it.effect(`${what}: read no rows of others, and none beyond the page`, () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          for (const statement of yield* statementsOf(lists[what] ?? Effect.void)) {
            const nodes = yield* planOf(sql, statement)
            assert.deepStrictEqual(
              nodes.filter((node) => !isBounded(node)),
              [],
              statement.text
            )
          }
        })
      )
    }
    for (const [what, list] of Object.entries(lists)) {
      it.effect(`${what}: read along an index`, () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const statements = yield* statementsOf(list)
          assert.isNotEmpty(statements)
          for (const statement of statements) {
            const nodes = yield* planOf(sql, statement)
            assert.deepStrictEqual(nodes.filter(readsThroughList), [], statement.text)
          }
        })
      )
    }
  }
)

/** PostgreSQL looked when there was one timer; since then there is a backlog of one customer. */
const backlog = Effect.gen(function* () {
  yield* fillStore
  const sql = yield* SqlClient.SqlClient
  const timers = (kind: string, count: number) => sql`
    insert into timers (customer_id, kind, subject, claimable_at)
    select 1, ${kind}, gen_random_uuid(), now() from generate_series(1, ${count}::int)`
  const vacuum = sql.unsafe("vacuum (analyze) timers").unprepared
  yield* sql`delete from timers`
  yield* vacuum
  yield* timers("retention", 1)
  yield* vacuum
  yield* timers("message", 3000)
})

layer(Layer.provideMerge(Layer.effectDiscard(backlog), TestDatabase), { excludeTestServices: true })(
  "in a store with a backlog that PostgreSQL does not know yet",
  (it) => {
    for (const statement of goldenStatements) {
      it.effect(`${statement.name}.sql finds timers by their whole key`, () =>
        Effect.gen(function* () {
          const sql = statement.isBatched ? yield* BatchSql : yield* SqlClient.SqlClient
          const nodes = yield* planOf(sql, yield* recordStatement(statement))
          const ofTimers = nodes.filter(
            (node) => node["Relation Name"] === "timers" && node["Node Type"].endsWith("Scan")
          )
          assert.deepStrictEqual(
            ofTimers.filter((node) => !(node["Index Cond"] ?? node["Recheck Cond"] ?? "").includes("kind =")),
            []
          )
        })
      )
    }
  }
)
