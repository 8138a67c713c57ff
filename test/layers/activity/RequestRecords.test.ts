import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import type { Page } from "../../../src/domain/Paging.ts"
import { Phone } from "../../../src/domain/Phone.ts"
import type { LoggedRequest, RequestFields } from "../../../src/domain/LoggedRequest.ts"
import { RequestRecordsSql, RequestStoreSql } from "../../../src/layers/activity/RequestRecordsSql.ts"
import {
  RequestRecords,
  type RequestSearch,
  RequestStore
} from "../../../src/services/activity/RequestLog.ts"
import { Keys } from "../../../src/services/key/Keys.ts"
import { scriptProviders } from "../../support/ScriptedProviders.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { makeCustomer, testProcess } from "../../support/TestGraph.ts"

/** The time of this test's requests: far enough from the epoch that ids can be earlier. */
const NOW = 1_795_000_000_000

const process = Layer.mergeAll(RequestStoreSql, RequestRecordsSql).pipe(
  Layer.provideMerge(testProcess(scriptProviders().layer, {}, NOW))
)

interface Given {
  readonly at?: number
  readonly requestId?: string
  readonly route?: string
  readonly status?: number
  readonly code?: string | null
  readonly keyId?: number
  readonly mode?: "live" | "test"
  readonly phone?: string | null
  readonly subjectId?: string | null
}

const fieldsOf = (given: Given): RequestFields => [
  given.at ?? NOW,
  given.requestId ?? "some-id",
  given.route ?? "/v1/otp/send",
  "POST",
  given.status ?? 200,
  given.code ?? null,
  1500,
  given.keyId ?? 0,
  given.mode ?? "live",
  given.phone ?? null,
  given.subjectId ?? null
]

const addWith = (
  customerId: number,
  refusedPhones: ReadonlyArray<Phone | null> | null,
  ...all: ReadonlyArray<Given>
) =>
  Effect.flatMap(RequestStore, (store) => {
    const fields = all.map(fieldsOf)
    const times = fields.map(([at]) => at)
    const requests = fields.map((each) => JSON.stringify(each))
    const [beginsAt, endsAt] = [Math.min(...times), Math.max(...times)]
    return store.add([{ customerId, beginsAt, endsAt, requests, refusedPhones }])
  })

const add = (customerId: number, ...all: ReadonlyArray<Given>) => addWith(customerId, null, ...all)

const storedHashes = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<{ readonly hashes: ReadonlyArray<string | null> }>`
    select refused_phones as hashes from request_blocks where refused_phones is not null`
)

const found = (customerId: number | null, search: RequestSearch = {}) =>
  Effect.flatMap(RequestRecords, (records) =>
    Effect.map(records.list(customerId, { limit: 100, after: null, ...search }), ({ items }) =>
      items.map(({ requestId }) => requestId)
    )
  )

const allPages = (customerId: number | null, limit: number, order?: "oldest") =>
  Effect.gen(function* () {
    const records = yield* RequestRecords
    const ids: Array<string> = []
    let after: string | null = null
    do {
      const page: Page<LoggedRequest> = yield* records.list(customerId, { limit, after, order })
      ids.push(...page.items.map(({ requestId }) => requestId))
      after = page.next
    } while (after !== null)
    return ids
  })

