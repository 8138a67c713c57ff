import { beforeAll, describe, expect, it } from "vitest"
import { issues, newPhone, ok, refused, request, type Sent, type Status, unknownId } from "../Client.ts"
import { newCustomer } from "../Operator.ts"
import { type SharedServer, sharedServer } from "../SharedServer.ts"

let server: SharedServer

beforeAll(async () => {
  server = sharedServer()
})

const paths = { live: "/v1/otp", sandbox: "/v1/sandbox/otp" }
type Mode = keyof typeof paths

const keyOf = (mode: Mode) => (mode === "live" ? server.demo.live_key : server.demo.test_key)

let keys = 0

const post = (mode: Mode, path: string, body?: object, key = keyOf(mode)) =>
  request(server, "POST", `${paths[mode]}${path}`, {
    headers: {
      "x-api-key": key,
      "idempotency-key": `next-${++keys}`,
      ...(body === undefined ? {} : { "content-type": "application/json" })
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })

const sendCode = async (mode: Mode, channels: ReadonlyArray<string>) =>
  ok<Sent>(await post(mode, "/send", { phone: newPhone(), channels })).verification_id

const statusOf = async (mode: Mode, id: string) =>
  ok<Status>(await request(server, "GET", `${paths[mode]}/${id}`, { headers: { "x-api-key": keyOf(mode) } }))

describe.each(["live", "sandbox"] as const)("POST …/{verification_id}/next, %s", (mode) => {
  it("tries the next channel before it responds, with a body or without one", async () => {
    const id = await sendCode(mode, ["bale", "eitaa", "rubika"])
    const second = ok<Status>(await post(mode, `/${id}/next`, { from_sequence: 1 }))
    expect(second).toMatchObject({ status: "queued", current_channel: { provider: "eitaa" } })
    const third = ok<Status>(await post(mode, `/${id}/next`))
    expect(third).toMatchObject({ status: "queued", current_channel: { provider: "rubika" } })
    expect((await statusOf(mode, id)).current_channel).toEqual(third.current_channel)
  })

  it("50 times at once from one attempt tries one channel", async () => {
    const id = await sendCode(mode, ["bale", "eitaa", "rubika"])
    const all = await Promise.all(
      Array.from({ length: 50 }, () => post(mode, `/${id}/next`, { from_sequence: 1 }))
    )
    for (const reply of all) expect(reply.status).toBe(200)
    expect((await statusOf(mode, id)).current_channel.provider).toBe("eitaa")
  })

  it("is 409 no_next_channel after the last, and verification_ended after the end", async () => {
    const id = await sendCode(mode, ["bale", "eitaa"])
    ok(await post(mode, `/${id}/next`, {}))
    refused(await post(mode, `/${id}/next`, { from_sequence: 2 }), 409, "no_next_channel")
    ok(await post(mode, `/${id}/next`, { from_sequence: 1 }))
    ok(await post(mode, `/${id}/cancel`))
    const { details } = refused(await post(mode, `/${id}/next`), 409, "verification_ended")
    expect(details).toEqual({ status: "canceled" })
  })

  it("is 404 for another customer's verification and for none, and 422 for what is no sequence", async () => {
    const id = await sendCode(mode, ["bale", "eitaa"])
    const other = await newCustomer(server)
    refused(await post(mode, `/${id}/next`, {}, mode === "live" ? other.live : other.test), 404, "not_found")
    refused(await post(mode, `/${unknownId}/next`), 404, "not_found")
    expect(issues(await post(mode, `/${id}/next`, { from_sequence: 0 }))).toEqual(["body.from_sequence"])
    expect(issues(await post(mode, "/x/next", {}))).toEqual(["path.verification_id"])
  })
})

describe("the next channel", () => {
  it("is an attempt of its own, and its wait counts from the request", async () => {
    const id = await sendCode("live", ["bale", "eitaa", "rubika"])
    const { attempts, remaining_seconds } = ok<Status>(
      await post("live", `/${id}/next`, { from_sequence: 1 })
    )
    expect(attempts).toMatchObject([
      { sequence: 1, status: "sent", transition_reason: "timed_out" },
      { sequence: 2, status: "sent", transition_reason: null }
    ])
    expect(remaining_seconds).toBeGreaterThan(50)
  })

  it("takes the key of its own mode only, and a body of JSON only", async () => {
    const id = await sendCode("live", ["bale", "eitaa"])
    const { live_key, test_key } = server.demo
    refused(await post("live", `/${id}/next`, {}, test_key), 403, "test_key_not_allowed")
    refused(await post("sandbox", `/${id}/next`, {}, live_key), 403, "live_key_not_allowed")
    const headers = { "x-api-key": live_key, "content-type": "text/plain" }
    const text = await request(server, "POST", `/v1/otp/${id}/next`, { headers, body: "1" })
    refused(text, 415, "unsupported_media_type")
  })
})
