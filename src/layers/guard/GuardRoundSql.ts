import { Effect, Option, Schema } from "effect"
import type { SecureRandom } from "effect/crypto"
import { type SqlClient, SqlError, type Statement } from "effect/sql"
import { tehranDay } from "../../domain/Calendar.ts"
import { Alarm } from "../../domain/guard/Alarm.ts"
import { totalOf } from "../../domain/guard/Conversion.ts"
import { DEFAULT_MODE, GuardMode } from "../../domain/guard/GuardSettings.ts"
import { RecentCodes } from "../../domain/guard/Outage.ts"
import { CustomerState } from "../../domain/guard/CustomerState.ts"
import { SegmentKind, segmentName, SegmentState } from "../../domain/guard/Segments.ts"
import { idAt } from "../../domain/Paging.ts"
import type { LeasedTimer, TimerKind } from "../../domain/Timer.ts"
import type { GuardStore, RoundResult } from "../../services/guard/GuardStore.ts"
import { alone, inStore } from "../postgres/SetUpPlace.ts"
import { decodedAs, first, retryRaces, rowsOf, timestamp } from "../postgres/SqlRows.ts"
import { guardAlarms } from "./GuardAlarmSql.ts"
import { MINUTE_MILLIS } from "../../domain/Instant.ts"

export const GUARD_TIMER: TimerKind = "guard"

const SourceRow = Schema.Struct({
  state: Schema.NullOr(CustomerState),
  judgedUntil: Schema.NullOr(Schema.String),
  mode: Schema.NullOr(GuardMode),
  alarms: Schema.Array(Schema.Struct({ ...Alarm.fields, id: Schema.String, enforced: Schema.Boolean })),
  refusedWhole: Schema.Int
})
const SegmentRow = Schema.Struct({ kind: SegmentKind, key: Schema.String, state: SegmentState })
const TallyRow = Schema.Struct({ codes: Schema.Number, verified: Schema.Number })
const OthersRow = Schema.Struct({
  recent: Schema.Array(RecentCodes),
  codesPerHour: Schema.Number,
  verifiedPerHour: Schema.Number
})
const SavedRow = Schema.Struct({ saved: Schema.Boolean })

/** The timer's lease was lost. */
const LOST = { raised: null, webhooks: 0 }

const OTHERS_MILLIS = 60 * MINUTE_MILLIS

type RoundWork = Pick<GuardStore["Service"], "source" | "segments" | "platform" | "others">

const millis = (column: string) => `(extract(epoch from ${column}) * 1000)::bigint`

/** @param reporting for what is read of all customers */
export const guardRoundReads = (batches: SqlClient.SqlClient, reporting: SqlClient.SqlClient): RoundWork => {
  const sourceRows = rowsOf(SourceRow)
  const segmentRows = rowsOf(SegmentRow)
  const tallyRows = rowsOf(TallyRow)
  const othersRows = rowsOf(OthersRow)
  return {
    source: (customerId) =>
      Effect.map(
        first(
          inStore(
            batches,
            sourceRows(batches`
            select g.state, g.judged_until as "judgedUntil", s.mode, coalesce((
              select jsonb_agg(jsonb_build_object('id', a.id, 'kind', a.kind, 'key', a.key, 'reason', a.reason,
                'level', a.level, 'action', a.action, 'enforced', a.enforced, 'codes', a.codes,
                'verified', a.verified, 'startedAt', ${batches.literal(millis("a.started_at"))},
                'until', ${batches.literal(millis("a.until"))}))
              from guard_alarms a where a.customer_id = c.id and a.cleared_at is null), '[]') as alarms, (
              select coalesce(sum(d.refused_whole), 0)::float8
              from guard_days d where d.customer_id = c.id) as "refusedWhole"
            from (select ${customerId}::int as id) c
            left join guard_rounds g on g.customer_id = c.id
            left join guard_settings s on s.customer_id = c.id`)
          )
        ),
        Option.match({
          onNone: () => ({ state: null, judgedUntil: null, mode: DEFAULT_MODE, alarms: [], refusedWhole: 0 }),
          onSome: ({ mode, ...row }) => ({ ...row, mode: mode ?? DEFAULT_MODE })
        })
      ),

    segments: (customerId, segments) =>
      segments.length === 0
        ? Effect.succeed(new Map())
        : Effect.map(
            inStore(
              batches,
              segmentRows(batches`
              select s.kind, s.key, s.state
              from unnest(${segments.map(({ kind }) => kind)}::text[], ${segments.map(({ key }) => key)}::text[])
                as r (kind, key)
              -- one by one: joined, all of the customer's segments may be read
              cross join lateral (
                select * from guard_segments g
                where g.customer_id = ${customerId} and g.kind = r.kind and g.key = r.key limit 1) s`)
            ),
            (rows) => new Map(rows.map((row) => [segmentName(row), row.state]))
          ),

    platform: Effect.map(
      tallyRows(reporting`
        select coalesce(sum(codes), 0)::float8 as codes, coalesce(sum(verified), 0)::float8 as verified
        from guard_rounds`),
      ([row]) => [row?.codes ?? 0, row?.verified ?? 0] as const
    ),

    others: (customerId, now) =>
      Effect.map(
        othersRows(reporting`
          with other as materialized (
            select g.customer_id as id, g.state, (g.state -> 'usual' ->> 'codesPerHour')::float8 as usual,
              (g.state -> 'usual' ->> 'conversion')::float8 as conversion
            from guard_rounds g
            where g.customer_id <> ${customerId} and g.judged_until > ${idAt(now - OTHERS_MILLIS)}::uuid),
          -- no customer counts for more than the third largest: none is more than a third of what is seen
          weighed as materialized (
            select o.id, least(1, third.usual / o.usual) as weight, o.usual, o.conversion
            from other o, (select usual from other order by usual desc limit 1 offset 2) third
            where o.usual > 0),
          minute as materialized (
            select w.id, (r ->> 'minute')::int as minute, r ->> 'channel' as channel,
              weight * (r ->> 'codes')::float8 as codes, weight * (r ->> 'verified')::float8 as verified,
              weight * (r ->> 'expected')::float8 as expected
            from weighed w join other o using (id), jsonb_array_elements(o.state -> 'recent') r
            where (r ->> 'minute')::int > ${Math.floor((now - OTHERS_MILLIS) / MINUTE_MILLIS)}),
          -- one customer alone makes no outage: it must show without the one that misses the most verified codes
          left_out as materialized (
            select id from minute group by id order by sum(expected - verified) desc, id limit 1)
          select coalesce((
              select jsonb_agg(m) from (
                select minute, channel, sum(codes) as codes, sum(verified) as verified, sum(expected) as expected
                from minute where id not in (select id from left_out)
                group by 1, 2) m), '[]') as recent,
            coalesce(sum(weight * usual), 0) as "codesPerHour",
            coalesce(sum(weight * usual * conversion), 0) as "verifiedPerHour"
          from weighed where id not in (select id from left_out)`),
        ([row]) => ({
          recent: row?.recent ?? [],
          usual: {
            codesPerHour: row?.codesPerHour ?? 0,
            conversion: (row?.verifiedPerHour ?? 0) / Math.max(1e-9, row?.codesPerHour ?? 0)
          }
        })
      )
  }
}

