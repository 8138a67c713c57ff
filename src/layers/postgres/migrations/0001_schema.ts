import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as fs from "node:fs"

const file = new URL("../schema.sql", import.meta.url)

/** A semicolon in a comment, a function's body or a text ends no statement. */
const STATEMENT = /(?:--.*|\$\$[^]*?\$\$|'[^']*'|[^;])+/g

const withoutComments = (statement: string) => statement.replaceAll(/--.*/g, "").trim()

/** The statements that make a new store. */
export const schemaStatements = (): ReadonlyArray<string> =>
  (fs.readFileSync(file, "utf8").match(STATEMENT) ?? []).map(withoutComments).filter((text) => text !== "")

/** The names of the tables, or of the functions, that the schema creates. All others in a database are of other programs. */
export const createdBySchema = (kind: "table" | "function"): ReadonlyArray<string> =>
  [...fs.readFileSync(file, "utf8").matchAll(new RegExp(`^create ${kind} (\\w+)`, "gm"))].map(
    ([, name = ""]) => name
  )

/** One by one: the driver prepares what it sends, and PostgreSQL prepares no text of several statements. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(schemaStatements(), (statement) => sql.unsafe(statement), { discard: true })
})
