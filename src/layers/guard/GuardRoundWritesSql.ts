import { Effect, Schema } from "effect"
import type { SecureRandom } from "effect/crypto"
import { type SqlClient, SqlError } from "effect/sql"
import { tehranDay } from "../../domain/Calendar.ts"
import type { Alarm } from "../../domain/guard/Alarm.ts"
import { totalOf } from "../../domain/guard/Conversion.ts"
import type { LeasedTimer, TimerKind } from "../../domain/Timer.ts"
import type { GuardStore, RoundResult } from "../../services/guard/GuardStore.ts"
import { alone, inStore } from "../postgres/SetUpPlace.ts"
import { batchSource, decodedAs, NOT_AWAITED, retryRaces, timestamp } from "../postgres/SqlRows.ts"
import { type BatchClients, makeStatementBatch } from "../postgres/batching/StatementBatch.ts"
import { guardAlarms } from "./GuardAlarmSql.ts"
import { FEW_SEGMENTS } from "./RoundReadsSql.ts"

export const GUARD_TIMER: TimerKind = "guard"

const SavedRow = Schema.Struct({ customerId: Schema.Int })

/** The timer's lease was lost. */
const LOST = { raised: null, webhooks: 0 }

/** A round that was made under the lease of its timer. */
interface MadeRound {
  readonly timer: LeasedTimer
  readonly result: RoundResult
}

const segmentsOf = ({ segments }: RoundResult) =>
  [...segments.values()].map(({ segment: { kind, key }, state }) => {
    const [codes, verified] = totalOf(state.profile)
    return { kind, key, state, codes, verified, score: state.score }
  })

/** Budgets that the round sets, with what verified codes return to them, and others to which they only return. */
const budgetsOf = ({ budgets, credits }: RoundResult) => [
  ...[...budgets].map(([segment, set]) => ({ segment, ...set, credit: credits.get(segment) ?? 0 })),
  ...[...credits]
    .filter(([segment]) => !budgets.has(segment))
    .map(([segment, credit]) => ({ segment, budget: null, restarts: false, credit }))
]

const rounds = batchSource<MadeRound>([
  { name: "customer_id", type: "int4", of: ({ timer }) => timer.customerId },
  { name: "kind", type: "text", of: ({ timer }) => timer.kind },
  { name: "subject", type: "uuid", of: ({ timer }) => timer.subject },
  { name: "lane", type: "int2", of: ({ timer }) => timer.lane },
  { name: "lease_token", type: "uuid", of: ({ timer }) => timer.leaseToken },
  { name: "next_at", type: "timestamptz", of: ({ result }) => result.nextAt },
  { name: "now", type: "timestamptz", of: ({ result }) => result.now },
  { name: "day", type: "text", of: ({ result }) => tehranDay(result.now) },
  { name: "judged_from", type: "uuid", of: ({ result }) => result.judgedFrom },
  { name: "judged_until", type: "uuid", of: ({ result }) => result.judgedUntil },
  { name: "state", type: "text", cast: "jsonb", of: ({ result }) => JSON.stringify(result.customer) },
  { name: "codes", type: "int4", of: ({ result }) => totalOf(result.customer.self.profile)[0] },
  { name: "verified", type: "int4", of: ({ result }) => totalOf(result.customer.self.profile)[1] },
  { name: "segments", type: "text", cast: "jsonb", of: ({ result }) => JSON.stringify(segmentsOf(result)) },
  { name: "budgets", type: "text", cast: "jsonb", of: ({ result }) => JSON.stringify(budgetsOf(result)) },
  { name: "days", type: "text", cast: "jsonb", of: ({ result }) => JSON.stringify(result.days) }
])

const IS_HELD = `t.customer_id = r.customer_id and t.kind = r.kind and t.subject = r.subject and t.lane = r.lane
  and t.lease_token = r.lease_token`

