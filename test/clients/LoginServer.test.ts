import { describe, expect, it } from "vitest"
import { createClient } from "../../packages/client/src/index.ts"
import { createLogin, type LoginOptions, type LoginSession } from "../../packages/client/src/loginServer.ts"

const channel = { type: "messenger", provider: "bale", credential_id: 7, label: "Our account" }
const attempt = (sequence: number) => ({ sequence, channel, status: "sent" })
const status = {
  verification_id: "v-1",
  status: "queued",
  phone: "+989121234567",
  current_channel: { ...channel, type: "sms", provider: "kavenegar" },
  remaining_seconds: null,
  attempts: [attempt(1), attempt(2)]
}

/** A login whose Peyk answers this, and what was posted to it. */
const loginWith = (verify: object = { verified: true, reason: "ok" }, options: LoginOptions = {}) => {
  const calls: Array<string> = []
  let sends = 0
  const answer = (path: string): object => {
    if (path.endsWith("/send")) {
      sends++
      const sent = { verification_id: `v-${sends}`, status: "queued", current_attempt_channel: channel }
      return { ...sent, expires_in: 300, code_length: 6 }
    }
    return path.endsWith("/verify") ? verify : status
  }
  const client = createClient({
    baseUrl: "http://peyk.test",
    apiKey: "svc_live_",
    fetch: async (url, init) => {
      const path = new URL(String(url)).pathname
      calls.push(`${path} ${String(init?.body ?? "")}`.trim())
      return Response.json(answer(path))
    }
  })
  return { login: createLogin(client, options), calls }
}

describe("the server's half of the login page", () => {
  it("sends the visitor's address, and tells the page neither the id nor the account", async () => {
    const { login, calls } = loginWith()
    const session: LoginSession = {}
    const { status, body } = await login.send({ session, ip: "198.51.100.7" }, "09121234567")
    expect({ status, body }).toEqual({
      status: 200,
      body: { status: "queued", channel: "bale", expires_in: 300, code_length: 6 }
    })
    expect(calls).toEqual(['/v1/otp/send {"phone":"09121234567","client":{"ip":"198.51.100.7"}}'])
    expect(session.peykLogin?.verification).toBe("v-1")
  })

  it("names its site, if it has one of several", async () => {
    const { login, calls } = loginWith(undefined, { origin: "https://club.example.ir" })
    await login.send({ session: {}, ip: "198.51.100.7" }, "09121234567")
    await login.send({ session: {} }, "09121234568")
    expect(calls).toEqual([
      '/v1/otp/send {"phone":"09121234567","client":{"origin":"https://club.example.ir","ip":"198.51.100.7"}}',
      '/v1/otp/send {"phone":"09121234568","client":{"origin":"https://club.example.ir"}}'
    ])
  })

  it("cancels the code that a new one replaces", async () => {
    const { login, calls } = loginWith()
    const visitor = { session: {} }
    await login.send(visitor, "09121234567")
    await login.send(visitor, "09121234567")
    expect(calls.filter((call) => call.includes("cancel"))).toEqual(["/v1/otp/v-1/cancel"])
  })

  it("moves on from the attempt that the page shows, so that a double click skips nothing", async () => {
    const { login, calls } = loginWith()
    const visitor = { session: {} }
    await login.send(visitor, "09121234567")
    const shown = await login.next(visitor)
    expect(shown.body).toEqual({ status: "queued", channel: "sms", next_in: null })
    await login.next(visitor)
    expect(calls.filter((call) => call.includes("next"))).toEqual([
      '/v1/otp/v-1/next {"from_sequence":1}',
      '/v1/otp/v-1/next {"from_sequence":2}'
    ])
  })

  it("offers the channels that you name, but none that was tried, and asks Peyk for one of them", async () => {
    const { login, calls } = loginWith(undefined, { channels: ["bale", "sms", "voice"] })
    const visitor = { session: {} }
    const sent = await login.send(visitor, "09121234567")
    expect(sent.body).toMatchObject({ channel: "bale", channels: ["sms", "voice"] })
    const called = await login.next(visitor, "voice")
    expect(called.body).toEqual({
      status: "queued",
      channel: "sms",
      next_in: null,
      channels: ["sms", "voice"]
    })
    expect(calls.at(-1)).toBe('/v1/otp/v-1/next {"from_sequence":1,"channel":"voice"}')
    expect((await login.status(visitor)).body).toMatchObject({ channels: ["sms", "voice"] })
  })

  it("asks Peyk for no channel that you do not name, whatever the page sends", async () => {
    const refused = { status: 422, body: { error: "invalid_channel" } }
    for (const channels of [[], ["sms"]]) {
      const { login, calls } = loginWith(undefined, { channels })
      const visitor = { session: {} }
      await login.send(visitor, "09121234567")
      for (const given of ["voice", "", 7, ["sms"], { channel: "sms" }]) {
        expect(await login.next(visitor, given)).toEqual(refused)
      }
      expect(calls.filter((call) => call.includes("next"))).toEqual([])
    }
  })

  it("returns the phone only for the right code", async () => {
    const wrong = { verified: false, reason: "invalid_code", tries_left: 4 }
    const refusing = loginWith(wrong)
    const visitor = { session: {} as LoginSession }
    await refusing.login.send(visitor, "09121234567")
    expect(await refusing.login.verify(visitor, "111111")).toEqual({ status: 200, body: wrong, phone: null })
    const { login } = loginWith()
    expect((await login.verify(visitor, "123456")).phone).toBe("+989121234567")
    expect(visitor.session.peykLogin).toBeUndefined()
  })

  it("allows a session five codes in ten minutes, other channels included", async () => {
    const { login } = loginWith()
    const visitor = { session: {} }
    const sent = await Promise.all([1, 2, 3].map(() => login.send(visitor, "09121234567")))
    const moved = [await login.next(visitor), await login.next(visitor)]
    expect([...sent, ...moved].map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    const refused = { status: 429, body: { error: "too_many_requests", retry_after: expect.any(Number) } }
    expect(await login.send(visitor, "09121234567")).toEqual(refused)
    expect(await login.next(visitor)).toEqual(refused)
  })

  it("allows an address thirty, whatever the session", async () => {
    const { login } = loginWith()
    const send = () => login.send({ session: {}, ip: "198.51.100.7" }, "09121234567")
    const statuses: Array<number> = []
    for (let n = 0; n < 31; n++) statuses.push((await send()).status)
    expect(statuses.lastIndexOf(200)).toBe(29)
    expect(statuses[30]).toBe(429)
    expect((await login.send({ session: {}, ip: "198.51.100.8" }, "09121234567")).status).toBe(200)
  })
})

describe("the login page's element", () => {
  it("can be loaded where there are no elements, as by a page that is rendered on a server", async () => {
    const source = new URL("../../packages/client/src/login.ts", import.meta.url).href
    expect(Object.keys((await import(source)) as object)).toEqual(["PeykLogin"])
  })
})
