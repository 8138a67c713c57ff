import { Effect, Option, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { DAY_MILLIS, MINUTE_MILLIS } from "../../domain/Instant.ts"
import { Phone } from "../../domain/Phone.ts"
import { idAt, instantOf } from "../../domain/Paging.ts"
import { Flag, prefixOf, wholeTaken } from "../../domain/guard/Segments.ts"
import { actionRecorded, PROVEN_MILLIS, RECORDED_FLAGS } from "../../domain/guard/Verdict.ts"
import { slicesOf, weightIn } from "../../domain/guard/Conversion.ts"
import { first, InstantColumn, intervalText, isLive, rowsOf } from "../postgres/SqlRows.ts"
import { BOMBED_BY, CALLERS_MILLIS } from "../../domain/guard/Bombing.ts"
import type { phoneCounters } from "../postgres/batching/PlatformCountsSql.ts"
import type { GuardStore, ReadCode } from "../../services/guard/GuardStore.ts"

/** Whether the customer verified the phone of its code `v` before that code. */
const isProven = (sql: SqlClient.SqlClient, customerId: number) => sql`exists (
  select from verifications p where p.customer_id = ${customerId}::int and p.phone = v.phone and p.id < v.id
    and p.mode = 'live' and p.status = 'verified' and p.verified_at > v.created_at - ${sql.literal(intervalText(PROVEN_MILLIS))})`

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
      where v.customer_id = ${customerId}::int and v.id = any(${bombed}::uuid[]) and ${isProven(sql, customerId)}`)
    const provenIds = new Set(proven.map(({ id }) => id))
    return rows.map((row) =>
      isBombed(row) ? { ...row, bombed: true, proven: row.proven || provenIds.has(row.id) } : row
    )
  })
}

const CodeRow = Schema.Struct({
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
  charged: Schema.Int,
  /** Of its range. */
  nth: Schema.Int
})
const IdRow = Schema.Struct({ id: Schema.String })
const TimeRow = Schema.Struct({ count: Schema.Int, millis: Schema.NullOr(Schema.Number) })

/** The time to verify is measured on at most, and at least, this many codes of the last days. */
const MEASURED_CODES = 1000
const ENOUGH_CODES = 50
const MEASURED_MILLIS = 14 * DAY_MILLIS
/** Codes of this age can no longer be verified. */
const ENDED_MILLIS = 10 * MINUTE_MILLIS

const toCode = (row: typeof CodeRow.Type, judgingDelayMillis: number, weight: number): ReadCode => {
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

/** The ids that exclude it. */
type Range = readonly [after: string, before: string]

type CodeReads = Pick<GuardStore["Service"], "dueCodes" | "nextSentAt" | "timeToVerify">

/** The codes that rounds read: by their ids, which hold the time of sending, along the primary key. */
export const guardCodes = (
  sql: SqlClient.SqlClient,
  /** Null: they are where codes are. */
  counters: PhoneCounters | null
): CodeReads => {
  const codeRows = rowsOf(CodeRow)
  const idRows = rowsOf(IdRow)
  const timeRows = rowsOf(TimeRow)

  const bombed =
    counters !== null
      ? { holds: sql`false`, join: sql`` }
      : { holds: sql`b.phone is not null`, join: sql.literal(BOMBED_JOIN) }
  const markBombed = counters === null ? null : bombedCodes(sql, counters)

  /** The first codes between each two ids. */
  const readIn =
    (customerId: number, judgingDelayMillis: number) => (ranges: ReadonlyArray<Range>, limit: number) => {
      const rows = codeRows(sql`
        select s.nth::int as nth, v.id, v.phone, v.guard as flag, v.client ->> 'network' as network,
            v.client ->> 'device' as device,
          v.route -> coalesce((jsonb_path_query_array(v.attempts, '$[*] ? (@.attempted_at != null)') -> -1 ->> 'step')::int, 0)
            ->> 'channel' as channel,
          v.status in ('failed', 'canceled') as void,
          coalesce(v.status = 'verified'
            and v.verified_at <= v.created_at + make_interval(secs => ${judgingDelayMillis / 1000}), false) as verified,
          case when v.guard in (${sql.literal(RECORDED)}) or ${bombed.holds} then ${isProven(sql, customerId)} else false end as proven,
          ${bombed.holds} as bombed, v.captured::int as charged, (
            select count(*)::int from jsonb_array_elements(v.attempts) a
            where a ->> 'status' = 'sent' and v.route -> (a ->> 'step')::int ->> 'channel' in ('sms', 'voice')) as "sentSms"
        from unnest(${ranges.map(([after]) => after)}::uuid[], ${ranges.map(([, before]) => before)}::uuid[])
          with ordinality as s (after, before, nth)
        cross join lateral (
          select * from verifications v
          where v.customer_id = ${customerId} and ${sql.literal(isLive)} and v.id > s.after and v.id < s.before
          order by v.id limit ${limit}) v
        ${bombed.join}
        order by v.id`)
      return markBombed === null ? rows : Effect.flatMap(rows, (read) => markBombed(customerId, read))
    }

  return {
    dueCodes: Effect.fnUntraced(function* ({ customerId, from, until, judgingDelayMillis, sample }) {
      const read = readIn(customerId, judgingDelayMillis)
      const weighed = (rows: ReadonlyArray<typeof CodeRow.Type>, weight: number) =>
        rows.map((row) => toCode(row, judgingDelayMillis, weight))
      const all = yield* read([[from, idAt(until)]], sample + 1)
      const [oldest] = all
      if (oldest === undefined || all.length <= sample) return weighed(all, 1)

      const slices = slicesOf({ from: instantOf(oldest.id), until })
      const limit = Math.ceil(sample / slices.length)
      const rows = yield* read(
        slices.map((slice) => [idAt(slice.from), idAt(slice.until)]),
        limit
      )
      return slices.flatMap((slice, index) => {
        const inSlice = rows.filter(({ nth }) => nth === index + 1)
        const sentAt = inSlice.map(({ id }) => instantOf(id))
        return weighed(inSlice, weightIn(slice, sentAt, limit))
      })
    }),

    nextSentAt: (customerId, from) =>
      Effect.map(
        first(
          idRows(sql`
            select id from verifications v where v.customer_id = ${customerId} and v.id > ${from}::uuid
              and ${sql.literal(isLive)}
            order by v.id limit 1`)
        ),
        Option.map(({ id }) => instantOf(id))
      ),

    timeToVerify: (customerId, now) =>
      Effect.map(
        first(
          timeRows(sql`
            select count(*)::int as count,
              percentile_cont(0.95) within group (order by millis)::float8 as millis
            from (
              select extract(epoch from v.verified_at - v.created_at)::float8 * 1000 as millis from verifications v
              where v.customer_id = ${customerId} and ${sql.literal(isLive)} and v.status = 'verified'
                and v.id > ${idAt(now - MEASURED_MILLIS)}::uuid and v.id < ${idAt(now - ENDED_MILLIS)}::uuid
              order by v.id desc limit ${MEASURED_CODES}) measured`)
        ),
        Option.flatMap(({ count, millis }) =>
          count >= ENOUGH_CODES ? Option.fromNullOr(millis) : Option.none()
        )
      )
  }
}
