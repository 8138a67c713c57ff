import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { issues, json, ok, raw, type Reply, refused } from "../Client.ts"
import { manage } from "../Manager.ts"
import { type Demo, type Server, startServer } from "../Server.ts"
import { withoutBody } from "./ManageOperations.ts"

let server: Server
let owner: string
beforeAll(async () => {
  server = await startServer({ env: { PEYK_ALLOW_PRIVATE_ADDRESSES: "true", PEYK_MAX_BODY_BYTES: "2048" } })
  const { token } = server.demo as Demo & { readonly token: string }
  owner = `apikey ${token}`
})
afterAll(() => server?.stop())

/** As it stands, also where fetch would send no body. */
const send = (method: string, path: string, body: string, type: string | null = "application/json") =>
  raw(
    server,
    [
      `${method} /v1/manage${path} HTTP/1.1`,
      "host: localhost",
      "connection: close",
      `authorization: ${owner}`,
      ...(type === null ? [] : [`content-type: ${type}`]),
      `content-length: ${Buffer.byteLength(body)}`,
      "",
      body
    ].join("\r\n")
  )

const errorsOf = (reply: Reply) =>
  json<{ error: { details: { errors: ReadonlyArray<unknown> } } }>(reply).error.details.errors

describe("an operation that takes no body", () => {
  it.each(withoutBody)("%s %s refuses a field, names it, and repeats no value", async (method, path) => {
    const address = path.slice("/v1/manage".length).replaceAll(/\{\w+\}/g, "1")
    const reply = await send(method, address, '{"surely_unknown":"a secret in the wrong place"}')
    refused(reply, 422, "validation_error")
    expect(errorsOf(reply)).toEqual([{ path: "body.surely_unknown", message: "unknown field" }])
    expect(reply.text).not.toContain("wrong place")
  })

  it("does nothing then, and does its work with an empty body or object, of whatever type", async () => {
    const hook = { url: "http://127.0.0.1:9/", events: ["*"] }
    const made = await manage(server, "POST", "/webhooks", { authorization: owner }, hook)
    const { id } = ok<{ id: number }>(made, 201)
    const read = () => manage(server, "GET", `/webhooks/${id}`, { authorization: owner })
    const before = ok(await read())
    for (const [method, path] of [
      ["POST", `/webhooks/${id}/rotate-secret`],
      ["POST", `/webhooks/${id}/test`],
      ["DELETE", `/webhooks/${id}`]
    ] as const) {
      expect(issues(await send(method, path, '{"bogus_field":1}', null))).toEqual(["body.bogus_field"])
    }
    expect(ok(await read())).toEqual(before)

    ok(await send("POST", `/webhooks/${id}/rotate-secret`, ""))
    ok(await send("POST", `/webhooks/${id}/rotate-secret`, "", "application/x-www-form-urlencoded"))
    ok(await send("POST", `/webhooks/${id}/rotate-secret`, "{}"))
    ok(await send("POST", `/webhooks/${id}/rotate-secret`, "{}", null))
    expect((await send("DELETE", `/webhooks/${id}`, "{}")).status).toBe(204)
  })

  it("is also the rotation of a key that says nothing of an overlap", async () => {
    const key = { name: "CI", mode: "live" }
    const made = await manage(server, "POST", "/api-keys", { authorization: owner }, key)
    const { id } = ok<{ id: number }>(made, 201)
    const rotated = ok<{ id: number }>(await send("POST", `/api-keys/${id}/rotate`, "", null), 201)
    ok(await send("POST", `/api-keys/${rotated.id}/rotate`, "{}"), 201)
  })

  it("answers a body that is no JSON object, of another type or too large, as other operations do", async () => {
    for (const path of ["/tokens", "/webhooks/1/test"]) {
      expect(errorsOf(await send("POST", path, "{"))).toEqual([
        { path: "body", message: "Expected a valid JSON body" }
      ])
      for (const body of ["[1]", "null", "5"]) {
        expect(errorsOf(await send("POST", path, body))).toEqual([
          { path: "body", message: expect.stringMatching(/^Expected /) }
        ])
      }
      refused(await send("POST", path, '{"a":1}', "text/plain"), 415, "unsupported_media_type")
      refused(await send("POST", path, `{"a":"${"x".repeat(4096)}"}`), 413, "payload_too_large")
    }
  })
})