layer(TestDatabase, { excludeTestServices: true })("the request log", (it) => {
  it.effect("is read from the newest to the oldest, though the blocks of processes overlap", () =>
    Effect.gen(function* () {
      const customer = yield* makeCustomer()
      yield* add(customer, { at: NOW + 1, requestId: "1" }, { at: NOW + 5, requestId: "5" })
      yield* add(customer, { at: NOW + 2, requestId: "2" }, { at: NOW + 4, requestId: "4" })
      yield* add(customer, { at: NOW + 3, requestId: "3" })
      for (const limit of [1, 2, 3, 10]) {
        assert.deepStrictEqual(yield* allPages(customer, limit), ["5", "4", "3", "2", "1"])
        assert.deepStrictEqual(yield* allPages(customer, limit, "oldest"), ["1", "2", "3", "4", "5"])
      }
    }).pipe(Effect.provide(process))
  )

  it.effect("is read to its end over more blocks than one query reads", () =>
    Effect.gen(function* () {
      const customer = yield* makeCustomer()
      const times = Array.from({ length: 150 }, (_, index) => index)
      yield* Effect.forEach(times, (time) =>
        Effect.andThen(
          TestClock.setTime(NOW + time * 1000),
          add(customer, { at: NOW + time * 1000, requestId: String(time) })
        )
      )
      assert.deepStrictEqual(yield* allPages(customer, 20), times.toReversed().map(String))
      assert.deepStrictEqual(yield* allPages(customer, 20, "oldest"), times.map(String))
    }).pipe(Effect.provide(process))
  )

  it.effect("has a block that was written half a minute late in its place, in both orders", () =>
    Effect.gen(function* () {
      const customer = yield* makeCustomer()
      const times = Array.from({ length: 150 }, (_, index) => index)
      yield* Effect.forEach(times, (time) =>
        Effect.gen(function* () {
          yield* TestClock.setTime(NOW + time * 1000)
          yield* add(customer, { at: NOW + time * 1000, requestId: String(time) })
          if (time === 90) yield* add(customer, { at: NOW + 60_500, requestId: "late" })
        })
      )
      const expected = [...times.slice(0, 61).map(String), "late", ...times.slice(61).map(String)]
      for (const limit of [1, 20, 100]) {
        assert.deepStrictEqual(yield* allPages(customer, limit, "oldest"), expected)
        assert.deepStrictEqual(yield* allPages(customer, limit), expected.toReversed())
      }
    }).pipe(Effect.provide(process))
  )

  it.effect(
    "lists each request once, and ends, though the blocks of 200 customers overlap in one second",
    () =>
      Effect.gen(function* () {
        const customers = yield* Effect.forEach(Array.from({ length: 200 }), () => makeCustomer([]))
        for (const [n, customer] of customers.entries()) {
          const beginsAt = NOW + n * 5
          // A block is written 900 ms after its first request, whenever its last one was.
          yield* TestClock.setTime(beginsAt + 900)
          const lastAt = beginsAt + ((n * 337) % 900)
          yield* add(
            customer,
            { at: beginsAt, requestId: `${n}-first` },
            { at: lastAt, requestId: `${n}-last` }
          )
        }
        const expected = [...customers.keys()].flatMap((n) => [`${n}-first`, `${n}-last`])
        const newestFirst = yield* allPages(null, 25)
        assert.deepStrictEqual(newestFirst.toSorted(), expected.toSorted())
        assert.deepStrictEqual(yield* allPages(null, 25, "oldest"), newestFirst.toReversed())
      }).pipe(Effect.provide(process))
  )

  it.effect("is found by request id, by the send it was about, and by masked phone", () =>
    Effect.gen(function* () {
      const customer = yield* makeCustomer()
      const subjectId = "019a0000-0000-7000-8000-000000000001"
      yield* add(customer, { requestId: "a", subjectId }, { requestId: "b", phone: "+98912***4567" })
      assert.deepStrictEqual(yield* found(customer, { id: "a" }), ["a"])
      assert.deepStrictEqual(yield* found(customer, { id: subjectId }), ["a"])
      assert.deepStrictEqual(yield* found(customer, { id: '","' }), [])
      assert.deepStrictEqual(yield* found(customer, { maskedPhone: "+98912***4567" }), ["b"])
    }).pipe(Effect.provide(process))
  )

  it.effect("is filtered by route, status, code, key, mode and time", () =>
    Effect.gen(function* () {
      const customer = yield* makeCustomer()
      yield* add(
        customer,
        { at: NOW, requestId: "good", keyId: 1 },
        { at: NOW + 1000, requestId: "refused", status: 422, code: "invalid_phone", keyId: 2 },
        { at: NOW + 2000, requestId: "sandbox", route: "/v1/sandbox/otp/send", mode: "test" }
      )
      assert.deepStrictEqual(yield* found(customer, { statuses: [400, 499] }), ["refused"])
      assert.deepStrictEqual(yield* found(customer, { code: "invalid_phone" }), ["refused"])
      assert.deepStrictEqual(yield* found(customer, { keyId: 1 }), ["good"])
      assert.deepStrictEqual(yield* found(customer, { mode: "test" }), ["sandbox"])
      assert.deepStrictEqual(yield* found(customer, { route: "/v1/otp" }), ["refused", "good"])
      assert.deepStrictEqual(yield* found(customer, { from: NOW + 1000, to: NOW + 2000 }), ["refused"])
    }).pipe(Effect.provide(process))
  )

  it.effect("shows a customer their own requests only, and an operator those of all", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* makeCustomer(), yield* makeCustomer()]
      yield* add(one, { requestId: "of-one" })
      yield* add(other, { requestId: "of-other" })
      assert.deepStrictEqual(yield* found(one), ["of-one"])
      assert.includeMembers([...(yield* found(null))], ["of-one", "of-other"])
      const records = yield* RequestRecords
      const [request] = (yield* records.list(other, { limit: 1, after: null })).items
      const id = request?.id ?? ""
      assert.strictEqual((yield* records.find(other, id)).requestId, "of-other")
      assert.strictEqual((yield* records.find(null, id)).requestId, "of-other")
      assert.strictEqual((yield* Effect.flip(records.find(one, id)))._tag, "not_found")
      assert.strictEqual((yield* Effect.flip(records.find(other, "no id")))._tag, "not_found")
    }).pipe(Effect.provide(process))
  )

  it.effect("finds the refusals of exactly one phone, of which only a hash of one customer is stored", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* makeCustomer(), yield* makeCustomer()]
      const records = yield* RequestRecords
      const refused = (customer: number, id: string, phones: ReadonlyArray<Phone | null>) =>
        addWith(
          customer,
          phones,
          ...phones.map((_, index) => ({ at: NOW + index, requestId: `${id}${index}`, status: 403 }))
        )
      const phone = Phone.make("+989121234567")
      const sameMask = Phone.make("+989129994567")
      yield* refused(one, "a", [null, phone, sameMask, phone])
      yield* refused(other, "b", [phone])
      yield* add(one, { requestId: "good" })
      const idsOf = (customer: number, of: Phone) =>
        Effect.map(records.refusals(customer, of, 10), (all) => all.map(({ requestId }) => requestId))
      assert.deepStrictEqual(yield* idsOf(one, phone), ["a3", "a1"])
      assert.deepStrictEqual(yield* idsOf(one, sameMask), ["a2"])
      assert.deepStrictEqual(yield* idsOf(other, phone), ["b0"])
      const stored = yield* storedHashes
      assert.lengthOf(new Set(stored.flatMap(({ hashes }) => hashes).filter((each) => each !== null)), 3)
      assert.notInclude(JSON.stringify(stored), "9121234567")
    }).pipe(Effect.provide(process))
  )

  it.effect("finds the refused messages of batches, each with its own code", () =>
    Effect.gen(function* () {
      const customer = yield* makeCustomer()
      const [first, second, third] = [1, 2, 3].map((n) => Phone.make(`+98912123456${n}`))
      const entry = (requestId: string, at: number, items: RequestFields[12]) =>
        JSON.stringify([...fieldsOf({ requestId, at, route: "/v1/messages/batch" }), null, items])
      yield* (yield* RequestStore).add([
        {
          customerId: customer,
          beginsAt: NOW,
          endsAt: NOW + 3,
          requests: [
            entry("one", NOW, [["template_not_found", 422]]),
            JSON.stringify(fieldsOf({ requestId: "alone", at: NOW + 1, status: 403, code: "blocked_phone" })),
            entry("two", NOW + 2, [
              ["channel_unavailable", 503],
              ["insufficient_balance", 402],
              ["validation_error", 422]
            ])
          ],
          refusedPhones: [null, first ?? null],
          refusedInBatches: [first, second, first, third].flatMap((phone) => phone ?? [])
        }
      ])
      const { refusals, list } = yield* RequestRecords
      const found = (phone: Phone | undefined) =>
        Effect.map(refusals(customer, phone ?? Phone.make("+989120000000"), 10), (all) =>
          all.map(({ requestId, code, status }) => [requestId, code, status])
        )
      assert.deepStrictEqual(yield* found(first), [
        ["two", "insufficient_balance", 402],
        ["alone", "blocked_phone", 403],
        ["one", "template_not_found", 422]
      ])
      assert.deepStrictEqual(yield* found(second), [["two", "channel_unavailable", 503]])
      assert.deepStrictEqual(yield* found(third), [["two", "validation_error", 422]])
      const all = (yield* list(customer, { limit: 10, after: null })).items
      assert.deepStrictEqual(
        all.map(({ requestId, status, fields }) => [requestId, status, fields]),
        [
          ["two", 200, null],
          ["alone", 403, null],
          ["one", 200, null]
        ]
      )
    }).pipe(Effect.provide(process))
  )

  it.effect("names the key of a request", () =>
    Effect.gen(function* () {
      const customer = yield* makeCustomer()
      const { record } = yield* (yield* Keys).create(customer, {
        name: "shop",
        mode: "live",
        expiresAt: null
      })
      yield* add(customer, { keyId: record.id })
      const [request] = (yield* (yield* RequestRecords).list(customer, { limit: 1, after: null })).items
      assert.deepStrictEqual(request?.key, {
        id: record.id,
        name: "shop",
        prefix: record.prefix,
        lastFour: record.lastFour
      })
    }).pipe(Effect.provide(process))
  )
})
