import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { randomBytes } from "node:crypto"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { inject } from "vitest"
import { afterBatch, type RetentionPass } from "../../../src/domain/Retention.ts"
import { parsePhone } from "../../../src/domain/Phone.ts"
import { readBackup, writeBackup } from "../../../src/layers/postgres/backup/BackupFile.ts"
import { writeStore } from "../../../src/layers/postgres/backup/StoreBackup.ts"
import { readHeader, restoreStore } from "../../../src/layers/postgres/backup/StoreRestore.ts"
import { CELL_TABLES } from "../../../src/layers/postgres/CellSchema.ts"
import { dueTimers, waitingTimers } from "../../../src/layers/postgres/DueTimersSql.ts"
import { RequestRecordsLive, RequestStoreLive } from "../../../src/layers/graphs/LiveStores.ts"
import { PhoneErasureStoreSql } from "../../../src/layers/retention/PhoneErasureStoreSql.ts"
import { Accounts } from "../../../src/services/account/Accounts.ts"
import { RequestRecords, RequestStore } from "../../../src/services/activity/RequestLog.ts"
import { CustomerRows } from "../../../src/services/customer/CustomerRows.ts"
import { CustomerRecords } from "../../../src/services/customer/CustomerRecords.ts"
import { PhoneErasureStore } from "../../../src/services/PhoneErasures.ts"
import { RetentionStore } from "../../../src/services/Retention.ts"
import { RoutingOrders } from "../../../src/services/routing/RoutingOrders.ts"
import { Wallets } from "../../../src/services/Wallets.ts"
import { codes, events } from "../../support/OldRows.ts"
import { daysAgo, passOf, retentionProcess } from "../../support/RetentionProcess.ts"
import { scriptProviders } from "../../support/ScriptedProviders.ts"
import { TestDatabaseOfCells } from "../../support/TestDatabase.ts"
import { makeCustomer, testProcess } from "../../support/TestGraph.ts"
import { Verifications } from "../../../src/services/verification/Verifications.ts"

const NAMES = ["cell_1", "cell_2"]
const PHONE = "09121234567"

/** Tests share the cells: each starts with empty ones. */
const EmptyCells = Layer.effectDiscard(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { inEach } = yield* CustomerRows
    yield* Effect.orDie(inEach(Effect.forEach(CELL_TABLES, (table) => sql`delete from ${sql(table)}`)))
  })
)

const retention = Layer.provideMerge(retentionProcess(), EmptyCells)
const processOver = (providers = scriptProviders()) =>
  Layer.mergeAll(PhoneErasureStoreSql, RequestRecordsLive, RequestStoreLive).pipe(
    Layer.provideMerge(testProcess(providers.layer)),
    Layer.provideMerge(EmptyCells)
  )

/** Each in another cell. */
const twoCustomers = Effect.all([makeCustomer(["bale"]), makeCustomer(["bale"])])

const countIn = Effect.fnUntraced(function* (cell: string, table: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql.unsafe<{ readonly count: number }>(
    `select count(*)::int as count from ${cell}.${table}`
  )
  return row?.count ?? 0
})

const countsOf = (table: string) => Effect.forEach(NAMES, (cell) => countIn(cell, table))

const sendEach = Effect.fnUntraced(function* (customers: ReadonlyArray<number>) {
  const { within } = yield* CustomerRows
  const { send } = yield* Verifications
  yield* Effect.forEach(customers, (customerId) => within(customerId, send({ customerId, phone: PHONE })))
})

const folder = Effect.acquireRelease(
  Effect.sync(() => fs.mkdtempSync(path.join(os.tmpdir(), "peyk-cells-"))),
  (made) => Effect.sync(() => fs.rmSync(made, { recursive: true }))
)

const connectionTo = (database: string) =>
  Effect.map(
    Layer.build(
      PgClient.layer({
        host: inject("postgresSocketDirectory"),
        username: "postgres",
        password: Redacted.make(inject("postgresPassword")),
        database,
        maxConnections: 1
      })
    ),
    (made) => Context.get(made, SqlClient.SqlClient)
  )

