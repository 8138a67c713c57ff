import { Clock, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { NotFound } from "../../domain/Errors.ts"
import { LimitOverrides } from "../../domain/customer/Limits.ts"
import { Plan } from "../../domain/customer/Customer.ts"
import { Locale } from "../../domain/verification/CodeText.ts"
import { InstantColumn, rowsOf, timestamp } from "../postgres/SqlRows.ts"
import { CustomerRecords } from "../../services/customer/CustomerRecords.ts"
import { emptiestCell } from "./CustomerPlacementSql.ts"

const CustomerRow = Schema.Struct({
  id: Schema.Int,
  name: Schema.String,
  plan: Plan,
  webOtpHost: Schema.NullOr(Schema.String),
  webOtpOrigins: Schema.Array(Schema.String),
  appHash: Schema.NullOr(Schema.String),
  brand: Schema.NullOr(Schema.String),
  locale: Locale,
  needsSecondFactor: Schema.Boolean,
  createdAt: InstantColumn
})
const LimitsRow = Schema.Struct({ limits: LimitOverrides })

export const CustomerRecordsSql = Layer.effect(
  CustomerRecords,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const customerRows = rowsOf(CustomerRow)
    const limitRows = rowsOf(LimitsRow)
    const columns = sql.literal(
      `id, name, plan, webotp_host as "webOtpHost", webotp_origins as "webOtpOrigins", app_hash as "appHash", brand, locale,
        second_factor_required as "needsSecondFactor", created_at as "createdAt"`
    )

    return CustomerRecords.of({
      list: customerRows(sql`select ${columns} from customers order by id`),

      find: Effect.fnUntraced(function* (id) {
        const [row] = yield* customerRows(sql`select ${columns} from customers where id = ${id}`)
        return row ?? (yield* new NotFound())
      }),

      create: Effect.fnUntraced(function* (name, plan) {
        const now = timestamp(yield* Clock.currentTimeMillis)
        const [row] = yield* customerRows(sql`
          insert into customers (name, plan, created_at, cell) values (${name}, ${plan}, ${now}, ${emptiestCell(sql)})
          returning ${columns}`)
        return row ?? (yield* Effect.die("an insert returned no row"))
      }),

      update: Effect.fnUntraced(function* (id, change) {
        const { name, plan, webOtpHost, webOtpOrigins, appHash, brand, locale, needsSecondFactor } = change
        const [row] = yield* customerRows(sql`
          update customers set name = coalesce(${name ?? null}::text, name),
            plan = coalesce(${plan ?? null}::text, plan),
            webotp_host = case when ${webOtpHost === undefined} then webotp_host else ${webOtpHost ?? null}::text end,
            webotp_origins = coalesce(${webOtpOrigins ?? null}::text[], webotp_origins),
            app_hash = case when ${appHash === undefined} then app_hash else ${appHash ?? null}::text end,
            brand = case when ${brand === undefined} then brand else ${brand ?? null}::text end,
            locale = coalesce(${locale ?? null}::text, locale),
            second_factor_required = coalesce(${needsSecondFactor ?? null}::boolean, second_factor_required)
          where id = ${id} returning ${columns}`)
        return row ?? (yield* new NotFound())
      }),

      limits: Effect.fnUntraced(function* (id) {
        const [row] = yield* limitRows(sql`select limits from customers where id = ${id}`)
        return row === undefined ? yield* new NotFound() : row.limits
      }),

      changeLimits: Effect.fnUntraced(function* (id, change) {
        const [row] = yield* limitRows(sql`
          update customers set limits = jsonb_strip_nulls(limits || ${JSON.stringify(change)}::jsonb)
          where id = ${id} returning limits`)
        return row === undefined ? yield* new NotFound() : row.limits
      })
    })
  })
)
