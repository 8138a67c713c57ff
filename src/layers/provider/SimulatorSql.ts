import { Clock, Effect, Layer, Redacted, Result, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { MINUTE_MILLIS } from "../../domain/Instant.ts"
import { toPage } from "../../domain/Paging.ts"
import { problem } from "../../domain/Problem.ts"
import { ProviderOutcome, SimulatedOutcome } from "../../domain/ProviderOutcome.ts"
import { Channel } from "../../domain/routing/Channel.ts"
import { idPosition } from "../postgres/PagesSql.ts"
import { InstantColumn, rowsOf, timestamp } from "../postgres/SqlRows.ts"
import { accepted, adapter, rejected, throttled, traitsOf, unknown } from "./adapters/AdapterKit.ts"
import { insideRequestTime } from "../../services/concurrency/Workers.ts"
import { InvalidSettings, type ProviderAdapter } from "../../services/provider/ProviderAdapter.ts"
import type { TextDelivery } from "../../services/provider/Providers.ts"
import { Simulator } from "../../services/system/Simulator.ts"

const MessageRow = Schema.Struct({
  phone: Schema.String,
  channel: Schema.String,
  text: Schema.String,
  code: Schema.NullOr(Schema.String),
  at: InstantColumn
})
const ReceivedRow = Schema.Struct({ ...MessageRow.fields, id: Schema.BigInt })
const OutcomeRow = Schema.Struct({ outcome: SimulatedOutcome })
const ForcedRow = Schema.Struct({ accountId: Schema.Int, outcome: SimulatedOutcome })

const PAGE_SIZE = 200
const MAX_MESSAGES = 10_000

/** Outcomes with which the phone has the message. */
const REACHING: ReadonlyArray<SimulatedOutcome> = ["accepted", "unknown"]

const none = { items: [], next: null }

/** Without the simulator nothing is sent with it, and nothing is stored. */
export const SimulatorOff = Layer.succeed(
  Simulator,
  Simulator.of({
    isOn: false,
    send: ({ outcome }) => Effect.succeed(outcome),
    messages: () => Effect.succeed([]),
    search: () => Effect.succeed(none),
    remove: () => Effect.void,
    removeAll: () => Effect.void,
    forced: () => Effect.succeed(new Map()),
    force: () => Effect.void
  })
)

/** Removes the codes that a simulator stored while it was on; truncating leaves no copy of them in the table's file. */
export const emptySimulator = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.orDie(sql`
    do $$ begin if exists (select from simulator_messages) then truncate simulator_messages; end if; end $$`)
})

/** A pattern for texts that contain this one. */
const containing = (text: string): string => `%${text.replaceAll(/[\\%_]/g, "\\$&")}%`

/** The statement of a send: it takes the outcome that is forced for the account, and gives the phone its message. */
const sendWith = (sql: SqlClient.SqlClient): Simulator["Service"]["send"] => {
  const outcomeRows = rowsOf(OutcomeRow)
  return ({ accountId, outcome, message: { phone, channel, text, code, at } }) =>
    Effect.map(
      insideRequestTime(
        outcomeRows(sql`
        with forced as (delete from simulator_outcomes where account_id = ${accountId}::int returning outcome),
        decided as (select coalesce((select outcome from forced), ${outcome}) as outcome),
        received as (
          insert into simulator_messages (phone, channel, text, code, sent_at)
          select ${phone}, ${channel}, ${text}, ${code}::text, ${timestamp(at)}::timestamptz from decided
          where outcome = any(${REACHING}::text[]) returning id),
        removed as (delete from simulator_messages m using received r where m.id <= r.id - ${MAX_MESSAGES}::bigint)
        select outcome from decided`)
      ),
      ([row]) => row?.outcome ?? outcome
    )
}

const searchWith = (sql: SqlClient.SqlClient): Simulator["Service"]["search"] => {
  const receivedRows = rowsOf(ReceivedRow)
  return ({ phone, channel, text, limit, after }) => {
    const beyond = idPosition(after)
    const words = text === undefined ? null : containing(text)
    const digits = phone === undefined ? null : containing(phone)
    return Effect.map(
      receivedRows(sql`
        select id, phone, channel, text, code, sent_at as at from simulator_messages
        where (${beyond}::bigint is null or id < ${beyond}::bigint)
          and (${digits}::text is null or phone like ${digits}::text)
          and (${channel ?? null}::text is null or channel = ${channel ?? null}::text)
          and (${words}::text is null or text ilike ${words}::text or code like ${words}::text)
        order by id desc limit ${limit + 1}`),
      (rows) =>
        toPage(
          rows.map((row) => ({ ...row, id: Number(row.id) })),
          limit,
          ({ id }) => String(id)
        )
    )
  }
}

