import { Effect, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import { TemplateNotFound } from "../../domain/Errors.ts"
import { defaultCodeText, ownCodeText } from "../../domain/message/CodeText.ts"
import { checkCodeTemplate, fillTemplate, Template } from "../../domain/message/Template.ts"
import { type FillTemplate, Templates } from "../../services/message/Templates.ts"
import { rowsOf } from "../postgres/SqlRows.ts"

const notFound = (id: number) => Result.fail(new TemplateNotFound({ details: { template_id: id } }))

export const TemplatesSql = Layer.effect(
  Templates,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const templateRows = rowsOf(Template)

    const find = Effect.fnUntraced(function* (customerId: number, ids: ReadonlyArray<number>) {
      const found = yield* templateRows(sql`
        select id, name, body, disabled_at is null as active from templates
        where customer_id = ${customerId} and id = any(${ids.map(BigInt)}::bigint[])`)
      const byId = new Map(found.map((template) => [template.id, template]))
      return (id: number) => {
        const template = byId.get(id)
        return template === undefined ? notFound(id) : Result.succeed(template)
      }
    })

    return Templates.of({
      codeText: ({ customerId, brand, webOtpHost, locale: usual }, { templateId, locale = usual }) =>
        templateId === undefined
          ? Effect.succeed(defaultCodeText({ locale, brand, webOtpHost }))
          : Effect.flatMap(find(customerId, [templateId]), (template) =>
              Effect.fromResult(
                template(templateId).pipe(Result.flatMap(checkCodeTemplate), Result.map(ownCodeText))
              )
            ),
      read: (customerId, ids) =>
        Effect.map(
          ids.length === 0 ? Effect.succeed(notFound) : find(customerId, ids),
          (template): FillTemplate =>
            (id, parameters) =>
              Result.flatMap(template(id), (found) =>
                Result.map(fillTemplate(found, parameters), (text) => ({ template: found, text }))
              )
        )
    })
  })
)
