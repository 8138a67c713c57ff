import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { issues, messages, newPhone, ok, otp, refused, request, timestamp } from "../Client.ts"
import type { List } from "../ManagedCustomer.ts"
import {
  type Account,
  type AccountCheck,
  done,
  etagOf,
  type Fields,
  ifMatch,
  type Manager,
  newManager,
  withKey
} from "../ManagedSetUp.ts"
import { type Server, startServer, until } from "../Server.ts"

const SECRET = "3000000003:NobodysTelegramToken_0123456789abcdefg"

/** A bot platform that knows every token, or none. */
const startPlatform = async () => {
  let knows = true
  const platform = createServer((asked, answer) => {
    asked.resume()
    answer.writeHead(knows ? 200 : 401, { "content-type": "application/json" })
    const me = { id: 1, is_bot: true, first_name: "Peyk", username: "peyk_bot" }
    answer.end(
      JSON.stringify(
        knows ? { ok: true, result: me } : { ok: false, error_code: 401, description: `no ${SECRET}` }
      )
    )
  })
  await new Promise<void>((resolve) => platform.listen(0, "127.0.0.1", resolve))
  const { port } = platform.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    setKnows: (known: boolean) => void (knows = known),
    stop: () => platform.close()
  }
}

const NOBODY = "http://127.0.0.1:9"

let platform: Awaited<ReturnType<typeof startPlatform>>
let server: Server
let mine: Manager
beforeAll(async () => {
  platform = await startPlatform()
  server = await startServer({
    env: {
      PEYK_TELEGRAM_URL: NOBODY,
      PEYK_SOROUSHPLUS_URL: NOBODY,
      PEYK_BALE_BOT_URL: platform.url
    }
  })
  mine = await newManager(server)
})
afterAll(async () => {
  await server?.stop()
  platform?.stop()
})

const bot = (fields: Fields = {}) => ({
  channel: "telegram",
  provider: "telegram_bot",
  label: "Our bot",
  settings: { token: SECRET },
  ...fields
})
const simulatorAccount = (fields: Fields = {}) => ({
  channel: "bale",
  provider: "simulator",
  label: "A bale",
  settings: {},
  ...fields
})
const newBot = async () => ok<Account>(await mine.post("/accounts", bot({ check: false })), 201)
const read = (id: number) => mine.read<Account>(`/accounts/${id}`)
const all = async (of = mine) => (await of.read<List<Account>>("/accounts?limit=100")).data
const errorsOf = (details: Fields) => JSON.stringify(details["errors"])

describe("an account that is connected", () => {
  it("is shown with what it does, and what was found of it", async () => {
    const reply = await mine.post("/accounts", simulatorAccount({ label: "فروشگاه" }))
    const { check, ...account } = ok<Account & { check: AccountCheck }>(reply, 201)
    expect(account).toEqual({
      credential_id: expect.any(Number),
      channel: "bale",
      provider: "simulator",
      label: "فروشگاه",
      default: false,
      active: true,
      sends: ["codes", "messages"],
      standby: [],
      needs_contacts: false,
      gap_ms: null,
      per_minute: null,
      failures: 0,
      cooling_until: null,
      created_at: expect.stringMatching(timestamp),
      version: 1
    })
    expect(check).toEqual({ result: "cannot_be_checked", detail: null })
    expect(reply.headers.get("etag")).toBe(etagOf(1))
    const again = await mine.get(`/accounts/${account.credential_id}`)
    expect(ok(again)).toEqual(account)
    expect(again.headers.get("etag")).toBe(etagOf(1))
    expect(await all()).toContainEqual(account)
  })

  it("that cannot be asked is connected, and says so; its credential is never shown again", async () => {
    const reply = await mine.post("/accounts", bot())
    const { credential_id: id, check, ...account } = ok<Account & { check: AccountCheck }>(reply, 201)
    expect(check).toMatchObject({ result: "not_reached", detail: expect.any(String) })
    expect(account).toMatchObject({ sends: ["messages"], needs_contacts: true })
    const answers = await Promise.all([
      mine.get(`/accounts/${id}`),
      mine.get("/accounts?limit=100"),
      mine.patch(`/accounts/${id}`, { label: "Other" }),
      mine.post(`/accounts/${id}/check`, undefined),
      mine.get(`/accounts/${id}/inbox`)
    ])
    for (const { text } of [reply, ...answers]) {
      expect(text).not.toContain(SECRET)
      expect(text).not.toContain(SECRET.slice(11))
    }
    expect(ok(answers[3])).toMatchObject({ result: "not_reached" })
  })

  it("sends at once", async () => {
    const owner = await newManager(server)
    const { secret } = await owner.newKey()
    refused(await otp(server, secret).send({ channels: "rubika" }), 422, "no_credentials")
    const { credential_id } = await owner.newAccount("rubika")
    const sent = await until("the account to be known", async () => {
      const reply = await otp(server, secret).send({ channels: "rubika" })
      return reply.status === 200 ? reply : undefined
    })
    expect(ok(sent)).toMatchObject({ current_attempt_channel: { credential_id } })
  })

  it("replaces the default of its channel, and of no other", async () => {
    const owner = await newManager(server)
    const first = await owner.newAccount("bale", { default: true })
    const eitaa = await owner.newAccount("eitaa", { default: true })
    const second = await owner.newAccount("bale", { default: true })
    const defaults = async () =>
      (await all(owner)).filter((account) => account.default).map(({ credential_id }) => credential_id)
    expect(await defaults()).toEqual([eitaa.credential_id, second.credential_id])
    const reply = await owner.patch(`/accounts/${first.credential_id}`, { default: true })
    expect(ok(reply)).toMatchObject({ default: true })
    expect(await defaults()).toEqual([first.credential_id, eitaa.credential_id])
    ok(await owner.patch(`/accounts/${first.credential_id}`, { default: false }))
    expect(await defaults()).toEqual([eitaa.credential_id])
  })
})

