import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import type { Page } from "../../../src/domain/Paging.ts"
import type { WebhookDelivery } from "../../../src/domain/Webhook.ts"
import { Webhooks } from "../../../src/services/webhook/Webhooks.ts"
import { Timers } from "../../../src/services/timer/Timers.ts"
import { scriptProviders } from "../../support/ScriptedProviders.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { makeCustomer, runDue } from "../../support/TestGraph.ts"
import {
  customerAt,
  holdTry,
  endpointAt,
  failing,
  patient,
  payloadOf,
  receiver,
  sendCode,
  webhookProcess
} from "../../support/WebhookProcess.ts"

const QUEUED = ["verification.queued"]
const DAY = 86_400_000

/** Events of those instants, with ids that name them. */
const insertEvents = Effect.fnUntraced(function* (customerId: number, instants: ReadonlyArray<number>) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into events (customer_id, id, type, subject, sequence, data, occurred_at)
    select ${customerId}, (lpad(to_hex(at), 12, '0') || '70008000000000000000')::uuid,
      'verification.queued', gen_random_uuid(), 1, '{}', to_timestamp(at / 1000.0)
    from unnest(${[...instants]}::bigint[]) at`
})

layer(TestDatabase, { excludeTestServices: true })("a replay", (it) => {
  it.effect("posts one event again, with the same id, and its tries are listed together", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const webhooks = yield* Webhooks
      const fake = yield* receiver
      const { customerId, endpoint } = yield* customerAt(fake.url, QUEUED)
      yield* sendCode(customerId)
      yield* runDue
      yield* TestClock.adjust("1 hour")
      const { eventId } = yield* endpoint.delivery
      const replayed = yield* webhooks.replay(customerId, endpoint.id, eventId)
      assert.strictEqual(replayed.status, "pending")
      yield* runDue
      const { status, tries } = yield* endpoint.delivery
      assert.deepStrictEqual([status, tries.map(({ at }) => at)], ["delivered", [0, 3_600_000]])
      assert.deepStrictEqual(
        fake.received.map(({ headers }) => headers["webhook-id"]),
        [eventId, eventId]
      )
    }).pipe(Effect.provide(webhookProcess(providers)))
  })

  it.effect("posts nothing when the subject of the event is gone, and is not tried for ever", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const webhooks = yield* Webhooks
      const fake = yield* receiver
      const { customerId, endpoint } = yield* customerAt(fake.url, QUEUED)
      yield* sendCode(customerId)
      yield* runDue
      const { eventId } = yield* endpoint.delivery
      yield* sql`delete from verifications where customer_id = ${customerId}`
      yield* webhooks.replay(customerId, endpoint.id, eventId)
      yield* runDue
      assert.lengthOf(fake.received, 1)
      assert.lengthOf(yield* sql`select from timers where kind = 'webhook'`, 0)
    }).pipe(Effect.provide(webhookProcess(providers)))
  })

  it.effect("while a try is under way is not lost when that try is the end of the delivery", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const webhooks = yield* Webhooks
      const fake = yield* receiver
      const { customerId, endpoint } = yield* customerAt(fake.url, QUEUED)
      yield* sendCode(customerId)
      const answerTry = yield* holdTry(fake)
      const { eventId } = yield* endpoint.delivery
      yield* TestClock.adjust("1 second")
      yield* webhooks.replay(customerId, endpoint.id, eventId)
      yield* answerTry(204)
      yield* runDue
      const { status, tries } = yield* endpoint.delivery
      assert.deepStrictEqual([status, tries.length, fake.received.length], ["delivered", 2, 2])
    }).pipe(Effect.provide(webhookProcess(providers)))
  })

  it.effect("while a try is under way is made as soon as that try is recorded", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const webhooks = yield* Webhooks
      const { sleepUntil } = yield* Timers
      const fake = yield* receiver
      const { customerId, endpoint } = yield* customerAt(fake.url, QUEUED)
      yield* sendCode(customerId)
      const answerTry = yield* holdTry(fake)
      const { eventId } = yield* endpoint.delivery
      yield* TestClock.adjust("1 second")
      yield* webhooks.replay(customerId, endpoint.id, eventId)
      // Over at once: the send had woken it before it slept. Then it sleeps for 30 s, unless it is woken.
      yield* sleepUntil(1000)
      const asleep = yield* Effect.forkChild(sleepUntil(31_000))
      yield* Effect.yieldNow
      yield* answerTry(204)
      yield* Fiber.join(asleep)
      assert.lengthOf(yield* runDue.pipe(Effect.as(fake.received)), 2)
    }).pipe(Effect.provide(webhookProcess(providers)))
  })

  it.effect("keeps its webhook from being removed before it is written", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const webhooks = yield* Webhooks
      const fake = yield* receiver
      const { customerId, endpoint } = yield* customerAt(fake.url, QUEUED)
      const outside = yield* Effect.context<never>()
      const removable = sql`
        select id from webhook_endpoints where customer_id = ${customerId} and id = ${endpoint.id}
        for update skip locked`
      yield* webhooks.replaySince(customerId, endpoint.id, 0).pipe(
        Effect.andThen(Effect.promise(() => Effect.runPromiseWith(outside)(removable))),
        Effect.tap((rows) => Effect.sync(() => assert.lengthOf(rows, 0))),
        sql.withTransaction
      )
    }).pipe(Effect.provide(webhookProcess(providers)))
  })

  it.effect("of one that failed for good begins the schedule again", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const webhooks = yield* Webhooks
      const fake = yield* receiver
      fake.script(...failing(2))
      const { customerId, endpoint } = yield* customerAt(fake.url, QUEUED)
      yield* sendCode(customerId)
      yield* runDue
      yield* TestClock.adjust("2 days")
      yield* runDue
      assert.strictEqual((yield* endpoint.delivery).status, "failed")
      fake.script({ status: 500 })
      const { eventId } = yield* endpoint.delivery
      yield* webhooks.replay(customerId, endpoint.id, eventId)
      yield* runDue
      const now = yield* Clock.currentTimeMillis
      const { status, nextTryAt } = yield* endpoint.delivery
      assert.strictEqual(status, "pending")
      assert.isTrue(nextTryAt !== null && nextTryAt >= now + 5000 && nextTryAt <= now + 5500)
    }).pipe(Effect.provide(webhookProcess(providers, patient)))
  })

  it.effect("since a time posts what the endpoint wants of it, also from before it was there", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const webhooks = yield* Webhooks
      const fake = yield* receiver
      const customerId = yield* makeCustomer()
      yield* sendCode(customerId)
      yield* TestClock.adjust("1 day")
      const { id } = yield* sendCode(customerId)
      yield* runDue
      const since = yield* Clock.currentTimeMillis
      yield* sendCode(customerId)
      const endpoint = yield* endpointAt(customerId, fake.url, QUEUED)
      const first = yield* webhooks.replaySince(customerId, endpoint.id, since)
      assert.deepStrictEqual(first, { replayed: 2, nextSince: null })
      yield* runDue
      const payloads = fake.received.map(payloadOf)
      assert.deepStrictEqual(new Set(payloads.map(({ type }) => type)), new Set(QUEUED))
      assert.include(
        payloads.map(({ data }) => data["verification_id"]),
        id
      )
    }).pipe(Effect.provide(webhookProcess(providers, patient)))
  })

  it.effect("since a time leaves out what is older than 30 days", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const webhooks = yield* Webhooks
      const customerId = yield* makeCustomer()
      const endpoint = yield* endpointAt(customerId, "http://127.0.0.1:9", QUEUED)
      yield* insertEvents(customerId, [DAY - 1, DAY, 2 * DAY])
      const replayed = yield* webhooks.replaySince(customerId, endpoint.id, 0)
      assert.deepStrictEqual(replayed, { replayed: 2, nextSince: null })
    }).pipe(Effect.provide(webhookProcess(providers, { startsAt: 31 * DAY })))
  })

  it.effect("of many events goes on where it was asked to", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const webhooks = yield* Webhooks
      const customerId = yield* makeCustomer()
      const endpoint = yield* endpointAt(customerId, "http://127.0.0.1:9", QUEUED)
      yield* TestClock.adjust("1 hour")
      const seconds = Array.from({ length: 1500 }, (_, n) => (n + 1) * 1000)
      yield* insertEvents(customerId, seconds)
      const first = yield* webhooks.replaySince(customerId, endpoint.id, 0)
      assert.deepStrictEqual(first, { replayed: 1000, nextSince: 1_001_000 })
      const second = yield* webhooks.replaySince(customerId, endpoint.id, first.nextSince ?? 0)
      assert.deepStrictEqual(second, { replayed: 500, nextSince: null })
    }).pipe(Effect.provide(webhookProcess(providers)))
  })

  it.effect("is listed at its time, before what came earlier, on one page only", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const webhooks = yield* Webhooks
      const sql = yield* SqlClient.SqlClient
      const customerId = yield* makeCustomer()
      const endpoint = yield* endpointAt(customerId, "http://127.0.0.1:9", QUEUED)
      const seconds = [1, 2, 3, 4, 5]
      yield* insertEvents(
        customerId,
        seconds.map((at) => at * 1000)
      )
      yield* sql`
        insert into webhook_deliveries (customer_id, endpoint_id, event_id, status, created_at)
        select customer_id, ${endpoint.id}, id, case when occurred_at < to_timestamp(3) then 'failed' else 'delivered' end,
          occurred_at from events where customer_id = ${customerId}`
      /** The seconds of the listed events, page by page. */
      const listed = Effect.gen(function* () {
        const found: Array<number> = []
        let after: string | null = null
        do {
          const { items, next }: Page<WebhookDelivery> = yield* webhooks.deliveries(customerId, endpoint.id, {
            limit: 2,
            after
          })
          found.push(...items.map(({ createdAt }) => createdAt / 1000))
          after = next
        } while (after !== null)
        return found
      })
      assert.deepStrictEqual(yield* listed, [5, 4, 3, 2, 1])

      yield* TestClock.adjust("10 seconds")
      const third = `${"0".repeat(8)}-0bb8-7000-8000-000000000000`
      const replayed = yield* webhooks.replay(customerId, endpoint.id, third)
      assert.strictEqual(replayed.replayedAt, 10_000)
      assert.deepStrictEqual(yield* listed, [3, 5, 4, 2, 1])

      yield* insertEvents(customerId, [11_000])
      yield* TestClock.adjust("2 seconds")
      yield* webhooks.retryFailed(customerId, endpoint.id)
      assert.deepStrictEqual(yield* listed, [2, 1, 3, 5, 4])
      yield* TestClock.adjust("1 second")
      yield* webhooks.replaySince(customerId, endpoint.id, 4000)
      assert.deepStrictEqual(yield* listed, [13, 5, 4, 2, 1, 3])
    }).pipe(Effect.provide(webhookProcess(providers)))
  })

  it.effect("and a test are refused while the endpoint is disabled", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const webhooks = yield* Webhooks
      const { customerId, endpoint } = yield* customerAt("http://127.0.0.1:9")
      yield* webhooks.update(customerId, endpoint.id, { isDisabled: true }, null)
      const refusals = yield* Effect.all([
        Effect.flip(webhooks.test(customerId, endpoint.id)),
        Effect.flip(webhooks.replaySince(customerId, endpoint.id, 0))
      ])
      assert.deepStrictEqual(
        refusals.map(({ _tag }) => _tag),
        ["conflict", "conflict"]
      )
    }).pipe(Effect.provide(webhookProcess(providers)))
  })
})

layer(TestDatabase, { excludeTestServices: true })("a test event", (it) => {
  it.effect("goes to one endpoint alone, whatever that asked for", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const webhooks = yield* Webhooks
      const fake = yield* receiver
      const { customerId, endpoint } = yield* customerAt(`${fake.url}/one`, QUEUED)
      yield* endpointAt(customerId, `${fake.url}/other`)
      const { eventId } = yield* webhooks.test(customerId, endpoint.id)
      yield* runDue
      assert.deepStrictEqual(
        fake.received.map(({ path, headers, json }) => [path, headers["webhook-id"], json]),
        [
          [
            "/one",
            eventId,
            {
              type: "webhook.test",
              mode: "live",
              timestamp: "1970-01-01T00:00:00.000Z",
              data: { webhook_id: endpoint.id, sequence: 1 }
            }
          ]
        ]
      )
    }).pipe(Effect.provide(webhookProcess(providers)))
  })
})
