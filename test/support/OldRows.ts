import { Clock, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { PlatformTimersSql } from "../../src/layers/timer/TimerStoreSql.ts"
import { TimerRunner } from "../../src/services/timer/TimerRunner.ts"
import { PlatformTimers } from "../../src/services/timer/TimerStore.ts"

export const DAY = 86_400_000
/** 2026-11-21 */
export const TODAY = 1_795_219_200_000

const idAt = "(lpad(to_hex($1::bigint), 12, '0') || '70008000' || lpad(to_hex(n), 12, '0'))::uuid"

const route = JSON.stringify([
  {
    channel: "bale",
    account_id: 1,
    price: 1000,
    wait: 60,
    descriptor: { type: "messenger", provider: "bale", credential_id: 1, label: "bale" }
  }
])

const insert = (statement: string) =>
  Effect.fnUntraced(function* (...parameters: ReadonlyArray<unknown>) {
    const sql = yield* SqlClient.SqlClient
    const [first] = yield* sql.unsafe<{ readonly id: string }>(`${statement} returning id`, parameters)
    return first?.id ?? ""
  })

/** Made at an instant: so many, by a customer, in a status, holding so much. The first one's id. */
export const codes = insert(`
  insert into verifications (customer_id, id, mode, phone, status, revision, route, text_body, attempts, remaining,
    code_hash, created_at, expires_at, held)
  select $3::int, ${idAt}, 'live', '+98912' || lpad(n::text, 7, '0'), $4, 1, '${route}'::jsonb, 'Code: {{code}}', '[]',
    '{}', '\\x00', to_timestamp($1::bigint / 1000.0), to_timestamp($1::bigint / 1000.0 + 300), $5::bigint
  from generate_series(1, $2::int) n`)

export const messages = insert(`
  insert into messages (customer_id, id, phone, status, revision, strategy, route, text, template, metadata, attempts,
    created_at, completed_at, held)
  select $3::int, ${idAt}, '+98912' || lpad(n::text, 7, '0'), $4, 1, 'failover', '${route}'::jsonb, 'Hello, Sara',
    '{"id":1,"name":"hello","parameters":{"name":"Sara"}}', '{"user":"Sara"}', '[]',
    to_timestamp($1::bigint / 1000.0), to_timestamp($5::bigint / 1000.0), $6::bigint
  from generate_series(1, $2::int) n`)

export const events = insert(`
  insert into events (customer_id, id, type, subject, sequence, data, occurred_at)
  select $3::int, ${idAt}, 'verification.queued', ${idAt}, 1, '{}', to_timestamp($1::bigint / 1000.0)
  from generate_series(1, $2::int) n`)

export const countOf = (table: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{ readonly count: number }>`select count(*)::int as count from ${sql(table)}`
    return row?.count ?? 0
  })

/** Lets the clock run until something is done that also has to wait for the store. */
export const whileTimePasses = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const fiber = yield* Effect.forkChild(work)
    while (fiber.pollUnsafe() === undefined) {
      yield* TestClock.adjust(100)
      yield* sql`select 1`
    }
    return yield* Fiber.join(fiber)
  })

export const plantRound = Effect.gen(function* () {
  const timers = yield* PlatformTimers
  yield* timers.schedule("retention", yield* Clock.currentTimeMillis)
}).pipe(Effect.provide(PlatformTimersSql))

/** A whole round, and whatever else is due. */
export const wholeRound = Effect.andThen(
  plantRound,
  whileTimePasses(Effect.flatMap(TimerRunner, ({ runDue }) => runDue))
)
