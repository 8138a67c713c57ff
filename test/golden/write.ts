import { Effect } from "effect"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { APART_FOLDER, apartFile, GOLDEN_FOLDER, goldenFile } from "./GoldenFiles.ts"
import { apartStatements, goldenStatements, recordApart, recordStatement } from "./GoldenStatements.ts"

/** Writes the golden files again: `npm run golden`. */
const write = Effect.gen(function* () {
  rmSync(GOLDEN_FOLDER, { recursive: true, force: true })
  mkdirSync(GOLDEN_FOLDER, { recursive: true })
  for (const statement of goldenStatements) {
    const recorded = yield* recordStatement(statement)
    writeFileSync(path.join(GOLDEN_FOLDER, `${statement.name}.sql`), goldenFile(statement, recorded))
  }
  mkdirSync(APART_FOLDER)
  for (const statement of apartStatements) {
    const recorded = yield* recordApart(statement)
    writeFileSync(path.join(APART_FOLDER, `${statement.name}.sql`), apartFile(statement, recorded))
  }
})

await Effect.runPromise(write)
