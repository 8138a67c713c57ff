import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { formatTimePosition, toPage } from "../../domain/Paging.ts"
import { withinTime } from "../postgres/PagesSql.ts"
import { InstantColumn, rowsOf } from "../postgres/SqlRows.ts"
import { AuditLog, AuditRecord } from "../../services/activity/AuditLog.ts"

const AuditRow = Schema.Struct({ ...AuditRecord.fields, occurredAt: InstantColumn })

export const AuditLogSql = Layer.effect(
  AuditLog,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const auditRows = rowsOf(AuditRow)
    const columns =
      sql.literal(`id, actor_kind as "actorKind", actor_id as "actorId", actor_name as "actorName",
      action, subject_type as "subjectType", subject_id as "subjectId", details, ip, user_agent as "userAgent",
      request_id as "requestId", occurred_at as "occurredAt"`)

    return AuditLog.of({
      list: Effect.fnUntraced(function* (customerId, search) {
        const { limit, actorKind, action, subjectType, subjectId, ...range } = search
        const conditions = sql.and([
          sql`customer_id = ${customerId}`,
          ...(actorKind === undefined ? [] : [sql`actor_kind = ${actorKind}`]),
          ...(action === undefined ? [] : [sql`starts_with(action, ${action})`]),
          ...(subjectType === undefined ? [] : [sql`subject_type = ${subjectType}`]),
          ...(subjectId === undefined ? [] : [sql`subject_id = ${subjectId}`]),
          ...withinTime(sql, ["occurred_at", "id"], range)
        ])
        const rows = yield* auditRows(sql`
          select ${columns} from audit_log where ${conditions}
          order by occurred_at desc, id desc limit ${limit + 1}::int`)
        return toPage(rows, limit, ({ occurredAt, id }) => formatTimePosition({ at: occurredAt, id }))
      })
    })
  })
)