const NOT_AWAITED = "quick as materialized (select set_config('synchronous_commit', 'off', true) as commit)"

interface RoundWrites {
  readonly sql: SqlClient.SqlClient
  readonly batches: SqlClient.SqlClient
  readonly random: SecureRandom.SecureRandom["Service"]
  readonly wakeFor: (webhooks: number) => void
  /** Whether the timer is on another node than what rounds write. */
  readonly areApart: boolean
}

/**
 * Writes a round in one statement, or, with alarms, in one transaction. Its first part frees the timer, if its lease is
 * still ours: of two processes that judged the same codes, only one counts them. Where the timer is on another node, the
 * one counts that finds the round that it began with, and the timer is freed after that. The commit is not awaited: after
 * a crash the round is made again.
 */
export const guardRoundWrites = ({
  sql,
  batches,
  random,
  wakeFor,
  areApart
}: RoundWrites): Pick<GuardStore["Service"], "save"> => {
  const savedRows = decodedAs(Schema.Array(SavedRow))
  const alarms = guardAlarms(sql, random)

  const freeTimer = (
    on: SqlClient.SqlClient,
    { customerId, kind, subject, lane, leaseToken }: LeasedTimer,
    nextAt: number
  ) => on`
    update timers set claimable_at = ${timestamp(nextAt)}, lease_token = null
    where customer_id = ${customerId} and kind = ${kind} and subject = ${subject}::uuid and lane = ${lane}
      and lease_token = ${leaseToken}::uuid`

  /** The parts that free the timer and write the customer's state. */
  const freeAndRound = (on: SqlClient.SqlClient, timer: LeasedTimer, result: RoundResult) => {
    const { customer, judgedFrom, judgedUntil, nextAt } = result
    const [codes, verified] = totalOf(customer.self.profile)
    const { customerId } = timer
    const round = (source: string, condition: Statement.Fragment) => on`
        insert into guard_rounds as g (customer_id, judged_until, state, codes, verified)
        select ${customerId}, ${judgedUntil}::uuid, ${JSON.stringify(customer)}::jsonb, ${codes}, ${verified}
        ${on.literal(source)}
        on conflict (customer_id) do update set judged_until = excluded.judged_until, state = excluded.state,
          codes = excluded.codes, verified = excluded.verified ${condition}`
    return areApart
      ? on`ours as (${round("", on`where g.judged_until = ${judgedFrom}::uuid`)} returning true as is_ours)`
      : on`ours as (${freeTimer(on, timer, nextAt)} returning true as is_ours),
      round as (${round("from ours", on``)})`
  }

  const writeState = (on: SqlClient.SqlClient, timer: LeasedTimer, result: RoundResult) => {
    const { customerId } = timer
    const { days, now } = result
    const segments = [...result.segments.values()].map(({ segment, state }) => {
      const [all, good] = totalOf(state.profile)
      return {
        kind: segment.kind,
        key: segment.key,
        state: JSON.stringify(state),
        codes: all,
        verified: good,
        score: state.score
      }
    })
    const budgets = [...result.budgets]
    const credits = [...result.credits].filter(([name]) => !result.budgets.has(name))
    return savedRows(on`
      with ${on.literal(NOT_AWAITED)},
      ${freeAndRound(on, timer, result)},
      segment as (
        insert into guard_segments (customer_id, kind, key, state, codes, verified, score, updated_at)
        select ${customerId}, s.kind, s.key, s.state::jsonb, s.codes, s.verified, s.score::float8, ${timestamp(now)}
        from ours, unnest(${segments.map(({ kind: each }) => each)}::text[],
          ${segments.map(({ key }) => key)}::text[], ${segments.map(({ state }) => state)}::text[],
          ${segments.map(({ codes: each }) => each)}::int[], ${segments.map(({ verified: each }) => each)}::int[],
          ${segments.map(({ score }) => String(score))}::text[]) as s (kind, key, state, codes, verified, score)
        on conflict (customer_id, kind, key) do update set state = excluded.state, codes = excluded.codes,
          verified = excluded.verified, score = excluded.score, updated_at = excluded.updated_at),
      written as materialized (
        select * from unnest(${budgets.map(([name]) => name)}::text[], ${budgets.map(([, { budget }]) => budget)}::int[],
          ${budgets.map(([, { restarts }]) => (restarts ? 1 : 0))}::int[],
          ${budgets.map(([name]) => String(result.credits.get(name) ?? 0))}::text[])
          as s (segment, budget, restarts, credit)),
      -- a budget that restarts is inserted with a grant; verified codes give back
      budget as (
        insert into guard_budgets as b (customer_id, segment, used, granted, budget, ends_at)
        select ${customerId}, segment, 0, restarts, budget, ${timestamp(now)}::timestamptz + interval '1 hour'
        from ours, written
        on conflict (customer_id, segment) do update set budget = excluded.budget,
          used = greatest(0, case when excluded.granted = 1 then 0 else b.used end
            - (select w.credit::float8 from written w where w.segment = b.segment))),
      credited as (
        update guard_budgets b set used = greatest(0, b.used - c.credit::float8)
        from ours, unnest(${credits.map(([name]) => name)}::text[], ${credits.map(([, credit]) => String(credit))}::text[])
          as c (segment, credit)
        where b.customer_id = ${customerId} and b.segment = c.segment),
      day as (
        insert into guard_days as d (customer_id, day, codes, verified, flagged, flagged_verified, flagged_sms,
          flagged_charges)
        select ${customerId}, ${tehranDay(now)}::date, ${days.codes}, ${days.verified}, ${days.flagged},
          ${days.flaggedVerified}, ${days.flaggedSms}, ${days.flaggedCharges}
        from ours where ${days.codes} > 0
        on conflict (customer_id, day) do update set codes = d.codes + excluded.codes,
          verified = d.verified + excluded.verified, flagged = d.flagged + excluded.flagged,
          flagged_verified = d.flagged_verified + excluded.flagged_verified,
          flagged_sms = d.flagged_sms + excluded.flagged_sms,
          flagged_charges = d.flagged_charges + excluded.flagged_charges)
      select exists (select from ours) as saved, (select commit from quick)`).pipe(
      Effect.map(([row]) => row?.saved ?? false)
    )
  }

  const writeWithAlarms = Effect.fnUntraced(function* (timer: LeasedTimer, result: RoundResult) {
    if (!(yield* writeState(sql, timer, result))) return LOST
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

  /** Most rounds neither raise nor clear an alarm. */
  const written = (timer: LeasedTimer, result: RoundResult) =>
    result.raised.length + result.cleared.length > 0
      ? sql.withTransaction(writeWithAlarms(timer, result))
      : Effect.map(
          areApart
            ? inStore(batches, writeState(batches, timer, result))
            : writeState(batches, timer, result),
          (saved) => (saved ? { raised: [], webhooks: 0 } : LOST)
        )
  const freeApart = (timer: LeasedTimer, { nextAt }: RoundResult) =>
    areApart
      ? alone(
          retryRaces(batches`
            with ${batches.literal(NOT_AWAITED)}, freed as (${freeTimer(batches, timer, nextAt)})
            select commit from quick`)
        )
      : Effect.void

  return {
    save: (timer, result) =>
      retryRaces(written(timer, result)).pipe(
        Effect.tap(({ raised, webhooks }) => {
          wakeFor(webhooks)
          return raised === null ? Effect.void : freeApart(timer, result)
        }),
        Effect.catchIf(SqlError.isSqlError, Effect.die),
        Effect.map(({ raised }) => raised)
      )
  }
}
