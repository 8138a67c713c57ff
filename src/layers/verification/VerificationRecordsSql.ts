import { Clock, Effect, Layer } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import type { Instant } from "../../domain/Instant.ts"
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

    const filtersOf = ({ status }: VerificationSearch) =>
      Effect.map(Clock.currentTimeMillis, (now) => (status === undefined ? [] : [statusIs(status, now)]))

    return VerificationRecords.of({
      list: (customerId, search) =>
        Effect.flatMap(filtersOf(search), (filters) => list(customerId, search, filters)),
      count: (customerId, search) =>
        Effect.flatMap(filtersOf(search), (filters) => count(customerId, search, filters)),
      find
    })
  })
)
