import { beforeAll, describe, expect, it } from "vitest"
import { issues, ok, refused, request, type Sent, type Status, unknownId } from "../Client.ts"
import { newCustomer } from "../Operator.ts"
import { type SharedServer, sharedServer } from "../SharedServer.ts"

let server: SharedServer

beforeAll(async () => {
  server = sharedServer()
})

const paths = { live: "/v1/otp", sandbox: "/v1/sandbox/otp" }
type Mode = keyof typeof paths

const keyOf = (mode: Mode) => (mode === "live" ? server.demo.live_key : server.demo.test_key)

let phones = 0

const post = (mode: Mode, path: string, body?: object, key = keyOf(mode)) =>
  request(server, "POST", `${paths[mode]}${path}`, {
    headers: {
      "x-api-key": key,
      "idempotency-key": `cancel-${++phones}`,
      ...(body === undefined ? {} : { "content-type": "application/json" })
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })

const sendCode = async (mode: Mode) =>
  ok<Sent>(await post(mode, "/send", { phone: `0912555${String(phones).padStart(4, "0")}` })).verification_id

const statusOf = async (mode: Mode, id: string) =>
  ok<Status>(await request(server, "GET", `${paths[mode]}/${id}`, { headers: { "x-api-key": keyOf(mode) } }))

describe.each(["live", "sandbox"] as const)("POST …/{verification_id}/cancel, %s", (mode) => {
  it("returns the canceled verification, as its status shows it, each time", async () => {
    const id = await sendCode(mode)
    const canceled = ok<Status>(await post(mode, `/${id}/cancel`))
    expect(canceled).toMatchObject({ verification_id: id, status: "canceled", verified_at: null })
    expect(ok(await post(mode, `/${id}/cancel`))).toEqual(canceled)
    expect(await statusOf(mode, id)).toEqual(canceled)
  })

  it("makes any code that is entered afterwards one that verifies nothing", async () => {
    const id = await sendCode(mode)
    ok(await post(mode, `/${id}/cancel`))
    expect(ok(await post(mode, "/verify", { verification_id: id, code: "123456" }))).toEqual({
      verified: false,
      reason: "canceled",
      tries_left: null
    })
  })

  it("is 404 for another customer's verification and for none, and 422 for what is no id", async () => {
    const id = await sendCode(mode)
    const other = await newCustomer(server)
    const key = mode === "live" ? other.live : other.test
    refused(await post(mode, `/${id}/cancel`, undefined, key), 404, "not_found")
    refused(await post(mode, `/${unknownId}/cancel`), 404, "not_found")
    expect(issues(await post(mode, "/x/cancel"))).toEqual(["path.verification_id"])
  })
})

describe("canceling", () => {
  it("is 409 verification_ended once the right code was entered", async () => {
    const id = await sendCode("sandbox")
    ok(await post("sandbox", "/verify", { verification_id: id, code: "123456" }))
    const failure = refused(await post("sandbox", `/${id}/cancel`), 409, "verification_ended")
    expect(failure.details).toEqual({ status: "verified" })
  })

  it("takes the key of its own mode only", async () => {
    const id = await sendCode("live")
    const { live_key, test_key } = server.demo
    refused(await post("live", `/${id}/cancel`, undefined, test_key), 403, "test_key_not_allowed")
    refused(await post("sandbox", `/${id}/cancel`, undefined, live_key), 403, "live_key_not_allowed")
    refused(await post("sandbox", `/${id}/cancel`), 404, "not_found")
  })
})
