import { Clock, Effect, Layer, Result, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Conflict, fieldError, NotFound, TemplateNotFound } from "../../domain/Errors.ts"
import { toPage } from "../../domain/Paging.ts"
import { problem } from "../../domain/Problem.ts"
import { checkCodeTemplate, fillTemplate, Template } from "../../domain/message/Template.ts"
import { defaultCodeText, ownCodeText, readingHost } from "../../domain/verification/CodeText.ts"
import { idPosition } from "../postgres/PagesSql.ts"
import { InstantColumn, lockCustomer, notUpdated, ownerIn, rowsOf, timestamp } from "../postgres/SqlRows.ts"
import { type FillTemplate, TemplateRecords, Templates } from "../../services/message/Templates.ts"

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
      codeText: (customer, { templateId, locale = customer.locale, client }) => {
        const { customerId, brand, appHash } = customer
        const webOtpHost = readingHost(customer, client?.origin)
        if (webOtpHost === undefined) return fieldError("client.origin", problem("origin_not_saved"))
        return templateId === undefined
          ? Effect.succeed(defaultCodeText({ locale, brand, webOtpHost, appHash }))
          : Effect.flatMap(find(customerId, [templateId]), (template) =>
              Effect.fromResult(
                template(templateId).pipe(Result.flatMap(checkCodeTemplate), Result.map(ownCodeText))
              )
            )
      },
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

const TemplateRow = Schema.Struct({ ...Template.fields, createdAt: InstantColumn, version: Schema.Int })

const RemovalRow = Schema.Struct({ isRemoved: Schema.Boolean })

export const TemplateRecordsSql = Layer.effect(
  TemplateRecords,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const templateRows = rowsOf(TemplateRow)
    const removalRows = rowsOf(RemovalRow)
    const columns = sql.literal(
      `id, name, body, disabled_at is null as active, created_at as "createdAt", version`
    )

    const find = Effect.fnUntraced(function* (customerId: number, id: number) {
      const [row] = yield* templateRows(
        sql`select ${columns} from templates where customer_id = ${customerId} and id = ${id}`
      )
      return row ?? (yield* new NotFound())
    })

    return TemplateRecords.of({
      find,

      ownerOf: ownerIn(sql, "templates"),

      list: Effect.fnUntraced(function* (customerId, { limit, after }) {
        const beyond = idPosition(after)
        const rows = yield* templateRows(sql`
          select ${columns} from templates
          where customer_id = ${customerId} and (${beyond}::int is null or id > ${beyond}::int)
          order by id limit ${limit + 1}`)
        return toPage(rows, limit, ({ id }) => String(id))
      }),

      create: Effect.fnUntraced(function* (customerId, { name, body }) {
        const now = timestamp(yield* Clock.currentTimeMillis)
        const [row] = yield* templateRows(sql`
          insert into templates (customer_id, name, body, created_at) values (${customerId}, ${name}, ${body}, ${now})
          returning ${columns}`)
        return row ?? (yield* Effect.die("an insert returned no row"))
      }),

      update: Effect.fnUntraced(function* (customerId, id, { name, body, active }, version) {
        const now = timestamp(yield* Clock.currentTimeMillis)
        const [row] = yield* templateRows(sql`
          update templates set name = coalesce(${name ?? null}::text, name),
            body = coalesce(${body ?? null}::text, body),
            disabled_at = case when ${active === undefined} then disabled_at
              when not ${active ?? true} then coalesce(disabled_at, ${now}) end
          where customer_id = ${customerId} and id = ${id}
            and (${version}::int is null or version = ${version}::int)
          returning ${columns}`)
        return row ?? (yield* Effect.flatMap(find(customerId, id), notUpdated))
      }),

      remove: Effect.fnUntraced(function* (customerId, id, version) {
        // The routing order is saved under this lock too.
        yield* lockCustomer(sql, customerId)
        const [row] = yield* removalRows(sql`
          with removed as (
            delete from templates t where t.customer_id = ${customerId} and t.id = ${id}
              and (${version}::int is null or t.version = ${version}::int)
              and not exists (select from routing_orders o, jsonb_array_elements(o.steps) step
                where o.customer_id = ${customerId} and (step ->> 'template_id')::bigint = ${id})
            returning true)
          select exists (select from removed) as "isRemoved"`)
        if (row?.isRemoved === true) return
        const found = yield* find(customerId, id)
        if (version !== null && found.version !== version) return yield* notUpdated(found)
        return yield* new Conflict({
          problem: problem("template_in_routing"),
          usedBy: "routing"
        })
      })
    })
  })
)
