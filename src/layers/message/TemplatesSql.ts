import { Effect, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import { TemplateNotFound } from "../../domain/Errors.ts"
import { defaultCodeText, ownCodeText } from "../../domain/message/CodeText.ts"
import { checkCodeTemplate, fillTemplate, Template } from "../../domain/message/Template.ts"
import { Templates } from "../../services/customer/Templates.ts"
import { rowsOf } from "../postgres/SqlRows.ts"

export const TemplatesSql = Layer.effect(
  Templates,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const templateRows = rowsOf(Template)

    const find = Effect.fnUntraced(function* (customerId: number, templateId: number) {
      const [template] = yield* templateRows(sql`
        select id, name, body, disabled_at is null as active from templates
        where customer_id = ${customerId} and id = ${templateId}`)
      return template ?? (yield* new TemplateNotFound({ details: { template_id: templateId } }))
    })

    return Templates.of({
      codeText: ({ customerId, brand, webOtpHost, locale: usual }, { templateId, locale = usual }) =>
        templateId === undefined
          ? Effect.succeed(defaultCodeText({ locale, brand, webOtpHost }))
          : Effect.flatMap(find(customerId, templateId), (template) =>
              Effect.fromResult(Result.map(checkCodeTemplate(template), ownCodeText))
            ),
      fill: Effect.fnUntraced(function* (customerId, templateId, parameters) {
        const template = yield* find(customerId, templateId)
        return { template, text: yield* Effect.fromResult(fillTemplate(template, parameters)) }
      })
    })
  })
)
