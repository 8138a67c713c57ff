import { stat } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { timestamp } from "../../contract/Client.ts"
import { type Server, startServer } from "../../contract/Server.ts"
import { discard } from "../store/Postgres.ts"

let server: Server
let customer: string
beforeAll(async () => {
  server = await startServer()
  customer = String((await made("customer", "create", "--name", "Mina", "--plan", "start")).id)
})
afterAll(async () => {
  await server?.kill()
  if (server !== undefined) await discard(server.dataDir)
})

interface Made {
  /** The provider's verdict on a new account. */
  readonly check?: string
  readonly id: number
  readonly credential_id: number
  readonly secret: string
}
const made = async (...args: ReadonlyArray<string>) => (await server.cli(...args)) as Made

const ofCustomer = (...args: ReadonlyArray<string>) => [...args, "--customer", customer]
const createKey = (mode: string) => ofCustomer("key", "create", "--mode", mode, "--name", "shop")
const connect = (channel: string, ...more: ReadonlyArray<string>) =>
  ofCustomer(
    "account",
    "connect",
    "--channel",
    channel,
    "--provider",
    "simulator",
    "--label",
    "Mine",
    ...more
  )
const steps = JSON.stringify([{ channel: "bale" }, { channel: "sms", wait: 45 }])
const setRouting = () => ofCustomer("routing", "set", "--steps", steps)
const createTemplate = () =>
  ofCustomer("template", "create", "--name", "welcome", "--body", "{{code}}: {{minutes}} min")

describe("--json", () => {
  it("customer create and list", async () => {
    const created = await server.cli("customer", "create", "--name", "Sara", "--plan", "business")
    expect(created).toMatchObject({
      id: expect.any(Number),
      name: "Sara",
      plan: "business",
      created_at: expect.stringMatching(timestamp)
    })
    const { data } = (await server.cli("customer", "list")) as { readonly data: ReadonlyArray<unknown> }
    expect(data).toContainEqual(created)
  })

  it.each(["live", "test"])("key create, list and revoke: %s", async (mode) => {
    const record = {
      name: "shop",
      mode,
      status: "active",
      created_at: expect.stringMatching(timestamp),
      last_used_at: null,
      expires_at: null,
      revoked_at: null
    }
    const key = await made(...createKey(mode))
    expect(key).toMatchObject({
      ...record,
      id: expect.any(Number),
      prefix: key.secret.slice(0, 12),
      last_four: key.secret.slice(-4)
    })
    expect(await server.cli(...ofCustomer("key", "list"))).toMatchObject({
      data: expect.arrayContaining([expect.objectContaining({ ...record, id: key.id })])
    })
    const revoked = await server.cli("key", "revoke", "--key", String(key.id))
    expect(revoked).toMatchObject({
      id: key.id,
      status: "revoked",
      revoked_at: expect.stringMatching(timestamp)
    })
    expect(await server.cli("key", "revoke", "--key", String(key.id))).toEqual(revoked)
  })

  it("token create without a name gives it one", async () => {
    expect(await made(...ofCustomer("token", "create", "--scope", "full"))).toMatchObject({
      name: "command line"
    })
  })

  it("key create --expires-at", async () => {
    const key = await server.cli(...createKey("live"), "--expires-at", "2099-01-02T03:04:05Z")
    expect(key).toMatchObject({ status: "active", expires_at: "2099-01-02T03:04:05.000Z" })
  })

  it("account connect, list, disable and enable", async () => {
    const { check, ...account } = await made(...connect("eitaa", "--default"))
    expect(check).toBe("the provider offers no check")
    const id = String(account.credential_id)
    expect(account).toMatchObject({
      credential_id: expect.any(Number),
      channel: "eitaa",
      provider: "simulator",
      label: "Mine",
      default: true,
      active: true,
      shared: false
    })
    expect(await server.cli("account", "disable", "--account", id)).toEqual({ ...account, active: false })
    expect(await server.cli("account", "enable", "--account", id)).toEqual(account)
    expect(await server.cli(...ofCustomer("account", "list"))).toMatchObject({
      data: expect.arrayContaining([account])
    })
  })

  it("account connect and list, shared", async () => {
    const args = ["--channel", "bale", "--provider", "simulator", "--label", "Platform"]
    const { check: _, ...account } = await made("account", "connect", "--shared", ...args)
    expect(account).toMatchObject({ channel: "bale", shared: true, default: false, active: true })
    expect(await server.cli("account", "list", "--shared")).toEqual({ data: [account] })
  })

  it("a new default account takes the place of the old one", async () => {
    const { check: _, ...first } = await made(...connect("rubika", "--default"))
    const { check: __, ...second } = await made(...connect("rubika", "--default"))
    const { data } = (await server.cli(...ofCustomer("account", "list"))) as {
      readonly data: ReadonlyArray<object>
    }
    expect(data).toContainEqual({ ...first, default: false })
    expect(data).toContainEqual(second)
  })

  it("settings of an account are never printed again", async () => {
    const settings = JSON.stringify({ latency_ms: 98_765 })
    const connected = await server.run(...connect("telegram", "--settings", settings), "--json")
    const listed = await server.run(...ofCustomer("account", "list"), "--json")
    expect(connected.out + listed.out).not.toMatch(/settings|98765/)
  })

  it("routing show, before any was set", async () => {
    const { id } = await made("customer", "create", "--name", "New", "--plan", "free")
    expect(await server.cli("routing", "show", "--customer", String(id))).toEqual({ data: [] })
  })

  it("routing set and show", async () => {
    const order = {
      data: [
        { channel: "bale", account_id: null, wait: null },
        { channel: "sms", account_id: null, wait: 45 }
      ]
    }
    expect(await server.cli(...setRouting())).toEqual(order)
    expect(await server.cli(...ofCustomer("routing", "show"))).toEqual(order)
  })

  it("template create and list", async () => {
    const template = await made(...createTemplate())
    expect(template).toMatchObject({
      id: expect.any(Number),
      name: "welcome",
      body: "{{code}}: {{minutes}} min",
      parameters: ["code", "minutes"],
      active: true
    })
    expect(await server.cli(...ofCustomer("template", "list"))).toEqual({ data: [template] })
  })

  it("doctor", async () => {
    const { healthy, checks } = (await server.cli("doctor")) as {
      readonly healthy: boolean
      readonly checks: ReadonlyArray<object>
    }
    expect(healthy).toBe(true)
    expect(checks.length).toBeGreaterThan(3)
    for (const check of checks) {
      expect(check).toEqual({ check: expect.any(String), ok: true, finding: expect.any(String) })
    }
  })

  it("migrate", async () => {
    expect(await server.cli("migrate")).toBeTypeOf("object")
  })

  it("may stand before the command as well", async () => {
    const { out } = await server.run("--json", "customer", "list")
    expect(JSON.parse(out)).toMatchObject({ data: expect.any(Array) })
  })
})

