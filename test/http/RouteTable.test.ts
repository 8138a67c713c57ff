import { assert, describe, it } from "@effect/vitest"
import { makeRouteTable } from "../../src/http/RouteTable.ts"

const findPath = makeRouteTable([
  { method: "GET", path: "/v1/otp/:verification_id" },
  { method: "POST", path: "/v1/otp/send" },
  { method: "POST", path: "/v1/otp/verify" },
  { method: "GET", path: "/v1/keys" },
  { method: "POST", path: "/v1/keys" },
  { method: "DELETE", path: "/v1/keys/:id" },
  { method: "PUT", path: "/v1/accounts/:id/contacts/:contact" },
  { method: "GET", path: "/" }
])

const methods = (path: string): ReadonlyArray<string> | undefined => {
  const found = findPath(path)
  return found === undefined ? undefined : [...found.methods].sort()
}

describe("the route table", () => {
  it("lets an exact path hide the pattern that matches it too", () => {
    assert.deepStrictEqual(methods("/v1/otp/send"), ["POST"])
    assert.deepStrictEqual(methods("/v1/otp/verify"), ["POST"])
  })

  it("lets an exact path hide the pattern whatever the order of the routes", () => {
    const table = makeRouteTable([
      { method: "POST", path: "/v1/otp/send" },
      { method: "GET", path: "/v1/otp/:verification_id" }
    ])
    assert.deepStrictEqual([...(table("/v1/otp/send")?.methods ?? [])], ["POST"])
  })

  it("takes a path that ends so and everything below it, where no other route is", () => {
    const table = makeRouteTable([
      { method: "GET", path: "/console/keys" },
      { method: "POST", path: "/console/keys/:id" },
      { method: "GET", path: "/console/:page/*" }
    ])
    const templates = [
      "/console/keys",
      "/console/keys/7",
      "/console/nowhere",
      "/console/a/b/",
      "/console",
      "/other"
    ]
    assert.deepStrictEqual(
      templates.map((path) => table(path)?.template),
      ["/console/keys", "/console/keys/{id}", "/console/{page}/*", "/console/{page}/*", undefined, undefined]
    )
  })

  it("takes any segment for a parameter", () => {
    assert.deepStrictEqual(methods("/v1/otp/0198f0a0-0000-7000-8000-000000000000"), ["GET", "HEAD"])
    assert.deepStrictEqual(methods("/v1/otp/sends"), ["GET", "HEAD"])
    assert.deepStrictEqual(methods("/v1/accounts/12/contacts/a%2Fb"), ["PUT"])
  })

  it("knows no path with a semicolon, where the router would end it", () => {
    assert.isUndefined(methods("/v1/otp/send;x"))
    assert.isUndefined(methods("/v1/keys;x"))
    assert.isUndefined(methods("/v1/keys/7;x"))
    assert.isUndefined(methods("/v1/keys/;x"))
  })

  it("gives a path as API documents have it, whatever its parameters are", () => {
    assert.strictEqual(findPath("/v1/otp/send")?.template, "/v1/otp/send")
    assert.strictEqual(findPath("/v1/otp/+989121234567")?.template, "/v1/otp/{verification_id}")
    assert.strictEqual(
      findPath("/v1/accounts/12/contacts/7")?.template,
      "/v1/accounts/{id}/contacts/{contact}"
    )
  })

  it("adds HEAD wherever there is GET, and nowhere else", () => {
    assert.deepStrictEqual(methods("/"), ["GET", "HEAD"])
    assert.deepStrictEqual(methods("/v1/keys/7"), ["DELETE"])
  })

  it("gathers all methods of one path", () => {
    assert.deepStrictEqual(methods("/v1/keys"), ["GET", "HEAD", "POST"])
  })

  it.each([
    "/v1/otp",
    "/v1/otp/",
    "/v1/otp/a/b",
    "/v1/otp/send/",
    "/v1/OTP/send",
    "/v2/otp/send",
    "v1/otp/send",
    "/v1/accounts/12/contacts",
    "/v1/accounts//contacts/3",
    "/v1/accounts/12/people/3",
    "/v1/otp/:verification_id/x",
    ""
  ])("knows no path %j", (path) => {
    assert.isUndefined(methods(path))
  })
})
