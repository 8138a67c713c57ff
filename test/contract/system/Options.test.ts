import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type HeaderSet, refused, request, unknownId } from "../Client.ts"
import { type Server, startServer } from "../Server.ts"

const CONSOLE = "https://console.example.ir"

let server: Server
let readOnly: string
beforeAll(async () => {
  server = await startServer({ env: { PEYK_CORS_ORIGINS: `${CONSOLE}, http://localhost:5173/` } })
  const args = ["token", "create", "--customer", String(server.demo.customer_id), "--scope", "read_only"]
  readOnly = ((await server.cli(...args)) as { readonly secret: string }).secret
})
afterAll(() => server?.stop())

const options = (path: string, headers: HeaderSet = {}) => request(server, "OPTIONS", path, { headers })
const withToken = (token: string) => ({ authorization: `apikey ${token}` })

describe("OPTIONS of a path that there is", () => {
  it.each([
    ["/v1/otp/send", "OPTIONS, POST"],
    [`/v1/otp/${unknownId}`, "GET, HEAD, OPTIONS"],
    ["/v1/sandbox/otp/verify", "OPTIONS, POST"],
    ["/v1/messages/send", "OPTIONS, POST"],
    ["/v1/inbound/x", "OPTIONS, POST"],
    ["/v1/inbound/reports/1", "OPTIONS, POST"],
    ["/v1/auth/sign-in", "OPTIONS, POST"],
    ["/healthz", "GET, HEAD, OPTIONS"],
    ["/docs", "GET, HEAD, OPTIONS"],
    ["/docs/api", "GET, HEAD, OPTIONS"],
    ["/openapi.json", "GET, HEAD, OPTIONS"]
  ])("is 204 and names the methods, without a credential: %s", async (path, allow) => {
    const reply = await options(path)
    expect({ status: reply.status, text: reply.text }).toEqual({ status: 204, text: "" })
    expect(reply.headers.get("allow")).toBe(allow)
    expect(reply.headers.get("x-request-id")).not.toBeNull()
  })

  it.each([
    ["/v1/manage/api-keys", "GET, HEAD, OPTIONS, POST"],
    ["/v1/manage/accounts/1/contacts", "GET, HEAD, OPTIONS, PUT"],
    ["/v1/manage/routing", "GET, HEAD, OPTIONS, PUT"]
  ])("is 204 under management for tokens that may read: %s", async (path, allow) => {
    for (const token of [readOnly, server.demo.token]) {
      const reply = await options(path, withToken(token))
      expect(reply.status, reply.text).toBe(204)
      expect(reply.headers.get("allow")).toBe(allow)
    }
  })

  it("is refused under management without a credential, or with a service key", async () => {
    refused(await options("/v1/manage/api-keys"), 401, "unauthenticated")
    refused(await options("/v1/manage/api-keys", withToken("svc_pat_wrong")), 401, "unauthenticated")
    const key = { "x-api-key": server.demo.live_key }
    refused(await options("/v1/manage/api-keys", key), 403, "scope_insufficient")
  })

  it.each(["/v1/nothing", "/v1/manage/nothing"])("is 404 where there is none: %s", async (path) => {
    refused(await options(path, withToken(readOnly)), 404, "not_found")
  })
})

describe("a page of an origin that the operator allows", () => {
  const preflight = (path: string, origin: string, method = "POST") =>
    options(path, {
      origin,
      "access-control-request-method": method,
      "access-control-request-headers": "authorization, content-type"
    })

  it.each(["/v1/manage/api-keys", "/v1/auth/sign-in"])(
    "may ask first, without a credential: %s",
    async (path) => {
      for (const origin of [CONSOLE, "http://localhost:5173"]) {
        const reply = await preflight(path, origin)
        expect(reply.status, reply.text).toBe(204)
        expect(reply.headers.get("access-control-allow-origin")).toBe(origin)
        expect(reply.headers.get("access-control-allow-methods")).toContain("POST")
        expect(reply.headers.get("access-control-allow-headers")?.toLowerCase()).toContain("authorization")
        expect(reply.headers.get("vary")).toBe("Origin")
      }
    }
  )

  it("may read answers and errors", async () => {
    const headers = { origin: CONSOLE, ...withToken(readOnly) }
    for (const [given, status] of [
      [headers, 200],
      [{ origin: CONSOLE }, 401]
    ] as const) {
      const reply = await request(server, "GET", "/v1/manage/api-keys", { headers: given })
      expect(reply.status).toBe(status)
      expect(reply.headers.get("access-control-allow-origin")).toBe(CONSOLE)
      expect(reply.headers.get("access-control-expose-headers")).toContain("X-Request-Id")
    }
  })

  it.each(["/v1/otp/send", "/v1/sandbox/otp/send", "/v1/messages/send", "/v1/inbound/x"])(
    "may not call what takes service keys, or bots: %s",
    async (path) => {
      const reply = await preflight(path, CONSOLE)
      expect(reply.status).toBe(204)
      expect([...reply.headers.keys()].filter((name) => name.startsWith("access-control-"))).toEqual([])
    }
  )

  it("is none of another origin's", async () => {
    for (const origin of ["https://evil.example", `${CONSOLE}.evil.example`, "null"]) {
      const reply = await preflight("/v1/manage/api-keys", origin)
      refused(reply, 401, "unauthenticated")
      expect(reply.headers.get("access-control-allow-origin")).toBeNull()
    }
  })
})
