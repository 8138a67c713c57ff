import { spawnSync } from "node:child_process"
import { globSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { dateChangelog, isNewer, setVersion, versionedFiles } from "../../scripts/Versions.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))
const read = (file: string) => readFileSync(`${root}${file}`, "utf8")
const current = (JSON.parse(read("package.json")) as { readonly version: string }).version

describe("a release", () => {
  it.each(versionedFiles)("sets the version in %s, and nothing else", (file) => {
    const changed = setVersion(file, read(file), current, "98.7.6")
    expect(changed).toContain("98.7.6")
    expect(changed.replaceAll("98.7.6", current)).toBe(read(file))
  })

  it("fails for a file that lost its version", () => {
    expect(() => setVersion("package.json", "{}", current, "98.7.6")).toThrow("has no version")
  })

  it("dates the unreleased part of the CHANGELOG", () => {
    expect(dateChangelog("# C\n\n## 0.1.0 (unreleased)\n\n- a\n", "0.2.0", "2026-11-24")).toBe(
      "# C\n\n## 0.2.0 (2026-11-24)\n\n- a\n"
    )
    expect(() => dateChangelog("# C\n", "0.2.0", "2026-11-24")).toThrow("no unreleased part")
  })

  it.each([
    ["0.2.0", "0.1.9", true],
    ["0.10.0", "0.9.0", true],
    ["0.1.0", "0.1.0", false],
    ["0.0.9", "0.1.0", false],
    ["next", "0.1.0", false]
  ])("%s follows %s: %s", (version, other, isExpected) => {
    expect(isNewer(version, other)).toBe(isExpected)
  })

  it("is published by a workflow whose scripts exist, with provenance", () => {
    const [file = ""] = globSync(".github/workflows/publish.yml", { cwd: root })
    const workflow = read(file)
    const { scripts } = JSON.parse(read("package.json")) as {
      readonly scripts: Readonly<Record<string, string>>
    }
    const used = [...workflow.matchAll(/npm run ([\w:]+)/g)].map(([, name = ""]) => name)
    expect(used.filter((name) => !(name in scripts))).toEqual([])
    expect(workflow.match(/npm publish .*--provenance/g)).toHaveLength(2)
    expect(workflow).toContain("id-token: write")
  })
})

it("the clone itself cannot be packed, and says what can", () => {
  const { status, stderr } = spawnSync("npm", ["pack", "--dry-run"], { cwd: root, encoding: "utf8" })
  expect(status).toBe(1)
  expect(stderr).toContain("`npm run build`")
  expect(stderr).toContain("npm pack ./build/peyk")
})
