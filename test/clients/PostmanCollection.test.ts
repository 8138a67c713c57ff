import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { type ApiDocument, makeCollection } from "../../scripts/PostmanCollection.ts"

const read = (file: string) => JSON.parse(readFileSync(new URL(`../../${file}`, import.meta.url), "utf8"))
const document = read("openapi.json") as ApiDocument
const collection = makeCollection(document)
const requests = collection.item.flatMap(({ item }) => item.map(({ request }) => request))

describe("the collection for Postman and Bruno", () => {
  it("has every operation once", () => {
    const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`)
    )
    const requested = requests.map(
      ({ method, url }) => `${method} /${url.path.join("/").replaceAll(/:(\w+)/g, "{$1}")}`
    )
    expect(requested.toSorted()).toEqual(operations.toSorted())
  })

  it("shows the key that each part of the API takes", () => {
    const keyOf = (path: string) =>
      requests.find(({ url }) => url.raw === `{{base_url}}${path}`)?.header[0]?.value
    expect(keyOf("/v1/otp/send")).toBe("{{live_key}}")
    expect(keyOf("/v1/sandbox/otp/send")).toBe("{{test_key}}")
    expect(keyOf("/v1/manage/me")).toBe("Bearer {{token}}")
  })

  it("has a new idempotency key and an example that is JSON for each send", () => {
    const send = requests.find(({ url }) => url.raw === "{{base_url}}/v1/otp/send")
    expect(send?.header).toContainEqual({ key: "Idempotency-Key", value: "{{$guid}}" })
    expect(JSON.parse(send?.body?.raw ?? "")).toHaveProperty("phone")
  })
})