describe("accounts that are each made the default at once", () => {
  it("leave one default, and every request is answered", async () => {
    const owner = await newManager(server)
    const accounts = await Promise.all([1, 2, 3, 4, 5, 6].map(() => owner.newAccount("bale")))
    const replies = await Promise.all(
      accounts.map(({ credential_id }) => owner.patch(`/accounts/${credential_id}`, { default: true }))
    )
    expect(replies.map(({ status }) => status)).toEqual(accounts.map(() => 200))
    expect((await all(owner)).filter((account) => account.default)).toHaveLength(1)
  })

  it("leave one default when they are connected", async () => {
    const owner = await newManager(server)
    await Promise.all([1, 2, 3, 4, 5, 6].map(() => owner.newAccount("bale", { default: true })))
    const found = await all(owner)
    expect(found).toHaveLength(6)
    expect(found.filter((account) => account.default)).toHaveLength(1)
  })
})

describe("an account whose provider is asked first", () => {
  const baleBot = (fields: Fields = {}) => ({
    channel: "bale",
    provider: "bale_bot",
    label: "Our Bale bot",
    settings: { token: SECRET, receives_updates: false },
    ...fields
  })
  const known = async <A>(isKnown: boolean, then: () => Promise<A>) => {
    platform.setKnows(isKnown)
    try {
      return await then()
    } finally {
      platform.setKnows(true)
    }
  }

  it("works, where the provider says so", async () => {
    const { check } = ok<{ check: AccountCheck }>(await mine.post("/accounts", baleBot()), 201)
    expect(check).toMatchObject({ result: "works" })
  })

  it("is not connected where the provider refuses it, unless nobody asks", async () => {
    await known(false, async () => {
      const before = await all()
      const reply = await mine.post("/accounts", baleBot())
      expect(issues(reply)).toEqual(["body.settings"])
      expect(reply.text).not.toContain(SECRET)
      expect(await all()).toEqual(before)
      const unasked = await mine.post("/accounts", baleBot({ check: false }))
      const { credential_id: id } = ok<Account>(unasked, 201)
      const checked = await mine.post(`/accounts/${id}/check`, undefined)
      expect(ok(checked)).toMatchObject({ result: "refused", detail: expect.any(String) })
      expect(checked.text).not.toContain(SECRET)
    })
  })

  it("keeps its settings where the provider refuses the new ones", async () => {
    const { credential_id: id, version } = ok<Account>(await mine.post("/accounts", baleBot()), 201)
    await known(false, async () => {
      const change = { settings: { token: `${SECRET}x`, receives_updates: false }, label: "New" }
      expect(issues(await mine.patch(`/accounts/${id}`, change))).toEqual(["body.settings"])
    })
    expect(await read(id)).toMatchObject({ version, label: "Our Bale bot" })
  })

  it("is replayed as it was connected, whatever its provider says by then", async () => {
    const headers = withKey()
    const first = ok(await mine.post("/accounts", baleBot(), headers), 201)
    await known(false, async () => {
      const again = await mine.post("/accounts", baleBot(), headers)
      expect(ok(again, 201)).toEqual(first)
      expect(again.headers.get("idempotency-replayed")).toBe("true")
    })
  })
})

