import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { MINUTE_MILLIS } from "../../domain/people/Admission.ts"
import { instantOf } from "../../domain/TimePosition.ts"
import { BOMBED_BY } from "../../services/guard/Guard.ts"
import { InstantColumn, rowsOf } from "../postgres/SqlRows.ts"
import { isProven } from "./ProvenPhoneSql.ts"

const PhoneRow = Schema.Struct({ phone: Schema.String, callersUntil: InstantColumn })
const IdRow = Schema.Struct({ id: Schema.String })

/** How long the customers that send to a phone are counted. */
const COUNTED_MILLIS = 10 * MINUTE_MILLIS

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
  const idRows = rowsOf(IdRow)

  return Effect.fnUntraced(function* <Row extends ReadRow>(customerId: number, rows: ReadonlyArray<Row>) {
    const phones = yield* phoneRows(sql`
      select phone, callers_until as "callersUntil" from platform_phone_counters
      where phone = any(${[...new Set(rows.map(({ phone }) => phone))]}::text[])
        and cardinality(callers) >= ${sql.literal(String(BOMBED_BY))}`)
    if (phones.length === 0) return rows
    const untilOf = new Map(phones.map(({ phone, callersUntil }) => [phone, callersUntil]))
    const isBombed = ({ id, phone }: Row) => {
      const until = untilOf.get(phone) ?? Number.NEGATIVE_INFINITY
      const sentAt = instantOf(id)
      return until > sentAt && until - COUNTED_MILLIS <= sentAt
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
