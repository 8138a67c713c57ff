import { beforeAll, describe, expect, it } from "vitest"
import { csrfIn, signedIn, type Visitor, wordsOf } from "../Visitor.ts"
import { messages, newKey, newPhone, otp, refused, request } from "../../contract/Client.ts"
import type { Role } from "../../contract/Manager.ts"
import { newAccount, newCustomer } from "../../contract/Operator.ts"
import { type SharedServer, sharedServer } from "../../contract/SharedServer.ts"

let server: SharedServer
let key: string
let owner: Visitor
let viewer: Visitor
let stranger: Visitor

beforeAll(async () => {
  server = sharedServer()
  const [made, other] = await Promise.all([newCustomer(server, "free"), newCustomer(server, "free")])
  await Promise.all([newAccount(server, made.id, "bale"), newAccount(server, made.id, "sms")])
  key = made.live
  const [first, second, third] = await Promise.all([
    ...(["owner", "viewer"] satisfies Array<Role>).map((role) => signedIn(server, made.id, role)),
    signedIn(server, other.id, "owner")
  ])
  owner = first ?? expect.fail()
  viewer = second ?? expect.fail()
  stranger = third ?? expect.fail()
})

const codes = () => otp(server, key)
const pageOf = (phone: string, visitor: Visitor = owner) => visitor.get(`/console/phones/${phone}`)

const submit = async (phone: string, form: string, visitor: Visitor = owner) =>
  visitor.post(`/console/phones/${phone}/${form}`, { csrf: csrfIn(await pageOf(phone, visitor)), phone })

const deny = async (phone: string) => {
  expect((await submit(phone, "deny/add")).status).toBe(303)
}

describe("the page of a phone", () => {
  it("has its codes and messages, and nothing of another customer", async () => {
    const phone = newPhone()
    const { verification_id: code } = await codes().sent({ phone, channels: "sms" })
    const { message_id: message } = await messages(server, key).delivered({ to: phone, channels: "sms" })
    const page = await pageOf(phone, viewer)
    expect(page.status).toBe(200)
    expect(page.text).toContain(`href="/console/verifications/${code}"`)
    expect(page.text).toContain(`href="/console/messages/${message}"`)
    const other = await pageOf(phone, stranger)
    expect(other.status).toBe(200)
    expect(other.text).not.toContain(code)
    expect(other.text).not.toContain(message)
    expect(wordsOf(other)).toContain("Nothing was sent to this phone")
  })

  it("is found in any form of the number, and by no other text", async () => {
    const phone = newPhone()
    for (const form of [phone.replace("+98", "0"), phone.slice(1), encodeURIComponent(phone)]) {
      const { status, location } = await owner.get(`/console/phones?q=${form}`)
      expect([status, location]).toEqual([303, `/console/phones/${phone}`])
    }
    expect((await pageOf(phone.replace("+98", "0"))).location).toBe(`/console/phones/${phone}`)
    expect((await pageOf("12")).status).toBe(404)
    expect((await owner.get("/console/phones?q=abc")).text).toContain('role="alert"')
  })

  it("names the phone to no other page or site, and to no metric", async () => {
    const phone = newPhone()
    const page = await pageOf(phone)
    expect(page.headers.get("referrer-policy")).toBe("no-referrer")
    const metrics = await (await fetch(`${server.url}/metrics`)).text()
    expect(metrics).toContain("/console/phones/{phone}")
    expect(metrics).not.toContain(phone.slice(3))
  })

  it("puts the phone on a list and takes it off; who may only read has no button", async () => {
    const phone = newPhone()
    await deny(phone)
    expect(wordsOf(await pageOf(phone))).toContain("on the deny list: codes to it are refused")
    refused(await codes().send({ phone, channels: "sms" }), 403, "blocked_phone")
    expect((await submit(phone, "deny/remove")).status).toBe(303)
    await codes().sent({ phone, channels: "sms" })
    expect((await submit(phone, "allow/add")).status).toBe(303)
    expect(wordsOf(await pageOf(phone))).toMatch(/Allow list on it/)
    expect((await pageOf(phone, viewer)).text).not.toContain("/deny/add")
    expect((await submit(phone, "deny/add", viewer)).status).toBe(403)
  })
})

