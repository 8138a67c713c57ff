import { readFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { SourceMap } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { bundle } from "../../../scripts/Bundle.ts"
import { onlyLines } from "../../../scripts/LineMaps.ts"
import { segmentsOf, sourceLineAt } from "../../../src/layers/system/SourceStacks.ts"

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "peyk-maps-"))
  await bundle({
    input: { main: "src/domain/Errors.ts" },
    target: folder,
    urlOf: () => '""',
    external: [/^effect/],
    hasMaps: true
  })
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const readMap = () => JSON.parse(readFileSync(join(folder, "main.js.map"), "utf8"))

describe("the map of a bundled file", () => {
  it("leads from each position to the line that Node finds for it, and contains no source", () => {
    const map = readMap()
    const node = new SourceMap(map)
    const generated = readFileSync(join(folder, "main.js"), "utf8").split("\n")
    let found = 0
    for (const [line, text] of generated.entries()) {
      // each of them for some lines, because a map is read from its beginning for each position
      const step = line % 20 === 0 ? 1 : 40
      for (let column = 0; column <= text.length; column += step) {
        const entry = node.findEntry(line, column)
        const isHere = "originalSource" in entry && entry.generatedLine === line
        const expected = isHere
          ? `${entry.originalSource.replace(/^(?:\.\.\/)+/, "")}:${entry.originalLine + 1}`
          : undefined
        expect(sourceLineAt(map, { line, column }), `${line}:${column}`).toBe(expected)
        if (isHere) found += 1
      }
    }
    expect(found).toBeGreaterThan(500)
    expect(sourceLineAt(map, { line: generated.length + 1, column: 0 })).toBeUndefined()
    expect(map.sourcesContent ?? []).not.toContainEqual(expect.any(String))
  })

  it("has the same lines without columns, in less than half of the characters", () => {
    const map = readMap()
    const lines = { ...map, mappings: onlyLines(map.mappings) }
    expect(lines.mappings.length).toBeLessThan(map.mappings.length / 2)
    for (const [index, { line, column }] of [...segmentsOf(map.mappings)].entries()) {
      if (index % 7 !== 0) continue
      expect(sourceLineAt(lines, { line, column })).toBe(sourceLineAt(map, { line, column }))
    }
  })
})
