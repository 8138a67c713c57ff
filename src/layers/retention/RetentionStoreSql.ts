import { Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { instantOf } from "../../domain/Paging.ts"
import { type ErasingTask, noProgress, RetentionProgress } from "../../domain/Retention.ts"
import { RetentionStore } from "../../services/Retention.ts"
import type { TimerKind } from "../../domain/Timer.ts"
import { lapsedRows } from "./LapsedRowsSql.ts"
import { oldRecords } from "./OldRecordsSql.ts"
import { first, rowsOf, timestamp } from "../postgres/SqlRows.ts"
import { SetUpIsApart } from "../postgres/SetUpPlace.ts"
import { ReportingSql } from "../postgres/Pools.ts"

const ProgressRow = Schema.Struct({ progress: RetentionProgress })
const SubjectRow = Schema.Struct({ subject: Schema.String })

const timersOf: Readonly<Record<ErasingTask, ReadonlyArray<TimerKind>>> = {
  verification_phones: ["verification", "sandbox_verification"],
  message_phones: ["message", "sandbox_message"]
}

/** Batches use the connections of reports: no send waits behind one on the same connection. */
export const RetentionStoreSql = Layer.effect(
  RetentionStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const reporting = yield* ReportingSql
    const progressRows = rowsOf(ProgressRow)
    const subjectRows = rowsOf(SubjectRow)
    const areApart = yield* SetUpIsApart
    const lapsed = lapsedRows(reporting, areApart)
    const records = oldRecords(reporting, areApart)

    return RetentionStore.of({
      load: Effect.map(
        first(progressRows(sql`select progress from retention`)),
        Option.match({ onNone: () => noProgress, onSome: ({ progress }) => progress })
      ),

      save: ({ customerId, kind, subject, lane, leaseToken }, progress, dueAt) =>
        Effect.orDie(
          Effect.asVoid(sql`
            with freed as (
              update timers set claimable_at = ${timestamp(dueAt)}, lease_token = null
              where customer_id = ${customerId} and kind = ${kind} and subject = ${subject}::uuid and lane = ${lane}
                and lease_token = ${leaseToken}::uuid
              returning true)
            insert into retention (progress) select ${JSON.stringify(progress)}::jsonb from freed
            on conflict (only_row) do update set progress = excluded.progress`)
        ),

      runBatch: (pass) => {
        switch (pass.task) {
          case "events":
          case "verification_phones":
          case "message_phones":
          case "verifications":
          case "messages":
          case "audit_log":
            return records(pass.task, pass)
          default:
            return lapsed(pass.task, pass)
        }
      },

      // Everything in progress has a timer.
      unfinishedSince: (task) =>
        Effect.map(
          first(
            subjectRows(
              areApart
                ? reporting`
              select subject from timers where kind = any(${timersOf[task]}::text[]) order by subject limit 1`
                : reporting`
              select t.subject from customers c, unnest(${timersOf[task]}::text[]) as k, lateral (
                select subject from timers where customer_id = c.id and kind = k order by subject limit 1) t
              order by t.subject limit 1`
            )
          ),
          Option.match({ onNone: () => null, onSome: ({ subject }) => instantOf(subject) })
        )
    })
  })
)
