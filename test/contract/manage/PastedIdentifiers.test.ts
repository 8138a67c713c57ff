import { beforeAll, describe, expect, it } from "vitest"
import { messages, newPhone, ok, otp, refused, request } from "../Client.ts"
import type { List } from "../ManagedCustomer.ts"
import { done, type Manager, newManager } from "../ManagedSetUp.ts"
import { until } from "../Server.ts"
import { type SharedServer, sharedServer } from "../SharedServer.ts"

let server: SharedServer
let owner: Manager & { readonly customerId: string }
let live: string
let bale: number
beforeAll(async () => {
  server = sharedServer()
  owner = await newManager(server)
  const bot = { provider: "bale_bot", settings: { token: "12345:AAF" } }
  bale = (await owner.newAccount("bale", bot)).credential_id
  await owner.newAccount("sms")
  live = (await owner.newKey()).secret
})

/** As the console's pages, and other pages in Persian, have phones. */
const pasted = (phone: string) => `\u2066${phone.slice(0, 6)}\u2011${phone.slice(6)}\u2069`
const ERASED = "\u2066+98 980\u2011000\u20110000\u2069"
const query = (name: string, value: string) => `${name}=${encodeURIComponent(value)}`

describe("a phone that was pasted with invisible characters", () => {
  it("is sent to, found, looked up in the lists, and erased", async () => {
    const phone = newPhone()
    const { verification_id } = await otp(server, live).sent({ phone: pasted(phone), channels: "sms" })
    const { message_id } = await messages(server, live).created({ to: pasted(phone) })
    const listed = async (path: string) =>
      ok<List<object>>(await request(server, "GET", path, { headers: { "x-api-key": live } })).data
    expect(await listed(`/v1/otp?${query("phone", pasted(phone))}`)).toMatchObject([{ verification_id }])
    expect(await listed(`/v1/messages?${query("to", pasted(phone))}`)).toMatchObject([{ message_id }])
    const managed = async (path: string) => ok<List<object>>(await owner.get(path)).data
    expect(await managed(`/verifications?${query("phone", pasted(phone))}`)).toMatchObject([
      { verification_id }
    ])
    expect(await managed(`/messages?${query("phone", pasted(phone))}`)).toMatchObject([{ message_id }])
    await until("the message to be sent", async () => {
      const { completed_at } = await messages(server, live).status(message_id)
      return completed_at ?? undefined
    })
    expect(ok(await owner.post("/phones/erase", { phone: pasted(phone) }))).toEqual({
      verifications: 1,
      messages: 1,
      contacts: 0
    })
  })

  it("is the same phone when a send is repeated", async () => {
    const phone = newPhone()
    const first = messages(server, live)
    const headers = { "idempotency-key": `pasted-${phone}` }
    const { message_id } = ok<{ readonly message_id: string }>(await first.send({ to: phone }, headers), 201)
    expect(ok(await first.send({ to: pasted(phone) }, headers), 201)).toMatchObject({ message_id })
  })

  it("is linked to a chat, and on the lists of the guard", async () => {
    const phone = newPhone()
    const contacts = [{ phone: pasted(phone), chat_id: "5551234" }]
    expect(ok(await owner.put(`/accounts/${bale}/contacts`, { contacts }))).toEqual({ imported: 1 })
    const contact = `/accounts/${bale}/contacts/${encodeURIComponent(pasted(phone))}`
    done(await owner.delete(contact))
    for (const [type, value, normal] of [
      ["phone", pasted(phone), phone],
      ["prefix", "\u200f۰۹۱۲\u2011۳۴۵", "+98912345"],
      ["ip", "\u2066203.0.113.0/24\u2069 ", "203.0.113.0/24"]
    ] as const) {
      expect(ok(await owner.post("/guard/deny", { type, value }), 201)).toMatchObject({ type, value: normal })
    }
  })
})

describe("the number of erased phones", () => {
  it("is invalid_phone in filters, erasure and imports", async () => {
    const listed = (path: string) => request(server, "GET", path, { headers: { "x-api-key": live } })
    for (const reply of [
      await listed(`/v1/otp?${query("phone", ERASED)}`),
      await listed(`/v1/messages?${query("to", ERASED)}`),
      await owner.get(`/verifications?${query("phone", ERASED)}`),
      await owner.get(`/messages?${query("phone", ERASED)}`),
      await owner.post("/phones/erase", { phone: ERASED }),
      await owner.put(`/accounts/${bale}/contacts`, { contacts: [{ phone: ERASED, chat_id: "5" }] })
    ]) {
      refused(reply, 422, "invalid_phone")
    }
    refused(await owner.post("/guard/deny", { type: "phone", value: ERASED }), 422, "validation_error")
  })
})

describe("other identifiers with invisible characters", () => {
  it("an id in a path of the management API finds its record", async () => {
    const { verification_id } = await otp(server, live).sent({ channels: "sms" })
    const path = `/verifications/${encodeURIComponent(`\u2066${verification_id}\u2069`)}`
    expect(ok(await owner.get(path))).toMatchObject({ verification_id })
  })

  it("the address of a webhook is stored without them", async () => {
    const url = "\u2066https://shop.example.com/peyk\u200b/events\u2069 "
    const { url: stored } = ok<{ readonly url: string }>(
      await owner.post("/webhooks", { url, events: ["message.sent"] }),
      201
    )
    expect(stored).toBe("https://shop.example.com/peyk/events")
  })

  it("a provider's credential is taken, and stored without them", async () => {
    const settings = { token: "\u200e12345:AAF-secret\u2069" }
    const account = { channel: "bale", provider: "bale_bot", label: "a bot", settings }
    expect(ok(await owner.post("/accounts", account), 201)).toMatchObject({ provider: "bale_bot" })
  })
})
