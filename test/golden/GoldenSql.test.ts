import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import * as path from "node:path"
import { APART_FOLDER, apartFile, GOLDEN_FOLDER, goldenFile } from "./GoldenFiles.ts"
import { apartStatements, goldenStatements, recordApart, recordStatement } from "./GoldenStatements.ts"

const keptText = (name: string, folder = GOLDEN_FOLDER): string => {
  try {
    return readFileSync(path.join(folder, `${name}.sql`), "utf8")
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

  for (const statement of apartStatements) {
    it.effect(`is what the code makes where cells are on other nodes: apart/${statement.name}.sql`, () =>
      Effect.gen(function* () {
        const made = apartFile(statement, yield* recordApart(statement))
        assert.strictEqual(made, keptText(statement.name, APART_FOLDER), "`npm run golden` writes the files")
      })
    )
  }

  it("has no files of statements that nobody makes any more", () => {
    assert.deepStrictEqual(
      readdirSync(GOLDEN_FOLDER).toSorted(),
      ["apart", ...goldenStatements.map(({ name }) => `${name}.sql`)].toSorted()
    )
    assert.deepStrictEqual(
      readdirSync(APART_FOLDER).toSorted(),
      apartStatements.map(({ name }) => `${name}.sql`).toSorted()
    )
  })
})
