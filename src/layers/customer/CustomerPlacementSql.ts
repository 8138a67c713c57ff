import type { SqlClient } from "effect/sql"

/** The id of the cell where a new customer goes, or one that has none: the first with the fewest customers; null: no cells. */
export const emptiestCell = (sql: SqlClient.SqlClient) => sql`(
  select e.id from cells e left join customers c on c.cell = e.id group by e.id order by count(c.id), e.id limit 1)`
