import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { MessageRecords } from "../../../services/resources/activity/MessageRecords.ts"
import { messageColumns, MessageRow } from "../../message/MessageStoreSql.ts"
import { rowsOf } from "../../postgres/SqlRows.ts"
import { sendRecords } from "../TimePages.ts"

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
