import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { MIGRATIONS_TABLE } from "../../layers/postgres/Migrations.ts"
import { rowsOf } from "../../layers/postgres/SqlRows.ts"
import { Unhealthy } from "./Unhealthy.ts"

const MAX_NAMED = 3

const TableRow = Schema.Struct({ name: Schema.String, role: Schema.String })

/** The tables of whoever made the store: others may share its schema. */
const unusableTables = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  rowsOf(TableRow)(sql`
    select t.relname as name, current_user as role
    from pg_class t join pg_class m on m.relnamespace = t.relnamespace and m.relowner = t.relowner
    where m.oid = to_regclass(${MIGRATIONS_TABLE}) and t.relkind in ('r', 'p') and t.oid <> m.oid
      and not (has_table_privilege(t.oid, 'select') and has_table_privilege(t.oid, 'insert')
        and has_table_privilege(t.oid, 'update') and has_table_privilege(t.oid, 'delete'))
    order by t.relname`)
)

/** Whether the role of DATABASE_URL may read and write every table: it may not after a restore by another role. */
export const privileges = Effect.flatMap(unusableTables, (tables) => {
  const [first] = tables
  if (first === undefined) return Effect.succeed("all tables can be read and written")
  const named = tables.slice(0, MAX_NAMED).map(({ name }) => name)
  const others = tables.length - named.length
  return new Unhealthy({
    message:
      `${first.role} may not read and write ${named.join(", ")}${others === 0 ? "" : ` and ${others} more`}; ` +
      `grant select, insert, update, delete on all tables of the schema to ${first.role}`
  })
})
