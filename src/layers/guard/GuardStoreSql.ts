import { Effect, Layer, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient, type Statement } from "effect/sql"
import { tehranDay } from "../../domain/Calendar.ts"
import type { Instant } from "../../domain/Instant.ts"
import { maskPhone } from "../../domain/Phone.ts"
import { lowestIdFrom } from "../../domain/Paging.ts"
import { NIL_UUID } from "../../domain/Uuid.ts"
import { BUDGET_WINDOW_MILLIS, leastBudget } from "../../domain/guard/CodeBudget.ts"
import {
  networkReputation,
  CUSTOMER_SEGMENT,
  nameIn,
  segmentName,
  WHOLE
} from "../../domain/guard/Segments.ts"
import { PROVEN_MILLIS } from "../../domain/guard/Verdict.ts"
import { isInNetworks } from "../../http/server/ClientAddress.ts"
import { refusedPhoneHash } from "../activity/RequestRecordsSql.ts"
import { MasterKey } from "../crypto/Crypto.ts"
import { guardAlarms } from "./GuardAlarmSql.ts"
import { guardCodes } from "./GuardCodesSql.ts"
import { guardRoundReads } from "./GuardRoundSql.ts"
import { GUARD_TIMER, guardRoundWrites } from "./GuardRoundWritesSql.ts"
import { BatchSql, MessageBatchSql, ReportingSql } from "../postgres/Pools.ts"
import {
  type BatchColumn,
  batchSource,
  decodedAs,
  InstantColumn,
  NOT_AWAITED,
  retryRaces,
  rowsOf,
  timestamp
} from "../postgres/SqlRows.ts"
import { hasStoredNothing } from "../postgres/StoreAvailability.ts"
import { type BatchClients, makeStatementBatch } from "../postgres/batching/StatementBatch.ts"
import { phoneCounters } from "../postgres/batching/PlatformCountsSql.ts"
import { alone, inStore, SetUpIsApart } from "../postgres/SetUpPlace.ts"
import { GuardMetrics } from "../../services/guard/Guard.ts"
import { BOMBED_ALARM_MILLIS, BOMBED_BY, CLEARED_MILLIS } from "../../domain/guard/Bombing.ts"
import {
  type BudgetRequest,
  CountsRefused,
  GuardStore,
  Networks,
  type Reputation
} from "../../services/guard/GuardStore.ts"
import { Timers } from "../../services/timer/Timers.ts"

export const NetworksNode = Layer.succeed(Networks, { isIn: isInNetworks })

interface Wake {
  readonly customerId: number
  readonly at: Instant
}

const wakeSource = batchSource<Wake>([
  { name: "customer_id", type: "int4", of: ({ customerId }) => customerId },
  { name: "at", type: "timestamptz", of: ({ at }) => at }
])

const wakeStatement = `
  with ${NOT_AWAITED},
  ensured as (
    insert into timers as t (customer_id, kind, subject, claimable_at)
    select r.customer_id, '${GUARD_TIMER}', '${NIL_UUID}'::uuid, r.at from ${wakeSource.rows}
    on conflict (customer_id, kind, subject, lane) do update set claimable_at = excluded.claimable_at
    where t.lease_token is null and t.claimable_at > excluded.claimable_at)
  select commit from quick`

/** The commit is not awaited: after a crash, the next send ensures the round again. */
const makeGuardWake = (clients: BatchClients) =>
  makeStatementBatch<SqlClient.SqlClient, Wake, true>(clients, {
    name: "guard_wake",
    conflictsOf: ({ customerId }) => [String(customerId)],
    orderOf: ({ customerId }) => String(customerId),
    run: (sql, requests) =>
      Effect.as(
        sql.unsafe(wakeStatement, wakeSource.parameters(requests)),
        requests.map(() => true as const)
      )
  })

const columns: ReadonlyArray<BatchColumn<BudgetRequest>> = [
  { name: "customer_id", type: "int4", of: ({ customerId }) => customerId },
  { name: "segment", type: "text", of: ({ segment }) => segmentName(segment) },
  { name: "codes", type: "int4", of: ({ codes }) => codes },
  { name: "budget", type: "int4", of: ({ budget }) => budget },
  { name: "least", type: "int4", of: ({ segment }) => leastBudget(segment) },
  { name: "now", type: "timestamptz", of: ({ now }) => now }
]
const source = batchSource(columns)

const isWhole = `b.segment like '${segmentName(CUSTOMER_SEGMENT)}%'`

/**
 * The budget of a row that exists already. `excluded` has no column for a customer's own budget, and `r` is searched for
 * it row by row: only where there can be one.
 */
const limit = `coalesce(
  case when ${isWhole}
    then (select r.budget from r where r.customer_id = b.customer_id and r.segment = b.segment) end,
  b.budget,
  case when b.segment = '${segmentName(WHOLE.vouched)}' then ${leastBudget(WHOLE.vouched)}
    when ${isWhole} then ${leastBudget(WHOLE.all)} else ${leastBudget({ kind: "prefix", key: "" })} end)`

