import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../Api.ts"
import { toAuditRecord } from "./AuditLogApi.ts"
import { CurrentActor } from "../wire/ManageAuth.ts"
import { pageRequest, toWirePage } from "../wire/ManageWire.ts"
import { AuditLog } from "../../services/activity/AuditLog.ts"

export const AuditLogHandlers = HttpApiBuilder.group(
  Api,
  "audit-log",
  Effect.fnUntraced(function* (handlers) {
    const log = yield* AuditLog
    return handlers.handleAll({
      list: Effect.fnUntraced(function* ({ query }) {
        const { actor } = yield* CurrentActor
        const page = yield* log.list(actor.customerId, {
          ...pageRequest("audit_log", query),
          from: query.from,
          to: query.to,
          actorKind: query.actor_kind,
          action: query.action,
          subjectType: query.subject_type,
          subjectId: query.subject_id
        })
        return toWirePage("audit_log", page, toAuditRecord)
      })
    })
  })
)
