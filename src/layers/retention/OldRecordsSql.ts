import { Effect, Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { LapsingTable, RetentionPass, RetentionTask } from "../../domain/Retention.ts"
import { idAt } from "../../domain/TimePosition.ts"
import { ERASED_PHONE } from "../../domain/Phone.ts"
import type { RetentionBatch } from "../../services/retention/RetentionStore.ts"
import { rowsOf, timestamp } from "../postgres/SqlRows.ts"

const ROWS = 1000
/** How many customers' records one batch reads. */
const CUSTOMERS = 1000

export type RecordTask = Exclude<RetentionTask, LapsingTable | "simulator_messages" | "request_blocks">

interface RecordWork {
  readonly table: "verifications" | "messages" | "events" | "audit_log"
  /** A condition on a row `r`: it can be deleted. */
  readonly condition: Statement.Fragment
  /** Locked first by deletions; rows that others have locked are left for later. */
  readonly lock: Statement.Fragment
  /** Further parts, the last of which is `gone`, over the part `old` (customer_id, id, place). */
  readonly parts: Statement.Fragment
}

const BatchRow = Schema.Struct({
  gone: Schema.Int,
  found: Schema.Int,
  lastCustomer: Schema.NullOr(Schema.Int),
  lastId: Schema.NullOr(Schema.String),
  customers: Schema.Int,
  lastOfPage: Schema.NullOr(Schema.Int)
})
type BatchRow = typeof BatchRow.Type

const nextOf = ({ found, lastCustomer, lastId, customers, lastOfPage }: BatchRow): RetentionBatch["next"] => {
  if (found >= ROWS && lastCustomer !== null) return { at: lastCustomer, after: lastId }
  return customers >= CUSTOMERS && lastOfPage !== null ? { at: lastOfPage + 1, after: null } : null
}

/** The columns of a verification `r` that are erased with its phone. */
export const erasedVerification = (sql: SqlClient.SqlClient) =>
  sql`text_body = null, metadata = null, client = null, route = case when jsonb_path_exists(route, '$[*].textBody') then (
          select jsonb_agg(step - 'textBody' order by nth) from jsonb_array_elements(route) with ordinality s(step, nth))
          else route end`

/** The same for a message `r`. */
export const erasedMessage = (sql: SqlClient.SqlClient) =>
  sql`text = '', metadata = '{}', template = case when template is null then null
          else json_build_object('id', template -> 'id', 'name', template -> 'name', 'parameters', json '{}') end`

/**
 * Finds old records by their ids, which show time: customer by customer, by the primary key, from where the previous
 * batch ended, so that its dead rows are not read again. The commit is not awaited: a row that a crash brings back is
 * deleted later.
 */
export const oldRecords = (sql: SqlClient.SqlClient) => {
  const batchRows = rowsOf(BatchRow)
  const skipLocked = sql`for update skip locked`
  const isOver = {
    verifications: sql`r.status in ('verified', 'failed', 'locked', 'expired', 'canceled') and r.held = 0`,
    messages: sql`r.status in ('sent', 'failed', 'partial_failed', 'canceled') and r.held = 0`
  }

  /** By their places, which their locks keep: no plan needs to find them again. */
  const gone = (table: RecordWork["table"]) => sql`gone as (
    delete from ${sql(table)} where ctid = any(array(select place from old)) returning true)`

  const deletes = (table: RecordWork["table"], condition: Statement.Fragment): RecordWork => ({
    table,
    condition,
    lock: skipLocked,
    parts: gone(table)
  })

  const erases = (table: "verifications" | "messages", erased: Statement.Fragment): RecordWork => ({
    table,
    condition: sql`${isOver[table]} and r.phone <> ${ERASED_PHONE}`,
    lock: sql``,
    parts: sql`gone as (
      update ${sql(table)} r set phone = ${ERASED_PHONE}, ${erased} from old o
      where r.customer_id = o.customer_id and r.id = o.id returning true)`
  })

  /** Deliveries are deleted with their event, including those to removed endpoints. */
  const deletesEvents: RecordWork = {
    table: "events",
    condition: sql`not exists (select from timers t
      where t.customer_id = r.customer_id and t.kind = 'webhook' and t.subject = r.id)`,
    lock: skipLocked,
    parts: sql`receivers as (
        with recursive receiver as (
          select o.customer_id, (select min(d.endpoint_id) from webhook_deliveries d
            where d.customer_id = o.customer_id) as endpoint_id
          from (select distinct customer_id from old) o
          union all
          select e.customer_id, (select min(d.endpoint_id) from webhook_deliveries d
            where d.customer_id = e.customer_id and d.endpoint_id > e.endpoint_id)
          from receiver e where e.endpoint_id is not null)
        select customer_id, endpoint_id from receiver where endpoint_id is not null),
      delivery as (
        delete from webhook_deliveries where ctid = any(array(
          select d.ctid from receivers e join old o using (customer_id), lateral (
            select d.ctid from webhook_deliveries d where d.customer_id = e.customer_id
              and d.endpoint_id = e.endpoint_id and d.event_id = o.id limit 1) d))),
      ${gone("events")}`
  }

  const work: Readonly<Record<RecordTask, (pass: RetentionPass) => RecordWork>> = {
    events: () => deletesEvents,
    verification_phones: () => erases("verifications", erasedVerification(sql)),
    message_phones: () => erases("messages", erasedMessage(sql)),
    verifications: () => deletes("verifications", isOver.verifications),
    messages: ({ until }) =>
      deletes("messages", sql`${isOver.messages} and r.completed_at < ${timestamp(until)}::timestamptz`),
    audit_log: () => deletes("audit_log", sql`true`)
  }

  return Effect.fnUntraced(function* (task: RecordTask, pass: RetentionPass) {
    const { from, until, position } = pass
    const { table, condition, lock, parts } = work[task](pass)
    const firstId = idAt(from)
    const [row] = yield* batchRows(sql`
      with quick as materialized (select set_config('synchronous_commit', 'off', true) as commit),
      page as materialized (
        select id from customers where id >= ${position.at}::int order by id limit ${CUSTOMERS}),
      old as materialized (
        select r.customer_id, r.id, r.place from page c, lateral (
          select r.customer_id, r.id, r.ctid as place from ${sql(table)} r
          where r.customer_id = c.id and r.id < ${idAt(until)}::uuid
            and r.id > case when c.id = ${position.at}::int then ${position.after ?? firstId}::uuid
              else ${firstId}::uuid end
            and ${condition}
          order by r.id limit ${ROWS} ${lock}) r
        limit ${ROWS}),
      last as (select customer_id, id from old order by customer_id desc, id desc limit 1),
      ${parts}
      select (select count(*)::int from gone) as gone, (select commit from quick),
        (select count(*)::int from old) as found,
        (select customer_id from last) as "lastCustomer", (select id from last) as "lastId",
        (select count(*)::int from page) as customers, (select max(id) from page) as "lastOfPage"`)
    if (row === undefined) return yield* Effect.die("a batch returned no row")
    return { gone: row.gone, next: nextOf(row) }
  })
}