const granted = `least(excluded.granted, greatest(0, ${limit} - ceil(b.used)::int))`
const hasLapsed = "b.ends_at <= excluded.ends_at - interval '1 hour'"
/** A new window grants no more than the budget either. */
const renewed = `least(excluded.granted, ${limit})`

const statement = `
  with ${NOT_AWAITED},
  r as materialized (select * from ${source.rows}),
  taken as (
    insert into guard_budgets as b (customer_id, segment, used, granted, ends_at)
    select customer_id, segment, least(codes, coalesce(budget, least)), least(codes, coalesce(budget, least)),
      now + interval '1 hour'
    from r order by customer_id, segment
    on conflict (customer_id, segment) do update set
      used = case when ${hasLapsed} then ${renewed} else b.used + ${granted} end,
      granted = case when ${hasLapsed} then ${renewed} else ${granted} end,
      ends_at = case when ${hasLapsed} then excluded.ends_at else b.ends_at end
    returning customer_id, segment, granted, ceil(used)::int as used, ends_at)
  select customer_id || ':' || segment as name, granted as codes, used, ends_at as "endsAt", (select commit from quick)
  from taken`

const GrantRow = Schema.Struct({
  name: Schema.String,
  codes: Schema.Int,
  used: Schema.Int,
  endsAt: InstantColumn
})

/**
 * Grants codes of budgets in one statement: one row for each segment. The rows are matched here: a join of a few hundred
 * cost more than all of their writing. The commit is not awaited: a crash forgets the last grants.
 */
const guardGrants = (sql: SqlClient.SqlClient): GuardStore["Service"]["grant"] => {
  const decoded = decodedAs(Schema.Array(GrantRow))
  return (requests) =>
    Effect.map(
      Effect.orDie(decoded(retryRaces(sql.unsafe(statement, source.parameters(requests))))),
      (rows) => {
        const grants = new Map(rows.map(({ name, ...grant }) => [name, grant]))
        return requests.map(
          ({ customerId, segment, now }) =>
            grants.get(nameIn(customerId, segment)) ?? {
              codes: 0,
              used: 0,
              endsAt: now + BUDGET_WINDOW_MILLIS
            }
        )
      }
    )
}

const PassesRow = Schema.Struct({ passes: Schema.Boolean })
const ReputationRow = Schema.Struct({
  isProven: Schema.Boolean,
  evidence: Schema.Struct({
    ownVerified: Schema.Number,
    ownSince: Schema.NullOr(Schema.Number),
    othersVerified: Schema.Number,
    codes: Schema.Number,
    score: Schema.Number
  }),
  unverifiedAround: Schema.Int
})
const NOTHING_KNOWN: Reputation = {
  isProven: false,
  network: null,
  isVerifiedNetwork: false,
  unverifiedAround: 0
}

/** How long ago an alarm can have been raised that was cleared so recently. */
const RAISED_MILLIS = CLEARED_MILLIS + BOMBED_ALARM_MILLIS

/** The reasons to let a code pass that would be refused: lookups by index. */
const guardReputation = (
  sql: SqlClient.SqlClient,
  areApart: boolean
): Pick<GuardStore["Service"], "reputation" | "passesBombed"> => {
  const rows = rowsOf(ReputationRow)
  const passesRows = rowsOf(PassesRow)
  const isProven = (customerId: number, phone: string, now: Instant) => sql`exists (
    select 1 from verifications p where p.customer_id = ${customerId} and p.phone = ${phone} and p.mode = 'live'
      and p.status = 'verified' and p.verified_at > ${timestamp(now - PROVEN_MILLIS)})`
  const provenRows = rowsOf(Schema.Struct({ proven: Schema.Boolean }))
  /** Where the set-up is apart, codes are not with what else is read. */
  const provenBefore = (customerId: number, phone: string, now: Instant) =>
    Effect.map(
      alone(provenRows(sql`select ${isProven(customerId, phone, now)} as proven`)),
      ([row]) => sql`${row?.proven ?? false}::bool`
    )
  const reading = <A>(
    {
      customerId,
      phone,
      now
    }: { readonly customerId: number; readonly phone: string; readonly now: Instant },
    read: (isProvenBefore: Statement.Fragment) => Effect.Effect<A>
  ) =>
    areApart
      ? Effect.flatMap(provenBefore(customerId, phone, now), (proven) => inStore(sql, read(proven)))
      : read(isProven(customerId, phone, now))
  return {
    passesBombed: (customerId, phone, now) =>
      Effect.map(
        reading({ customerId, phone, now }, (proven) =>
          passesRows(sql`
          select ${proven} or exists (
            select 1 from guard_alarms a where a.customer_id = ${customerId} and a.id >= ${lowestIdFrom(now - RAISED_MILLIS)}::uuid
              and a.kind = 'phone' and a.key = ${maskPhone(phone)} and a.reason = 'bombed'
              -- a round clears it when its time is over
              and a.cleared_at < a.until and a.cleared_at > ${timestamp(now - CLEARED_MILLIS)}) as passes`)
        ),
        ([row]) => row?.passes ?? false
      ),

    reputation: ({ customerId, phone, network, around, now }) =>
      Effect.map(
        reading({ customerId, phone, now }, (proven) =>
          rows(sql`
          select ${proven} as "isProven", (
            select jsonb_build_object(
              'ownVerified', coalesce(sum(s.verified) filter (where s.customer_id = ${customerId}), 0),
              'ownSince', min((s.state -> 'profile' ->> 'since')::float8) filter (where s.customer_id = ${customerId}),
              'othersVerified', coalesce(sum(s.verified) filter (where s.customer_id <> ${customerId}), 0),
              'codes', coalesce(sum(s.codes), 0), 'score', coalesce(max(s.score), 0))
            from guard_segments s where s.kind = 'network' and s.key = ${network}::text) as evidence, (
            select count(*)::int from unnest(${around}::text[]) as r (key) where not exists (
              select from guard_segments s where s.kind = 'network' and s.key = r.key and s.verified > 0)
          ) as "unverifiedAround"`)
        ),
        ([row]) =>
          row === undefined
            ? NOTHING_KNOWN
            : {
                isProven: row.isProven,
                network: networkReputation(row.evidence, now),
                isVerifiedNetwork: row.evidence.ownVerified + row.evidence.othersVerified > 0,
                unverifiedAround: row.unverifiedAround
              }
      )
  }
}