layer(TestDatabaseOfCells(NAMES), { excludeTestServices: true })("all customers of two cells", (it) => {
  it.effect("lose their old rows one cell after the other", () =>
    Effect.gen(function* () {
      const { within } = yield* CustomerRows
      const store = yield* RetentionStore
      const customers = yield* twoCustomers
      for (const id of customers) {
        yield* within(id, codes(daysAgo(500), 1300, id, "verified", 0))
        yield* within(id, events(daysAgo(500), 3, id))
      }
      let pass: RetentionPass = passOf("verifications", 400)
      const places: Array<number | undefined> = []
      for (;;) {
        const { next } = yield* store.runBatch(pass)
        if (next === null) break
        places.push(next.cell)
        pass = { ...pass, position: next }
      }
      assert.deepStrictEqual(places, [1, 1, 2, 2])
      assert.deepStrictEqual(yield* countsOf("verifications"), [0, 0])
      assert.deepStrictEqual(yield* countsOf("events"), [3, 3])
    }).pipe(Effect.provide(retention))
  )

  it.effect("are erased only up to the oldest code in progress in any cell", () =>
    Effect.gen(function* () {
      const { within } = yield* CustomerRows
      const store = yield* RetentionStore
      const customers = yield* twoCustomers
      const sql = yield* SqlClient.SqlClient
      assert.isNull(yield* store.unfinishedSince("verification_phones"))
      for (const [nth, id] of customers.entries()) {
        const subject = yield* within(id, codes(daysAgo(100 + nth), 1, id, "queued", 0))
        yield* within(
          id,
          sql`insert into timers (customer_id, kind, subject, claimable_at)
            values (${id}, 'verification', ${subject}::uuid, now())`
        )
      }
      assert.strictEqual(yield* store.unfinishedSince("verification_phones"), daysAgo(101))
      const progress = { pass: null, erasedUntil: { verification_phones: 0, message_phones: 0 } }
      const next = { at: 5, after: null, cell: 2 }
      assert.deepStrictEqual(
        afterBatch(progress, passOf("verification_phones", 90), next).pass?.position,
        next
      )
    }).pipe(Effect.provide(retention))
  )

  it.effect("have their timers counted together", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sendEach(yield* twoCustomers)
      yield* TestClock.adjust("1 hour")
      const now = 3_600_000
      const due = yield* dueTimers(sql, now)
      assert.strictEqual(due.find(({ kind }) => kind === "verification")?.due, 2)
      const { overdue } = yield* waitingTimers(sql, now)
      assert.isAtLeast(overdue, 2)
    }).pipe(Effect.provide(processOver()))
  )

  it.effect("lose a phone in their own cell only", () =>
    Effect.gen(function* () {
      const { within } = yield* CustomerRows
      const erasures = yield* PhoneErasureStore
      const [one, other] = yield* twoCustomers
      for (const id of [one, other]) yield* within(id, codes(0, 1, id, "verified", 0))
      const phone = yield* Effect.fromResult(parsePhone("+989120000001"))
      const erased = yield* within(one, erasures.erase(one, phone))
      assert.strictEqual(erased.verifications, 1)
      const left = yield* Effect.forEach(NAMES, (cell) =>
        countIn(cell, "verifications where phone = '+989120000001'")
      )
      assert.deepStrictEqual(left, [0, 1])
    }).pipe(Effect.provide(processOver()))
  )

  it.effect("have their requests in one list, page by page, without a gap", () =>
    Effect.gen(function* () {
      const { add } = yield* RequestStore
      const records = yield* RequestRecords
      const customers = yield* twoCustomers
      const request = (at: number) =>
        JSON.stringify([at, `r${at}`, "/v1/otp/send", "POST", 200, null, 1, 0, "live", null, null])
      // Alternating, and a customer with many more than the other.
      for (let at = 1; at <= 60; at += 1) {
        const customerId = customers[at % 5 === 0 ? 1 : 0] ?? 0
        yield* add([{ customerId, beginsAt: at, endsAt: at, requests: [request(at)] }])
      }
      const found: Array<number> = []
      let after: string | null = null
      do {
        const page: { readonly items: ReadonlyArray<{ readonly at: number }>; readonly next: string | null } =
          yield* records.list(null, { limit: 7, after })
        assert.isAtMost(page.items.length, 7)
        found.push(...page.items.map(({ at }) => at))
        after = page.next
      } while (after !== null)
      assert.deepStrictEqual(
        found,
        Array.from({ length: 60 }, (_, nth) => 60 - nth)
      )
      const [first] = (yield* records.list(null, { limit: 1, after: null })).items
      assert.strictEqual((yield* records.find(null, first?.id ?? "")).at, 60)
    }).pipe(Effect.provide(processOver()))
  )

  it.effect("have their wallets checked, each against its own ledger", () =>
    Effect.gen(function* () {
      const { within } = yield* CustomerRows
      const { differences } = yield* Wallets
      const sql = yield* SqlClient.SqlClient
      const [, other] = yield* twoCustomers
      assert.deepStrictEqual(yield* differences, [])
      yield* within(
        other,
        sql`update wallets set balance = balance + 1 where customer_id = ${other} and stripe = 0`
      )
      assert.deepStrictEqual(
        (yield* differences).map(({ customerId }) => customerId),
        [other]
      )
    }).pipe(Effect.provide(processOver()))
  )

  it.effect("keep a shared account that a code in progress may still use", () =>
    Effect.gen(function* () {
      const { connect, remove } = yield* Accounts
      const account = {
        channel: "eitaa",
        provider: "simulator",
        label: "shared",
        settings: {},
        isDefault: false
      } as const
      const shared = yield* connect(null, account)
      const { within } = yield* CustomerRows
      const { send } = yield* Verifications
      const [, other] = yield* twoCustomers
      yield* within(
        other,
        send({
          customerId: other,
          phone: PHONE,
          channels: [{ channel: "bale" }, { channel: "eitaa", sender: "shared" }]
        })
      )
      yield* (yield* RoutingOrders).save(other, [{ channel: "bale" }], null)
      const refused = yield* Effect.flip(remove(null, shared.id, null))
      assert.strictEqual(refused._tag, "conflict")
    }).pipe(Effect.provide(processOver()))
  )

  it.effect("are restored from a backup in their cells", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sendEach(yield* twoCustomers)
      const before = yield* Effect.forEach(CELL_TABLES, countsOf)
      const file = path.join(yield* folder, "cells.backup")
      const [database] = yield* sql<{ readonly name: string }>`select current_database() as name`
      const source = yield* connectionTo(database?.name ?? "")
      const writer = yield* writeBackup(file)
      const { rows } = yield* Effect.provideService(writeStore(writer), SqlClient.SqlClient, source)
      yield* writer.finish
      assert.strictEqual(rows["cell_1.verifications"], 1)
      assert.strictEqual(rows["cell_2.verifications"], 1)

      const empty = `empty_${randomBytes(6).toString("hex")}`
      yield* Effect.acquireRelease(sql.unsafe(`create database ${empty}`), () =>
        Effect.ignore(sql.unsafe(`drop database ${empty} with (force)`))
      )
      const target = yield* connectionTo(empty)
      const restore = (replace: boolean) =>
        Effect.gen(function* () {
          const readLine = yield* readBackup(file)
          return yield* restoreStore(yield* readHeader(readLine), readLine, { replace })
        }).pipe(Effect.provideService(SqlClient.SqlClient, target), Effect.scoped)
      yield* restore(false)
      // Over a store with cells too.
      yield* restore(true)
      const after = yield* Effect.provideService(
        Effect.forEach(CELL_TABLES, countsOf),
        SqlClient.SqlClient,
        target
      )
      assert.deepStrictEqual(after, before)
      const placed = yield* target<{
        readonly cell: number
      }>`select cell from customers order by id desc limit 2`
      assert.deepStrictEqual(new Set(placed.map(({ cell }) => cell)), new Set([1, 2]))
      assert.isNotEmpty(yield* (yield* CustomerRecords).list)
    }).pipe(Effect.scoped, Effect.provide(processOver()))
  )
})
