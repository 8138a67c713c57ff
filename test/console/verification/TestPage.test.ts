import { beforeAll, describe, expect, it } from "vitest"
import { until } from "../../contract/Server.ts"
import { type SharedServer, sharedServerWithDemo } from "../../contract/SharedServer.ts"
import { signedIn, type Visitor } from "../Visitor.ts"
import { demoApi, submit } from "../Forms.ts"

let server: SharedServer
let owner: Visitor
let api: ReturnType<typeof demoApi>
beforeAll(async () => {
  server = await sharedServerWithDemo()
  api = demoApi(server)
  owner = await signedIn(server, server.demo.customer_id, "owner")
})

describe("a test", () => {
  it("of the sandbox is verified by the code that always works", async () => {
    const sent = await submit(owner, "/console/test", "/console/test", {
      mode: "sandbox",
      phone: "09121234567",
      do: "send"
    })
    expect(sent.location).toMatch(/^\/console\/test\?mode=sandbox&kind=code&id=[\w-]{36}&draft=[\w-]+$/)
    const id = new URL(sent.location ?? "", server.url).searchParams.get("id") ?? ""
    const verified = await submit(owner, "/console/test", "/console/test/verify", {
      mode: "sandbox",
      id,
      code: "123456"
    })
    expect(verified.status).toBe(303)
    const { text } = await owner.get(verified.location ?? "")
    expect(text).toContain("the right code was entered")
    expect(text).not.toContain('action="/console/test/verify"')
  })

  it("is followed to its end: what was tried, and the field for the code while it is open", async () => {
    const { location } = await submit(owner, "/console/test", "/console/test", {
      mode: "live",
      phone: "09121239971",
      target: "bale:",
      do: "send"
    })
    // the form is as it was, for the next send
    const { text } = await owner.get(location ?? "")
    expect(text).toMatch(/name="phone"[^>]*value="09121239971"/)
    expect(text).toMatch(/<option value="bale:" selected/)
    expect(location).not.toContain("9971")
    const result = async () =>
      /id="test-result"[^]*?<\/section>/.exec((await owner.get(location ?? "")).text)?.[0] ?? ""
    const open = await result()
    expect(open).toContain('data-live="2"')
    expect(open).toContain("Bale")
    expect(open).toContain('class="told"')
    expect(open).toContain('action="/console/test/verify"')
    const id = new URL(location ?? "", server.url).searchParams.get("id") ?? ""
    await submit(owner, `/console/verifications/${id}`, `/console/verifications/${id}/cancel`, {})
    const over = await result()
    expect(over).not.toContain("data-live")
    expect(over).not.toContain('action="/console/test/verify"')
    expect(over).toContain("The code was canceled.")
  })

  it("of the sandbox can be a message, with a text or a template and its placeholders", async () => {
    const test = { mode: "sandbox", kind: "message", phone: "09121234567", target: "bale:", do: "send" }
    const sent = await submit(owner, "/console/test", "/console/test", { ...test, message: "سلام" })
    expect(sent.location).toMatch(/mode=sandbox&kind=message&id=/)
    await until("the message to be sent", async () =>
      (await owner.get(sent.location ?? "")).text.includes("Sent") ? true : undefined
    )
    const { id } = await api<{ id: number }>("POST", "/templates", {
      name: "Order",
      body: "سفارش {{order}} رسید."
    })
    const chosen = { ...test, template: String(id) }
    const form = await submit(owner, "/console/test", "/console/test", { ...chosen, do: "preview" })
    expect(form.text).toContain('name="parameter.order"')
    const missing = await submit(owner, "/console/test", "/console/test", chosen)
    expect(missing.status).toBe(422)
    const filled = await submit(owner, "/console/test", "/console/test", {
      ...chosen,
      "parameter.order": "1843"
    })
    expect(filled.status).toBe(303)
    expect(filled.location).toContain("kind=message")
  })

  it("shows the same request for programs, without a key", async () => {
    const { text } = await owner.get("/console/test?mode=live&target=bale:")
    expect(text).toContain("/v1/otp/send")
    expect(text).toContain("&quot;bale&quot;")
    expect(text).toContain("@peyk/client")
    expect(text).toContain("Idempotency-Key: $(od -An")
    expect(text).not.toContain(server.demo.live_key)
  })

  it("says that a link has filled in the form", async () => {
    const linked = await owner.get("/console/test?mode=live&phone=09121110099&kind=message&message=hello")
    expect(linked.text).toContain("A link filled in this form.")
    expect((await owner.get("/console/test")).text).not.toContain("A link filled in")
    const sent = await submit(owner, "/console/test", "/console/test", {
      mode: "sandbox",
      kind: "code",
      phone: "09121110098",
      target: "bale:",
      do: "send"
    })
    expect((await owner.get(sent.location ?? "")).text).not.toContain("A link filled in")
    // of another session, or made by hand
    const id = new URL(sent.location ?? "", server.url).searchParams.get("id") ?? ""
    const foreign = await owner.get(`/console/test?mode=sandbox&kind=code&draft=x&id=${id}`)
    expect(foreign.text).toContain("A link filled in this form.")
  })

  it("is refused in words, next to what was typed", async () => {
    const reply = await submit(owner, "/console/test", "/console/test", {
      mode: "live",
      phone: "123",
      do: "send"
    })
    expect(reply.status).toBe(422)
    expect(reply.text).toContain("This is not an Iranian mobile number.")
    expect(reply.text).toContain('<a href="#field-phone">Phone</a>')
    expect(reply.text).toContain('value="123"')
  })
})

describe("a test that is refused", () => {
  const test = { mode: "live", do: "send", phone: "09121110031", target: "sms:" }
  const sendTest = (fields: Readonly<Record<string, string>> = {}) =>
    submit(owner, "/console/test?lang=fa", "/console/test", { ...test, ...fields })

  it("names the phone, if that is denied", async () => {
    await submit(owner, "/console/guard", "/console/guard/deny/add", {
      deny_type: "phone",
      deny_value: test.phone
    })
    const reply = await sendTest()
    expect(reply.status).toBe(403)
    expect(reply.text).toMatch(/<a href="#field-phone">شماره<\/a>: <bdi>این شماره، پیش‌شماره/)
    expect(reply.text).toMatch(/id="field-phone"[^>]*aria-invalid="true"/s)
  })

  it("has no link where no field is the cause", async () => {
    const reply = await sendTest({ phone: "09121110032", target: "soroushplus:999999" })
    expect(reply.text).toMatch(/<li><bdi>این حساب پیدا نشد/)
    expect(reply.text).not.toContain("#field-send")
  })
})