export const SimulatorSql = Layer.effect(
  Simulator,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const messageRows = rowsOf(MessageRow)
    const forcedRows = rowsOf(ForcedRow)
    const run = (statement: Effect.Effect<unknown, unknown>) => Effect.orDie(Effect.asVoid(statement))

    return Simulator.of({
      isOn: true,
      send: sendWith(sql),
      messages: (phone) =>
        messageRows(sql`
          select phone, channel, text, code, sent_at as at from simulator_messages
          ${phone === null ? sql`` : sql`where phone = ${phone}`} order by id desc limit ${PAGE_SIZE}`),
      search: searchWith(sql),
      remove: (id) => run(sql`delete from simulator_messages where id = ${id}::bigint`),
      removeAll: (phone) =>
        run(sql`delete from simulator_messages ${phone === null ? sql`` : sql`where phone = ${phone}`}`),
      forced: (accountIds) =>
        Effect.map(
          forcedRows(sql`
            select account_id as "accountId", outcome from simulator_outcomes
            where account_id = any(${accountIds}::int[])`),
          (rows) => new Map(rows.map(({ accountId, outcome }) => [accountId, outcome]))
        ),
      force: (accountId, outcome) =>
        run(
          outcome === null
            ? sql`delete from simulator_outcomes where account_id = ${accountId}`
            : sql`insert into simulator_outcomes (account_id, outcome) values (${accountId}, ${outcome})
                on conflict (account_id) do update set outcome = excluded.outcome`
        )
    })
  })
)

const SimulatorSettings = Schema.Struct({
  outcome: Schema.optionalKey(SimulatedOutcome).annotateKey({
    description: "The outcome of every send of this account; accepted by default."
  }),
  latency_ms: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 120_000 }))
  ).annotateKey({ description: "Milliseconds until the provider responds, after the phone has the message." })
})

const THROTTLED_MILLIS = MINUTE_MILLIS

const outcomes: Record<SimulatedOutcome, ProviderOutcome> = {
  accepted: accepted(null),
  rejected: rejected("request", "simulated: rejected"),
  unreachable: rejected("recipient", "simulated: unreachable"),
  throttled: throttled(THROTTLED_MILLIS, "simulated: throttled"),
  unavailable: ProviderOutcome.Unavailable({ providerError: "simulated: unavailable" }),
  unknown: unknown("simulated: the answer was lost")
}

const SWITCHED_OFF = problem("simulator_off")

const declared = { name: "simulator", channels: Channel.literals, settings: SimulatorSettings }

const simulatorOff: ProviderAdapter = {
  ...declared,
  switchedOff: SWITCHED_OFF,
  connect: () => Result.fail(new InvalidSettings({ problems: [{ setting: null, problem: SWITCHED_OFF }] }))
}

/** A provider for development: its phones are the page `/simulator`. */
export const simulatorAdapter = (simulator: Simulator["Service"]): ProviderAdapter =>
  simulator.isOn ? simulatorOn(simulator) : simulatorOff

const simulatorOn = (simulator: Simulator["Service"]): ProviderAdapter =>
  adapter(declared, ({ outcome = "accepted", latency_ms = 0 }) => {
    const send = Effect.fnUntraced(function* ({ phone, step, text }: TextDelivery, code: string | null) {
      const at = yield* Clock.currentTimeMillis
      const message = { phone, channel: step.channel, text: Redacted.value(text), code, at }
      const decided = yield* simulator.send({ accountId: step.account_id, outcome, message })
      if (latency_ms > 0) yield* Effect.sleep(latency_ms)
      return outcomes[decided]
    })
    return {
      sendCode: (delivery) => send(delivery, Redacted.value(delivery.code)),
      sendText: (delivery) => send(delivery, null),
      traits: traitsOf({}),
      check: null,
      deliveryReport: null,
      inbox: null
    }
  })