/** Rounds use the connections of messages' batches: codes do not wait behind them, and their statements are planned once. */
export const GuardStoreSql = Layer.effect(
  GuardStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const reporting = yield* ReportingSql
    const random = yield* SecureRandom.SecureRandom
    const key = yield* MasterKey
    const { wakeFor } = yield* Timers
    const metrics = yield* GuardMetrics
    const batchSql = yield* BatchSql
    const counters = yield* phoneCounters
    const areApart = yield* SetUpIsApart
    const clients: BatchClients = { batched: yield* MessageBatchSql, single: sql }
    const wake = yield* makeGuardWake({ ...clients, isAlone: true })
    const codes = yield* guardCodes(clients, counters.areApart ? counters : null)
    const roundReads = yield* guardRoundReads(clients, reporting)
    const roundWrites = yield* guardRoundWrites({ sql, clients, random, wakeFor, areApart })
    const alarms = guardAlarms(sql, random)
    const raise: GuardStore["Service"]["raise"] = (customerId, alarm, enforced) =>
      Effect.map(Effect.orDie(alarms.raise(customerId, alarm, enforced)), ({ webhooks, raised }) => {
        wakeFor(webhooks)
        if (raised) metrics.alarmed(alarm.reason)
        return raised
      })

    return GuardStore.of({
      ...codes,
      ...roundReads,
      ...roundWrites,
      ...guardReputation(sql, areApart),
      grant: guardGrants(batchSql),
      raise,

      wake: (customerId, at) => Effect.asVoid(wake({ customerId, at })),

      bombed: Effect.fnUntraced(function* (customerId, phone, until, now) {
        yield* counters.atIfReached(
          phone,
          Effect.orDie(sql`
            update platform_phone_counters set callers = callers || ${customerId}::int
            where phone = ${phone} and callers_until > ${timestamp(now)}
              and not callers @> array[${customerId}::int] and cardinality(callers) < ${BOMBED_BY}`)
        )
        yield* Effect.orDie(sql`
          insert into guard_bombed_phones as b (customer_id, phone_hash, refused_at)
          values (${customerId}, ${refusedPhoneHash(key, customerId, phone)}::uuid, ${timestamp(now)})
          on conflict (customer_id, phone_hash) do update set refused_at = excluded.refused_at
          where b.refused_at < excluded.refused_at`)
        const common = { kind: "phone", key: maskPhone(phone), reason: "bombed", action: "refuse" } as const
        yield* raise(customerId, { ...common, startedAt: now, until, level: 1, codes: 0, verified: 0 }, true)
      }),

      countRefused: (counts, now) =>
        sql`
          insert into guard_days as d (customer_id, day, refused, refused_whole, denied)
          select c.customer_id, ${tehranDay(now)}::date, c.refused, c.refused_whole, c.denied
          from unnest(${counts.map(({ customerId }) => customerId)}::int[],
            ${counts.map(({ refused }) => refused)}::int[],
            ${counts.map(({ refusedWhole }) => refusedWhole)}::int[], ${counts.map(({ denied }) => denied)}::int[])
            as c (customer_id, refused, refused_whole, denied)
          order by c.customer_id
          on conflict (customer_id, day) do update set refused = d.refused + excluded.refused,
            refused_whole = d.refused_whole + excluded.refused_whole,
            denied = d.denied + excluded.denied`.pipe(
          Effect.asVoid,
          Effect.catch((cause) =>
            hasStoredNothing(cause) ? Effect.fail(new CountsRefused({ cause })) : Effect.die(cause)
          )
        )
    })
  })
)