describe("an account that is wrong", () => {
  const unchanged = async (body: unknown) => {
    const before = await all()
    const reply = await mine.post("/accounts", body)
    const { details } = refused(reply, 422, "validation_error")
    expect(await all()).toEqual(before)
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
    const open = await startServer({ env: { PEYK_ALLOW_PRIVATE_ADDRESSES: "true" } })
    try {
      const owner = await newManager(open)
      const settings = { url: "http://127.0.0.1:9/hook", secret }
      ok(await owner.post("/accounts", simulatorAccount({ provider: "bridge", settings })), 201)
    } finally {
      await open.stop()
    }
  }, 120_000)
})

describe("the list of accounts", () => {
  it("is filtered and comes in parts that make up the whole", async () => {
    const owner = await newManager(server)
    for (const channel of ["bale", "eitaa", "sms", "bale", "rubika"]) await owner.newAccount(channel)
    const whole = await all(owner)
    expect(whole).toHaveLength(5)
    const bales = (await owner.read<List<Account>>("/accounts?channel=bale")).data
    expect(bales).toEqual(whole.filter(({ channel }) => channel === "bale"))
    ok(await owner.patch(`/accounts/${bales[0]?.credential_id}`, { active: false }))
    const active = async (flag: string) => (await owner.read<List<Account>>(`/accounts?active=${flag}`)).data
    expect(await active("false")).toHaveLength(1)
    expect(await active("true")).toHaveLength(4)
    const parts = await owner.parts<Account>("/accounts", 2)
    expect(parts.map((part) => part.length)).toEqual([2, 2, 1])
    expect(parts.flat()).toEqual(await all(owner))
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

describe("the contacts of an account", () => {
  interface Contact {
    readonly phone: string
    readonly chat_id: string
    readonly linked_at: string
  }
  const contacts = async (id: number) =>
    (await mine.read<List<Contact>>(`/accounts/${id}/contacts?limit=100`)).data
  const numbered = (count: number, chatId = (n: number): string | number => 5_000_000_000 + n) =>
    Array.from({ length: count }, (_, n) => ({ phone: `+98935${1_000_000 + n}`, chat_id: chatId(n) }))

  it("are imported, replaced, listed by phone and forgotten", async () => {
    const { credential_id: id } = await newBot()
    const path = `/accounts/${id}/contacts`
    const given = [
      { phone: "09121111112", chat_id: "chat-2" },
      { phone: "+98 912 111 1111", chat_id: 77 },
      { phone: "۰۹۱۲۱۱۱۱۱۱۳", chat_id: "3" }
    ]
    expect(ok(await mine.put(path, { contacts: given }))).toEqual({ imported: 3 })
    const linked_at = expect.stringMatching(timestamp)
    expect(await contacts(id)).toEqual([
      { phone: "+989121111111", chat_id: "77", linked_at },
      { phone: "+989121111112", chat_id: "chat-2", linked_at },
      { phone: "+989121111113", chat_id: "3", linked_at }
    ])
    ok(await mine.put(path, { contacts: [{ phone: "09121111111", chat_id: "78" }] }))
    expect((await contacts(id)).map(({ chat_id }) => chat_id)).toEqual(["78", "chat-2", "3"])
    done(await mine.delete(`${path}/09121111111`))
    done(await mine.delete(`${path}/${encodeURIComponent("+989121111112")}`))
    expect((await contacts(id)).map(({ phone }) => phone)).toEqual(["+989121111113"])
    refused(await mine.delete(`${path}/09121111111`), 404, "not_found")
    refused(await mine.delete(`${path}/abc`), 404, "not_found")
  })

  it("are 1000 at once at most, and come in parts that make up the whole", async () => {
    const { credential_id: id } = await newBot()
    const path = `/accounts/${id}/contacts`
    expect(new Set(issues(await mine.put(path, { contacts: numbered(1001) })))).toEqual(
      new Set(["body.contacts"])
    )
    expect(await contacts(id)).toEqual([])
    expect(ok(await mine.put(path, { contacts: numbered(1000) }))).toEqual({ imported: 1000 })
    const parts = await mine.parts<Contact>(path, 100)
    expect(parts).toHaveLength(10)
    expect(parts.flat().map(({ phone }) => phone)).toEqual(numbered(1000).map(({ phone }) => phone))
    expect(issues(await mine.get(`${path}?cursor=%00x&limit=1`))).toEqual(["query.cursor"])
    for (const limit of ["0", "101", "abc"]) {
      expect(new Set(issues(await mine.get(`${path}?limit=${limit}`)))).toEqual(new Set(["query.limit"]))
    }
  })

  it("are none where 1000 with long chat ids are more than a request may hold", async () => {
    const { credential_id: id } = await newBot()
    const longIds = numbered(
      1000,
      (n) => `b0ABCD0${String(n).padStart(4, "0")}${"0123456789abcdef".repeat(2).slice(0, 21)}`
    )
    refused(await mine.put(`/accounts/${id}/contacts`, { contacts: longIds }), 413, "payload_too_large")
    expect(await contacts(id)).toEqual([])
    const half = longIds.slice(0, 500)
    expect(ok(await mine.put(`/accounts/${id}/contacts`, { contacts: half }))).toEqual({ imported: 500 })
  })

  it.each(["abc", "0212345678", "+14155550100", ""])(
    "are not imported, none of them, where one's phone is %s",
    async (phone) => {
      const { credential_id: id } = await newBot()
      const given = [
        { phone: "09121111111", chat_id: "1" },
        { phone, chat_id: "2" }
      ]
      refused(await mine.put(`/accounts/${id}/contacts`, { contacts: given }), 422, "invalid_phone")
      expect(await contacts(id)).toEqual([])
    }
  )

  it.each(["", "a b", "x".repeat(129), "گفتگو", 1.5, null])(
    "are not imported where a chat id is %s",
    async (chat_id) => {
      const { credential_id: id } = await newBot()
      const given = [{ phone: "09121111111", chat_id }]
      const found = issues(await mine.put(`/accounts/${id}/contacts`, { contacts: given }))
      expect(found.every((path) => path.startsWith("body.contacts[0].chat_id"))).toBe(true)
      expect(await contacts(id)).toEqual([])
    }
  )

  it("that are given twice are one: the last", async () => {
    const { credential_id: id } = await newBot()
    const given = [
      { phone: "09121111111", chat_id: "1" },
      { phone: "+989121111111", chat_id: "2" }
    ]
    ok(await mine.put(`/accounts/${id}/contacts`, { contacts: given }))
    expect(await contacts(id)).toMatchObject([{ phone: "+989121111111", chat_id: "2" }])
  })

  it("are a conflict for an account that reaches phones without them", async () => {
    const { credential_id: id } = await mine.newAccount("sms")
    const given = [{ phone: newPhone(), chat_id: "1" }]
    refused(await mine.put(`/accounts/${id}/contacts`, { contacts: given }), 409, "conflict")
    expect(await contacts(id)).toEqual([])
  })
})

describe("the inbox of a bot", () => {
  const newReceiver = async () =>
    ok<Account>(
      await mine.post(
        "/accounts",
        bot({ channel: "soroushplus", provider: "soroushplus_bot", check: false })
      ),
      201
    )
  const inbox = async (id: number) => mine.read<{ path: string }>(`/accounts/${id}/inbox`)
  const post = (path: string) =>
    request(server, "POST", path, { headers: { "content-type": "application/json" }, body: "{}" })

  it("is a secret path that stays until it is rotated, and then ends at once", async () => {
    const { credential_id: id } = await newReceiver()
    const before = await inbox(id)
    expect(before.path).toMatch(/^\//)
    expect(await inbox(id)).toEqual(before)
    const known = (await post(before.path)).status
    expect(known).not.toBe(404)
    const rotated = ok<{ path: string }>(await mine.post(`/accounts/${id}/inbox/rotate`, {}))
    expect(rotated.path).not.toBe(before.path)
    expect(await inbox(id)).toEqual(rotated)
    await until("the old path to end", async () =>
      (await post(before.path)).status === 404 ? true : undefined
    )
    expect((await post(rotated.path)).status).toBe(known)
  })

  it("is each account's own", async () => {
    const [one, other] = [await newReceiver(), await newReceiver()]
    expect(await inbox(one.credential_id)).not.toEqual(await inbox(other.credential_id))
  })

  it("is a conflict for an account that nobody writes to", async () => {
    const { credential_id: id } = await mine.newAccount("sms")
    refused(await mine.get(`/accounts/${id}/inbox`), 409, "conflict")
    refused(await mine.post(`/accounts/${id}/inbox/rotate`, {}), 409, "conflict")
  })
})
