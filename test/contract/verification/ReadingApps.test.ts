import { beforeAll, describe, expect, it } from "vitest"
import { issues, newKey, newPhone, ok, otp, refused, sandbox } from "../Client.ts"
import { type Manager, newManager } from "../ManagedSetUp.ts"
import { codeOf, simulated, textOf } from "../Operator.ts"
import { type SharedServer, sharedServer } from "../SharedServer.ts"

const HASH = "FA+9qCX9VSu"
const [SHOP, CLUB] = ["https://shop.example.ir", "https://club.example.ir"]

interface Preview {
  readonly texts: ReadonlyArray<{
    readonly channel: string
    readonly text: string
    readonly problem: string | null
  }>
  readonly would_refuse: string | null
}

let server: SharedServer
let mine: Manager
let live: ReturnType<typeof otp>
beforeAll(async () => {
  server = sharedServer()
  mine = await newManager(server)
  await mine.newAccount("bale")
  await mine.newAccount("sms")
  live = otp(server, (await mine.newKey()).secret)
})

const me = (method: string, body?: object) => mine.call(method, "/me", body)
const previewed = async (body: object) => ok<Preview>(await live.post("/preview", body))

/** The last lines of a code's text, and the code. */
const received = async (body: object) => {
  const phone = newPhone()
  await live.sent({ phone, ...body })
  const text = (await textOf(server, phone)) ?? ""
  return { lines: text.split("\n"), code: await codeOf(server, phone) }
}

describe("codes that apps read", () => {
  it("have no lines for them unless they are set", async () => {
    expect(ok(await me("GET"))).toMatchObject({ webotp_origins: [], app_hash: null })
    const { lines } = await received({ channels: "sms" })
    expect(lines).toHaveLength(2)
    expect(issues(await live.send({ channels: "sms", client: { origin: SHOP } }))).toEqual([
      "body.client.origin"
    ])
  })

  it("end with the app's line and the site's line in an SMS", async () => {
    const change = { app_hash: HASH, webotp_origins: [SHOP, CLUB], webotp_host: "old.example.ir" }
    const changed = ok(await me("PATCH", change))
    expect(changed).toMatchObject(change)
    expect(ok(await me("GET"))).toEqual(changed)
    for (const [client, host] of [
      [undefined, "shop.example.ir"],
      [{}, "shop.example.ir"],
      [{ origin: null }, "shop.example.ir"],
      [{ origin: SHOP }, "shop.example.ir"],
      [{ origin: CLUB, ip: "203.0.113.9" }, "club.example.ir"]
    ] as const) {
      const { lines, code } = await received({ channels: "sms", client })
      expect(lines.slice(-3)).toEqual(["", HASH, `@${host} #${code}`])
    }
  })

  it("have the site's line alone in a messenger", async () => {
    const { lines, code } = await received({ channels: "bale", client: { origin: CLUB } })
    expect(lines.slice(-2)).toEqual(["", `@club.example.ir #${code}`])
    expect(lines).not.toContain(HASH)
  })

  it("are refused for a site that is not saved, before anything is sent", async () => {
    const phone = newPhone()
    for (const origin of ["https://old.example.ir", "https://evil.example"]) {
      const reply = await live.send({ phone, channels: "sms", client: { origin } })
      expect(refused(reply, 422, "validation_error")).toMatchObject({
        details: {
          errors: [{ path: "body.client.origin", message: "Expected one of the saved webotp_origins" }]
        }
      })
    }
    expect(await simulated(server, phone)).toEqual([])
    expect(
      await previewed({ phone, channels: "sms", client: { origin: "https://evil.example" } })
    ).toMatchObject({ texts: [], would_refuse: "validation_error" })
  })

  it("are another request with another site", async () => {
    const [phone, key] = [newPhone(), newKey()]
    const body = { phone, channels: "sms", client: { origin: SHOP } }
    const send = (client: object) => live.send({ ...body, client }, { "idempotency-key": key })
    const first = ok<{ readonly verification_id: string }>(await send({ origin: SHOP }))
    expect(ok(await send({ origin: SHOP }))).toMatchObject({ verification_id: first.verification_id })
    expect((await send({ origin: CLUB })).status).toBe(409)
  })

  it("can come from any site in the sandbox", async () => {
    const test = sandbox(server, (await mine.newKey({ mode: "test" })).secret)
    expect(await test.sent({ channels: "sms", client: { origin: "https://any.example" } })).toMatchObject({
      status: "queued"
    })
  })

  it("are said to be too long for the app in the preview", async () => {
    const body = { phone: newPhone(), channels: ["bale", "sms"] }
    const persian = await previewed(body)
    expect(persian.texts.map(({ channel, problem }) => [channel, problem])).toEqual([
      ["bale", null],
      ["sms", "too_long_for_app"]
    ])
    expect(persian.texts[1]?.text.split("\n").slice(-2)).toEqual([HASH, "@shop.example.ir #123456"])
    const english = await previewed({ ...body, locale: "en" })
    expect(english.texts.map(({ problem }) => problem)).toEqual([null, null])
  })

  it("are set up by an exact form", async () => {
    const wrong = async (change: object) => issues(await me("PATCH", change))
    for (const app_hash of ["", "FA+9qCX9VS", "FA+9qCX9VSu=", "FA-9qCX9VSu", `${HASH}\n`, 1])
      expect(await wrong({ app_hash })).toEqual(["body.app_hash"])
    for (const origin of [
      "http://a.ir",
      "https://a.ir:444",
      "https://a.ir/",
      "https://A.ir",
      "https://a",
      "",
      1
    ])
      expect(await wrong({ webotp_origins: [SHOP, origin] })).toEqual(["body.webotp_origins[1]"])
    const many = Array.from({ length: 11 }, (_, n) => `https://a${n}.ir`)
    expect(await wrong({ webotp_origins: many })).toEqual(["body.webotp_origins"])
    expect(await wrong({ webotp_origins: SHOP })).toEqual(["body.webotp_origins"])
    expect(ok(await me("PATCH", { webotp_origins: many.slice(1) }))).toMatchObject({
      webotp_origins: many.slice(1)
    })
  })

  it("have only the host of before without a list, and nothing when all is taken away", async () => {
    ok(await me("PATCH", { webotp_origins: null, app_hash: null }))
    const { lines, code } = await received({ channels: "sms" })
    expect(lines.slice(-2)).toEqual(["", `@old.example.ir #${code}`])
    ok(await me("PATCH", { webotp_host: null }))
    expect((await received({ channels: "sms" })).lines).toHaveLength(2)
  })

  it("are in the customer's log, with what was before", async () => {
    expect(await mine.audit()).toContainEqual(
      expect.objectContaining({ action: "customer.update", details: { webotp_origins: [], app_hash: null } })
    )
  })
})
