import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { messageColumns, MessageRow } from "./MessageStoreSql.ts"
import { sendRecords } from "../postgres/PagesSql.ts"
import { rowsOf } from "../postgres/SqlRows.ts"
import { MessageRecords, type MessageSearch } from "../../services/message/MessageRecords.ts"

export const MessageRecordsSql = Layer.effect(
  MessageRecords,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const source = { from: "messages m", columns: messageColumns }
    const { list, count, find } = sendRecords(sql, source, rowsOf(MessageRow))

    const filtersOf = ({ status, strategy }: MessageSearch) => [
      ...(status === undefined ? [] : [sql`status = ${status}`]),
      ...(strategy === undefined ? [] : [sql`strategy = ${strategy}`])
    ]
    return MessageRecords.of({
      list: (customerId, search) => list(customerId, search, filtersOf(search)),
      count: (customerId, search) => count(customerId, search, filtersOf(search)),
      find
    })
  })
)
