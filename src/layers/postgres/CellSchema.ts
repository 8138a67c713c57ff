import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { BY_CUSTOMER } from "./Citus.ts"
import { schemaStatements } from "./migrations/0001_schema.ts"
import { quotedName } from "./CellsSql.ts"

/** The tables that each cell has for itself: all that sends write to, except what is counted for all customers together. */
export const CELL_TABLES = BY_CUSTOMER

/** The name of the table that a statement of the schema is about. */
const ABOUT = /^create table (\w+)|^create (?:unique )?index \w+ on (\w+)|^alter table (\w+)/

const isOfCells = (statement: string): boolean => {
  const [, ...names] = ABOUT.exec(statement) ?? []
  return CELL_TABLES.some((table) => names.includes(table))
}

/**
 * Makes a cell without customers, of tables like those of the store. Its number is the next one. Processes that run
 * already do not know it.
 */
export const createCell = Effect.fnUntraced(function* (id: number, name: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`insert into cells (id, name) values (${id}, ${name})`
      yield* sql.unsafe(`create schema ${quotedName(name)}`).unprepared
      yield* sql.unsafe(`set local search_path = ${quotedName(name)}`).unprepared
      yield* Effect.forEach(
        schemaStatements().filter(isOfCells),
        (statement) => sql.unsafe(statement).unprepared,
        { discard: true }
      )
    })
  )
})