const stateFrom = (source: string, condition: string): string => `
  insert into guard_rounds as g (customer_id, judged_until, state, codes, verified)
  select r.customer_id, r.judged_until, r.state, r.codes, r.verified from ${source} order by r.customer_id
  on conflict (customer_id) do update set judged_until = excluded.judged_until, state = excluded.state,
    codes = excluded.codes, verified = excluded.verified ${condition}`

/** The parts that free the timers, in the order of `guard_wake`, and write the customers' states. */
const FREE_AND_STATE = `
  held as materialized (
    select r.* from (select * from r order by customer_id::text collate "C") r
    cross join lateral (select from timers t where ${IS_HELD} limit 1 for update) t),
  ours as (
    update timers t set claimable_at = r.next_at, lease_token = null from held r where ${IS_HELD}
    returning t.customer_id),
  round as (${stateFrom("r join ours using (customer_id)", "")})`

const STATE_APART = `
  ours as (
    ${stateFrom("r", "where g.judged_until = (select r.judged_from from r where r.customer_id = g.customer_id)")}
    returning customer_id)`

/** Rows are locked in the order of their keys, as by other statements about several of them. */
const saveStatement = (areApart: boolean): string => `
  with ${NOT_AWAITED},
  r as materialized (select * from ${rounds.rows}),
  ${areApart ? STATE_APART : FREE_AND_STATE},
  segment as (
    insert into guard_segments (customer_id, kind, key, state, codes, verified, score, updated_at)
    select r.customer_id, s.*, r.now
    from r join ours using (customer_id), jsonb_to_recordset(r.segments)
      as s (kind text, key text, state jsonb, codes int, verified int, score float8)
    order by r.customer_id, s.kind, s.key
    on conflict (customer_id, kind, key) do update set state = excluded.state, codes = excluded.codes,
      verified = excluded.verified, score = excluded.score, updated_at = excluded.updated_at),
  -- one by one: joined, all budgets may be read
  changed as materialized (
    select r.customer_id, r.now, c.*, (
        select true from guard_budgets b where b.customer_id = r.customer_id and b.segment = c.segment limit 1
      ) as is_known
    from r join ours using (customer_id), jsonb_to_recordset(r.budgets)
      as c (segment text, budget int, restarts bool, credit float8)),
  -- of a budget that exists, used is what it gets back; one that restarts is inserted with a grant
  budget as (
    insert into guard_budgets as b (customer_id, segment, used, granted, budget, ends_at)
    select customer_id, segment, case when is_known then credit else 0 end, restarts::int, budget,
      now + interval '1 hour'
    from changed where budget is not null or is_known order by customer_id, segment
    on conflict (customer_id, segment) do update set budget = coalesce(excluded.budget, b.budget),
      used = greatest(0, case when excluded.granted = 1 then 0 else b.used end - excluded.used)),
  day as (
    insert into guard_days as d (customer_id, day, codes, verified, flagged, flagged_verified, flagged_sms,
      flagged_charges)
    select r.customer_id, r.day::date, c.codes, c.verified, c.flagged, c."flaggedVerified", c."flaggedSms",
      c."flaggedCharges"
    from r join ours using (customer_id), jsonb_to_record(r.days) as c (codes int, verified int, flagged int,
      "flaggedVerified" int, "flaggedSms" int, "flaggedCharges" bigint)
    where c.codes > 0 order by r.customer_id
    on conflict (customer_id, day) do update set codes = d.codes + excluded.codes,
      verified = d.verified + excluded.verified, flagged = d.flagged + excluded.flagged,
      flagged_verified = d.flagged_verified + excluded.flagged_verified,
      flagged_sms = d.flagged_sms + excluded.flagged_sms,
      flagged_charges = d.flagged_charges + excluded.flagged_charges)
  select customer_id as "customerId", (select commit from quick) from ours`

interface RoundWrites {
  /** For a round with alarms, which is a transaction. */
  readonly sql: SqlClient.SqlClient
  readonly clients: BatchClients
  readonly random: SecureRandom.SecureRandom["Service"]
  readonly wakeFor: (webhooks: number) => void
  /** Whether the timer is on another node than what rounds write. */
  readonly areApart: boolean
}

