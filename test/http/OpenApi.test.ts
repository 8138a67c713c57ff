import * as fs from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { openApiDocument } from "../../src/cli/server/OpenApiCommand.ts"
import {
  dereference,
  documentedCodes,
  type JsonObject,
  objectAt,
  operations,
  references,
  resolveReference
} from "./OpenApiDocument.ts"

const committed = fs.readFileSync(new URL("../../openapi.json", import.meta.url), "utf8")
const document: unknown = JSON.parse(committed)

const parametersOf = (operation: JsonObject): ReadonlyArray<JsonObject> =>
  ((operation["parameters"] ?? []) as ReadonlyArray<unknown>).map((each) => dereference(document, each))

const headersOf = (response: JsonObject): JsonObject => (response["headers"] ?? {}) as JsonObject

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
      serviceKey: {
        type: "apiKey",
        name: "X-API-Key",
        in: "header",
        description: "A service key: `svc_live_…`, or `svc_test_…` for the sandbox."
      },
      personalToken: {
        type: "http",
        scheme: "bearer",
        bearerFormat: "svc_pat_…",
        description: "A personal access token. `Authorization: apikey svc_pat_…` works too."
      },
      session: {
        type: "http",
        scheme: "bearer",
        bearerFormat: "JWT",
        description: "The access token of a sign-in."
      }
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

  it("demands an Idempotency-Key of a live code and of a batch only", () => {
    const demanding = [...operations(document)].filter(([, operation]) =>
      parametersOf(operation).some(
        ({ name, required }) => String(name).toLowerCase() === "idempotency-key" && required === true
      )
    )
    assert.deepStrictEqual(
      demanding.map(([endpoint]) => endpoint),
      ["post /v1/otp/send", "post /v1/messages/batch", "post /v1/sandbox/messages/batch"]
    )
  })

  it("offers an Idempotency-Key and an If-Match wherever the server reads them", () => {
    for (const [endpoint, operation] of operations(document)) {
      const names = parametersOf(operation).map(({ name }) => name)
      const codes = documentedCodes(document, operation).map(([code]) => code)
      assert.strictEqual(
        names.includes("Idempotency-Key"),
        codes.includes("idempotency_key_too_long"),
        endpoint
      )
      assert.strictEqual(names.includes("If-Match"), codes.includes("precondition_failed"), endpoint)
    }
  })

  it("describes each operation, tag, parameter and request", () => {
    for (const [endpoint, operation] of operations(document)) {
      assert.isString(operation["description"], endpoint)
      for (const parameter of parametersOf(operation)) {
        const { schema, description } = parameter
        assert.isTrue(
          description !== undefined || "enum" in dereference(document, schema) || parameter["in"] === "path",
          `${endpoint} ${String(parameter["name"])}`
        )
      }
      if (operation["requestBody"] !== undefined)
        assert.include(JSON.stringify(operation["requestBody"]), '"examples"', endpoint)
    }
    for (const tag of objectAt(document)["tags"] as ReadonlyArray<Record<string, unknown>>)
      assert.isString(tag["description"], String(tag["name"]))
  })

  it("repeats no error: each operation refers to the envelope of a code", () => {
    const inline = JSON.stringify(objectAt(document, "paths")).match(/"request_id"/g) ?? []
    assert.lengthOf(inline, 0)
  })

  it("has no bounds that are JavaScript's and not the API's", () => {
    assert.notMatch(committed, /9007199254740991/)
  })

  it("has the events that webhooks receive", () => {
    assert.sameMembers(Object.keys(objectAt(document, "webhooks")), [
      "verification",
      "message",
      "guard",
      "alert",
      "test"
    ])
  })

  it("has the fields that only the attempts of an event have", () => {
    const attemptsOf = (event: string) =>
      JSON.stringify(objectAt(document, "components", "schemas", event, "properties", "data"))
    assert.match(attemptsOf("VerificationEvent"), /"attempts".*"required":\["provider_error"\]/)
    assert.match(attemptsOf("MessageEvent"), /"attempts".*"required":\["delivery"\]/)
  })

  it("has the ETag of each response with a version", () => {
    for (const [endpoint, operation] of operations(document)) {
      for (const [status, given] of Object.entries(objectAt(operation, "responses"))) {
        const response = dereference(document, given)
        const content = JSON.stringify(response["content"] ?? "")
        const name = /^\{"application\/json":\{"schema":\{"\$ref":"#\/components\/schemas\/(\w+)"/.exec(
          content
        )?.[1]
        const schema = name === undefined ? {} : objectAt(document, "components", "schemas", name)
        const hasVersion = "version" in ((schema["properties"] ?? {}) as object)
        assert.strictEqual("ETag" in headersOf(response), hasVersion, `${endpoint} ${status}`)
      }
    }
  })

  it("has the headers on the limit in each response to an admitted credential, and in no other", () => {
    for (const [endpoint, operation] of operations(document)) {
      const isKeyed = (securityOf(operation) as ReadonlyArray<unknown>).length > 0
      for (const [status, given] of Object.entries(objectAt(operation, "responses"))) {
        const headers = headersOf(dereference(document, given))
        for (const name of ["RateLimit", "RateLimit-Policy"])
          assert.strictEqual(name in headers, isKeyed && status !== "401", `${endpoint} ${status} ${name}`)
      }
    }
  })

  it("demands no body of an operation that can do without one", () => {
    const optional = [...operations(document)].filter(
      ([, { requestBody }]) => requestBody !== undefined && objectAt(requestBody)["required"] === false
    )
    assert.deepStrictEqual(
      optional.map(([endpoint]) => endpoint),
      [
        "post /v1/otp/{verification_id}/next",
        "post /v1/sandbox/otp/{verification_id}/next",
        "post /v1/manage/api-keys/{id}/rotate"
      ]
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
