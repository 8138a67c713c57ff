import { Effect, Option, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { DAY_MILLIS, type Instant, MINUTE_MILLIS } from "../../domain/Instant.ts"
import { Phone } from "../../domain/Phone.ts"
import { idAt, instantOf } from "../../domain/Paging.ts"
import { Flag, prefixOf, wholeTaken } from "../../domain/guard/Segments.ts"
import { actionRecorded, PROVEN_MILLIS, RECORDED_FLAGS } from "../../domain/guard/Verdict.ts"
import { slicesOf, weightIn } from "../../domain/guard/Conversion.ts"
import { batchSource, InstantColumn, intervalText, isLive, rowsOf } from "../postgres/SqlRows.ts"
import { BOMBED_BY, CALLERS_MILLIS } from "../../domain/guard/Bombing.ts"
import type { phoneCounters } from "../postgres/batching/PlatformCountsSql.ts"
import type { BatchClients } from "../postgres/batching/StatementBatch.ts"
import { makeRoundReads, roundRows } from "./RoundReadsSql.ts"
import type { GuardStore, ReadCode } from "../../services/guard/GuardStore.ts"

/** Whether the customer verified the phone of its code `v` before that code. */
const IS_PROVEN = `exists (
  select from verifications p where p.customer_id = v.customer_id and p.phone = v.phone and p.id < v.id
    and p.mode = 'live' and p.status = 'verified' and p.verified_at > v.created_at - ${intervalText(PROVEN_MILLIS)})`

const PhoneRow = Schema.Struct({ phone: Schema.String, callersUntil: InstantColumn })
const BombedCodeRow = Schema.Struct({ id: Schema.String })

/** Many customers send to the phone. A literal: only then PostgreSQL uses the index of bombed phones. */
const IS_BOMBED = `cardinality(b.callers) >= ${BOMBED_BY}`

/** Joins the phone's counter as `b` to a code `v`, if the phone was bombed when the code was sent. */
const BOMBED_JOIN = `left join platform_phone_counters b on b.phone = v.phone and ${IS_BOMBED}
  and b.callers_until > v.created_at and b.callers_until - ${intervalText(CALLERS_MILLIS)} <= v.created_at`

const RECORDED = RECORDED_FLAGS.map((flag) => `'${flag}'`).join(", ")

interface ReadRow {
  readonly id: string
  readonly phone: string
  readonly proven: boolean
  readonly bombed: boolean
}

type PhoneCounters = Effect.Success<typeof phoneCounters>

/**
 * Marks codes to phones under a bomb, and whether those are proven. Where phones are counted elsewhere than their codes
 * are, one statement cannot read both. A counter that cannot be reached marks no code, as it refuses none.
 */
const bombedCodes = (sql: SqlClient.SqlClient, counters: PhoneCounters) => {
  const phoneRows = rowsOf(PhoneRow)
  const idRows = rowsOf(BombedCodeRow)

  const bombedOf = (phones: ReadonlyArray<string>) =>
    counters.read(phones, (own) =>
      phoneRows(sql`
        select b.phone, b.callers_until as "callersUntil" from platform_phone_counters b
        where b.phone = any(${own}::text[]) and ${sql.literal(IS_BOMBED)}`)
    )

  return Effect.fnUntraced(function* <Row extends ReadRow>(customerId: number, rows: ReadonlyArray<Row>) {
    const phones = yield* bombedOf([...new Set(rows.map(({ phone }) => phone))])
    if (phones.length === 0) return rows
    const untilOf = new Map(phones.map(({ phone, callersUntil }) => [phone, callersUntil]))
    const isBombed = ({ id, phone }: Row) => {
      const until = untilOf.get(phone) ?? Number.NEGATIVE_INFINITY
      const sentAt = instantOf(id)
      return until > sentAt && until - CALLERS_MILLIS <= sentAt
    }
    const bombed = rows.filter(isBombed).map(({ id }) => id)
    const proven = yield* idRows(sql`
      select v.id from verifications v
      where v.customer_id = ${customerId}::int and v.id = any(${bombed}::uuid[])
        and ${sql.literal(IS_PROVEN)}`)
    const provenIds = new Set(proven.map(({ id }) => id))
    return rows.map((row) =>
      isBombed(row) ? { ...row, bombed: true, proven: row.proven || provenIds.has(row.id) } : row
    )
  })
}

const CodeRow = Schema.Struct({
  nth: Schema.Int,
  id: Schema.String,
  phone: Phone,
  channel: Schema.NullOr(Schema.String),
  verified: Schema.Boolean,
  void: Schema.Boolean,
  flag: Schema.NullOr(Flag),
  network: Schema.NullOr(Schema.String),
  device: Schema.NullOr(Schema.String),
  proven: Schema.Boolean,
  bombed: Schema.Boolean,
  sentSms: Schema.Int,
  charged: Schema.Int
})
type CodeRow = typeof CodeRow.Type
const IdRow = Schema.Struct({ nth: Schema.Int, id: Schema.String })
const TimeRow = Schema.Struct({ nth: Schema.Int, count: Schema.Int, millis: Schema.NullOr(Schema.Number) })

/** The time to verify is measured on at most, and at least, this many codes of the last days. */
const MEASURED_CODES = 1000
const ENOUGH_CODES = 50
const MEASURED_MILLIS = 14 * DAY_MILLIS
/** Codes of this age can no longer be verified. */
const ENDED_MILLIS = 10 * MINUTE_MILLIS

const toCode = (row: CodeRow, judgingDelayMillis: number, weight: number): ReadCode => {
  const sentAt = instantOf(row.id)
  return {
    id: row.id,
    phone: row.phone,
    sentAt,
    dueAt: sentAt + judgingDelayMillis,
    prefix: prefixOf(row.phone),
    network: row.network,
    device: row.device,
    channel: row.channel ?? "",
    isVerified: row.verified,
    isVoid: row.void,
    took: wholeTaken(row.flag),
    flag: row.proven ? null : actionRecorded(row.flag),
    isBombed: row.bombed && !row.proven,
    sentSms: row.sentSms,
    charged: row.charged,
    weight
  }
}

/** Codes of a customer, between two ids. */
interface CodeRange {
  readonly customerId: number
  readonly after: string
  readonly before: string
  readonly judgingDelayMillis: number
}

const ranges = batchSource<CodeRange>([
  { name: "customer_id", type: "int4", of: ({ customerId }) => customerId },
  { name: "after", type: "uuid", of: ({ after }) => after },
  { name: "before", type: "uuid", of: ({ before }) => before },
  { name: "delay", type: "float8", of: ({ judgingDelayMillis }) => judgingDelayMillis / 1000 }
])

/** The first codes of each range: the last parameter says how many at most. */
const rangeStatement = (bombed: { readonly holds: string; readonly join: string }): string => `
  select r.nth::int, v.id, v.phone, v.guard as flag, v.client ->> 'network' as network,
    v.client ->> 'device' as device,
    v.route -> coalesce((jsonb_path_query_array(v.attempts, '$[*] ? (@.attempted_at != null)') -> -1 ->> 'step')::int, 0)
      ->> 'channel' as channel,
    v.status in ('failed', 'canceled') as void,
    coalesce(v.status = 'verified' and v.verified_at <= v.created_at + make_interval(secs => r.delay), false) as verified,
    case when v.guard in (${RECORDED}) or ${bombed.holds} then ${IS_PROVEN} else false end as proven,
    ${bombed.holds} as bombed, v.captured::int as charged, (
      select count(*)::int from jsonb_array_elements(v.attempts) a
      where a ->> 'status' = 'sent' and v.route -> (a ->> 'step')::int ->> 'channel' in ('sms', 'voice')) as "sentSms"
  from ${ranges.rows}
  cross join lateral (
    select * from verifications v
    where v.customer_id = r.customer_id and ${isLive} and v.id > r.after and v.id < r.before
    order by v.id limit ${ranges.next}) v
  ${bombed.join}
  order by v.id`

const measured = batchSource<{ readonly customerId: number; readonly now: Instant }>([
  { name: "customer_id", type: "int4", of: ({ customerId }) => customerId },
  { name: "after", type: "uuid", of: ({ now }) => idAt(now - MEASURED_MILLIS) },
  { name: "before", type: "uuid", of: ({ now }) => idAt(now - ENDED_MILLIS) }
])

const TIMES = `
  select r.nth::int, m.count, m.millis
  from ${measured.rows} cross join lateral (
    select count(*)::int as count, percentile_cont(0.95) within group (order by millis)::float8 as millis
    from (
      select extract(epoch from v.verified_at - v.created_at)::float8 * 1000 as millis from verifications v
      where v.customer_id = r.customer_id and ${isLive} and v.status = 'verified' and v.id > r.after and v.id < r.before
      order by v.id desc limit ${MEASURED_CODES}) times) m`

const starts = batchSource<{ readonly customerId: number; readonly from: string }>([
  { name: "customer_id", type: "int4", of: ({ customerId }) => customerId },
  { name: "after", type: "uuid", of: ({ from }) => from }
])

const NEXT = `
  select r.nth::int, v.id
  from ${starts.rows} cross join lateral (
    select id from verifications v where v.customer_id = r.customer_id and v.id > r.after and ${isLive}
    order by v.id limit 1) v`

/**
 * Codes of one round that are read together with those of others. One with more reads them by itself: what a statement
 * brings is decoded at once.
 */
const FEW_CODES = 64

type CodeReads = Pick<GuardStore["Service"], "dueCodes" | "nextSentAt" | "timeToVerify">

/** The codes that rounds read: by their ids, which hold the time of sending, along the primary key. */
export const guardCodes = Effect.fnUntraced(function* (
  clients: BatchClients,
  /** Null: they are where codes are. */
  counters: PhoneCounters | null
) {
  const statement = rangeStatement(
    counters !== null ? { holds: "false", join: "" } : { holds: "b.phone is not null", join: BOMBED_JOIN }
  )
  const markBombed = counters === null ? null : bombedCodes(clients.batched, counters)
  const readFew = yield* makeRoundReads(clients, {
    source: ranges,
    statement,
    row: CodeRow,
    further: [FEW_CODES + 1]
  })
  const codeRows = roundRows(ranges, statement, CodeRow)
  const readTimes = yield* makeRoundReads(clients, { source: measured, statement: TIMES, row: TimeRow })
  const readNext = yield* makeRoundReads(clients, { source: starts, statement: NEXT, row: IdRow })

  /** Of each range the first codes; fewer are read if they are enough. */
  const allIn = Effect.fnUntraced(function* (range: CodeRange, most: number) {
    const few = yield* readFew(range)
    if (few.length <= FEW_CODES) return few
    const [all = []] = yield* Effect.orDie(codeRows(clients.batched, [range], most))
    return all
  })
  const marked = (customerId: number, codes: ReadonlyArray<CodeRow>) =>
    markBombed === null ? Effect.succeed(codes) : markBombed(customerId, codes)

  const reads: CodeReads = {
    dueCodes: Effect.fnUntraced(function* ({ customerId, from, until, judgingDelayMillis, sample }) {
      const weighed = (codes: ReadonlyArray<CodeRow>, weight: number) =>
        codes.map((code) => toCode(code, judgingDelayMillis, weight))
      const range = { customerId, after: from, before: idAt(until), judgingDelayMillis }
      const all = yield* allIn(range, sample + 1)
      const [oldest] = all
      if (oldest === undefined || all.length <= sample) return weighed(yield* marked(customerId, all), 1)

      const slices = slicesOf({ from: instantOf(oldest.id), until })
      const limit = Math.ceil(sample / slices.length)
      const parts = slices.map((slice) => ({ ...range, after: idAt(slice.from), before: idAt(slice.until) }))
      const found = yield* Effect.orDie(codeRows(clients.batched, parts, limit))
      const read = yield* marked(customerId, found.flat())
      let begin = 0
      return slices.flatMap((slice, index) => {
        const inSlice = read.slice(begin, (begin += found[index]?.length ?? 0))
        const sentAt = inSlice.map(({ id }) => instantOf(id))
        return weighed(inSlice, weightIn(slice, sentAt, limit))
      })
    }),

    nextSentAt: (customerId, from) =>
      Effect.map(readNext({ customerId, from }), ([code]) =>
        code === undefined ? Option.none() : Option.some(instantOf(code.id))
      ),

    timeToVerify: (customerId, now) =>
      Effect.map(readTimes({ customerId, now }), ([time]) =>
        time !== undefined && time.count >= ENOUGH_CODES ? Option.fromNullOr(time.millis) : Option.none()
      )
  }
  return reads
})
