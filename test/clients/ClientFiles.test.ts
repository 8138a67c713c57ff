import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { managedOperations } from "../../packages/client/src/managedOperations.ts"
import { knownFields } from "../../packages/client/src/knownFields.ts"
import { knownFieldsOf, managedOperationsOf, readDocument } from "../../scripts/ClientFiles.ts"
import { clientTypes } from "../../scripts/ClientTypes.ts"
import { csharpOperations, csharpTypes } from "../../scripts/CSharpTypes.ts"
import { goTypes } from "../../scripts/GoTypes.ts"

const read = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), "utf8")

describe("the operations that the clients have", () => {
  const current = managedOperationsOf(readDocument())

  it.each([
    "clients/python/peyk/operations.json",
    "clients/php/src/operations.json",
    "clients/go/operations.json"
  ])("are those of openapi.json in %s (npm run generate)", (file) => {
    expect(read(file)).toBe(`${JSON.stringify(current, null, 2)}\n`)
  })

  it("are those of openapi.json in the clients for Go and C#, with the types (npm run generate)", () => {
    const document = readDocument()
    expect(read("clients/go/types.go")).toBe(goTypes(document))
    expect(read("clients/csharp/src/Types.cs")).toBe(csharpTypes(document))
    expect(read("clients/csharp/src/Operations.cs")).toBe(csharpOperations(current))
  })

  it("are those of openapi.json in the TypeScript client (npm run generate)", () => {
    expect(managedOperations).toEqual(current)
    expect(knownFields).toEqual(knownFieldsOf(readDocument()))
  })
})

const typesOf = (schema: object) =>
  clientTypes({
    paths: {},
    components: { schemas: { Shown: schema }, parameters: {}, responses: {} }
  })
const shown = (schema: object) =>
  /"Shown": ([^]*)\n\}\n\}\n\nexport interface operations/.exec(typesOf(schema))?.[1]

describe("the types of the TypeScript client", () => {
  const cases: ReadonlyArray<readonly [string, object, string]> = [
    ["a nullable text", { type: ["string", "null"] }, "string | null"],
    ["one of some values", { type: "string", enum: ["a", "b"] }, '"a" | "b"'],
    [
      "a list",
      { type: "array", items: { anyOf: [{ type: "integer" }, { type: "null" }] } },
      "Array<number | null>"
    ],
    ["a tuple", { type: "array", prefixItems: [{ type: "string" }, { type: "number" }] }, "[string, number]"],
    ["a reference", { $ref: "#/components/schemas/Other" }, 'components["schemas"]["Other"]'],
    [
      "an object with an optional field and its description",
      { type: "object", properties: { a: { type: "boolean", description: "A." }, b: {} }, required: ["b"] },
      '{\n/** A. */\n"a"?: boolean\n"b": unknown\n}'
    ],
    [
      "an object of any names",
      { type: "object", additionalProperties: { type: "string" } },
      "{ [key: string]: string }"
    ],
    [
      "all of some",
      { allOf: [{ type: "string" }, { anyOf: [{ type: "integer" }, { type: "null" }] }] },
      "(string) & (number | null)"
    ]
  ]

  it.each(cases)("have %s", (_, schema, type) => {
    expect(shown(schema)).toBe(type)
  })

  it("overlook no keyword", () => {
    expect(() => typesOf({ oneOf: [{ type: "string" }] })).toThrow(/cannot express the keyword oneOf/)
  })
})
