import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Phone } from "../../../src/domain/Phone.ts"
import { effectiveStatus, type VerificationStatus } from "../../../src/domain/verification/Verification.ts"
import { VerificationRecords } from "../../../src/services/verification/VerificationRecords.ts"
import { Verifications } from "../../../src/services/verification/Verifications.ts"
import {
  allPages,
  codeTo,
  firstPage,
  later,
  MARCH,
  readProcess,
  settle,
  verifyCode
} from "../../support/ManageReads.ts"
import { accepted, scriptProviders, unreachable } from "../../support/ScriptedProviders.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { makeCustomer } from "../../support/TestGraph.ts"

const ids = (items: ReadonlyArray<{ readonly id: string }>) => items.map(({ id }) => id)
const phoneOf = (n: number) => `+98912${String(1_000_000 + n)}`

const listed = Effect.fnUntraced(function* (
  customerId: number,
  search: Parameters<VerificationRecords["Service"]["list"]>[1] | object = {}
) {
  const { items } = yield* (yield* VerificationRecords).list(customerId, { ...firstPage, ...search })
  return ids(items)
})

layer(TestDatabase, { excludeTestServices: true })("a list of verifications", (it) => {
  it.effect("has the newest first, each once, whatever the size of its parts", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer()
      const made: Array<string> = []
      for (let n = 0; n < 23; n++) {
        made.unshift((yield* codeTo(customerId, phoneOf(n))).id)
        // several of one millisecond, too
        if (n % 3 === 0) yield* TestClock.adjust(1)
      }
      const { list } = yield* VerificationRecords
      for (const limit of [1, 2, 5, 22, 23, 24, 100]) {
        const all = yield* allPages(limit, (page) => list(customerId, page))
        assert.deepStrictEqual(ids(all), made, `in parts of ${limit}`)
      }
    }).pipe(Effect.provide(readProcess(providers)))
  })

  it.effect("that is followed while others are made has what was there, each once", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer()
      const made: Array<string> = []
      for (let n = 0; n < 12; n++) {
        made.unshift((yield* codeTo(customerId, phoneOf(n))).id)
        yield* TestClock.adjust(5)
      }
      const { list } = yield* VerificationRecords
      const another = Effect.orDie(codeTo(customerId, phoneOf(100)))
      for (const limit of [1, 3, 5]) {
        const before = yield* listed(customerId)
        const all = yield* allPages(limit, (page) => list(customerId, page), another)
        assert.deepStrictEqual(ids(all), before)
        assert.deepStrictEqual(before.slice(-12), made)
      }
    }).pipe(Effect.provide(readProcess(providers)))
  })

  it.effect("begins at the beginning when its cursor is broken", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer()
      const { id } = yield* codeTo(customerId, phoneOf(1))
      for (const after of ["", "x", "1_2", `99999999999999999999_${id}`, `1_${id}'`, "\u0000", "-1_"]) {
        assert.deepStrictEqual(yield* listed(customerId, { after }), [id])
      }
    }).pipe(Effect.provide(readProcess(providers)))
  })

  it.effect("can be of one phone, of one channel that was tried, and of a time", () => {
    const providers = scriptProviders({ bale: unreachable })
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer()
      const first = yield* codeTo(customerId, phoneOf(1), ["bale", "eitaa"])
      yield* settle
      yield* TestClock.adjust(1000)
      const second = yield* codeTo(customerId, phoneOf(2), ["eitaa", "sms"])
      yield* TestClock.adjust(1000)
      const third = yield* codeTo(customerId, phoneOf(1), ["sms"])
      assert.deepStrictEqual(yield* listed(customerId, { phone: Phone.make(phoneOf(1)) }), [
        third.id,
        first.id
      ])
      assert.deepStrictEqual(yield* listed(customerId, { channel: "bale" }), [first.id])
      assert.deepStrictEqual(yield* listed(customerId, { channel: "eitaa" }), [second.id, first.id])
      assert.deepStrictEqual(yield* listed(customerId, { channel: "sms" }), [third.id])
      assert.deepStrictEqual(yield* listed(customerId, { from: second.at }), [third.id, second.id])
      assert.deepStrictEqual(yield* listed(customerId, { to: second.at }), [first.id])
      assert.deepStrictEqual(yield* listed(customerId, { from: second.at, to: third.at }), [second.id])
      assert.deepStrictEqual(
        yield* listed(customerId, { phone: Phone.make(phoneOf(1)), channel: "sms", from: MARCH }),
        [third.id]
      )
    }).pipe(Effect.provide(readProcess(providers)))
  })

  it.effect("of one status has those whose reader would see it, also before the expiry was recorded", () => {
    const providers = scriptProviders({ eitaa: unreachable })
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer()
      const recorded = yield* codeTo(customerId, phoneOf(1), ["bale"])
      yield* later(400_000)
      const unrecorded = yield* codeTo(customerId, phoneOf(2), ["bale"])
      yield* TestClock.adjust(400_000)
      const failed = yield* codeTo(customerId, phoneOf(3), ["eitaa"])
      const verified = yield* codeTo(customerId, phoneOf(4), ["bale"])
      yield* verifyCode(providers, customerId, verified.id)
      const locked = yield* codeTo(customerId, phoneOf(5), ["bale"])
      const { verify } = yield* Verifications
      const right = providers.deliveries.at(-1)?.code ?? ""
      const code = right === "000000" ? "111111" : "000000"
      for (let n = 0; n < 5; n++) yield* verify({ customerId, id: locked.id, code })
      const canceled = yield* codeTo(customerId, phoneOf(7), ["bale"])
      yield* (yield* Verifications).cancel({ customerId, id: canceled.id })
      const queued = yield* codeTo(customerId, phoneOf(6), ["bale"])

      const expected: Record<VerificationStatus, ReadonlyArray<string>> = {
        pending: [],
        queued: [queued.id],
        verified: [verified.id],
        failed: [failed.id],
        locked: [locked.id],
        expired: [unrecorded.id, recorded.id],
        canceled: [canceled.id]
      }
      const { list } = yield* VerificationRecords
      for (const [status, those] of Object.entries(expected)) {
        const page = yield* list(customerId, { ...firstPage, status: status as VerificationStatus })
        assert.deepStrictEqual(ids(page.items), those, status)
        const now = MARCH + 800_000
        for (const each of page.items) assert.strictEqual(effectiveStatus(each, now), status)
      }
    }).pipe(Effect.provide(readProcess(providers)))
  })

  it.effect("has nothing of other customers, nor of the sandbox", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const [mine, theirs] = [yield* makeCustomer(), yield* makeCustomer()]
      const own = yield* codeTo(mine, phoneOf(1))
      const other = yield* codeTo(theirs, phoneOf(1))
      const simulated = yield* codeTo(mine, phoneOf(1))
      yield* (yield* SqlClient.SqlClient)`
        update verifications set mode = 'test' where id = ${simulated.id}::uuid`
      assert.deepStrictEqual(yield* listed(mine), [own.id])
      assert.deepStrictEqual(yield* listed(mine, { phone: Phone.make(phoneOf(1)) }), [own.id])
      const { find } = yield* VerificationRecords
      assert.strictEqual((yield* find(mine, own.id)).id, own.id)
      for (const id of [other.id, simulated.id, "00000000-0000-0000-0000-000000000000"]) {
        assert.strictEqual((yield* Effect.flip(find(mine, id)))._tag, "not_found")
      }
    }).pipe(Effect.provide(readProcess(providers)))
  })

  it.effect("that looks for a few among very many looks only so far at once, and finds each once", () => {
    const providers = scriptProviders({ bale: [unreachable, accepted, unreachable] })
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer()
      const old = yield* codeTo(customerId, phoneOf(1), ["bale"])
      yield* TestClock.adjust(1000)
      const many = yield* codeTo(customerId, phoneOf(2), ["bale"])
      yield* (yield* SqlClient.SqlClient)`
        insert into verifications (customer_id, id, mode, phone, status, revision, route, attempts, remaining,
          code_hash, created_at, expires_at)
        select customer_id, (left(id::text, 24) || to_hex(281474976000000 + n))::uuid, mode, phone, 'verified', revision,
          route, attempts, remaining, code_hash, created_at + n * interval '1 millisecond', expires_at
        from verifications, generate_series(1, 20500) n where id = ${many.id}::uuid`
      yield* TestClock.adjust(60_000)
      const recent = yield* codeTo(customerId, phoneOf(3), ["bale"])
      const { list } = yield* VerificationRecords
      const search = { status: "failed" as const }
      const first = yield* list(customerId, { ...firstPage, ...search })
      assert.deepStrictEqual(ids(first.items), [recent.id])
      assert.isNotNull(first.next)
      assert.approximately(first.searchedTo ?? 0, MARCH + 1000 + 10_500, 10)
      const second = yield* list(customerId, { limit: 100, after: first.next, ...search })
      assert.deepStrictEqual(ids(second.items), [])
      const all = yield* allPages(1, (page) => list(customerId, { ...page, ...search }))
      assert.deepStrictEqual(ids(all), [recent.id, old.id])
      // A page that is full says nothing of how far it looked: the next one has items.
      const full = yield* list(customerId, { limit: 1, after: null, status: "verified" })
      assert.isUndefined(full.searchedTo)
    }).pipe(Effect.provide(readProcess(providers)))
  })

  it.effect("has no next page where exactly as many rows are as one search looks through", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer()
      const first = yield* codeTo(customerId, phoneOf(1), ["bale"])
      const sql = yield* SqlClient.SqlClient
      const addMore = (from: number, to: number) => sql`
        insert into verifications (customer_id, id, mode, phone, status, revision, route, attempts, remaining,
          code_hash, created_at, expires_at)
        select customer_id, (left(id::text, 24) || to_hex(281474976000000 + n))::uuid, mode, phone, 'verified', revision,
          route, attempts, remaining, code_hash, created_at + n * interval '1 millisecond', expires_at
        from verifications, generate_series(${from}::int, ${to}::int) n where id = ${first.id}::uuid`
      const { list } = yield* VerificationRecords
      const search = { ...firstPage, status: "failed" as const }
      yield* addMore(1, 9999)
      assert.deepStrictEqual(yield* list(customerId, search), { items: [], next: null })
      yield* addMore(10_000, 10_000)
      const { items, next, searchedTo } = yield* list(customerId, search)
      assert.deepStrictEqual([items.length, next === null], [0, false])
      assert.approximately(searchedTo ?? 0, MARCH + 1, 1)
      assert.deepStrictEqual(yield* list(customerId, { ...search, after: next }), { items: [], next: null })
    }).pipe(Effect.provide(readProcess(providers)))
  })
})

