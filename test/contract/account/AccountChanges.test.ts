import { beforeAll, describe, expect, it } from "vitest"
import { issues, messages, ok, otp, refused } from "../Client.ts"
import type { List } from "../ManagedCustomer.ts"
import { type Account, etagOf, type Fields, ifMatch, type Manager, newManager } from "../ManagedSetUp.ts"
import { until } from "../Server.ts"
import { type SharedServer, sharedServer } from "../SharedServer.ts"
import { accountsOf } from "./ManagedAccounts.ts"

let server: SharedServer
let mine: Manager
beforeAll(async () => {
  server = sharedServer()
  mine = await newManager(server)
})

const read = (id: number) => mine.read<Account>(`/accounts/${id}`)
const errorsOf = (details: Fields) => JSON.stringify(details["errors"])

describe("accounts that are each made the default at once", () => {
  it("leave one default, and every request is answered", async () => {
    const owner = await newManager(server)
    const accounts = await Promise.all([1, 2, 3, 4, 5, 6].map(() => owner.newAccount("bale")))
    const replies = await Promise.all(
      accounts.map(({ credential_id }) => owner.patch(`/accounts/${credential_id}`, { default: true }))
    )
    expect(replies.map(({ status }) => status)).toEqual(accounts.map(() => 200))
    expect((await accountsOf(owner)).filter((account) => account.default)).toHaveLength(1)
  })

  it("leave one default when they are connected", async () => {
    const owner = await newManager(server)
    await Promise.all([1, 2, 3, 4, 5, 6].map(() => owner.newAccount("bale", { default: true })))
    const found = await accountsOf(owner)
    expect(found).toHaveLength(6)
    expect(found.filter((account) => account.default)).toHaveLength(1)
  })
})

describe("the list of accounts", () => {
  it("is filtered and comes in parts that make up the whole", async () => {
    const owner = await newManager(server)
    for (const channel of ["bale", "eitaa", "sms", "bale", "rubika"]) await owner.newAccount(channel)
    const whole = await accountsOf(owner)
    expect(whole).toHaveLength(5)
    const bales = (await owner.read<List<Account>>("/accounts?channel=bale")).data
    expect(bales).toEqual(whole.filter(({ channel }) => channel === "bale"))
    ok(await owner.patch(`/accounts/${bales[0]?.credential_id}`, { active: false }))
    const active = async (flag: string) => (await owner.read<List<Account>>(`/accounts?active=${flag}`)).data
    expect(await active("false")).toHaveLength(1)
    expect(await active("true")).toHaveLength(4)
    const parts = await owner.parts<Account>("/accounts", 2)
    expect(parts.map((part) => part.length)).toEqual([2, 2, 1])
    expect(parts.flat()).toEqual(await accountsOf(owner))
    expect(issues(await owner.get("/accounts?cursor=%00x&limit=100"))).toEqual(["query.cursor"])
    expect(issues(await owner.get("/accounts?channel=fax&active=yes"))).toEqual([
      "query.active",
      "query.channel"
    ])
    for (const limit of ["0", "101", "abc"]) {
      expect(new Set(issues(await owner.get(`/accounts?limit=${limit}`)))).toEqual(new Set(["query.limit"]))
    }
  })
})

