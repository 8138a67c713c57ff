import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { NotFound } from "../../domain/Errors.ts"
import { formatTimePosition, toPage } from "../../domain/Paging.ts"
import { direction, withinTime } from "../postgres/PagesSql.ts"
import { InstantColumn, rowsOf } from "../postgres/SqlRows.ts"
import { AuditActor, AuditLog, AuditRecord } from "../../services/activity/AuditLog.ts"

const AuditRow = Schema.Struct({ ...AuditRecord.fields, occurredAt: InstantColumn })

/** More people and tokens than somebody would want to choose from. */
const MAX_ACTORS = 100

export const AuditLogSql = Layer.effect(
  AuditLog,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const auditRows = rowsOf(AuditRow)
    const actorRows = rowsOf(AuditActor)
    const columns =
      sql.literal(`id, customer_id as "customerId", actor_kind as "actorKind", actor_id as "actorId",
      actor_name as "actorName", action, subject_type as "subjectType", subject_id as "subjectId",
      subject_name as "subjectName", details, previous, ip, user_agent as "userAgent", request_id as "requestId",
      occurred_at as "occurredAt"`)

    return AuditLog.of({
      list: Effect.fnUntraced(function* (customerId, search) {
        const { limit, actorKind, actorId, action, subjectType, subjectId, ...range } = search
        const conditions = sql.and([
          ...(customerId === null ? [] : [sql`customer_id = ${customerId}`]),
          ...(actorKind === undefined ? [] : [sql`actor_kind = ${actorKind}`]),
          ...(actorId === undefined ? [] : [sql`actor_id = ${actorId}`]),
          ...(action === undefined ? [] : [sql`starts_with(action, ${action})`]),
          ...(subjectType === undefined ? [] : [sql`subject_type = ${subjectType}`]),
          ...(subjectId === undefined ? [] : [sql`subject_id = ${subjectId}`]),
          ...withinTime(sql, ["occurred_at", "id"], range)
        ])
        const way = direction(sql, range)
        const rows = yield* auditRows(sql`
          select ${columns} from audit_log where ${conditions}
          order by occurred_at ${way}, id ${way} limit ${limit + 1}::int`)
        return toPage(rows, limit, ({ occurredAt, id }) => formatTimePosition({ at: occurredAt, id }))
      }),

      find: Effect.fnUntraced(function* (customerId, id) {
        const owned = customerId === null ? sql`true` : sql`customer_id = ${customerId}`
        const [record] = yield* auditRows(sql`
          select ${columns} from audit_log where ${owned} and id = ${id}::uuid`)
        return record ?? (yield* new NotFound())
      }),

      // Jumps from one actor to the next in the index: a log has few of them, and can have very many entries.
      actors: (customerId) =>
        actorRows(sql`
          with recursive actors as (
            (select actor_kind, actor_id, actor_name, 1 as place from audit_log where customer_id = ${customerId}
              order by actor_kind desc, actor_id desc, occurred_at desc, id desc limit 1)
            union all
            select next.actor_kind, next.actor_id, next.actor_name, place + 1 from actors a
            cross join lateral (
              select actor_kind, actor_id, actor_name from audit_log
              where customer_id = ${customerId} and (actor_kind, actor_id) < (a.actor_kind, a.actor_id)
              order by actor_kind desc, actor_id desc, occurred_at desc, id desc limit 1) next
            where place < ${MAX_ACTORS}::int)
          select actor_kind as kind, actor_id as id, actor_name as name from actors order by actor_name, actor_id`)
    })
  })
)
