import { persianDigits } from "../../../src/domain/text/PastedText.ts"
import { beforeAll, describe, expect, it } from "vitest"
import { json, newPhone, ok, otp, refused, request } from "../Client.ts"
import { codeOf, sentCode, simulated } from "../Operator.ts"
import { type SharedServer, sharedServer } from "../SharedServer.ts"

let server: SharedServer
beforeAll(() => {
  server = sharedServer()
})

const get = (path: string, headers = {}) => request(server, "GET", path, { headers })

describe("system endpoints", () => {
  it.each(["/healthz", "/readyz"])("GET %s answers 200 without a key", async (path) => {
    expect((await get(path)).status).toBe(200)
  })

  it("GET /docs is an HTML page that loads nothing from elsewhere", async () => {
    const page = await get("/docs/api")
    expect(page.status).toBe(200)
    expect(page.headers.get("content-type")).toMatch(/^text\/html\b/)
    expect(page.text).not.toMatch(/<script[^>]+src=["']?(https?:)?\/\//i)
    expect(page.text).not.toMatch(/<link[^>]+href=["']?(https?:)?\/\//i)
  })

  it("a system path answers 405 to a method it does not have", async () => {
    const reply = await request(server, "POST", "/healthz")
    refused(reply, 405, "method_not_allowed")
    expect(reply.headers.get("allow")).toContain("GET")
  })
})

describe("GET /openapi.json", () => {
  const paths = [
    "/v1/otp/send",
    "/v1/otp/verify",
    "/v1/otp/{verification_id}",
    "/v1/sandbox/otp/send",
    "/v1/sandbox/otp/verify",
    "/v1/sandbox/otp/{verification_id}"
  ]
  const codes = [
    "unauthenticated scope_insufficient test_key_not_allowed live_key_not_allowed validation_error",
    "quota_exceeded insufficient_balance too_many_requests_phone_hour too_many_requests_phone_day",
    "too_many_requests_api_key idempotency_key_conflict idempotency_key_in_progress not_found invalid_phone",
    "message_required message_too_long channels_required invalid_strategy invalid_delay",
    "schedule_must_be_future schedule_too_far template_not_found template_invalid",
    "template_parameters_mismatch channel_unavailable channel_ambiguous channel_account_not_found",
    "channel_account_mismatch duplicate_channel sms_message_config_missing idempotency_key_too_long",
    "idempotency_required fallback_order_required no_credentials invalid_channel shared_sender_not_allowed",
    "shared_sender_unavailable"
  ].flatMap((line) => line.split(" "))

  it("is an OpenAPI 3.1 document", async () => {
    const document = ok<{ readonly openapi: string }>(await get("/openapi.json"))
    expect(document.openapi).toMatch(/^3\.1\.\d+$/)
  })

  it.each(paths)("describes %s", async (path) => {
    const document = json<{ readonly paths: Readonly<Record<string, unknown>> }>(await get("/openapi.json"))
    expect(Object.keys(document.paths)).toContain(path)
  })

  it("names every error code of the contract", async () => {
    const { text } = await get("/openapi.json")
    expect(codes.filter((code) => !new RegExp(`\\b${code}\\b`).test(text))).toEqual([])
  })
})

describe("the simulator", () => {
  it("finds a phone whose plus sign was not escaped, and refuses what is no phone", async () => {
    const { phone, code } = await sentCode(server, server.demo.live_key)
    const reply = await get(`/simulator/messages?phone=${phone}`)
    expect(json<{ data: ReadonlyArray<{ code: string }> }>(reply).data[0]?.code).toBe(code)
    for (const nonsense of ["%00", "%zz", "12"]) {
      refused(await get(`/simulator/messages?phone=${nonsense}`), 422, "invalid_phone")
    }
  })

  it("has a page for people", async () => {
    const page = await get("/simulator")
    expect(page.status).toBe(200)
    expect(page.headers.get("content-type")).toMatch(/^text\/html\b/)
  })

  it("has a page that runs no script but its own, and cannot be put in a frame", async () => {
    const page = await get("/simulator")
    const policy = page.headers.get("content-security-policy") ?? ""
    expect(policy).toContain("default-src 'self'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain("unsafe-inline")
    expect(page.text).not.toMatch(/<style|<script>| style=| on\w+="|(?:src|href|action)="(?:https?:)?\/\//)
  })

  it("lists what was sent to a phone, with the code that is in the text", async () => {
    const phone = newPhone()
    await otp(server, server.demo.live_key).sent({ phone, channels: "bale" })
    const code = await codeOf(server, phone)
    expect(code).toMatch(/^\d{6}$/)
    expect(await simulated(server, phone)).toEqual([
      {
        phone,
        channel: "bale",
        text: expect.stringContaining(persianDigits(code)),
        code,
        at: expect.any(String)
      }
    ])
  })

  it("lists nothing for a phone to which nothing was sent", async () => {
    expect(await simulated(server, newPhone())).toEqual([])
  })
})

describe("X-Request-Id", () => {
  const idOf = async (path: string, own?: string) => {
    const reply = await get(path, own === undefined ? {} : { "x-request-id": own })
    return reply.headers.get("x-request-id")
  }

  it.each(["a", "A.b_c-9", "x".repeat(128)])("is the caller's own when it is allowed: %s", async (own) => {
    expect(await idOf("/healthz", own)).toBe(own)
    expect(await idOf("/no/such/path", own)).toBe(own)
  })

  it.each(["has space", "semi;colon", "x".repeat(129), "slash/", 'quote"'])(
    "is a new one when the caller's is not allowed: %s",
    async (own) => {
      const id = await idOf("/healthz", own)
      expect(id).not.toBe(own)
      expect(id).toMatch(/^[A-Za-z0-9._-]{1,128}$/)
    }
  )

  it("is a new one for every request that brings none", async () => {
    const ids = await Promise.all(Array.from({ length: 10 }, () => idOf("/healthz")))
    expect(new Set(ids).size).toBe(10)
    expect(ids).not.toContain(null)
  })

  it("is on an answer with 200 of a keyed endpoint as well", async () => {
    const reply = await otp(server, server.demo.live_key).send(
      { channels: "sms" },
      { "x-request-id": "mine" }
    )
    expect(reply.status, reply.text).toBe(200)
    expect(reply.headers.get("x-request-id")).toBe("mine")
  })
})