layer(TestDatabase, { excludeTestServices: true })("a code whose first channel was skipped", (it) => {
  it.effect("shows no attempt on it while the next channel waits for its slot", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const customerId = yield* makeCustomer(["bale", "sms"])
      yield* codeTo(customerId, phoneOf(1), ["sms"])
      yield* sql`update account_pace set cooling_until = timestamptz '2026-03-02T00:00:00Z'
        where account_id in (select id from sending_accounts where customer_id = ${customerId} and channel = 'bale')`
      const { id } = yield* codeTo(customerId, phoneOf(2), ["bale", "sms"])
      const [stored] = yield* sql<{ attempts: ReadonlyArray<unknown> }>`
        select attempts from verifications where customer_id = ${customerId} and id = ${id}::uuid`
      assert.strictEqual(stored?.attempts.length, 1)
      const records = yield* VerificationRecords
      assert.deepStrictEqual((yield* records.find(customerId, id)).attempts, [])
      const { items } = yield* records.list(customerId, { ...firstPage, status: "pending" })
      assert.deepStrictEqual(
        items.map(({ attempts }) => attempts),
        [[]]
      )
      assert.deepStrictEqual(yield* listed(customerId, { channel: "bale" }), [])
    }).pipe(Effect.provide(readProcess(providers, { accountGapMillis: 20_000 })))
  })
})
