import * as fs from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { openApiDocument } from "../../src/cli/server/OpenApiCommand.ts"
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

  it("has three security schemes: the service key in X-API-Key, the personal token and the session in Authorization", () => {
    assert.deepStrictEqual(objectAt(document, "components", "securitySchemes"), {
      serviceKey: { type: "apiKey", name: "X-API-Key", in: "header" },
      personalToken: { type: "http", scheme: "apikey" },
      session: { type: "http", scheme: "Bearer" }
    })
  })

  it("demands of every operation what its part of the API goes by", () => {
    for (const [endpoint, operation] of operations(document)) {
      const isOpen = !endpoint.includes(" /v1/") || endpoint.includes(" /v1/auth/")
      const isManagement = endpoint.includes(" /v1/manage/")
      const closed = isManagement ? [{ personalToken: [] }, { session: [] }] : [{ serviceKey: [] }]
      assert.deepStrictEqual(securityOf(operation), isOpen ? [] : closed, endpoint)
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
