import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { freePort } from "../../../bench/FreePort.ts"
import { makeDataDir, type Server, startServer } from "../../contract/Server.ts"

let server: Server
let folder: string
beforeAll(async () => {
  folder = await makeDataDir()
  server = await startServer()
})
afterAll(() => server?.stop())

const settingsFile = (name: string, settings: object): string => {
  const file = join(folder, `${name}.json`)
  writeFileSync(file, JSON.stringify(settings))
  return file
}

const names = async (): Promise<ReadonlyArray<string>> => {
  const { out } = await server.run("customer", "list", "--json")
  return JSON.parse(out).data.map(({ name }: { readonly name: string }) => name)
}

const simulated = ["--channel", "bale", "--provider", "simulator"]
const setUp = (name: string, ...flags: ReadonlyArray<string>) =>
  server.run("setup", "--name", name, "--email", `${name.toLowerCase()}@example.ir`, "--json", ...flags)

describe("peyk setup", () => {
  it("makes a customer whose key sends over its accounts, in their order", async () => {
    const sms = ["--channel", "sms", "--provider", "simulator"]
    const { out, code, err } = await setUp("Ready", ...simulated, ...sms, "--send-to", "0912 111 0001")
    expect({ code, err }).toEqual({ code: 0, err: "" })
    const made = JSON.parse(out)
    expect(Object.keys(made)).toEqual([
      "customer_id",
      "live_key",
      "test_key",
      "sign_in_url",
      "accounts",
      "routing"
    ])
    expect(made.routing).toEqual([
      { channel: "bale", account_id: made.accounts[0].credential_id },
      { channel: "sms", account_id: made.accounts[1].credential_id }
    ])
    const phones = await fetch(`${server.url}/simulator/messages?phone=%2B989121110001`)
    expect(await phones.json()).toMatchObject({
      data: [{ channel: "bale", code: expect.stringMatching(/^\d{6}$/) }]
    })
    const sent = await fetch(`${server.url}/v1/otp/send`, {
      method: "POST",
      headers: { "x-api-key": made.live_key, "idempotency-key": "1", "content-type": "application/json" },
      body: JSON.stringify({ phone: "09121110002" })
    })
    expect(await sent.json()).toMatchObject({
      status: "queued",
      current_attempt_channel: { provider: "bale" }
    })
    const page = await fetch(made.sign_in_url)
    expect({ status: page.status, text: await page.text() }).toMatchObject({
      status: 200,
      text: expect.stringContaining("This link signs you in once")
    })
  })

  it.each([
    [
      "a provider refuses the test code",
      { outcome: "rejected" },
      /account 1 \(bale over simulator\): the provider refuses it: simulated: rejected/
    ],
    ["settings are wrong", { outcome: "lost" }, /account 1 \(bale over simulator\): .*outcome/]
  ])("leaves no customer if %s", async (_, settings, reason) => {
    const file = settingsFile("refused", settings)
    const done = await setUp("Refused", ...simulated, "--settings-file", file, "--send-to", "09121110003")
    expect({ code: done.code, out: done.out }).toEqual({ code: 1, out: "" })
    expect(done.err).toMatch(reason)
    expect(await names()).not.toContain("Refused")
  })

  it("leaves no customer if one of its later parts is refused", async () => {
    const first = await server.run("setup", "--name", "Taken", "--email", "taken@example.ir", "--json")
    expect(first.code).toBe(0)
    const again = await server.run("setup", "--name", "Again", "--email", "taken@example.ir", "--json")
    expect(again).toMatchObject({ code: 1, out: "" })
    expect(await names()).not.toContain("Again")
  })

  it("keeps an account whose provider cannot be reached, and warns", async () => {
    const file = settingsFile("bridge", {
      url: `http://127.0.0.1:${await freePort()}/send`,
      secret: `whsec_${Buffer.alloc(32, "good").toString("base64")}`
    })
    const flags = ["--channel", "sms", "--provider", "bridge", "--settings-file", file]
    const done = await setUp("Unreached", ...flags, "--send-to", "09121110004")
    expect(done.code).toBe(0)
    expect(done.err).toMatch(/^warning: sms over bridge: the code was not sent/m)
    expect(await names()).toContain("Unreached")
  })

  it("refuses an account that can send nothing", async () => {
    const file = settingsFile("smsir", { api_key: "k" })
    const flags = ["--channel", "sms", "--provider", "melipayamak", "--settings-file", file]
    expect(await setUp("Nothing", ...flags)).toMatchObject({ code: 1, out: "" })
    expect(await names()).not.toContain("Nothing")
  })

  it("charges a wallet if an amount is given, and nothing otherwise", async () => {
    const paid = JSON.parse((await setUp("Paid", ...simulated, "--top-up", "5000")).out)
    const free = JSON.parse((await setUp("Free", ...simulated, "--no-charging")).out)
    const wallet = async (id: number) =>
      JSON.parse((await server.run("wallet", "show", "--customer", String(id), "--json")).out)
    expect(await wallet(paid.customer_id)).toMatchObject({ available: 5000 })
    const limits = await server.run("customer", "limits", "--customer", String(free.customer_id), "--json")
    expect(JSON.parse(limits.out)).toMatchObject({ monthly_quota: 0 })
    expect((await setUp("Both", "--top-up", "5", "--no-charging")).err).toMatch(/either/)
  })

  it("reads everything from a file, and asks nothing without a terminal", async () => {
    const file = settingsFile("all", {
      name: "Filed",
      email: "filed@example.ir",
      accounts: [{ channel: "eitaa", provider: "simulator", label: "Eitaa" }]
    })
    expect(JSON.parse((await server.run("setup", "--file", file, "--json")).out)).toMatchObject({
      accounts: [{ channel: "eitaa", label: "Eitaa" }],
      routing: [{ channel: "eitaa" }]
    })
    expect(await server.run("setup", "--json")).toMatchObject({ code: 1, out: "" })
  })
})

describe("peyk account check", () => {
  it("sends a code over one account, and fails if the account does not work", async () => {
    const file = settingsFile("check", { outcome: "throttled" })
    const connect = (label: string, ...more: ReadonlyArray<string>) =>
      server.run("account", "connect", "--customer", "1", ...simulated, "--label", label, "--json", ...more)
    const works = JSON.parse((await connect("Works")).out).credential_id
    const fails = JSON.parse((await connect("Fails", "--settings-file", file)).out).credential_id
    const check = (id: number) =>
      server.run("account", "check", "--account", String(id), "--send-to", "09121110005", "--json")
    const checked = await check(works)
    expect(checked.code).toBe(0)
    expect(JSON.parse(checked.out)).toMatchObject({ test_send: "the provider accepted the code" })
    expect((await check(fails)).code).toBe(1)
  })
})
