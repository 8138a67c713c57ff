import { Clock, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Conflict, NotFound } from "../../domain/Errors.ts"
import { problem } from "../../domain/Problem.ts"
import { InstantColumn, rowsOf, timestamp } from "../postgres/SqlRows.ts"
import { MAX_VIEWS, SavedView, SavedViews, type ViewOwner } from "../../services/user/SavedViews.ts"

const ViewRow = Schema.Struct({ ...SavedView.fields, createdAt: InstantColumn })

export const SavedViewsSql = Layer.effect(
  SavedViews,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const viewRows = rowsOf(ViewRow)
    const columns = sql.literal(`v.id, v.page, v.name, v.query, v.created_at as "createdAt"`)
    const isOf = ({ customerId, userId }: ViewOwner) =>
      sql`v.customer_id = ${customerId} and v.user_id = ${userId}::uuid`

    const find = Effect.fnUntraced(function* (owner: ViewOwner, id: number) {
      const [row] = yield* viewRows(
        sql`select ${columns} from saved_views v where ${isOf(owner)} and v.id = ${id}::int`
      )
      return row ?? (yield* new NotFound())
    })

    return SavedViews.of({
      list: (owner) =>
        viewRows(
          sql`select ${columns} from saved_views v where ${isOf(owner)} order by v.id limit ${MAX_VIEWS}::int`
        ),

      find,

      save: Effect.fnUntraced(function* (owner, { page, name, query }) {
        const now = timestamp(yield* Clock.currentTimeMillis)
        const [row] = yield* viewRows(sql`
          insert into saved_views as v (customer_id, user_id, page, name, query, created_at)
          select ${owner.customerId}, ${owner.userId}::uuid, ${page}, ${name}, ${query}, ${now}::timestamptz
          where (select count(*) from saved_views v where ${isOf(owner)}
            and not (v.page = ${page} and v.name = ${name})) < ${MAX_VIEWS}::int
          on conflict (customer_id, user_id, page, name) do update set query = excluded.query
          returning ${columns}`)
        return row
      }),

      rename: Effect.fnUntraced(function* (owner, id, name) {
        const [row] = yield* viewRows(sql`
          update saved_views v set name = ${name} where ${isOf(owner)} and v.id = ${id}::int
            and not exists (select from saved_views o where o.customer_id = v.customer_id and o.user_id = v.user_id
              and o.page = v.page and o.name = ${name} and o.id <> v.id)
          returning ${columns}`)
        if (row !== undefined) return row
        yield* find(owner, id)
        return yield* new Conflict({ problem: problem("view_exists") })
      }),

      remove: Effect.fnUntraced(function* (owner, id) {
        const [row] = yield* viewRows(
          sql`delete from saved_views v where ${isOf(owner)} and v.id = ${id}::int returning ${columns}`
        )
        return row ?? (yield* new NotFound())
      })
    })
  })
)
