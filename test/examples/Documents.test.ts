import * as fs from "node:fs"
import { assert, describe, it } from "vitest"
import { settings } from "../../src/layers/config/Configuration.ts"

const read = (file: string): string => fs.readFileSync(new URL(`../../${file}`, import.meta.url), "utf8")

const testNames = (): string =>
  (fs.readdirSync(new URL("../", import.meta.url), { recursive: true }) as Array<string>)
    .filter((file) => file.endsWith(".test.ts"))
    .map((file) => read(`test/${file}`))
    .join("\n")

describe("the documents", () => {
  it("docs/layers.md shows the replaced layer that is tested, to the letter", () => {
    const [, code = ""] = /```ts\n([\s\S]*?)```/.exec(read("docs/layers.md")) ?? []
    const [, tested] =
      /\/\/ docs:begin\n([\s\S]*?)\/\/ docs:end/.exec(read("test/examples/SwapALayer.test.ts")) ?? []
    assert.isDefined(tested)
    assert.strictEqual(code, tested)
  })

  it("docs/layers.md names files, folders and scripts that exist", () => {
    const paths = [
      ...read("docs/layers.md").matchAll(/`((?:src|test|domain|services|layers|http)\/[\w/.]+)`/g)
    ]
    assert.isAbove(paths.length, 10)
    const missing = paths
      .map(([, path = ""]) => (/^(src|test)\//.test(path) ? path : `src/${path}`))
      .filter((path) => !fs.existsSync(new URL(`../../${path}`, import.meta.url)))
    assert.deepStrictEqual(missing, [])
  })

  it("docs/layers.md lists the ports in which live and sandbox differ", () => {
    const graph = read("src/layers/graphs/VerificationGraph.ts")
    const [union = ""] = /export type ReplaceablePorts =(\n  \| \w+)+/.exec(graph) ?? []
    const ports = [...union.matchAll(/\| (\w+)/g)].map(([, port]) => port)
    const listed = [...read("docs/layers.md").matchAll(/^\| `(\w+)` \| /gm)].map(([, port]) => port)
    assert.deepStrictEqual(listed, ports)
  })

  it("docs/providers.md names every file that a new provider's name goes into, and no other", () => {
    const [, section = ""] = /## How do I add a provider\?\n([\s\S]*)/.exec(read("docs/providers.md")) ?? []
    const named = [...section.matchAll(/`((?:src|test)\/[\w/]+\.ts)`/g)].map(([, path = ""]) => path)
    const root = new URL("../../", import.meta.url)
    const sources = ["src", "test/domain", "test/layers", "test/services", "test/support"].flatMap((folder) =>
      (fs.readdirSync(new URL(folder, root), { recursive: true }) as Array<string>).map(
        (file) => `${folder}/${file}`
      )
    )
    const mentioning = sources
      .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
      .filter((file) => /ghasedak/i.test(read(file)))
    const port = "src/services/provider/ProviderAdapter.ts"
    assert.deepStrictEqual(named.toSorted(), [port, ...mentioning].toSorted())
  })

  it("docs/management.md shows the client that is tested, to the letter", () => {
    const [, tested] =
      /\/\/ docs:begin\n([\s\S]*?)\/\/ docs:end/.exec(read("test/examples/ClientExample.test.ts")) ?? []
    const [, shown] = /```ts\n([\s\S]*?)```/.exec(read("docs/management.md")) ?? []
    assert.isDefined(tested)
    assert.strictEqual(shown, tested)
  })

  it("docs/configuration.md lists every setting with its default, and no other", () => {
    const rows = [...read("docs/configuration.md").matchAll(/^\| `([A-Z_]+)` \| (.*?) \| (.*) \|$/gm)]
    const listed = rows.map(([, name, byDefault, description]) => [name, byDefault, description])
    const expected = Object.values(settings).map(({ name, byDefault, description }) => [
      name,
      byDefault === "" ? "–" : /^[a-z]+ |, /.test(byDefault) ? byDefault : `\`${byDefault}\``,
      description
    ])
    assert.deepStrictEqual(listed, expected)
  })

  it(".env.example names settings that exist", () => {
    const known = new Set(Object.values(settings).map(({ name }) => name))
    const named = [...read(".env.example").matchAll(/^#? ?([A-Z_]+)=/gm)].map(([, name]) => name ?? "")
    assert.isAbove(named.length, 3)
    assert.deepStrictEqual(
      named.filter((name) => !known.has(name)),
      []
    )
  })

  it("docs/command-line.md says what to replace in its command lines, and shows the file they read", () => {
    const [, section = ""] =
      /## How do I set up a customer step by step\?\n([\s\S]*?)\n## /.exec(read("docs/command-line.md")) ?? []
    const [above = "", block = ""] = section.split("```sh")
    assert.notInclude(block.split("```")[0] ?? "", "…")
    const placeholders = new Set(block.match(/\b(?:YOUR_[A-Z_]+|[A-Z]+_ID)\b/g))
    assert.isAbove(placeholders.size, 2)
    for (const placeholder of placeholders) assert.include(above, `\`${placeholder}\``)
    assert.include(section, "```csv\nphone,chat_id\n")
  })

  it("every guarantee names a test that exists", () => {
    const guarantees = read("docs/guarantees.md")
    const named = [...guarantees.matchAll(/^ {2}— \*(.*)\*$/gm)].map(([, name]) => name ?? "")
    const tests = testNames()
    assert.isAbove(named.length, 8)
    assert.strictEqual(named.length, [...guarantees.matchAll(/^- /gm)].length)
    assert.deepStrictEqual(
      named.filter((name) => !tests.includes(name)),
      []
    )
  })
})
