import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Metric } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { ERASED_PHONE } from "../../../src/domain/Phone.ts"
import { Messages } from "../../../src/services/message/Messages.ts"
import { Verifications } from "../../../src/services/verification/Verifications.ts"
import { codes, countOf, DAY, events, messages, TODAY, wholeRound } from "../../support/OldRows.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { makeCustomer } from "../../support/TestGraph.ts"
import { daysAgo, retentionProcess } from "../../support/RetentionProcess.ts"

const process = retentionProcess

layer(TestDatabase, { excludeTestServices: true })("retention", (it) => {
  it.effect("counts what left and what was erased, by task", () =>
    Effect.gen(function* () {
      const customerId = yield* makeCustomer()
      yield* codes(daysAgo(401), 3, customerId, "verified", 0)
      yield* codes(daysAgo(100), 2, customerId, "expired", 0)
      yield* wholeRound
      const text = yield* PrometheusMetrics.format()
      assert.deepStrictEqual(text.match(/(?<=peyk_retention_rows_total\{task="verif)\S+ .*/g)?.toSorted(), [
        'ication_phones"} 5',
        'ications"} 3'
      ])
    }).pipe(Effect.provide(process()), Effect.provideService(Metric.MetricRegistry, new Map()))
  )

  it.effect("lets go of what is finished and older than 400 days, and of nothing younger", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const customerId = yield* makeCustomer()
      for (const [nth, status] of ["verified", "failed", "locked", "expired", "canceled"].entries()) {
        yield* codes(daysAgo(401) - nth, 2, customerId, status, 0)
      }
      const young = yield* codes(daysAgo(399), 1, customerId, "verified", 0)
      for (const [nth, status] of ["sent", "failed", "partial_failed"].entries()) {
        yield* messages(daysAgo(411) - nth, 2, customerId, status, daysAgo(401), 0)
      }
      const late = yield* messages(daysAgo(410), 1, customerId, "sent", daysAgo(399), 0)
      yield* wholeRound
      assert.deepStrictEqual([...(yield* sql`select id from verifications`)], [{ id: young }])
      assert.deepStrictEqual([...(yield* sql`select id from messages`)], [{ id: late }])
    }).pipe(Effect.provide(process()))
  )

  it.effect("keeps what is under way, and what holds money, however old", () =>
    Effect.gen(function* () {
      const customerId = yield* makeCustomer()
      yield* codes(daysAgo(500), 1, customerId, "queued", 0)
      yield* codes(daysAgo(501), 1, customerId, "pending", 0)
      yield* codes(daysAgo(502), 1, customerId, "failed", 1000)
      yield* messages(daysAgo(500), 1, customerId, "queued", null, 0)
      yield* messages(daysAgo(501), 1, customerId, "sending", null, 0)
      yield* messages(daysAgo(502), 1, customerId, "sent", daysAgo(502), 1000)
      yield* wholeRound
      assert.deepStrictEqual([yield* countOf("verifications"), yield* countOf("messages")], [3, 3])
    }).pipe(Effect.provide(process()))
  )

  it.effect("keeps records for ever where that is said, and the ledger and the audit log in any case", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const customerId = yield* makeCustomer()
      const id = yield* codes(daysAgo(3000), 1, customerId, "verified", 0)
      yield* sql`update ledger set occurred_at = to_timestamp(0)`
      yield* sql`
      insert into audit_log (customer_id, id, actor_kind, actor_id, actor_name, action, subject_type, subject_id, details,
        occurred_at)
      values (${customerId}, ${id}::uuid, 'token', '1', 't', 'api_key.created', 'api_key', '1', '{}', to_timestamp(0))`
      yield* wholeRound
      assert.deepStrictEqual(
        yield* Effect.forEach(["verifications", "ledger", "audit_log"], countOf),
        [1, 1, 1]
      )
    }).pipe(Effect.provide(process({ retentionRecordsDays: 0 })))
  )

  it.effect("lets entries of the audit log go where that is said", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const customerId = yield* makeCustomer()
      yield* sql`delete from audit_log`
      for (const days of [9, 11]) {
        const id = yield* codes(daysAgo(days), 1, customerId, "verified", 0)
        yield* sql`
        insert into audit_log (customer_id, id, actor_kind, actor_id, actor_name, action, subject_type, subject_id,
          details, occurred_at)
        values (${customerId}, ${id}::uuid, 'token', '1', 't', ${String(days)}, 'api_key', '1', '{}', to_timestamp(0))`
      }
      yield* wholeRound
      assert.deepStrictEqual([...(yield* sql`select action from audit_log`)], [{ action: "9" }])
    }).pipe(Effect.provide(process({ retentionAuditDays: 10 })))
  )

  it.effect("lets events go after 30 days with their deliveries, unless one is still to be made", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const customerId = yield* makeCustomer()
      const old = yield* events(daysAgo(31), 1, customerId)
      const pending = yield* events(daysAgo(32), 1, customerId)
      const young = yield* events(daysAgo(29), 1, customerId)
      yield* sql`
      insert into webhook_deliveries (customer_id, endpoint_id, event_id, status, created_at)
      select e.customer_id, endpoint, e.id, case when e.id = ${pending}::uuid then 'pending' else 'failed' end,
        e.occurred_at from events e, unnest(array[3, 70, 900]) as endpoint`
      yield* sql`
      insert into timers (customer_id, kind, subject, claimable_at)
      values (${customerId}, 'webhook', ${pending}::uuid, to_timestamp(${(TODAY + DAY) / 1000}))`
      yield* wholeRound
      const left = yield* sql<{ readonly id: string }>`select id from events order by id`
      assert.deepStrictEqual(
        left.map(({ id }) => id),
        [pending, young]
      )
      assert.strictEqual(yield* countOf("webhook_deliveries"), 6)
      assert.lengthOf(yield* sql`select from webhook_deliveries where event_id = ${old}::uuid`, 0)
      yield* sql`delete from webhook_deliveries`
    }).pipe(Effect.provide(process()))
  )

  it.effect("lets counters, keys and sessions go when they have lapsed, and no others", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const customerId = yield* makeCustomer()
      const userId = yield* codes(TODAY, 1, customerId, "verified", 0)
      yield* sql`
      insert into users (id, customer_id, email, name, role, password_hash, created_at)
      values (${userId}::uuid, ${customerId}, 'a@b.ir', 'a', 'owner', '', now())`
      const family = (n: number) => `00000000-0000-4000-8000-00000000000${n}`
      for (const [end, n] of [
        [TODAY - 2 * 3_600_000, 1],
        [TODAY + 2 * 3_600_000, 2]
      ] as const) {
        const at = new Date(end)
        yield* sql`insert into idempotency_keys values (${customerId}, 'otp.send', ${String(n)}, '', ${userId}::uuid, ${at})`
        yield* sql`insert into management_answers values (${customerId}, 'o', ${String(n)}, '', 201, '', ${at})`
        yield* sql`insert into phone_counters values (${customerId}, 'code', ${String(n)}, ${new Date(0)}, 1, ${at}, 1)`
        yield* sql`insert into platform_phone_counters values (${String(n)}, ${at}, 1, '{}', ${at})`
        yield* sql`insert into key_windows values (${n}, ${at}, 1, 1)`
        yield* sql`insert into sign_in_failures values (${String(n)}, ${at}, 1)`
        yield* sql`insert into signing_keys values (${String(n)}, 'EdDSA', '{}', '', ${at}, ${at})`
        yield* sql`
        insert into pending_sign_ins values (${Buffer.from([n])}, ${userId}::uuid, 0, null, null, '', 1, ${at}, ${at})`
        yield* sql`insert into refresh_tokens (secret_hash, family, user_id, created_at, expires_at) values (${Buffer.from([n])}, ${family(n)}::uuid, ${userId}::uuid, ${at}, ${at})`
      }
      yield* sql`insert into monthly_counters values (${customerId}, '2026-10-01', 1), (${customerId}, '2026-11-01', 1)`
      // The second family has ended: its revoked token has lapsed, and another has not.
      yield* sql`
      insert into refresh_tokens (secret_hash, family, user_id, created_at, expires_at, used_at, revoked_at)
        values ('\\x09', ${family(2)}::uuid, ${userId}::uuid, to_timestamp(0), to_timestamp(0),
        null, to_timestamp(0))`
      yield* sql`insert into signing_keys values ('current', 'EdDSA', '{}', '', to_timestamp(0), null)`
      const tables = [
        "idempotency_keys",
        "management_answers",
        "phone_counters",
        "platform_phone_counters",
        "monthly_counters",
        "key_windows",
        "sign_in_failures",
        "pending_sign_ins",
        "signing_keys",
        "refresh_tokens"
      ]
      yield* wholeRound
      assert.deepStrictEqual(yield* Effect.forEach(tables, countOf), [1, 1, 1, 1, 1, 1, 1, 1, 2, 2])
    }).pipe(Effect.provide(process()))
  )

  it.effect("forgets what the guard knows of segments, and its old alarms and days", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const segment = (key: string, codesSeen: number, days: number) => sql`
      insert into guard_segments values (1, 'network', ${key}, '{}', ${codesSeen}, 0, 0, ${DateTime.toDateUtc(DateTime.makeUnsafe(daysAgo(days)))})`
      yield* segment("few, of today", 1, 0.5)
      yield* segment("few, of the day before yesterday", 1, 2)
      yield* segment("many, of last week", 20, 7)
      yield* segment("many, of last month", 20, 30)
      for (const days of [0.5, 2]) {
        yield* sql`insert into guard_budgets values (1, ${String(days)}, 1, 1, null, ${DateTime.toDateUtc(DateTime.makeUnsafe(daysAgo(days)))})`
      }
      for (const [id, cleared] of [
        ["00000000-0000-7000-8000-000000000001", new Date(daysAgo(91))],
        ["00000000-0000-7000-8000-000000000002", new Date(daysAgo(89))],
        ["00000000-0000-7000-8000-000000000003", null]
      ] as const) {
        yield* sql`
        insert into guard_alarms values (1, ${id}::uuid, 'network', ${id}, 'unverified', 1, 'refuse', true,
          to_timestamp(0), to_timestamp(0), ${cleared}, 1, 0)`
      }
      for (const [hash, days] of [
        ["a", 0.9],
        ["b", 1.1]
      ] as const) {
        yield* sql`insert into guard_bombed_phones values (1, ${hash.repeat(32)}::uuid, ${new Date(daysAgo(days))})`
      }
      yield* sql`insert into guard_days (customer_id, day) values (1, '2026-08-01'), (1, '2026-11-01')`
      yield* wholeRound
      const left = yield* sql<{ readonly key: string }>`select key from guard_segments order by key`
      assert.deepStrictEqual(
        left.map(({ key }) => key),
        ["few, of today", "many, of last week"]
      )
      const tables = ["guard_budgets", "guard_alarms", "guard_bombed_phones", "guard_days"]
      assert.deepStrictEqual(yield* Effect.forEach(tables, countOf), [1, 2, 1, 1])
    }).pipe(Effect.provide(process()))
  )

  it.effect("erases phones and texts of what is finished after 90 days, and the rest is still shown", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const customerId = yield* makeCustomer()
      const code = yield* codes(daysAgo(91), 1, customerId, "verified", 0)
      const message = yield* messages(daysAgo(91), 1, customerId, "sent", daysAgo(91), 0)
      yield* codes(daysAgo(89), 1, customerId, "verified", 0)
      yield* wholeRound
      const verifications = yield* Verifications
      const seen = yield* verifications.status({ customerId, id: code })
      assert.deepStrictEqual([seen.status, seen.phone], ["verified", ERASED_PHONE])
      const status = yield* (yield* Messages).status({ customerId, id: message })
      assert.deepStrictEqual(
        [status.status, status.phone, status.metadata, status.template],
        ["sent", ERASED_PHONE, "{}", { id: 1, name: "hello", parameters: {} }]
      )
      const texts = yield* sql`
      select text from messages union all select text_body from verifications where phone = ${ERASED_PHONE}`
      assert.deepStrictEqual([...texts], [{ text: "" }, { text: null }])
      assert.lengthOf(yield* sql`select from verifications where phone <> ${ERASED_PHONE}`, 1)
    }).pipe(Effect.provide(process()))
  )

  it.effect("erases the text of a step of the route, and leaves the route", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const customerId = yield* makeCustomer()
      yield* codes(daysAgo(91), 1, customerId, "verified", 0)
      const routes = sql<{ route: unknown }>`select route from verifications`
      const before = yield* routes
      yield* sql`update verifications set route = jsonb_set(route, '{0,textBody}', '"Code: {{code}}"')`
      assert.notDeepEqual([...(yield* routes)], [...before])
      yield* wholeRound
      assert.deepStrictEqual([...(yield* routes)], [...before])
    }).pipe(Effect.provide(process()))
  )

  it.effect.each(["verifications", "messages"] as const)(
    "erases the words of providers in attempts of %s, and leaves the attempts",
    (table) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const customerId = yield* makeCustomer()
        yield* table === "verifications"
          ? codes(daysAgo(91), 1, customerId, "verified", 0)
          : messages(daysAgo(91), 1, customerId, "sent", daysAgo(91), 0)
        const attempts = (words: string | null) => [
          { step: 1, provider_error: words },
          { step: 0, provider_error: null, delivery: { status: "undelivered", provider_error: words } }
        ]
        yield* sql`update ${sql(table)} set attempts = ${JSON.stringify(attempts("no 0912"))}::text::jsonb`
        yield* wholeRound
        assert.deepStrictEqual(
          [...(yield* sql`select attempts from ${sql(table)}`)],
          [{ attempts: attempts(null) }]
        )
      }).pipe(Effect.provide(process()))
  )

  it.effect("erases what was not finished when its time came as soon as it is", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const customerId = yield* makeCustomer()
      const scheduled = yield* messages(daysAgo(20), 1, customerId, "queued", null, 0)
      yield* messages(daysAgo(19), 1, customerId, "sent", daysAgo(19), 0)
      yield* sql`
      insert into timers (customer_id, kind, subject, claimable_at)
      values (${customerId}, 'message', ${scheduled}::uuid, to_timestamp(${(TODAY + 9 * DAY) / 1000}))`
      yield* wholeRound
      const kept = sql`select status from messages where phone <> ${ERASED_PHONE}`
      assert.deepStrictEqual([...(yield* kept)], [{ status: "queued" }])
      yield* sql`delete from timers where subject = ${scheduled}::uuid`
      yield* sql`update messages set status = 'sent', completed_at = now() where id = ${scheduled}::uuid`
      yield* TestClock.adjust("2 hours")
      yield* wholeRound
      assert.lengthOf(yield* kept, 0)
    }).pipe(Effect.provide(process({ retentionPhonesDays: 10 })))
  )
})
