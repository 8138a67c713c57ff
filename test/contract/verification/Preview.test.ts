import { beforeAll, describe, expect, it } from "vitest"
import { spokenCodeText } from "../../../src/domain/verification/CodeText.ts"
import { issues, newPhone, ok, otp, refused, request } from "../Client.ts"
import { type Manager, newManager } from "../ManagedSetUp.ts"
import { newAccount, newCustomer, simulated } from "../Operator.ts"
import { type SharedServer, sharedServer } from "../SharedServer.ts"

interface Preview {
  readonly route: ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly texts: ReadonlyArray<{
    readonly channel: string
    readonly text: string | null
    readonly sms_parts: number | null
  }>
  readonly limits: Readonly<Record<string, { readonly limit: number; readonly used: number } | null>>
  readonly would_refuse: string | null
}

let server: SharedServer
let mine: Manager
let live: string
let bale: number
beforeAll(async () => {
  server = sharedServer()
  mine = await newManager(server)
  bale = (await mine.newAccount("bale")).credential_id
  await mine.newAccount("sms")
  live = (await mine.newKey()).secret
})

const preview = (body: unknown, key = live) => otp(server, key).post("/preview", body)
const previewed = async (body: unknown, key = live) => ok<Preview>(await preview(body, key))

describe("a preview of a send", () => {
  it("has the route, the texts with a sample code, and the limits", async () => {
    const found = await previewed({ phone: newPhone(), channels: [{ channel: "bale", wait: 45 }, "sms"] })
    expect(found.route).toEqual([
      {
        channel: { type: "messenger", provider: "bale", credential_id: bale, label: "The bale" },
        wait: 45,
        price: 1000,
        state: "ready",
        reason: null,
        free_at: null
      },
      expect.objectContaining({ wait: 60, price: 0, state: "ready", reason: null })
    ])
    expect(found.texts.map(({ channel, sms_parts }) => [channel, sms_parts])).toEqual([
      ["bale", null],
      ["sms", 1]
    ])
    expect(found.texts[0]?.text).toContain("۱۲۳۴۵۶")
    expect(found.limits).toEqual({
      phone_hour: { limit: 5, used: 0, resets_at: null },
      phone_day: { limit: 10, used: 0, resets_at: null },
      quota: null,
      wallet: { balance: 1_000_000, held: 0, available: 1_000_000, currency: "IRR" }
    })
    expect(found.would_refuse).toBeNull()
  })

  it("has the text of a call in the language in which it is read, whatever text messengers get", async () => {
    await mine.newAccount("voice")
    const { id } = await mine.newTemplate("Log in to the shop with {{code}}", "Login")
    const body = { phone: newPhone(), channels: ["bale", "voice"], template_id: id, locale: "en" }
    const { texts } = await previewed(body)
    expect(texts.map(({ text }) => text)).toEqual([
      "Log in to the shop with 123456",
      spokenCodeText("123456", "en")
    ])
  })

  it("sends, stores and counts nothing", async () => {
    const phone = newPhone()
    for (let n = 0; n < 6; n++) expect((await previewed({ phone, channels: "bale" })).would_refuse).toBeNull()
    expect(await simulated(server, phone)).toEqual([])
    const listed = ok<{ readonly data: ReadonlyArray<unknown> }>(
      await request(server, "GET", `/v1/otp?phone=${encodeURIComponent(phone)}`, {
        headers: { "x-api-key": live }
      })
    )
    expect(listed.data).toEqual([])
    expect((await previewed({ phone, channels: "bale" })).limits["phone_hour"]).toMatchObject({ used: 0 })
  })

  it("says which error a send would get", async () => {
    const phone = newPhone()
    expect(await previewed({ phone })).toMatchObject({ route: [], would_refuse: "fallback_order_required" })
    expect(await previewed({ phone, channels: "carrier" })).toMatchObject({ would_refuse: "invalid_channel" })
    const eitaa = await previewed({ phone, channels: ["bale", "eitaa"] })
    expect(eitaa.would_refuse).toBe("channel_unavailable")
    expect(eitaa.route).toMatchObject([
      { state: "ready", reason: null },
      { channel: { provider: "eitaa" }, state: "misconfigured", reason: "channel_unavailable" }
    ])
    expect(await previewed({ phone, channels: "bale", template_id: 999_999 })).toMatchObject({
      texts: [],
      would_refuse: "template_not_found"
    })
    const denied = newPhone()
    ok(await mine.post("/guard/deny", { type: "phone", value: denied }), 201)
    expect(await previewed({ phone: denied, channels: "bale" })).toMatchObject({
      would_refuse: "blocked_phone"
    })
    const api = otp(server, live)
    for (let n = 0; n < 5; n++) await api.sent({ phone, channels: "bale" })
    const full = await previewed({ phone, channels: "bale" })
    expect(full.would_refuse).toBe("too_many_requests_phone_hour")
    expect(full.limits["phone_hour"]).toMatchObject({ limit: 5, used: 5 })
    refused(await api.send({ phone, channels: "bale" }), 429, "too_many_requests_phone_hour")
  })

  it("shows nothing of what six other customers sent to the phone", async () => {
    const phone = newPhone()
    const before = await previewed({ phone, channels: "bale" })
    for (let n = 0; n < 6; n++) {
      const other = await newManager(server)
      await other.newAccount("sms")
      const { secret } = await other.newKey()
      await otp(server, secret).sent({ phone, channels: "sms" })
    }
    expect(await previewed({ phone, channels: "bale" })).toEqual(before)
  })

  it("holds nothing for a step that is tried only if it is asked for, as a send does", async () => {
    const { id, live: secret } = await newCustomer(server, "start")
    for (const channel of ["sms", "bale"]) await newAccount(server, id, channel)
    const steps = [{ channel: "sms" }, { channel: "bale", on_request: true }]
    await server.cli("routing", "set", "--customer", id, "--steps", JSON.stringify(steps))
    const phone = newPhone()
    expect(await previewed({ phone }, secret)).toMatchObject({
      route: [{ price: 0 }, { price: 1000 }],
      would_refuse: null
    })
    expect((await otp(server, secret).sent({ phone })).status).toBe("queued")
    const wanted = { phone: newPhone(), channels: ["bale"] }
    expect(await previewed(wanted, secret)).toMatchObject({ would_refuse: "insufficient_balance" })
  })

  it("refuses what is no request", async () => {
    refused(await preview({ phone: "12" }), 422, "invalid_phone")
    expect(issues(await preview({ channels: "bale" }))).toEqual(["body.phone"])
    const test = (await mine.newKey({ mode: "test" })).secret
    refused(await preview({ phone: newPhone() }, test), 403, "test_key_not_allowed")
  })
})
