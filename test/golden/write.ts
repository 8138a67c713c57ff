import { Effect } from "effect"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { GOLDEN_FOLDER, goldenFile } from "./GoldenFiles.ts"
import { goldenStatements, recordStatement } from "./GoldenStatements.ts"

/** Writes the golden files again: `npm run golden`. */
const write = Effect.gen(function* () {
  rmSync(GOLDEN_FOLDER, { recursive: true, force: true })
  mkdirSync(GOLDEN_FOLDER, { recursive: true })
  for (const statement of goldenStatements) {
    const recorded = yield* recordStatement(statement)
    writeFileSync(path.join(GOLDEN_FOLDER, `${statement.name}.sql`), goldenFile(statement, recorded))
  }
})

await Effect.runPromise(write)
