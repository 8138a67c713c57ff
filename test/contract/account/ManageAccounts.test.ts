import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { issues, newPhone, ok, otp, refused, request, timestamp } from "../Client.ts"
import type { List } from "../ManagedCustomer.ts"
import {
  type Account,
  type AccountCheck,
  done,
  etagOf,
  type Fields,
  type Manager,
  newManager,
  withKey
} from "../ManagedSetUp.ts"
import { type Server, startServer, until } from "../Server.ts"
import { accountsOf, bot, SECRET, simulatorAccount } from "./ManagedAccounts.ts"

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

const newBot = async () => ok<Account>(await mine.post("/accounts", bot({ check: false })), 201)
const read = (id: number) => mine.read<Account>(`/accounts/${id}`)

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
      last_error: null,
      created_at: expect.stringMatching(timestamp),
      version: 1
    })
    expect(check).toEqual({ result: "cannot_be_checked", detail: null })
    expect(reply.headers.get("etag")).toBe(etagOf(1))
    const again = await mine.get(`/accounts/${account.credential_id}`)
    expect(ok(again)).toEqual(account)
    expect(again.headers.get("etag")).toBe(etagOf(1))
    expect(await accountsOf(mine)).toContainEqual(account)
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
      (await accountsOf(owner)).filter((account) => account.default).map(({ credential_id }) => credential_id)
    expect(await defaults()).toEqual([eitaa.credential_id, second.credential_id])
    const reply = await owner.patch(`/accounts/${first.credential_id}`, { default: true })
    expect(ok(reply)).toMatchObject({ default: true })
    expect(await defaults()).toEqual([first.credential_id, eitaa.credential_id])
    ok(await owner.patch(`/accounts/${first.credential_id}`, { default: false }))
    expect(await defaults()).toEqual([eitaa.credential_id])
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
      const before = await accountsOf(mine)
      const reply = await mine.post("/accounts", baleBot())
      expect(issues(reply)).toEqual(["body.settings"])
      expect(reply.text).not.toContain(SECRET)
      expect(await accountsOf(mine)).toEqual(before)
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

  it.each(["", "a b", "x".repeat(129), "گفتگو", 1.5, 1e18, "1.00E+18", "1025.0", "#N/A", "TRUE", null])(
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

  it("is rotated without a body too", async () => {
    const { credential_id: id } = await newReceiver()
    const before = await inbox(id)
    const rotated = ok<{ path: string }>(await mine.call("POST", `/accounts/${id}/inbox/rotate`))
    expect(rotated.path).not.toBe(before.path)
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
