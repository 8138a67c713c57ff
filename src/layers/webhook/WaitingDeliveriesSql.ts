import { Effect, Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { Instant } from "../../domain/Instant.ts"
import { NIL_UUID } from "../../domain/Uuid.ts"
import { rowsOf, timestamp } from "../postgres/SqlRows.ts"
import { WEBHOOK_TIMER } from "./WebhookTimers.ts"

/** Each statement is quick, however many deliveries wait: 5000 take about 0.1 s. */
const PAGE = 5000
/** The rest learns it when it is due. */
const MAX_WOKEN_PAGES = 20

const PageRow = Schema.Struct({ count: Schema.Int, last: Schema.NullOr(Schema.String) })

interface OfEndpoint {
  readonly customerId: number
  readonly lane: number
}

/** Work on all waiting deliveries of an endpoint, a page at a time. */
export const waitingDeliveries = (sql: SqlClient.SqlClient) => {
  const pageRows = rowsOf(PageRow)

  /** `parts` work on the rows of `page`. */
  const eachPage = (
    { customerId, lane }: OfEndpoint,
    which: Statement.Fragment,
    parts: Statement.Fragment,
    mostPages: number
  ): Effect.Effect<void> => {
    const from = (after: string, pagesLeft: number): Effect.Effect<void> =>
      Effect.flatMap(
        pageRows(sql`
          with page as materialized (
            select t.customer_id, t.kind, t.subject, t.lane from timers t
            where t.customer_id = ${customerId} and t.kind = ${WEBHOOK_TIMER} and t.lane = ${lane}
              and t.subject > ${after}::uuid and ${which}
            order by t.subject limit ${PAGE}::int),
          ${parts}
          select count(*)::int as count, (array_agg(subject order by subject desc))[1] as last from page`),
        ([{ count, last } = { count: 0, last: null }]) =>
          count < PAGE || last === null || pagesLeft === 1 ? Effect.void : from(last, pagesLeft - 1)
      )
    return from(NIL_UUID, mostPages)
  }

  // By columns of the page: with constants, a planner that knows few rows would compare each timer with each row of it.
  const isInPage = sql`(t.customer_id, t.kind, t.subject, t.lane) = (p.customer_id, p.kind, p.subject, p.lane)`

  return {
    /** The endpoint accepts nothing any more: they are due now, and end as failed. */
    wake: (endpoint: OfEndpoint, now: Instant) =>
      eachPage(
        endpoint,
        sql`t.lease_token is null and t.claimable_at > ${timestamp(now)}::timestamptz`,
        sql`woken as (
          update timers t set claimable_at = ${timestamp(now)}::timestamptz from page p
          where ${isInPage} and t.lease_token is null)`,
        MAX_WOKEN_PAGES
      ),

    /** The endpoint is about to be removed. */
    fail: (endpoint: OfEndpoint, endpointId: number, now: Instant) =>
      eachPage(
        endpoint,
        sql`true`,
        sql`ended as materialized (select p.*, ${endpointId}::int as endpoint_id from page p),
          timer as (delete from timers t using page p where ${isInPage}),
          delivery as (
            update webhook_deliveries d set status = 'failed', next_try_at = null,
              finished_at = ${timestamp(now)}::timestamptz
            from ended e
            where (d.customer_id, d.endpoint_id, d.event_id) = (e.customer_id, e.endpoint_id, e.subject)
              and d.status = 'pending')`,
        Infinity
      )
  }
}