describe("a change of an account", () => {
  it("changes what it names and keeps the rest, with a new version", async () => {
    const { check, ...account } = await mine.newAccount("eitaa")
    expect(check.result).toBe("cannot_be_checked")
    const reply = await mine.patch(`/accounts/${account.credential_id}`, { label: "Renamed" })
    const changed = ok<Account>(reply)
    expect(changed).toEqual({ ...account, label: "Renamed", version: changed.version })
    expect(changed.version).toBeGreaterThan(account.version)
    expect(reply.headers.get("etag")).toBe(etagOf(changed.version))
  })

  it("sets the account's pace, and null takes it back", async () => {
    const { credential_id: id } = await mine.newAccount("eitaa")
    const set = await mine.patch(`/accounts/${id}`, { gap_ms: 250, per_minute: 12 })
    expect(ok(set)).toMatchObject({ gap_ms: 250, per_minute: 12 })
    const one = await mine.patch(`/accounts/${id}`, { gap_ms: null })
    expect(ok(one)).toMatchObject({ gap_ms: null, per_minute: 12 })
    expect(ok(await mine.patch(`/accounts/${id}`, { per_minute: null }))).toMatchObject({ per_minute: null })
    const wrong = await mine.patch(`/accounts/${id}`, { gap_ms: -1, per_minute: 1.5 })
    expect(new Set(issues(wrong))).toEqual(new Set(["body.gap_ms", "body.per_minute"]))
  })

  it("takes null for absent where there is no default", async () => {
    const { credential_id: id } = await mine.newAccount("eitaa", { label: "Kept", default: true })
    const body = { label: null, active: null, default: null, settings: null, check: null }
    const reply = await mine.patch(`/accounts/${id}`, body)
    expect(ok(reply)).toMatchObject({ label: "Kept", active: true, default: true })
  })

  it("replaces the settings, which take effect on the next send", async () => {
    const owner = await newManager(server)
    const { credential_id: id } = await owner.newAccount("bale")
    const { secret } = await owner.newKey()
    const live = messages(server, secret)
    expect(await live.delivered({ channels: "bale" })).toMatchObject({ status: "sent" })
    ok(await owner.patch(`/accounts/${id}`, { settings: { outcome: "unreachable" } }))
    await until("the new settings to be used", async () =>
      (await live.delivered({ channels: "bale" })).status === "failed" ? true : undefined
    )
    const wrong = await owner.patch(`/accounts/${id}`, { settings: { outcome: "Very-Secret" }, label: "x" })
    expect(errorsOf(refused(wrong, 422, "validation_error").details)).toContain("outcome")
    expect(wrong.text).not.toContain("Very-Secret")
    expect(await owner.read(`/accounts/${id}`)).toMatchObject({ label: "The bale" })
  })

  it("is guarded by If-Match", async () => {
    const { credential_id: id, version } = await mine.newAccount("eitaa")
    const { version: next } = ok<Account>(
      await mine.patch(`/accounts/${id}`, { label: "a" }, ifMatch(version))
    )
    const stale = await mine.patch(`/accounts/${id}`, { label: "b" }, ifMatch(version))
    expect(refused(stale, 412, "precondition_failed").details).toEqual({ version: next })
    const staleSettings = await mine.patch(
      `/accounts/${id}`,
      { settings: { outcome: "unreachable" } },
      ifMatch(version)
    )
    refused(staleSettings, 412, "precondition_failed")
    ok(await mine.patch(`/accounts/${id}`, { label: "c" }, ifMatch("*")))
    expect(issues(await mine.patch(`/accounts/${id}`, { label: "d" }, ifMatch("x")))).toEqual([
      "headers.if-match"
    ])
    expect(await read(id)).toMatchObject({ label: "c" })
  })

  it("is one of many at once, if all say the same version", async () => {
    const { credential_id: id, version } = await mine.newAccount("eitaa")
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        mine.patch(`/accounts/${id}`, { label: `label ${n}` }, ifMatch(version))
      )
    )
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 7 }, () => 412)])
  })

  it("raises the version for each of what can be changed, and the sends do not", async () => {
    const owner = await newManager(server)
    let { credential_id: id, version } = await owner.newAccount("bale")
    const changes: ReadonlyArray<Fields> = [
      { settings: { latency_ms: 1 } },
      { default: true },
      { gap_ms: 5 },
      { per_minute: 100 },
      { active: false },
      { active: true },
      { label: "Other" }
    ]
    for (const change of changes) {
      const changed = ok<Account>(await owner.patch(`/accounts/${id}`, change))
      expect([change, changed.version > version]).toEqual([change, true])
      version = changed.version
    }
    const { secret } = await owner.newKey()
    await until("a message to be sent", async () => {
      const reply = await messages(server, secret).send({ channels: "bale" })
      return reply.status === 201 ? true : undefined
    })
    expect(await owner.read(`/accounts/${id}`)).toMatchObject({ version })
  })
})

describe("an account that is switched off", () => {
  it("sends nothing until it is switched on again", async () => {
    const owner = await newManager(server)
    const bale = await owner.newAccount("bale")
    await owner.newAccount("sms")
    const { secret } = await owner.newKey()
    const send = () => otp(server, secret).send({ channels: "bale" })
    const message = () => messages(server, secret).send({ channels: "bale" })
    const untilAnswered = (status: number) =>
      until(`the answer ${status}`, async () => ((await send()).status === status ? true : undefined), 10_000)
    await untilAnswered(200)
    const off = await owner.patch(`/accounts/${bale.credential_id}`, { active: false })
    expect(ok(off)).toMatchObject({ active: false })
    await untilAnswered(422)
    refused(await send(), 422, "channel_unavailable")
    refused(await message(), 422, "channel_unavailable")
    expect(ok(await owner.patch(`/accounts/${bale.credential_id}`, { active: true }))).toMatchObject({
      active: true
    })
    await untilAnswered(200)
  })
})
