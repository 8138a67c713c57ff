import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { NotFound } from "../../../domain/Errors.ts"
import { MessageRecords } from "../../../services/resources/activity/MessageRecords.ts"
import { messageColumns, MessageRow } from "../../message/MessageRow.ts"
import { rowsOf } from "../../postgres/SqlRows.ts"
import { metadataIs, modeIs, searchByTime, triedOver, withinIds } from "../TimePages.ts"

export const MessageRecordsSql = Layer.effect(
  MessageRecords,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const messageRows = rowsOf(MessageRow)
    const search = searchByTime(sql, { from: "messages m", columns: messageColumns }, messageRows)

    return MessageRecords.of({
      list: (customerId, { mode = "live", limit, phone, status, strategy, channel, metadata, ...range }) =>
        search({
          limit,
          range: [
            sql`customer_id = ${customerId}`,
            ...modeIs(sql, mode).range,
            ...(phone === undefined ? [] : [sql`phone = ${phone}`]),
            ...withinIds(sql, ["created_at", "id"], range)
          ],
          filters: [
            ...modeIs(sql, mode).filters,
            ...(status === undefined ? [] : [sql`status = ${status}`]),
            ...(strategy === undefined ? [] : [sql`strategy = ${strategy}`]),
            ...(channel === undefined ? [] : [triedOver(sql, channel)]),
            ...metadataIs(sql, metadata)
          ]
        }),

      find: Effect.fnUntraced(function* (customerId, id, mode = "live") {
        const [row] = yield* messageRows(sql`
          select ${sql.literal(messageColumns)} from messages m
          where customer_id = ${customerId} and id = ${id}::uuid and mode = ${mode}`)
        return row ?? (yield* new NotFound())
      })
    })
  })
)