describe("refused requests of a phone", () => {
  it("are on its page, and an empty list of codes or messages leads there", async () => {
    const phone = newPhone()
    await deny(phone)
    for (let count = 0; count < 2; count++)
      refused(await codes().send({ phone, channels: "sms" }), 403, "blocked_phone")
    const page = await pageOf(phone)
    expect(wordsOf(page)).toContain("2 requests were refused, the last one: blocked_phone")
    expect(page.text.match(/href="\/console\/requests\/[0-9a-f-]+\.\d+"/g)).toHaveLength(2)
    for (const list of ["verifications", "messages"]) {
      const empty = await owner.get(`/console/${list}?q=${encodeURIComponent(phone)}`)
      expect(wordsOf(empty)).toMatch(/2 requests for this phone were refused blocked_phone Your deny list/)
      expect(empty.text).toContain(`href="/console/phones/${phone}#refused"`)
    }
    expect(wordsOf(await pageOf(phone, stranger))).not.toContain("blocked_phone")
  })

  it("have those of batches, each with its own reason", async () => {
    const [phone, other] = [newPhone(), newPhone()]
    const batch = [
      { to: phone, message: "one", channels: "sms" },
      { to: phone, message: "two", channels: "sms", template: { id: 1 } },
      { to: other, message: "three", channels: [{ channel: "sms", account_id: 999_999 }] },
      { to: "12", message: "four", channels: "sms" }
    ]
    const reply = await request(server, "POST", "/v1/messages/batch", {
      headers: { "x-api-key": key, "content-type": "application/json", "idempotency-key": newKey() },
      body: JSON.stringify({ messages: batch })
    })
    expect(JSON.parse(reply.text)).toMatchObject({ data: [{ message_id: expect.any(String) }, {}, {}, {}] })
    expect(wordsOf(await pageOf(phone))).toContain("1 request was refused: validation_error")
    expect((await pageOf(phone)).text.match(/href="\/console\/requests\/[0-9a-f-]+\.\d+"/g)).toHaveLength(1)
    expect(wordsOf(await pageOf(other))).toContain("1 request was refused")
  })

  it("are those of this phone only, though others look the same when masked", async () => {
    const phone = newPhone()
    const masked = `${phone.slice(0, 6)}${phone.slice(6, 9) === "000" ? "111" : "000"}${phone.slice(9)}`
    await deny(phone)
    refused(await codes().send({ phone, channels: "sms" }), 403, "blocked_phone")
    expect(wordsOf(await pageOf(masked))).not.toContain("blocked_phone")
  })

  it("are forgotten when the phone is erased", async () => {
    const phone = newPhone()
    const { verification_id: code } = await codes().sent({ phone, channels: "sms" })
    await deny(phone)
    refused(await codes().send({ phone, channels: "sms" }), 403, "blocked_phone")
    expect(wordsOf(await pageOf(phone))).toContain("1 request was refused")
    const { status, location } = await submit(phone, "erase")
    expect([status, location]).toEqual([303, "/console/phones?notice=erased"])
    const page = wordsOf(await pageOf(phone))
    expect(page).not.toContain("1 request was refused")
    expect(page).not.toContain(code)
    expect((await submit(phone, "erase", viewer)).status).toBe(403)
  })
})

describe("the last four digits", () => {
  it("find the refused requests of phones to which nothing was sent", async () => {
    const phone = newPhone()
    const lastFour = phone.slice(-4)
    await deny(phone)
    refused(await codes().send({ phone, channels: "sms" }), 403, "blocked_phone")
    const page = await owner.get(`/console/phones?q=${lastFour}`)
    expect(wordsOf(page)).toContain(`Refused requests for phones that end in ${lastFour}: 1`)
    expect(wordsOf(page)).toContain(`Nothing was sent to a phone that ends in ${lastFour}.`)
    expect(page.text).not.toContain(phone)
    const list = await owner.get(`/console/requests?q=${lastFour}&outcome=refused&mode=live`)
    expect(wordsOf(list)).toContain("blocked_phone")
    expect(wordsOf(await stranger.get(`/console/phones?q=${lastFour}`))).not.toContain("Refused requests")
    expect(wordsOf(await stranger.get("/console/phones?q="))).toContain("No phones yet")
  })

  it("find phones, codes and messages", async () => {
    const phone = newPhone()
    const lastFour = phone.slice(-4)
    const { verification_id: code } = await codes().sent({ phone, channels: "sms" })
    const { message_id: message } = await messages(server, key).delivered({ to: phone, channels: "sms" })
    const persian = lastFour.replaceAll(/\d/g, (digit) => String.fromCodePoint(0x06f0 + Number(digit)))
    for (const digits of [lastFour, persian]) {
      const found = await owner.get(`/console/phones?q=${encodeURIComponent(digits)}`)
      expect(found.text).toContain(`href="/console/phones/${phone}"`)
    }
    expect((await owner.get(`/console/verifications?q=${lastFour}`)).text).toContain(code)
    expect((await owner.get(`/console/messages?q=${lastFour}`)).text).toContain(message)
    const others = await owner.get(`/console/phones?q=${lastFour === "0000" ? "0001" : "0000"}`)
    expect(others.text).not.toContain(phone)
    expect((await stranger.get(`/console/phones?q=${lastFour}`)).text).not.toContain(phone)
  })
})
