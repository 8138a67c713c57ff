import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { issues, ok, refused } from "../Client.ts"
import { type Account, type Fields, type Manager, newManager } from "../ManagedSetUp.ts"
import { type Server, startServer } from "../Server.ts"
import { sharedServer } from "../SharedServer.ts"
import { accountsOf, bot, simulatorAccount } from "./ManagedAccounts.ts"

let server: Server
let mine: Manager
beforeAll(async () => {
  server = await startServer()
  mine = await newManager(server)
})
afterAll(() => server?.stop())

const read = (id: number) => mine.read<Account>(`/accounts/${id}`)
const errorsOf = (details: Fields) => JSON.stringify(details["errors"])

describe("an account that is wrong", () => {
  const unchanged = async (body: unknown) => {
    const before = await accountsOf(mine)
    const reply = await mine.post("/accounts", body)
    const { details } = refused(reply, 422, "validation_error")
    expect(await accountsOf(mine)).toEqual(before)
    return { reply, details, told: errorsOf(details) }
  }

  it("is refused with all that is wrong with its settings, and without what they are", async () => {
    const settings = { outcome: "Very-Secret", latency_ms: -5, api_key: "Also-Secret" }
    const { reply, told } = await unchanged(simulatorAccount({ settings }))
    for (const field of ["outcome", "latency_ms", "api_key"]) expect(told).toContain(field)
    for (const value of ["Very-Secret", "Also-Secret"]) expect(reply.text).not.toContain(value)
    for (const { path } of JSON.parse(told) as ReadonlyArray<{ readonly path: string }>) {
      expect(path).toMatch(/^body\.settings\b/)
    }
  })

  it("is refused without settings that its provider needs", async () => {
    const { told } = await unchanged(bot({ settings: {} }))
    expect(told).toContain("token")
  })

  it("names the provider as the field that is wrong, where there is no such provider", async () => {
    const { told } = await unchanged(simulatorAccount({ provider: "nobody" }))
    expect(JSON.parse(told)).toMatchObject([{ path: "body.provider" }])
  })

  it("is refused on a channel that its provider does not serve, and on none", async () => {
    const { told } = await unchanged(bot({ channel: "bale" }))
    expect(told).toContain("telegram")
    expect(issues(await mine.post("/accounts", simulatorAccount({ channel: "fax" })))).toEqual([
      "body.channel"
    ])
  })

  it.each(["", " ", "x".repeat(101), 7])("is refused with the label %s", async (label) => {
    expect(issues(await mine.post("/accounts", simulatorAccount({ label })))).toEqual(["body.label"])
  })

  it("is refused with all that is wrong at once", async () => {
    const wrong = { channel: "fax", provider: 1, label: "", settings: "x", default: "yes" }
    expect(issues(await mine.post("/accounts", wrong))).toEqual([
      "body.channel",
      "body.default",
      "body.label",
      "body.provider",
      "body.settings"
    ])
  })

  const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`
  it.each([
    "http://gateway.example.com/hook",
    "https://127.0.0.1/hook",
    "https://localhost/hook",
    "https://10.0.0.7/hook",
    "https://192.168.1.1:8443/hook",
    "https://169.254.169.254/latest",
    "https://[::1]/hook",
    "https://[::ffff:127.0.0.1]/hook",
    "https://[fd00::1]/hook",
    "https://2130706433/hook",
    "https://0x7f.1/hook",
    "https://intranet/",
    "https://x.lan/",
    "not a url"
  ])("as a bridge to %s is refused", async (url) => {
    const { told } = await unchanged(simulatorAccount({ provider: "bridge", settings: { url, secret } }))
    expect(told).toContain("url")
    expect(told).not.toContain(secret)
  })

  it("as a bridge is not let to a private address by a change either", async () => {
    const settings = { url: "https://gateway.example.com/hook", secret }
    const made = await mine.post("/accounts", simulatorAccount({ provider: "bridge", settings }))
    const { credential_id: id } = ok<Account>(made, 201)
    expect(made.text).not.toContain(secret)
    const change = { settings: { url: "https://10.0.0.7/hook", secret } }
    refused(await mine.patch(`/accounts/${id}`, change), 422, "validation_error")
    refused(await mine.patch(`/accounts/${id}`, { ...change, check: false }), 422, "validation_error")
    expect(await read(id)).toMatchObject({ version: 1 })
  })

  it("can be let to a private address by the operator", async () => {
    const owner = await newManager(sharedServer())
    const settings = { url: "http://127.0.0.1:9/hook", secret }
    ok(await owner.post("/accounts", simulatorAccount({ provider: "bridge", settings })), 201)
  })
})
