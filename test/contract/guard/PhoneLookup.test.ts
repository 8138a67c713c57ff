import { beforeAll, describe, expect, it } from "vitest"
import { issues, messages, newPhone, ok, otp, refused, request, sandbox, timestamp } from "../Client.ts"
import { type Manager, newManager } from "../ManagedSetUp.ts"
import { codeOf } from "../Operator.ts"
import { type SharedServer, sharedServer } from "../SharedServer.ts"

let server: SharedServer
let mine: Manager
let live: string
let test: string
beforeAll(async () => {
  server = sharedServer()
  mine = await newManager(server)
  await mine.newAccount("sms")
  ;[live, test] = [(await mine.newKey()).secret, (await mine.newKey({ mode: "test" })).secret]
})

const byPath = (phone: string, key = live) =>
  request(server, "GET", `/v1/phones/${phone}/lookup`, { headers: { "x-api-key": key } })
const byBody = (phone: unknown, key = live) =>
  request(server, "POST", "/v1/phones/lookup", {
    headers: { "x-api-key": key, "content-type": "application/json" },
    body: JSON.stringify({ phone })
  })

const nothing = (phone: string) => ({
  phone,
  operator: "mci",
  codes_24h: 0,
  verified_rate: null,
  first_seen: null,
  last_verified_at: null,
  bombed: false,
  listed: null
})

describe("a lookup of a phone", () => {
  it("takes the forms of a phone that a send takes, in the path and in the body", async () => {
    const phone = newPhone()
    const national = phone.slice(3)
    const persian = `۰${[...national].map((digit) => "۰۱۲۳۴۵۶۷۸۹"[Number(digit)]).join("")}`
    for (const form of [phone, `0${national}`, `0098${national}`, national, persian]) {
      expect(ok(await byPath(encodeURIComponent(form)))).toEqual(nothing(phone))
      expect(ok(await byBody(form))).toEqual(nothing(phone))
    }
    expect(ok(await byPath(phone))).toEqual(nothing(phone))
  })

  it("has this customer's codes, of the key's mode", async () => {
    const phone = newPhone()
    const { verification_id: id } = await otp(server, live).sent({ phone, channels: "sms" })
    ok(await otp(server, live).verify(id, await codeOf(server, phone)))
    const found = ok<Record<string, unknown>>(await byPath(phone))
    expect(found).toEqual({
      ...nothing(phone),
      codes_24h: 1,
      verified_rate: 1,
      first_seen: expect.stringMatching(timestamp),
      last_verified_at: expect.stringMatching(timestamp)
    })
    expect(ok(await byBody(phone))).toEqual(found)
    expect(ok(await byPath(phone, test))).toEqual(nothing(phone))
    const others = await newManager(server)
    expect(ok(await byPath(phone, (await others.newKey()).secret))).toEqual(nothing(phone))

    ok(await mine.post("/phones/erase", { phone }))
    expect(ok(await byPath(phone))).toEqual(nothing(phone))
  })

  it("has the sandbox's own codes and messages for a test key", async () => {
    const phone = newPhone()
    await messages(server, test, "/v1/sandbox/messages").created({ to: phone, channels: "sms" })
    const first = ok<Record<string, unknown>>(await byPath(phone, test))
    expect(first).toEqual({ ...nothing(phone), first_seen: expect.stringMatching(timestamp) })
    const { verification_id: id } = await sandbox(server, test).sent({ phone })
    ok(await sandbox(server, test).verify(id, "123456"))
    expect(ok(await byPath(phone, test))).toEqual({
      ...first,
      codes_24h: 1,
      verified_rate: 1,
      last_verified_at: expect.stringMatching(timestamp)
    })
    expect(ok(await byPath(phone))).toEqual(nothing(phone))
  })

  it("says which list has it", async () => {
    const phone = newPhone()
    ok(await mine.post("/guard/deny", { type: "phone", value: phone }), 201)
    expect(ok(await byPath(phone))).toEqual({ ...nothing(phone), listed: "deny" })
  })

  it("has no operator of a number that belongs to none", async () => {
    expect(ok(await byPath("09981234567"))).toMatchObject({ phone: "+989981234567", operator: null })
  })

  it("refuses what is no phone, and who has no key", async () => {
    refused(await byPath("12"), 422, "invalid_phone")
    refused(await byPath("%20"), 422, "invalid_phone")
    refused(await byBody("12"), 422, "invalid_phone")
    expect(issues(await byBody(7))).toEqual(["body.phone"])
    refused(await byPath(newPhone(), "svc_none"), 401, "unauthenticated")
    refused(await byPath(newPhone(), mine.token), 401, "unauthenticated")
    refused(
      await request(server, "PUT", "/v1/phones/lookup", { headers: { "x-api-key": live } }),
      405,
      "method_not_allowed"
    )
    expect((await byPath("%ZZ")).status).toBeLessThan(500)
  })

  it("counts against the key's requests in a minute", async () => {
    const { secret } = await mine.newKey({ rate_limit_per_minute: 2 })
    ok(await byPath(newPhone(), secret))
    ok(await byBody(newPhone(), secret))
    const reply = await byPath(newPhone(), secret)
    refused(reply, 429, "too_many_requests_api_key")
    expect(Number(reply.headers.get("retry-after"))).toBeGreaterThan(0)
  })

  it("is counted by its pattern, without the phone", async () => {
    const phone = newPhone()
    ok(await byPath(phone))
    const metrics = await (await fetch(`${server.url}/metrics`)).text()
    expect(metrics).toContain("/v1/phones/{phone}/lookup")
    expect(metrics).not.toContain(phone.slice(3))
  })
})
