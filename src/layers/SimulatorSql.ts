import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Simulator } from "../services/Simulator.ts"
import { InstantColumn, rowsOf, timestamp } from "./SqlRows.ts"

const MessageRow = Schema.Struct({
  phone: Schema.String,
  channel: Schema.String,
  text: Schema.String,
  code: Schema.NullOr(Schema.String),
  at: InstantColumn
})

const PAGE_SIZE = 200
const MAX_MESSAGES = 10_000

/** Phones that are switched off: what is sent to them is kept nowhere. */
export const SimulatorOff = Layer.succeed(
  Simulator,
  Simulator.of({ receive: () => Effect.void, messages: () => Effect.succeed([]) })
)

export const SimulatorSql = Layer.effect(
  Simulator,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const messageRows = rowsOf(MessageRow)
    return Simulator.of({
      receive: ({ phone, channel, text, code, at }) =>
        Effect.orDie(
          Effect.asVoid(sql`
            with received as (
              insert into simulator_messages (phone, channel, text, code, sent_at)
              values (${phone}, ${channel}, ${text}, ${code}, ${timestamp(at)}) returning id)
            delete from simulator_messages m using received r where m.id <= r.id - ${MAX_MESSAGES}`)
        ),
      messages: (phone) =>
        messageRows(sql`
          select phone, channel, text, code, sent_at as at from simulator_messages
          ${phone === null ? sql`` : sql`where phone = ${phone}`} order by id desc limit ${PAGE_SIZE}`)
    })
  })
)
