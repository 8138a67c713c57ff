import { beforeAll, describe, expect, it } from "vitest"
import { issues, json, newKey, newPhone, ok, request } from "../Client.ts"
import { manage, newUser } from "../Manager.ts"
import { type Demo } from "../Server.ts"
import { type SharedServer, sharedServerWithDemo } from "../SharedServer.ts"
import { all, unversioned, withBody } from "./ManageOperations.ts"

let server: SharedServer
let owner: string
const call = (method: string, path: string, body?: unknown) =>
  manage(server, method, path, { authorization: owner }, body)
beforeAll(async () => {
  server = await sharedServerWithDemo()
  const { token } = server.demo as Demo & { readonly token: string }
  owner = `apikey ${token}`
})

const example = (path: string) =>
  path
    .slice("/v1/manage".length)
    .replace("{list}", "allow")
    .replaceAll(/\{\w+\}/g, "1")

describe("a field that an operation does not know", () => {
  it.each(withBody)("is refused by %s %s, which names it and not its value", async (method, path) => {
    const reply = await call(method, example(path), { surely_unknown: "a secret in the wrong place" })
    expect(issues(reply)).toContain("body.surely_unknown")
    const { error } = json<{
      error: { details: { errors: ReadonlyArray<{ path: string; message: string }> } }
    }>(reply)
    expect(error.details.errors).toContainEqual({ path: "body.surely_unknown", message: "unknown field" })
    expect(reply.text).not.toContain("wrong place")
  })

  it("is named with its place, among all that is wrong, and nothing is done", async () => {
    const steps = [
      { channel: "bale", acount_id: 1 },
      { channel: "sms", wait: 5 }
    ]
    const before = json(await call("GET", "/routing"))
    const reply = await call("PUT", "/routing", { steps, version: 3 })
    expect(new Set(issues(reply))).toEqual(
      new Set(["body.version", "body.steps[0].acount_id", "body.steps[1].wait"])
    )
    expect(json(await call("GET", "/routing"))).toEqual(before)
  })

  it("is still ignored by sends and messages", async () => {
    const post = (path: string, body: unknown) =>
      request(server, "POST", path, {
        headers: {
          "x-api-key": server.demo.live_key,
          "content-type": "application/json",
          "idempotency-key": newKey()
        },
        body: JSON.stringify(body)
      })
    ok(await post("/v1/otp/send", { phone: newPhone(), channels: [{ channel: "bale", x: 1 }], y: 2 }))
    ok(await post("/v1/messages/send", { to: newPhone(), message: "m", channels: "bale", z: 3 }), 201)
  })
})

describe("a query parameter that an operation does not know", () => {
  it.each(all)("is refused by %s %s, which names it and not its value", async (method, path) => {
    const reply = await call(
      method,
      `${example(path)}?surely_unknown=a+secret`,
      method === "GET" ? undefined : {}
    )
    expect(issues(reply)).toContain("query.surely_unknown")
    expect(reply.text).not.toContain("secret")
  })

  it("is named among all that is wrong, in place of every record", async () => {
    expect(issues(await call("GET", "/verifications?statuss=failed&status=odd&limit=0&x[y]=1"))).toEqual(
      expect.arrayContaining(["query.limit", "query.status", "query.statuss", "query.x[y]"])
    )
  })
})

describe("an If-Match", () => {
  it.each(unversioned)("is refused by %s %s, which compares no versions", async (method, path) => {
    const headers = { authorization: owner, "if-match": '"1"' }
    expect(issues(await manage(server, method, example(path), headers, {}))).toEqual(["headers.if-match"])
  })

  it("that accepts any version is accepted everywhere, and a read ignores it", async () => {
    const change = (path: string, version: string) =>
      manage(server, "PATCH", path, { authorization: owner, "if-match": version }, { brand: "Shop" })
    ok(await change("/me", "*"))
    ok(await manage(server, "GET", "/me", { authorization: owner, "if-match": '"1"' }))
  })
})

describe("every response has Cache-Control: no-store:", () => {
  it.each([
    ["a list", "GET", "/v1/manage/verifications", 200],
    ["a report", "GET", "/v1/manage/usage", 200],
    ["a resource", "GET", "/v1/manage/routing", 200],
    ["a creation", "POST", "/v1/manage/tokens", 201],
    ["an unknown id", "GET", "/v1/manage/api-keys/1000000", 404],
    ["an unknown path", "GET", "/v1/manage/nothing", 404],
    ["another method", "PUT", "/v1/manage/api-keys", 405],
    ["an invalid field", "GET", "/v1/manage/messages?limit=0", 422],
    ["the methods of a path", "OPTIONS", "/v1/manage/me", 204],
    ["a refused sign-in", "POST", "/v1/auth/sign-in", 422]
  ])("%s", async (_what, method, path, status) => {
    const body = method === "POST" ? JSON.stringify({ name: "CI", scope: "full" }) : undefined
    const reply = await request(server, method, path, {
      headers: { authorization: owner, "content-type": "application/json" },
      ...(body === undefined ? {} : { body })
    })
    expect([reply.status, reply.headers.get("cache-control")]).toEqual([status, "no-store"])
  })

  it("a request without a credential", async () => {
    const reply = await manage(server, "GET", "/me", {})
    expect([reply.status, reply.headers.get("cache-control")]).toEqual([401, "no-store"])
  })
})

describe("what can be switched off has `active`:", () => {
  it("a template", async () => {
    const made = ok<{ id: number }>(await call("POST", "/templates", { name: "t", body: "{{code}}" }), 201)
    expect(made).toMatchObject({ active: true })
    expect(made).not.toHaveProperty("disabled")
    expect(ok(await call("PATCH", `/templates/${made.id}`, { active: false }))).toMatchObject({
      active: false
    })
    expect(issues(await call("PATCH", `/templates/${made.id}`, { disabled: false }))).toEqual([
      "body.disabled"
    ])
    expect(ok(await call("GET", `/templates/${made.id}`))).toMatchObject({ active: false })
  })

  it("a webhook", async () => {
    const hook = { url: "http://127.0.0.1:9/", events: ["*"] }
    const made = ok<{ id: number }>(await call("POST", "/webhooks", hook), 201)
    expect(made).toMatchObject({ active: true, status: "active" })
    const off = ok(await call("PATCH", `/webhooks/${made.id}`, { active: false }))
    expect(off).toMatchObject({ active: false, status: "disabled", disabled_reason: "manual" })
    expect(issues(await call("PATCH", `/webhooks/${made.id}`, { disabled: false }))).toEqual([
      "body.disabled"
    ])
    expect(ok(await call("PATCH", `/webhooks/${made.id}`, { active: true }))).toMatchObject({ active: true })
  })

  it("a user", async () => {
    const { id } = await newUser(server, owner, "viewer")
    expect(ok(await call("GET", `/users/${id}`))).toMatchObject({ active: true })
    expect(ok(await call("PATCH", `/users/${id}`, { active: false }))).toMatchObject({ active: false })
    expect(issues(await call("PATCH", `/users/${id}`, { disabled: false }))).toEqual(["body.disabled"])
    expect(ok(await call("PATCH", `/users/${id}`, { active: true }))).toMatchObject({ active: true })
  })
})
