import { Effect, Option, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { prefixOf } from "../../domain/guard/Segments.ts"
import { Mark, wholeTaken } from "../../domain/guard/Mark.ts"
import { slicesOf, weightIn } from "../../domain/guard/Sample.ts"
import { Phone } from "../../domain/Phone.ts"
import { idAt, instantOf } from "../../domain/TimePosition.ts"
import type { GuardStore, ReadCode } from "../../services/guard/GuardStore.ts"
import { first, isLive, rowsOf } from "../postgres/SqlRows.ts"
import { BOMBED_JOIN, bombedCodes } from "./BombedCodesSql.ts"
import { isProven } from "./ProvenPhoneSql.ts"
import { DAY_MILLIS, MINUTE_MILLIS } from "../../domain/Instant.ts"

const CodeRow = Schema.Struct({
  id: Schema.String,
  phone: Phone,
  channel: Schema.NullOr(Schema.String),
  verified: Schema.Boolean,
  void: Schema.Boolean,
  mark: Schema.NullOr(Mark),
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

const toCode = (row: typeof CodeRow.Type, maturityMillis: number, weight: number): ReadCode => {
  const sentAt = instantOf(row.id)
  const flag = !row.proven && (row.mark === "no_sms" || row.mark === "refuse") ? row.mark : null
  return {
    id: row.id,
    phone: row.phone,
    sentAt,
    maturedAt: sentAt + maturityMillis,
    prefix: prefixOf(row.phone),
    network: row.network,
    device: row.device,
    channel: row.channel ?? "",
    isVerified: row.verified,
    isVoid: row.void,
    took: wholeTaken(row.mark),
    flag,
    isBombed: row.bombed && !row.proven,
    sentSms: row.sentSms,
    charged: row.charged,
    weight
  }
}

/** The ids that exclude it. */
type Range = readonly [after: string, before: string]

type CodeReads = Pick<GuardStore["Service"], "matured" | "nextSentAt" | "timeToVerify">

/** The codes that rounds read: by their ids, which hold the time of sending, along the primary key. */
export const guardCodes = (sql: SqlClient.SqlClient, isDistributed = false): CodeReads => {
  const codeRows = rowsOf(CodeRow)
  const idRows = rowsOf(IdRow)
  const timeRows = rowsOf(TimeRow)

  const bombed = isDistributed
    ? { holds: sql`false`, join: sql`` }
    : { holds: sql`b.phone is not null`, join: sql.literal(BOMBED_JOIN) }
  const markBombed = bombedCodes(sql)

  /** The first codes between each two ids. */
  const readIn =
    (customerId: number, maturityMillis: number) => (ranges: ReadonlyArray<Range>, limit: number) => {
      const rows = codeRows(sql`
        select s.nth::int as nth, v.id, v.phone, v.guard as mark, v.client ->> 'network' as network,
            v.client ->> 'device' as device,
          v.route -> coalesce((jsonb_path_query_first(v.attempts, '$[last] ? (@.attempted_at != null)') ->> 'step')::int, 0)
            ->> 'channel' as channel,
          v.status in ('failed', 'canceled') as void,
          coalesce(v.status = 'verified'
            and v.verified_at <= v.created_at + make_interval(secs => ${maturityMillis / 1000}), false) as verified,
          case when v.guard in ('no_sms', 'refuse') or ${bombed.holds} then ${isProven(sql, customerId)} else false end as proven,
          ${bombed.holds} as bombed, v.captured::int as charged, (
            select count(*)::int from jsonb_array_elements(v.attempts) a
            where a ->> 'status' = 'sent' and v.route -> (a ->> 'step')::int ->> 'channel' = 'sms') as "sentSms"
        from unnest(${ranges.map(([after]) => after)}::uuid[], ${ranges.map(([, before]) => before)}::uuid[])
          with ordinality as s (after, before, nth)
        cross join lateral (
          select * from verifications v
          where v.customer_id = ${customerId} and ${sql.literal(isLive)} and v.id > s.after and v.id < s.before
          order by v.id limit ${limit}) v
        ${bombed.join}
        order by v.id`)
      return isDistributed ? Effect.flatMap(rows, (read) => markBombed(customerId, read)) : rows
    }

  return {
    matured: Effect.fnUntraced(function* ({ customerId, from, until, maturityMillis, sample }) {
      const read = readIn(customerId, maturityMillis)
      const weighed = (rows: ReadonlyArray<typeof CodeRow.Type>, weight: number) =>
        rows.map((row) => toCode(row, maturityMillis, weight))
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
