import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { HashedClient } from "../../domain/customer/Client.ts"
import { lowestIdAfter, lowestIdFrom, type TimeSpan } from "../../domain/Paging.ts"
import { DeliveryStatus, WebhookTry } from "../../domain/Webhook.ts"
import { InstantColumn, RialsColumn, rowsOf } from "../postgres/SqlRows.ts"
import { type Run, RunHistories } from "../../services/activity/RunHistories.ts"

const DeliveryColumn = Schema.Struct({
  endpointId: Schema.Int,
  url: Schema.String,
  status: DeliveryStatus,
  tries: Schema.Array(WebhookTry),
  nextTryAt: Schema.NullOr(Schema.Int)
})
const EventRow = Schema.Struct({
  id: Schema.String,
  type: Schema.String,
  sequence: Schema.Int,
  occurredAt: InstantColumn,
  deliveries: Schema.Array(DeliveryColumn)
})
const ChargeRow = Schema.Struct({ id: Schema.String, amount: RialsColumn, occurredAt: InstantColumn })
const CountRow = Schema.Struct({
  events: Schema.Int,
  wrongCodes: Schema.NullOr(Schema.Int),
  client: Schema.NullOr(HashedClient)
})

/**
 * Events and ledger entries have no index by subject: every send would pay for it, and this is read when somebody looks.
 * They are found by their ids, which are in the order of time. A period of a customer with many sends is read so far.
 */
const MAX_LOOKED_THROUGH = 100_000

export const RunHistoriesSql = Layer.effect(
  RunHistories,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const eventRows = rowsOf(EventRow)
    const chargeRows = rowsOf(ChargeRow)
    const countRows = rowsOf(CountRow)

    /** The customer's rows of these periods, by the index on their ids. */
    const rowsWithin = (
      table: "events" | "ledger",
      customerId: number,
      periods: ReadonlyArray<TimeSpan>
    ) => sql`
      unnest(${periods.map(({ from }) => lowestIdFrom(from))}::uuid[],
        ${periods.map(({ to }) => lowestIdAfter(to))}::uuid[]) as period (lowest, beyond),
      lateral (
        select * from ${sql(table)} t
        where t.customer_id = ${customerId} and t.id >= period.lowest and t.id < period.beyond
        order by t.id limit ${MAX_LOOKED_THROUGH}::int) as row`

    const counts = (customerId: number, { kind, id }: Run) =>
      countRows(
        kind === "verification"
          ? sql`select events_written as events, wrong_codes as "wrongCodes", client from verifications
              where customer_id = ${customerId} and id = ${id}::uuid`
          : sql`select events_written as events, null::int as "wrongCodes", null::jsonb as client from messages
              where customer_id = ${customerId} and id = ${id}::uuid`
      )

    /** All are found before the late ones are looked for, unless there are some. */
    const events = (customerId: number, run: Run, count: number) =>
      eventRows(sql`
        with event as materialized (
          select row.id, row.type, row.sequence, row.occurred_at from ${rowsWithin("events", customerId, run.late === null ? run.periods : [...run.periods, run.late])}
          where row.subject = ${run.id}::uuid limit ${count}::int)
        select e.id, e.type, e.sequence, e.occurred_at as "occurredAt", (
          select coalesce(json_agg(json_build_object('endpointId', w.id, 'url', w.url, 'status', d.status,
            'tries', d.tries, 'nextTryAt', (extract(epoch from d.next_try_at) * 1000)::bigint) order by w.id), '[]')
          from webhook_endpoints w join webhook_deliveries d
            on d.customer_id = w.customer_id and d.endpoint_id = w.id and d.event_id = e.id
          where w.customer_id = ${customerId}) as deliveries
        from event e order by e.sequence`)

    const charges = (customerId: number, run: Run) =>
      chargeRows(sql`
        select row.id, row.amount, row.occurred_at as "occurredAt" from ${rowsWithin("ledger", customerId, run.periods)}
        where row.subject = ${run.id}::uuid order by row.id`)

    return RunHistories.of({
      read: Effect.fnUntraced(function* (customerId, run) {
        const [count = { events: 0, wrongCodes: null, client: null }] = yield* counts(customerId, run)
        return {
          events: yield* events(customerId, run, count.events),
          charges: yield* charges(customerId, run),
          wrongCodes: count.wrongCodes,
          client: count.client
        }
      })
    })
  })
)
