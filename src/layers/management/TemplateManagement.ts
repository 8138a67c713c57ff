import { Clock, Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { Template } from "../../domain/message/Template.ts"
import { type Management, ManagementError } from "../../services/resources/Management.ts"
import { rowsOf, timestamp } from "../postgres/SqlRows.ts"
import { requireCustomer } from "./RequireCustomer.ts"

type TemplateMethods = Pick<
  Management["Service"],
  "createTemplate" | "listTemplates" | "findTemplate" | "setTemplateActive"
>

const noTemplate = (templateId: number) =>
  new ManagementError({ message: `there is no template ${templateId}` })

export const templateManagement = (sql: SqlClient.SqlClient): TemplateMethods => {
  const templateRows = rowsOf(Template)
  const columns = sql.literal("id, name, body, disabled_at is null as active")

  return {
    createTemplate: Effect.fnUntraced(function* ({ customerId, name, body }) {
      yield* requireCustomer(sql, customerId)
      const now = timestamp(yield* Clock.currentTimeMillis)
      const [row] = yield* templateRows(sql`
        insert into templates (customer_id, name, body, created_at) values (${customerId}, ${name}, ${body}, ${now})
        returning ${columns}`)
      return row ?? (yield* Effect.die("an insert returned no row"))
    }),

    listTemplates: Effect.fnUntraced(function* (customerId) {
      yield* requireCustomer(sql, customerId)
      return yield* templateRows(sql`
        select ${columns} from templates where customer_id = ${customerId} order by id`)
    }),

    findTemplate: Effect.fnUntraced(function* (templateId) {
      const [row] = yield* templateRows(sql`select ${columns} from templates where id = ${templateId}`)
      return row ?? (yield* noTemplate(templateId))
    }),

    setTemplateActive: Effect.fnUntraced(function* (templateId, active) {
      const now = timestamp(yield* Clock.currentTimeMillis)
      const [row] = yield* templateRows(sql`
        update templates set disabled_at = case when not ${active} then coalesce(disabled_at, ${now}) end
        where id = ${templateId} returning ${columns}`)
      return row ?? (yield* noTemplate(templateId))
    })
  }
}
