import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TemplateNotFound } from "../domain/Errors.ts"
import { checkCodeTemplate, Template } from "../domain/Template.ts"
import { Templates } from "../services/Templates.ts"
import { rowsOf } from "./SqlRows.ts"

export const TemplatesSql = Layer.effect(
  Templates,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const templateRows = rowsOf(Template)
    return Templates.of({
      codeText: Effect.fnUntraced(function* (customerId, templateId) {
        const [template] = yield* templateRows(sql`
          select id, name, body, disabled_at is not null as disabled from templates
          where customer_id = ${customerId} and id = ${templateId}`)
        if (template === undefined)
          return yield* new TemplateNotFound({ details: { template_id: templateId } })
        return yield* Effect.fromResult(checkCodeTemplate(template))
      })
    })
  })
)
