import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { NotFound } from "../../domain/Errors.ts"
import { MessageRecords } from "../../services/resources/MessageRecords.ts"
import { messageColumns, MessageRow } from "../message/MessageStoreSql.ts"
import { rowsOf } from "../postgres/SqlRows.ts"
import { searchByTime, triedOver, withinIds } from "./TimePages.ts"

/** The metadata as JSON that PostgreSQL accepts: without U+0000 and unpaired surrogates. */
const READABLE = String.raw`regexp_replace(metadata, '\\u(0000|d[89a-f][0-9a-f]{2})', '\\ufffd', 'gi')::json`

export const MessageRecordsSql = Layer.effect(
  MessageRecords,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const messageRows = rowsOf(MessageRow)
    const search = searchByTime(sql, { from: "messages m", columns: messageColumns }, messageRows)

    return MessageRecords.of({
      list: (customerId, { limit, phone, status, strategy, channel, metadata = new Map(), ...range }) =>
        search({
          limit,
          range: [
            sql`customer_id = ${customerId}`,
            ...(phone === undefined ? [] : [sql`phone = ${phone}`]),
            ...withinIds(sql, ["created_at", "id"], range)
          ],
          filters: [
            ...(status === undefined ? [] : [sql`status = ${status}`]),
            ...(strategy === undefined ? [] : [sql`strategy = ${strategy}`]),
            ...(channel === undefined ? [] : [triedOver(sql, channel)]),
            ...Array.from(metadata, ([key, value]) => sql`${sql.literal(READABLE)} ->> ${key} = ${value}`)
          ]
        }),

      find: Effect.fnUntraced(function* (customerId, id) {
        const [row] = yield* messageRows(sql`
          select ${sql.literal(messageColumns)} from messages m
          where customer_id = ${customerId} and id = ${id}::uuid`)
        return row ?? (yield* new NotFound())
      })
    })
  })
)
