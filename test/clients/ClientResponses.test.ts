import { describe, expect, it } from "vitest"
import { createClient, isPeykError } from "../../packages/client/src/index.ts"
import { caught, refusal, sent, startFarEnd } from "./FarEnd.ts"

describe("a failed call", () => {
  it("throws the code, the status, the details and the request id of the envelope", async () => {
    const errors = [{ path: "body.phone", message: "Expected a string" }]
    const { client } = await startFarEnd(refusal(422, "validation_error", {}, { errors }))
    const error = await caught(client.otp.send({ phone: "1" }))
    expect(error).toMatchObject({
      name: "PeykError",
      code: "validation_error",
      status: 422,
      requestId: "request-7"
    })
    if (isPeykError(error, "validation_error")) expect(error.details.errors).toEqual(errors)
  })

  it("says how long to wait, and does not wait for a limit by itself", async () => {
    const { received, client } = await startFarEnd(
      refusal(429, "too_many_requests_phone_hour", { "retry-after": "1800" })
    )
    const error = await caught(client.otp.send({ phone: "09121234567" }))
    expect(error).toMatchObject({ code: "too_many_requests_phone_hour", retryAfter: 1800 })
    expect(received).toHaveLength(1)
  })

  it("is no envelope of Peyk's where something else responds", async () => {
    const { client } = await startFarEnd({ status: 404, body: { message: "no such site" } })
    expect(await caught(client.otp.status("v"))).toMatchObject({ code: "invalid_response", status: 404 })
  })

  it.each([
    ["message", { code: "not_found", details: {} }],
    ["details", { code: "not_found", message: "No." }]
  ])("is no envelope of Peyk's without its %s", async (_, error) => {
    const { client } = await startFarEnd({ status: 404, body: { error, request_id: "request-7" } })
    expect(await caught(client.otp.status("v"))).toMatchObject({ code: "invalid_response", status: 404 })
  })

  it.each([
    ["an empty body", { status: 200, text: "" }],
    ["a text", { status: 200, text: "ok" }],
    ["null", { status: 200, text: "null" }],
    ["a list", { status: 200, text: "[]" }],
    ["an empty body with 201", { status: 201, text: "" }],
    ["no content", { status: 204 }]
  ])("is an invalid response if a success has %s", async (_, reply) => {
    const { received, client } = await startFarEnd(reply)
    const error = await caught(client.otp.send({ phone: "09121234567" }))
    expect(error).toMatchObject({ code: "invalid_response", status: reply.status })
    expect(received).toHaveLength(1)
  })

  it("is an invalid response with the status of a redirect, which is never followed", async () => {
    const { received, client } = await startFarEnd(
      { status: 302, headers: { location: "/sign-in" }, body: refusal(404, "not_found").body },
      { body: sent }
    )
    const error = await caught(client.otp.send({ phone: "09121234567" }))
    expect(error).toMatchObject({ code: "invalid_response", status: 302 })
    expect(received).toHaveLength(1)
  })

  it("is an invalid response where a browser hides the redirect", async () => {
    const redirects: Array<string | undefined> = []
    const hidden = Object.defineProperties(new Response(null), {
      type: { value: "opaqueredirect" },
      status: { value: 0 },
      ok: { value: false }
    })
    const client = createClient({
      baseUrl: "http://peyk.test",
      fetch: (_, init) => {
        redirects.push(init?.redirect)
        return Promise.resolve(hidden)
      }
    })
    expect(await caught(client.otp.status("v"))).toMatchObject({ code: "invalid_response", status: 0 })
    expect(redirects).toEqual(["manual"])
  })

  it("is a timeout if no response comes in time", async () => {
    const client = createClient({
      baseUrl: "http://127.0.0.1:9",
      fetch: (_, init) =>
        new Promise((_resolve, reject) =>
          init?.signal?.addEventListener("abort", () => reject(init.signal?.reason))
        ),
      timeoutMs: 20,
      retries: 0
    })
    expect(await caught(client.otp.status("v"))).toMatchObject({ code: "timeout", status: 0 })
  })

  it("is no timeout if the caller sets no limit", async () => {
    const { client } = await startFarEnd({ body: sent })
    expect(await client.otp.send({ phone: "09121234567" }, { timeoutMs: Infinity })).toEqual(sent)
    expect(await client.otp.send({ phone: "09121234567" }, { timeoutMs: 2 ** 31 })).toEqual(sent)
  })

  it("ends with the caller's own signal", async () => {
    const { client } = await startFarEnd({ body: sent })
    const signal = AbortSignal.abort(new Error("the user left"))
    await expect(client.otp.status("v", { signal })).rejects.toThrow("the user left")
  })
})
