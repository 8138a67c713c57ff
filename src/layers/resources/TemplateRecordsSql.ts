import { Clock, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Conflict, NotFound } from "../../domain/Errors.ts"
import { toPage } from "../../domain/Paging.ts"
import { Template } from "../../domain/message/Template.ts"
import { TemplateRecords } from "../../services/resources/TemplateRecords.ts"
import { InstantColumn, rowsOf, timestamp } from "../postgres/SqlRows.ts"
import { idPosition } from "./IdPages.ts"
import { lockCustomer, ownerIn } from "./OwnerSql.ts"
import { notUpdated } from "../access/Versions.ts"
import { problem } from "../../domain/Problem.ts"

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