/**
 * Writes rounds of many customers in one statement, or one with alarms in a transaction. The first part frees the timers
 * whose leases are still ours: of two processes that judged the same codes, only one counts them. Where the timer is on
 * another node, the one counts that finds the round that it began with, and the timer is freed after that. The commit is
 * not awaited: after a crash the round is made again.
 */
export const guardRoundWrites = Effect.fnUntraced(function* ({
  sql,
  clients,
  random,
  wakeFor,
  areApart
}: RoundWrites) {
  const { batched } = clients
  const statement = saveStatement(areApart)
  const savedRows = decodedAs(Schema.Array(SavedRow))
  const alarms = guardAlarms(sql, random)

  /** Which of them were still ours. */
  const writeAll = (on: SqlClient.SqlClient, made: ReadonlyArray<MadeRound>) =>
    Effect.map(savedRows(on.unsafe(statement, rounds.parameters(made))), (rows) => {
      const saved = new Set(rows.map(({ customerId }) => customerId))
      return made.map(({ timer }) => saved.has(timer.customerId))
    })

  const run = (on: SqlClient.SqlClient, made: ReadonlyArray<MadeRound>) =>
    retryRaces(areApart ? inStore(on, writeAll(on, made)) : writeAll(on, made))

  const writeBatched = yield* makeStatementBatch<SqlClient.SqlClient, MadeRound, boolean>(clients, {
    name: "guard_save",
    endsTogether: true,
    conflictsOf: ({ timer }) => [String(timer.customerId)],
    orderOf: ({ timer }) => String(timer.customerId),
    run
  })

  const writeWithAlarms = Effect.fnUntraced(function* (made: MadeRound) {
    const { timer, result } = made
    const [isOurs] = yield* writeAll(sql, [made])
    if (isOurs !== true) return LOST
    const raised: Array<Alarm> = []
    let webhooks = 0
    for (const alarm of result.cleared) {
      webhooks += yield* alarms.clear(timer.customerId, alarm.id, result.now)
    }
    for (const alarm of result.raised) {
      const outcome = yield* alarms.raise(timer.customerId, alarm, result.enforced)
      webhooks += outcome.webhooks
      if (outcome.raised) raised.push(alarm)
    }
    return { raised, webhooks }
  })

  const writeAlone = (made: MadeRound) => Effect.map(Effect.orDie(run(batched, [made])), ([isOurs]) => isOurs)

  /** Most rounds neither raise nor clear an alarm. One with many segments must not hold up those of others. */
  const written = (made: MadeRound) => {
    const { raised, cleared, segments, credits } = made.result
    if (raised.length + cleared.length > 0) {
      return Effect.orDie(retryRaces(sql.withTransaction(writeWithAlarms(made))))
    }
    const isLarge = segments.size > FEW_SEGMENTS || credits.size > FEW_SEGMENTS
    return Effect.map(isLarge ? writeAlone(made) : writeBatched(made), (isOurs) =>
      isOurs === true ? { raised: [], webhooks: 0 } : LOST
    )
  }

  const freeApart = ({ customerId, kind, subject, lane, leaseToken }: LeasedTimer, { nextAt }: RoundResult) =>
    alone(
      retryRaces(batched`
        with ${batched.literal(NOT_AWAITED)},
        freed as (
          update timers set claimable_at = ${timestamp(nextAt)}, lease_token = null
          where customer_id = ${customerId} and kind = ${kind} and subject = ${subject}::uuid and lane = ${lane}
            and lease_token = ${leaseToken}::uuid)
        select commit from quick`)
    )

  const save: GuardStore["Service"]["save"] = (timer, result) =>
    written({ timer, result }).pipe(
      Effect.tap(({ raised, webhooks }) => {
        wakeFor(webhooks)
        return raised === null || !areApart ? Effect.void : freeApart(timer, result)
      }),
      Effect.catchIf(SqlError.isSqlError, Effect.die),
      Effect.map(({ raised }) => raised)
    )
  return { save }
})
