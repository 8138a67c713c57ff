import * as fs from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { openApiDocument } from "../../src/cli/OpenApiCommand.ts"
import { objectAt, operations, references, resolveReference } from "./OpenApiDocument.ts"

const committed = fs.readFileSync(new URL("../../openapi.json", import.meta.url), "utf8")
const document: unknown = JSON.parse(committed)

const securityOf = (operation: unknown): unknown => objectAt(operation)["security"]

describe("the committed OpenAPI document", () => {
  it("is what the command prints, to the letter", () => {
    assert.strictEqual(committed, openApiDocument())
  })

  it("is OpenAPI 3.1", () => {
    assert.match(String(objectAt(document)["openapi"]), /^3\.1\.\d+$/)
  })

  it("has one security scheme, the service key in X-API-Key", () => {
    const schemes = Object.values(objectAt(document, "components", "securitySchemes"))
    assert.deepStrictEqual(schemes, [{ type: "apiKey", name: "X-API-Key", in: "header" }])
  })

  it("demands the key of every operation under /v1, and of no other", () => {
    const [scheme] = Object.keys(objectAt(document, "components", "securitySchemes"))
    for (const [endpoint, operation] of operations(document)) {
      const expected = endpoint.includes(" /v1/") ? [{ [String(scheme)]: [] }] : []
      assert.deepStrictEqual(securityOf(operation), expected, endpoint)
    }
  })

  it("demands an Idempotency-Key of a live send only", () => {
    const demanding = [...operations(document)].filter(([, { parameters }]) =>
      /"name":"idempotency-key","in":"header".*"required":true/i.test(JSON.stringify(parameters ?? []))
    )
    assert.deepStrictEqual(
      demanding.map(([endpoint]) => endpoint),
      ["post /v1/otp/send"]
    )
  })

  it("has a target for each of its references", () => {
    const all = references(document)
    assert.isAbove(all.length, 5)
    for (const reference of all) assert.doesNotThrow(() => resolveReference(document, reference), reference)
  })

  it("gives each operation an id of its own and a summary", () => {
    const all = [...operations(document).values()]
    assert.strictEqual(new Set(all.map(({ operationId }) => operationId)).size, all.length)
    for (const { summary } of all) assert.isString(summary)
  })
})
