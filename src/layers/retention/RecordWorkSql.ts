import type { SqlClient, Statement } from "effect/sql"
import type { LapsingTable, RetentionPass, RetentionTask } from "../../domain/Retention.ts"
import { ERASED_PHONE } from "../../domain/Phone.ts"
import { timestamp } from "../postgres/SqlRows.ts"

/** How many records one batch takes. */
export const RECORD_ROWS = 1000

export type RecordTask = Exclude<RetentionTask, LapsingTable | "simulator_messages" | "request_blocks">

type RecordTable = "verifications" | "messages" | "events" | "audit_log"

/** The work of one task on old records. */
interface RecordWork {
  readonly table: RecordTable
  /** A condition on a row `r`: it can be deleted. */
  readonly condition: Statement.Fragment
  /** Locked first by deletions; rows that others have locked are left for later. */
  readonly lock: Statement.Fragment
  /** Further parts, the last of which is `gone`, over the part `old` (customer_id, id, place). */
  readonly parts: Statement.Fragment
}

/** How a statement finds the rows of `old` again. */
interface OldRows {
  /** Holds for each row with this alias. */
  readonly isOwn: (alias: string) => Statement.Fragment
  /** The part `gone`, which deletes them. */
  readonly gone: (table: RecordTable) => Statement.Fragment
  /** The part `gone`, which sets columns of them instead. */
  readonly changed: (table: RecordTable, sets: Statement.Fragment) => Statement.Fragment
  /** Deletes the deliveries of old events to the part `receivers` (customer_id, endpoint_id). */
  readonly deliveries: Statement.Fragment
}

/** By their places, which their locks keep: no plan needs to find them again. */
export const byPlace = (sql: SqlClient.SqlClient): OldRows => ({
  isOwn: () => sql`true`,
  gone: (table) => sql`gone as (
    delete from ${sql(table)} where ctid = any(array(select place from old)) returning true)`,
  changed: (table, sets) => sql`gone as (
    update ${sql(table)} r set ${sets} from old o where r.customer_id = o.customer_id and r.id = o.id returning true)`,
  deliveries: sql`delete from webhook_deliveries where ctid = any(array(
    select d.ctid from receivers e join old o using (customer_id), lateral (
      select d.ctid from webhook_deliveries d where d.customer_id = e.customer_id
        and d.endpoint_id = e.endpoint_id and d.event_id = o.id limit 1) d))`
})

/**
 * Attempts without the providers' words, which may repeat the phone. The revision lets no report that is being recorded
 * put them back. Citus refuses functions that are not immutable here.
 */
const wordlessAttempts = (sql: SqlClient.SqlClient) =>
  sql`revision = revision + 1, attempts = case when jsonb_path_exists(attempts, '$.**.provider_error ? (@ != null)') then (
          select jsonb_agg(jsonb_set(jsonb_set(attempt, '{provider_error}', 'null', false),
            '{delivery,provider_error}', 'null', false) order by nth)
          from jsonb_array_elements(attempts) with ordinality a(attempt, nth)) else attempts end`

/** The columns of a verification `r` that are erased with its phone. */
export const erasedVerification = (sql: SqlClient.SqlClient) =>
  sql`${wordlessAttempts(sql)}, text_body = null, metadata = null, client = null, route = case when jsonb_path_exists(route, '$[*].textBody') then (
          select jsonb_agg(step - 'textBody' order by nth) from jsonb_array_elements(route) with ordinality s(step, nth))
          else route end`

/** The columns of a message `r` that was erased. */
export const erasedMessage = (sql: SqlClient.SqlClient) =>
  sql`${wordlessAttempts(sql)}, text = '', metadata = '{}', template = ('{"id":' || (template -> 'id')::text
    || ',"name":' || (template -> 'name')::text || ',"parameters":{}}')::json`

const isOver = (sql: SqlClient.SqlClient) => ({
  verifications: sql`r.status in ('verified', 'failed', 'locked', 'expired', 'canceled') and r.held = 0`,
  messages: sql`r.status in ('sent', 'failed', 'partial_failed', 'canceled') and r.held = 0`
})

const deletes = (
  sql: SqlClient.SqlClient,
  { gone }: OldRows,
  table: RecordTable,
  condition: Statement.Fragment
): RecordWork => ({ table, condition, lock: sql`for update skip locked`, parts: gone(table) })

const erases = (
  sql: SqlClient.SqlClient,
  { changed }: OldRows,
  table: "verifications" | "messages",
  erased: Statement.Fragment
): RecordWork => ({
  table,
  condition: sql`${isOver(sql)[table]} and r.phone <> ${ERASED_PHONE}`,
  lock: sql``,
  parts: changed(table, sql`phone = ${ERASED_PHONE}, ${erased}`)
})

/** Deliveries are deleted with their event, including those to removed endpoints. */
const deletesEvents = (sql: SqlClient.SqlClient, { isOwn, gone, deliveries }: OldRows): RecordWork => ({
  table: "events",
  condition: sql`not exists (select from timers t
    where ${isOwn("t")} and t.customer_id = r.customer_id and t.kind = 'webhook' and t.subject = r.id)`,
  lock: sql`for update skip locked`,
  parts: sql`receivers as (
      with recursive receiver as (
        select o.customer_id, (select min(d.endpoint_id) from webhook_deliveries d
          where ${isOwn("d")} and d.customer_id = o.customer_id) as endpoint_id
        from (select distinct customer_id from old) o
        union all
        select e.customer_id, (select min(d.endpoint_id) from webhook_deliveries d
          where ${isOwn("d")} and d.customer_id = e.customer_id and d.endpoint_id > e.endpoint_id)
        from receiver e where e.endpoint_id is not null)
      select customer_id, endpoint_id from receiver where endpoint_id is not null),
    delivery as (${deliveries}),
    ${gone("events")}`
})

export const recordWork = (
  sql: SqlClient.SqlClient,
  rows: OldRows,
  task: RecordTask,
  { until }: RetentionPass
): RecordWork => {
  const { verifications, messages } = isOver(sql)
  switch (task) {
    case "events":
      return deletesEvents(sql, rows)
    case "verification_phones":
      return erases(sql, rows, "verifications", erasedVerification(sql))
    case "message_phones":
      return erases(sql, rows, "messages", erasedMessage(sql))
    case "verifications":
      return deletes(sql, rows, "verifications", verifications)
    case "messages": {
      const completed = sql`${messages} and r.completed_at < ${timestamp(until)}::timestamptz`
      return deletes(sql, rows, "messages", completed)
    }
    case "audit_log":
      return deletes(sql, rows, "audit_log", sql`true`)
  }
}
