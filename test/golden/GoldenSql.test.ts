import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import * as path from "node:path"
import { GOLDEN_FOLDER, goldenFile } from "./GoldenFiles.ts"
import { goldenStatements, recordStatement } from "./GoldenStatements.ts"

const keptText = (name: string): string => {
  try {
    return readFileSync(path.join(GOLDEN_FOLDER, `${name}.sql`), "utf8")
  } catch {
    return ""
  }
}

describe("the SQL that readers can open", () => {
  for (const statement of goldenStatements) {
    it.effect(`is what the code makes: ${statement.name}.sql`, () =>
      Effect.gen(function* () {
        const made = goldenFile(statement, yield* recordStatement(statement))
        assert.strictEqual(
          made,
          keptText(statement.name),
          "`npm run golden` writes the files; read what changed"
        )
      })
    )
  }

  it("has no files of statements that nobody makes any more", () => {
    assert.deepStrictEqual(
      readdirSync(GOLDEN_FOLDER).toSorted(),
      goldenStatements.map(({ name }) => `${name}.sql`).toSorted()
    )
  })
})
