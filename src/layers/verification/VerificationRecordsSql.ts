import { Clock, Effect, Layer } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import type { Instant } from "../../domain/Instant.ts"
import { isAround, narrowKey, type Segment } from "../../domain/guard/Segments.ts"
import { shownAttempts, type Verification } from "../../domain/verification/Verification.ts"
import { sendRecords } from "../postgres/PagesSql.ts"
import { rowsOf, timestamp } from "../postgres/SqlRows.ts"
import { SHOWN_ATTEMPTS, verificationColumns, VerificationRow } from "./VerificationRow.ts"
import {
  VerificationRecords,
  type VerificationSearch
} from "../../services/verification/VerificationRecords.ts"

const shown = (verification: Verification): Verification => ({
  ...verification,
  attempts: shownAttempts(verification)
})

/** Codes of a segment. What was erased of a code, its client or its phone, leaves it in none but the customer's. */
const segmentIs = (sql: SqlClient.SqlClient, { kind, key }: Segment): ReadonlyArray<Statement.Fragment> => {
  switch (kind) {
    case "customer":
      return key === "" ? [] : [sql`guard in (${key}, ${`no_sms_${key}`})`]
    case "prefix":
      return [sql`left(phone, -4) = ${key}`]
    case "network":
      return isAround({ kind, key })
        ? [sql`starts_with(client ->> 'network', ${narrowKey(key)})`]
        : [sql`client ->> 'network' = ${key}`]
    case "device":
      return [sql`client ->> 'device' = ${key}`]
    case "phone": {
      // masked, as the alarm has it
      const [start = "", end = ""] = key.split("•••")
      return [sql`starts_with(phone, ${start}) and right(phone, ${end.length}::int) = ${end}`]
    }
  }
}

export const VerificationRecordsSql = Layer.effect(
  VerificationRecords,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const source = { from: "verifications v", columns: verificationColumns, attempts: SHOWN_ATTEMPTS }
    const verificationRows = rowsOf(VerificationRow)
    const { list, count, find } = sendRecords(sql, source, (statement) =>
      Effect.map(verificationRows(statement), (rows) => rows.map(shown))
    )

    /** `effectiveStatus`, as SQL. */
    const statusIs = (
      status: NonNullable<VerificationSearch["status"]>,
      now: Instant
    ): Statement.Fragment => {
      const isOver = sql`expires_at <= ${timestamp(now)}::timestamptz`
      switch (status) {
        case "pending":
        case "queued":
          return sql`status = ${status} and not ${isOver}`
        case "expired":
          return sql`(status = 'expired' or status in ('pending', 'queued') and ${isOver})`
        default:
          return sql`status = ${status}`
      }
    }

    const filtersOf = ({ status, segment }: VerificationSearch) =>
      Effect.map(Clock.currentTimeMillis, (now) => [
        ...(status === undefined ? [] : [statusIs(status, now)]),
        ...(segment === undefined ? [] : segmentIs(sql, segment))
      ])

    return VerificationRecords.of({
      list: (customerId, search) =>
        Effect.flatMap(filtersOf(search), (filters) => list(customerId, search, filters)),
      count: (customerId, search) =>
        Effect.flatMap(filtersOf(search), (filters) => count(customerId, search, filters)),
      find
    })
  })
)
