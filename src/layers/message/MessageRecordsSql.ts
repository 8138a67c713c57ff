import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { messageColumns, MessageRow } from "./MessageStoreSql.ts"
import { sendRecords } from "../postgres/PagesSql.ts"
import { rowsOf } from "../postgres/SqlRows.ts"
import { MessageRecords } from "../../services/message/MessageRecords.ts"

export const MessageRecordsSql = Layer.effect(
  MessageRecords,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const source = { from: "messages m", columns: messageColumns }
    const { list, find } = sendRecords(sql, source, rowsOf(MessageRow))

    return MessageRecords.of({
      list: (customerId, { status, strategy, ...search }) =>
        list(customerId, search, [
          ...(status === undefined ? [] : [sql`status = ${status}`]),
          ...(strategy === undefined ? [] : [sql`strategy = ${strategy}`])
        ]),
      find
    })
  })
)
