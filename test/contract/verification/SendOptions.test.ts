import { beforeAll, describe, expect, it } from "vitest"
import { persianDigits } from "../../../src/domain/text/PastedText.ts"
import { issues, newKey, newPhone, ok, otp, refused, request, type Sent, sandbox } from "../Client.ts"
import { codeOf, textOf } from "../Operator.ts"
import { until } from "../Server.ts"
import { type SharedServer, sharedServerWithDemo } from "../SharedServer.ts"

let server: SharedServer
let live: ReturnType<typeof otp>
let test: ReturnType<typeof otp>
beforeAll(async () => {
  server = await sharedServerWithDemo()
  live = otp(server, server.demo.live_key)
  test = sandbox(server, server.demo.test_key)
})

const METADATA = '{"order":12345678901234567890,"نام":"علی","__proto__":{"a":1.0}}'

const bodyWith = (metadata: string) => `{"phone":"${newPhone()}","channels":"bale","metadata":${metadata}}`

const list = (path: string, key: string) => request(server, "GET", path, { headers: { "x-api-key": key } })

const manage = (method: string, body?: object) =>
  request(server, method, "/v1/manage/me", {
    headers: {
      authorization: `apikey ${server.demo.token}`,
      ...(body === undefined ? {} : { "content-type": "application/json" })
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })

describe.each(["live", "sandbox"] as const)("metadata of a code, %s", (mode) => {
  const api = () => (mode === "live" ? live : test)
  const path = mode === "live" ? "/v1/otp" : "/v1/sandbox/otp"
  const key = () => (mode === "live" ? server.demo.live_key : server.demo.test_key)

  it("comes back as it was sent: in the status, after a cancellation and in lists", async () => {
    const { verification_id: id } = ok<Sent>(await api().postSend(bodyWith(METADATA)))
    expect((await api().read(id)).text).toContain(`"metadata":${METADATA}`)
    expect((await list(`${path}?limit=1`, key())).text).toContain(`"metadata":${METADATA}`)
    const canceled = await request(server, "POST", `${path}/${id}/cancel`, {
      headers: { "x-api-key": key() }
    })
    expect(canceled.text).toContain(`"metadata":${METADATA}`)
  })

  it("is absent when none was sent, and an empty object when that was sent", async () => {
    const { verification_id: id } = await api().sent({ channels: "bale" })
    expect(await api().status(id)).not.toHaveProperty("metadata")
    const { verification_id: empty } = await api().sent({ channels: "bale", metadata: {} })
    expect(await api().status(empty)).toMatchObject({ metadata: {} })
  })

  it("finds codes by a key and its text", async () => {
    const order = newKey()
    const { verification_id: id } = await api().sent({ channels: "bale", metadata: { order, n: 7 } })
    const filter = new URLSearchParams({ "metadata[order]": order, "metadata[n]": "7" })
    const { data } = ok<{ readonly data: ReadonlyArray<Sent> }>(await list(`${path}?${filter}`, key()))
    expect(data.map(({ verification_id }) => verification_id)).toEqual([id])
    expect(issues(await list(`${path}?metadata[order]=`, key()))).toEqual(["query.metadata[order]"])
  })

  it("is refused if it is too long or no object", async () => {
    const long = await api().send({ channels: "bale", metadata: { a: "x".repeat(16_384) } })
    expect(issues(long)).toEqual(["body.metadata"])
    expect(issues(await api().send({ channels: "bale", metadata: [] }))).toEqual(["body.metadata"])
  })
})

describe("an idempotency key", () => {
  const repeated = async (first: object, second: object) => {
    const headers = { "idempotency-key": newKey() }
    const phone = newPhone()
    ok(await live.postSend({ phone, channels: "bale", ...first }, headers))
    return live.postSend({ phone, channels: "bale", ...second }, headers)
  }

  it("with the same metadata, locale and client is a replay", async () => {
    const body = { metadata: { a: 1 }, locale: "en", client: { ip: "203.0.113.9", device_id: "d" } }
    expect((await repeated(body, body)).headers.get("idempotency-replayed")).toBe("true")
  })

  it.each([
    ["metadata", { metadata: { a: 1 } }, { metadata: { a: 2 } }],
    ["locale", { locale: "en" }, { locale: "fa" }],
    ["client", { client: { device_id: "a" } }, { client: { device_id: "b" } }]
  ])("with another %s is a conflict", async (_, first, second) => {
    refused(await repeated(first, second), 409, "idempotency_key_conflict")
  })
})

describe("the client of a request", () => {
  it.each([
    { ip: "203.0.113.9", user_agent: "Mozilla/5.0", device_id: "d-1", trusted: true },
    { ip: "2001:db8::1" },
    { ip: null, trusted: false },
    {},
    null
  ])("can be %j", async (client) => {
    for (const mode of [live, test])
      expect(await mode.sent({ channels: "bale", client })).toMatchObject({ status: "queued" })
  })

  it.each([
    ["ip", { ip: "203.0.113" }],
    ["ip", { ip: "203.0.113.0/24" }],
    ["user_agent", { user_agent: "" }],
    ["user_agent", { user_agent: "x".repeat(1025) }],
    ["device_id", { device_id: "x".repeat(257) }],
    ["trusted", { trusted: "yes" }],
    ["origin", { origin: "http://shop.example.ir" }],
    ["origin", { origin: "https://shop.example.ir:8443" }]
  ])("has a valid %s: not %j", async (field, client) => {
    for (const api of [live, test]) {
      expect(issues(await api.send({ channels: "bale", client }))).toEqual([`body.client.${field}`])
    }
  })

  it("is in no response", async () => {
    const client = { ip: "203.0.113.77", user_agent: "Agent 77", device_id: "device-77" }
    const { verification_id: id } = await live.sent({ channels: "bale", client })
    const { text } = await live.read(id)
    for (const said of Object.values(client)) expect(text).not.toContain(said)
    expect(text).not.toContain("client")
  })
})

describe("the text of a code", () => {
  const received = async (body: object = {}) => {
    const phone = newPhone()
    await live.sent({ phone, channels: "bale", ...body })
    return { text: (await textOf(server, phone)) ?? "", code: await codeOf(server, phone) }
  }

  it("is Persian with Persian digits, and English on request", async () => {
    const persian = await received()
    expect(persian.text).toContain(`کد تأیید شما: ${persianDigits(persian.code)}`)
    const english = await received({ locale: "en" })
    expect(english.text).toContain(`Your code: ${english.code}`)
  })

  it("with Persian digits is verified by them and by ASCII ones", async () => {
    for (const entered of [persianDigits, (code: string) => code]) {
      const phone = newPhone()
      const { verification_id: id } = await live.sent({ phone, channels: "bale" })
      expect((await live.outcome(id, entered(await codeOf(server, phone)))).verified).toBe(true)
    }
  })

  it("cannot be in another language", async () => {
    expect(issues(await live.send({ channels: "bale", locale: "de" }))).toEqual(["body.locale"])
  })

  it("follows the customer's brand and language, which a request's language overrides", async () => {
    const changed = ok(
      await manage("PATCH", { brand: "دیجی‌کالا", locale: "en", webotp_host: "shop.example.com" })
    )
    expect(changed).toMatchObject({ brand: "دیجی‌کالا", locale: "en", webotp_host: "shop.example.com" })
    expect(ok(await manage("GET"))).toEqual(changed)
    const english = await until("an English text", async () => {
      const now = await received()
      return now.text.includes("Your دیجی‌کالا code") ? now : undefined
    })
    expect(english.text.split("\n").at(-1)).toBe(`@shop.example.com #${english.code}`)
    const persian = await received({ locale: "fa" })
    expect(persian.text).toContain(`کد تأیید دیجی‌کالا: ${persianDigits(persian.code)}`)
    expect(persian.text.split("\n").at(-1)).toBe(`@shop.example.com #${persian.code}`)
    ok(await manage("PATCH", { brand: null, locale: null, webotp_host: null }))
    expect(ok(await manage("GET"))).toMatchObject({ brand: null, locale: "fa", webotp_host: null })
  })

  it("has a brand of one line without braces", async () => {
    for (const brand of ["", "a\nb", "{{code}}", "x".repeat(41)]) {
      expect(issues(await manage("PATCH", { brand }))).toEqual(["body.brand"])
    }
    expect(issues(await manage("PATCH", { locale: "de", other: 1 }))).toEqual(["body.locale", "body.other"])
  })
})
