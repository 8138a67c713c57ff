import { assert, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import * as path from "node:path"

const MODULE_OF_CELLS = /^Cell\w*\.ts$/
const IMPORTED = /from "([^"]+)"/g

it("at most ten files import what is about cells", () => {
  const importing = globSync("src/**/*.ts").filter((file) =>
    [...readFileSync(file, "utf8").matchAll(IMPORTED)].some(([, from = ""]) =>
      MODULE_OF_CELLS.test(path.basename(from))
    )
  )
  assert.isAbove(importing.length, 0)
  assert.isAtMost(importing.length, 10, importing.join(", "))
})
