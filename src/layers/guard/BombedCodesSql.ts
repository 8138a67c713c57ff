import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { instantOf } from "../../domain/TimePosition.ts"
import { BOMBED_BY } from "../../services/guard/admission/BombedPhones.ts"
import { InstantColumn, rowsOf } from "../postgres/SqlRows.ts"
import { isProven } from "./ProvenPhoneSql.ts"
import { MINUTE_MILLIS } from "../../domain/Instant.ts"

const PhoneRow = Schema.Struct({ phone: Schema.String, callersUntil: InstantColumn })
const BombedCodeRow = Schema.Struct({ id: Schema.String })

/** How long the customers that send to a phone are counted. */
const COUNTED_MINUTES = 10

/** Many customers send to the phone. A literal: only then PostgreSQL uses the index of bombed phones (migration 0035). */
const IS_BOMBED = `cardinality(b.callers) >= ${BOMBED_BY}`

/** Joins the phone's counter as `b` to a code `v`, if the phone was bombed when the code was sent. */
export const BOMBED_JOIN = `left join platform_phone_counters b on b.phone = v.phone and ${IS_BOMBED}
  and b.callers_until > v.created_at and b.callers_until - interval '${COUNTED_MINUTES} minutes' <= v.created_at`

interface ReadRow {
  readonly id: string
  readonly phone: string
  readonly proven: boolean
  readonly bombed: boolean
}

/**
 * Marks codes to phones under a bomb, and whether those are proven. In a distributed store, phones are counted on other
 * nodes than the codes to them, so one statement cannot read both.
 */
export const bombedCodes = (sql: SqlClient.SqlClient) => {
  const phoneRows = rowsOf(PhoneRow)
  const idRows = rowsOf(BombedCodeRow)

  return Effect.fnUntraced(function* <Row extends ReadRow>(customerId: number, rows: ReadonlyArray<Row>) {
    const phones = yield* phoneRows(sql`
      select b.phone, b.callers_until as "callersUntil" from platform_phone_counters b
      where b.phone = any(${[...new Set(rows.map(({ phone }) => phone))]}::text[]) and ${sql.literal(IS_BOMBED)}`)
    if (phones.length === 0) return rows
    const untilOf = new Map(phones.map(({ phone, callersUntil }) => [phone, callersUntil]))
    const isBombed = ({ id, phone }: Row) => {
      const until = untilOf.get(phone) ?? Number.NEGATIVE_INFINITY
      const sentAt = instantOf(id)
      return until > sentAt && until - COUNTED_MINUTES * MINUTE_MILLIS <= sentAt
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