describe("without --json", () => {
  const commands: ReadonlyArray<[string, () => ReadonlyArray<string>]> = [
    ["customer create", () => ["customer", "create", "--name", "Reza", "--plan", "free"]],
    ["customer list", () => ["customer", "list"]],
    ["key create", () => createKey("live")],
    ["key list", () => ofCustomer("key", "list")],
    ["account connect", () => connect("soroushplus")],
    ["account list", () => ofCustomer("account", "list")],
    ["routing set", setRouting],
    ["routing show", () => ofCustomer("routing", "show")],
    ["template create", createTemplate],
    ["template list", () => ofCustomer("template", "list")],
    ["doctor", () => ["doctor"]],
    ["migrate", () => ["migrate"]]
  ]
  it.each(commands)("%s prints for people: no JSON", async (_, command) => {
    const { code, out, err } = await server.run(...command())
    expect({ code, err }).toEqual({ code: 0, err: "" })
    expect(out.trim()).not.toBe("")
    expect(out).not.toMatch(/[{[]\s*"|null|undefined|\[object/)
  })
})

describe("secrets", () => {
  it("of a key are printed once, when it is created", async () => {
    const key = await made(...createKey("live"))
    const later = [
      ofCustomer("key", "list"),
      [...ofCustomer("key", "list"), "--json"],
      ["key", "revoke", "--key", String(key.id)],
      ["key", "revoke", "--key", String(key.id), "--json"]
    ]
    for (const command of later) {
      const { code, out, err } = await server.run(...command)
      expect(code).toBe(0)
      expect(out + err).not.toContain(key.secret)
      expect(out + err).not.toMatch(/secret/)
    }
  })

  it("of the demo customer are not printed where no terminal reads them: the file is named", async () => {
    const namesOnlyTheFile = () => {
      expect(server.output()).toContain(join(server.dataDir, "demo.json"))
      expect(server.output()).not.toMatch(/svc_(live|test|pat)_/)
    }
    namesOnlyTheFile()
    await server.terminate()
    server = await server.restart()
    namesOnlyTheFile()
  }, 60_000)

  it.each(["secret", "demo.json"])("in the file %s are for its owner alone", async (file) => {
    const { mode } = await stat(join(server.dataDir, file))
    expect((mode & 0o777).toString(8)).toBe("600")
  })
})
