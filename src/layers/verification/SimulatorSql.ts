import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Simulator } from "../../services/Simulator.ts"
import { InstantColumn, rowsOf, timestamp } from "../postgres/SqlRows.ts"

const MessageRow = Schema.Struct({
  phone: Schema.String,
  channel: Schema.String,
  text: Schema.String,
  code: Schema.NullOr(Schema.String),
  at: InstantColumn
})

const PAGE_SIZE = 200
const MAX_MESSAGES = 10_000

/** Without the simulator nothing is sent with it, and nothing is stored. */
export const SimulatorOff = Layer.succeed(
  Simulator,
  Simulator.of({ isOn: false, receive: () => Effect.void, messages: () => Effect.succeed([]) })
)

/** Removes the codes that a simulator stored while it was on; truncating leaves no copy of them in the table's file. */
export const emptySimulator = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.orDie(sql`
    do $$ begin if exists (select from simulator_messages) then truncate simulator_messages; end if; end $$`)
})

export const SimulatorSql = Layer.effect(
  Simulator,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const messageRows = rowsOf(MessageRow)
    return Simulator.of({
      isOn: true,
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
