import { assert, layer } from "@effect/vitest"
import { Effect, Result, Tracer } from "effect"
import { SqlClient } from "effect/sql"
import { Messages } from "../../../src/services/message/Messages.ts"
import type { MessageContent } from "../../../src/services/message/MessagePlans.ts"
import { scriptProviders } from "../../support/ScriptedProviders.ts"
import { settle } from "../../support/SentMessages.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { makeCustomer, testProcess } from "../../support/TestGraph.ts"

const SIZE = 500

const phoneAt = (nth: number) => `0912${String(1_000_000 + nth)}`

const batch = (customerId: number, contents: ReadonlyArray<MessageContent>, key = "k") =>
  Effect.flatMap(Messages, (messages) =>
    messages.sendBatch({
      customerId,
      items: contents.map((content) => Result.succeed(content)),
      idempotency: { key, body: contents }
    })
  )

const texts = (count: number, fields: Partial<MessageContent> = {}): ReadonlyArray<MessageContent> =>
  Array.from({ length: count }, (_, nth) => ({
    to: phoneAt(nth),
    message: "سلام",
    channels: [{ channel: "bale" }],
    ...fields
  }))

/** Counts the statements of some work; a transaction's begin and its commit are two more. */
const counted = <A, E, R>(work: Effect.Effect<A, E, R>) => {
  let statements = 0
  const tracer = Tracer.make({
    span: (options) => {
      if (options.name === "sql.transaction") statements += 2
      else if (options.kind === "client") statements += 1
      return new Tracer.NativeSpan(options)
    }
  })
  return Effect.map(Effect.withTracer(work, tracer), () => statements)
}

const count = (table: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{ readonly count: number }>`select count(*)::int as count from ${sql(table)}`
    return row?.count
  })

const limits = { messagePhoneHourLimit: 3, messagePhoneDayLimit: 5 }

layer(TestDatabase, { excludeTestServices: true })("a batch of messages", (it) => {
  it.effect("of 500 with a wallet, templates and limits needs at most 12 statements", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer(["bale"], "business")
      const sql = yield* SqlClient.SqlClient
      const [template] = yield* sql<{ readonly id: number }>`
        insert into templates (customer_id, name, body, created_at)
        values (${customerId}, 'T', 'سلام {{name}}', now()) returning id`
      const parameters = new Map([["name", "سارا"]])
      const use = { id: template?.id ?? 0, parameters, given: {} }
      const contents = texts(SIZE, { message: undefined, template: use })
      const statements = yield* counted(batch(customerId, contents))
      assert.isAtLeast(statements, 8)
      assert.isAtMost(statements, 12)
      assert.strictEqual(yield* count("messages"), SIZE)
      assert.strictEqual(yield* count("timers"), SIZE)
      assert.strictEqual(yield* count("phone_counters"), SIZE)
    }).pipe(Effect.provide(testProcess(providers.layer, limits)))
  })

  it.effect("sends each message once, and charges it once", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer(["bale"], "business")
      yield* batch(customerId, texts(20))
      yield* batch(customerId, texts(20))
      yield* settle
      assert.strictEqual(providers.deliveries.length, 20)
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql`select sum(balance)::int as balance, sum(held)::int as held from wallets
        where customer_id = ${customerId}`
      assert.deepStrictEqual(rows, [{ balance: 980_000, held: 0 }])
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect("announces each of its messages", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer(["bale"])
      yield* batch(customerId, texts(3, { delay: "1h" }))
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql`select e.type, e.sequence, e.data->>'status' as status from events e
        join messages m on m.id = e.subject`
      const queued = { type: "message.queued", sequence: 1, status: "queued" }
      assert.deepStrictEqual(rows, [queued, queued, queued])
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect("and single messages at once never exceed a phone's limit", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer(["bale"])
      const messages = yield* Messages
      const toOne = texts(4, { to: phoneAt(0), delay: "1h" })
      const alone = toOne.map((content) => Effect.exit(messages.send({ ...content, customerId })))
      const together = ["a", "b", "c"].map((key) => batch(customerId, toOne, key))
      yield* Effect.all([...together, ...alone], { concurrency: "unbounded" })
      assert.strictEqual(yield* count("messages"), 3)
    }).pipe(Effect.provide(testProcess(providers.layer, limits)))
  })
})
