import { Clock, Effect, Layer } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { NotFound } from "../../../domain/Errors.ts"
import type { Instant } from "../../../domain/Instant.ts"
import {
  VerificationRecords,
  type VerificationSearch
} from "../../../services/resources/activity/VerificationRecords.ts"
import { rowsOf, timestamp } from "../../postgres/SqlRows.ts"
import { verificationColumns, VerificationRow } from "../../verification/VerificationRow.ts"
import { metadataIs, modeIs, searchByTime, triedOver, withinIds } from "../TimePages.ts"

export const VerificationRecordsSql = Layer.effect(
  VerificationRecords,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const verificationRows = rowsOf(VerificationRow)
    const source = { from: "verifications v", columns: verificationColumns }
    const search = searchByTime(sql, source, verificationRows)

    /** The same as `effectiveStatus`. */
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

    return VerificationRecords.of({
      list: Effect.fnUntraced(function* (
        customerId,
        { mode = "live", limit, phone, status, channel, metadata, ...range }
      ) {
        const now = yield* Clock.currentTimeMillis
        return yield* search({
          limit,
          range: [
            sql`customer_id = ${customerId}`,
            ...modeIs(sql, mode).range,
            ...(phone === undefined ? [] : [sql`phone = ${phone}`]),
            ...withinIds(sql, ["created_at", "id"], range)
          ],
          filters: [
            ...modeIs(sql, mode).filters,
            ...(status === undefined ? [] : [statusIs(status, now)]),
            ...(channel === undefined ? [] : [triedOver(sql, channel)]),
            ...metadataIs(sql, metadata)
          ]
        })
      }),

      find: Effect.fnUntraced(function* (customerId, id, mode = "live") {
        const [row] = yield* verificationRows(sql`
          select ${sql.literal(verificationColumns)} from verifications v
          where customer_id = ${customerId} and id = ${id}::uuid and mode = ${mode}`)
        return row ?? (yield* new NotFound())
      })
    })
  })
)
