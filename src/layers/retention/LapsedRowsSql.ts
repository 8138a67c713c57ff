import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { LapsingTable, RetentionPass } from "../../domain/Retention.ts"
import { isInStore } from "../postgres/SetUpPlace.ts"
import { NOT_AWAITED, rowsOf, timestamp } from "../postgres/SqlRows.ts"
import type { RetentionBatch } from "../../services/Retention.ts"

/** About a thousand rows at most. */
const PAGES = 16

type WalkedTable = LapsingTable | "simulator_messages" | "request_blocks"

/** A condition on a row `t`: it has lapsed at `$1`. */
export const lapsed: Readonly<Record<WalkedTable, string>> = {
  idempotency_keys: "t.expires_at <= $1",
  phone_counters: "t.hour_ends_at <= $1 and t.day_ends_at <= $1",
  platform_phone_counters: `t.day_ends_at <= $1 and coalesce(greatest(t.calls_end_at, t.night_ends_at) <= $1, true)`,
  monthly_counters: "(t.month + interval '1 month') at time zone 'UTC' <= $1",
  key_windows: "t.ends_at <= $1",
  credential_windows: "t.ends_at <= $1",
  management_answers: "t.expires_at <= $1",
  sign_in_failures: "t.ends_at <= $1",
  // The whole family at once: one revoked token shows that all of it has ended.
  refresh_tokens: `t.expires_at <= $1
    and not exists (select from refresh_tokens o where o.family = t.family and o.expires_at > $1)`,
  console_sessions: "least(t.idle_ends_at, t.ends_at) <= $1",
  sign_in_links: "t.expires_at <= $1",
  pending_sign_ins: "t.expires_at <= $1",
  // The longest report, and the time before it that it is compared with. Summed up again when somebody looks further back.
  activity_slots: "t.starts_at + interval '190 days' <= $1",
  code_sums: "t.starts_at + interval '190 days' <= $1",
  account_balances: "t.noted_at + interval '90 days' <= $1",
  signing_keys: "t.retires_at <= $1",
  webhook_listeners: "t.expires_at <= $1",
  // Most segments see few codes, and are forgotten after a day. Networks of users are kept two weeks; the usual conversion of others is that of two weeks.
  guard_segments: `t.updated_at <= $1::timestamptz - interval '1 day'
    and (t.codes < 2 or t.updated_at <= $1::timestamptz - interval '14 days')`,
  guard_budgets: "t.ends_at <= $1::timestamptz - interval '1 day'",
  guard_alarms: "t.cleared_at <= $1::timestamptz - interval '90 days'",
  guard_bombed_phones: "t.refused_at <= $1::timestamptz - interval '1 day'",
  guard_days: "t.day <= ($1::timestamptz at time zone 'UTC')::date - 90",
  alert_deliveries: "t.first_due_at <= $1::timestamptz - interval '90 days'",
  alerts: "t.raised_at <= $1::timestamptz - interval '90 days'",
  // A reminder comes after a day. What is open is updated when it is sent again.
  alert_subjects: "t.updated_at <= $1::timestamptz - interval '90 days'",
  alert_windows: "t.ends_at <= $1",
  // Nobody entered the code: the address may belong to somebody who did not ask.
  alert_recipients: "t.confirmed_at is null and t.created_at <= $1::timestamptz - interval '1 day'",
  simulator_messages: "t.sent_at <= $1",
  request_blocks: "t.ends_at <= $1"
}

const WalkRow = Schema.Struct({ gone: Schema.Int, pages: Schema.Int })

/**
 * Reads a table page by page, in its order on the disk: its keys do not show time, and every send would pay for an
 * index on the time. The commit is not awaited: a row that a crash brings back is deleted later.
 */
export const lapsedRows = (sql: SqlClient.SqlClient, areApart: boolean) => {
  const walkRows = rowsOf(WalkRow)
  const sizeRows = rowsOf(Schema.Struct({ pages: Schema.Int }))

  /** On the machine of customers' rows: only Citus knows how large its tables are. */
  const walkApart = (table: WalkedTable, parameters: ReadonlyArray<unknown>) =>
    Effect.gen(function* () {
      const [size] = yield* sizeRows(
        sql.unsafe(
          `select (citus_relation_size('${table}') / current_setting('block_size')::int)::int as pages`
        )
      )
      const rows = yield* walkRows(
        sql.unsafe(
          `with gone as (
            delete from ${table} where ctid = any(array(
              select t.ctid from ${table} t
              where t.ctid >= $2::text::tid and t.ctid < $3::text::tid and ${lapsed[table]}
              for update skip locked))
            returning true)
          select count(*)::int as gone, $4::int as pages from gone`,
          [...parameters, size?.pages ?? 0]
        )
      )
      return rows
    })
  return Effect.fnUntraced(function* (table: WalkedTable, { until, position }: RetentionPass) {
    const parameters = [timestamp(until), `(${position.at},0)`, `(${position.at + PAGES},0)`]
    const [row] = yield* areApart && !(yield* isInStore)
      ? walkApart(table, parameters)
      : walkRows(
          sql.unsafe(
            `with ${NOT_AWAITED},
          gone as (
            delete from ${table} where ctid = any(array(
              select t.ctid from ${table} t
              where t.ctid >= $2::text::tid and t.ctid < $3::text::tid and ${lapsed[table]}
              for update skip locked))
            returning true)
        select (select count(*)::int from gone) as gone, (select commit from quick),
          (pg_relation_size('${table}') / current_setting('block_size')::int)::int as pages`,
            parameters
          )
        )
    if (row === undefined) return yield* Effect.die("a walk returned no row")
    const at = position.at + PAGES
    const batch: RetentionBatch = { gone: row.gone, next: at < row.pages ? { at, after: null } : null }
    return batch
  })
}
