import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { readFileSync } from "node:fs"
import { TestDatabase } from "../support/TestDatabase.ts"

const text = readFileSync(new URL("../../docs/runbooks.md", import.meta.url), "utf8")
const queries = [...text.matchAll(/```sql\n([\s\S]*?)```/g)].map(([, query = ""]) => query)

layer(TestDatabase, { excludeTestServices: true })("the queries of the runbooks", (it) => {
  it.effect("suit the schema", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      assert.strictEqual(queries.length, 3)
      for (const query of queries) assert.deepStrictEqual(yield* sql.unsafe(query), [])
    })
  )
})
