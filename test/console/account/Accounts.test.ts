import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { CONNECT, connectBy, demoApi, rowsOf, submit } from "../Forms.ts"
import { signedIn, type Visitor } from "../Visitor.ts"
import { type Server, startServer, until } from "../../contract/Server.ts"

let server: Server
let owner: Visitor
let connect: ReturnType<typeof connectBy>
let api: ReturnType<typeof demoApi>
beforeAll(async () => {
  server = await startServer({ env: { PEYK_RUBIKA_URL: "http://127.0.0.1:9" } })
  api = demoApi(server)
  owner = await signedIn(server, server.demo.customer_id, "owner")
  connect = connectBy(owner)
})
afterAll(() => server?.stop())

const rubika = {
  channel: "rubika",
  provider: "rubika_bot",
  label: "Shop",
  "settings.token": "secret-token-7"
}

const versionsIn = (text: string) =>
  Array.from(text.matchAll(/name="version" value="(\d+)"/g), ([, version]) => version)

describe("connecting an account", () => {
  it("asks for what the provider's own schema names, and hides what is secret", async () => {
    const { text } = await owner.get(`${CONNECT}?channel=sms&provider=kavenegar`)
    expect(text).toMatch(/name="settings\.api_key"[^>]*required[^>]*type="password"/s)
    expect(text).toContain('name="settings.otp_template"')
    expect(text).toContain('<option value="token10"')
  })

  it("never shows a secret that was typed, not even when the form is shown again", async () => {
    const fields = { ...rubika, label: "", "settings.trust_contacts": "true" }
    const reply = await submit(owner, `${CONNECT}?channel=rubika&provider=rubika_bot`, CONNECT, fields)
    expect(reply.status).toBe(422)
    expect(reply.text).not.toContain("secret-token-7")
    expect(reply.text).toMatch(/aria-invalid="true"/)
    const id = await connect(rubika)
    expect((await owner.get(`/console/channels/${id}`)).text).not.toContain("secret-token-7")
  })

  it("says what is wrong with the settings", async () => {
    const fields = {
      channel: "sms",
      provider: "ippanel",
      label: "x",
      "settings.api_key": "k",
      "settings.from_number": "1"
    }
    const reply = await submit(owner, `${CONNECT}?channel=sms&provider=ippanel`, CONNECT, fields)
    expect(reply.status).toBe(422)
    expect(reply.text).toContain("Begin with +98")
    expect(reply.text).toMatch(/id="field-settings-from_number"[^>]*aria-invalid="true"/s)
    expect(reply.text).toContain('<a href="#field-settings-from_number">Line number')
  })

  it("says in Persian what is wrong with the address and the secret of a bridge", async () => {
    const page = `${CONNECT}?lang=fa&channel=sms&provider=bridge`
    const fields = { channel: "sms", provider: "bridge", label: "Bridge", "settings.secret": "short" }
    const { text } = await submit(owner, page, CONNECT, { ...fields, "settings.url": "ftp://example.ir" })
    expect(text).toContain("نشانی http یا https با حداکثر ۲٬۰۴۸ نویسه وارد کنید")
    expect(text).toContain("۲۴ تا ۶۴ بایت به شکل base64 وارد کنید")
    const plain = await submit(owner, page, CONNECT, { ...fields, "settings.url": "http://example.ir" })
    expect(plain.text).toMatch(/نشانی باید با .https:\/\/. شروع شود/)
    await owner.get(`${CONNECT}?lang=en`)
  })

  it("says which settings codes and messages need, and does not call those optional", async () => {
    const { text } = await owner.get(`${CONNECT}?channel=sms&provider=smsir`)
    expect(text).toContain("Template for codes (required for codes)")
    expect(text).toContain("Line number (required for messages)")
    expect(text).toContain("Variable for the code (optional)")
    const ippanel = await owner.get(`${CONNECT}?channel=sms&provider=ippanel&lang=fa`)
    expect(ippanel.text).toContain("شمارهٔ خط (الزامی برای کد و پیام)")
    await owner.get(`${CONNECT}?lang=en`)
  })

  /** The notice of the page after the form, and whether it is a good one. */
  const noticeAfter = async (form: string, action: string, fields: Readonly<Record<string, string>>) => {
    const { status, location, text } = await submit(owner, form, action, fields)
    expect(status, text).toBe(303)
    const shown = await owner.get(location ?? "")
    return /<p class="notice (\w+)" role="status">([^<]*)/.exec(shown.text)?.slice(1)
  }

  it("does not call it a success if the provider was not reached, or if it can send nothing", async () => {
    const form = `${CONNECT}?channel=rubika&provider=rubika_bot`
    expect(await noticeAfter(form, CONNECT, { ...rubika, check: "true" })).toEqual([
      "warn",
      "Connected, but not checked: its provider is unreachable. See the last check."
    ])
    const smsir = { channel: "sms", provider: "smsir", label: "No template", "settings.api_key": "k" }
    expect(await noticeAfter(`${CONNECT}?channel=sms&provider=smsir`, CONNECT, smsir)).toEqual([
      "warn",
      "Connected, but it cannot send yet: its settings are incomplete."
    ])
    const list = await owner.get("/console/channels")
    expect(list.text).toContain("Cannot send")
    expect(list.text).toContain("Unreachable")
    const id = await connect({ ...rubika, label: "Checked later" })
    const path = `/console/channels/${id}`
    expect(await noticeAfter(path, `${path}/check`, {})).toEqual([
      "warn",
      "The provider is unreachable. See the last check."
    ])
    const settings = { "settings.token": "another", check: "true", version: "1" }
    expect(await noticeAfter(path, `${path}/settings`, settings)).toEqual([
      "warn",
      "Saved, but not checked: its provider is unreachable. See the last check."
    ])
  })

  it("is in the audit log as the user's, without the settings", async () => {
    await connect({ ...rubika, label: "Audited" })
    const { data } = await api<{ data: ReadonlyArray<Record<string, unknown>> }>("GET", "/audit-log?limit=5")
    expect(data[0]).toMatchObject({
      action: "account.connect",
      details: { label: "Audited" },
      actor: { kind: "user" }
    })
    expect(JSON.stringify(data)).not.toContain("secret-token")
  })
})

describe("an account's settings", () => {
  const authorized = async () => {
    const { data } = await api<{ data: ReadonlyArray<Record<string, unknown>> }>("GET", "/audit-log?limit=1")
    return data[0]
  }

  it("are changed one by one: what is left empty stays, and no value is ever shown", async () => {
    const settings = {
      "settings.api_key": "the-first-key",
      "settings.line_number": "30001234",
      "settings.otp_template_id": "77"
    }
    const id = await connect({ channel: "sms", provider: "smsir", label: "One by one", ...settings })
    const path = `/console/channels/${id}`
    const before = await owner.get(path)
    expect(before.text).toContain("Codes, messages")
    for (const value of ["the-first-key", "30001234"]) expect(before.text).not.toContain(value)
    const saved = await submit(owner, path, `${path}/settings`, {
      "settings.otp_template_id": "78",
      "remove.line_number": "true",
      version: "1"
    })
    expect(saved).toMatchObject({ status: 303, location: `${path}?notice=saved` })
    const after = await owner.get(path)
    // without a line it sends no texts; without its key it would not have been saved
    expect(/Can send<\/dt>\s*<dd>([^<]*)/.exec(after.text)?.[1]).toBe("Codes")
    expect(await authorized()).toMatchObject({
      action: "account.update",
      details: { settings: ["line_number", "otp_template_id"] }
    })
    const wrong = await submit(owner, path, `${path}/settings`, {
      "settings.otp_template_id": "no number",
      version: "2"
    })
    expect(wrong.status).toBe(422)
    expect(wrong.text).toContain('id="field-settings-otp_template_id-error"')
    expect(
      await api("PATCH", `/accounts/${id}`, { settings_change: { line_number: 30005 }, check: false })
    ).toMatchObject({ sends: ["codes", "messages"] })
    const both = { settings: { api_key: "x" }, settings_change: { api_key: "y" } }
    expect(await api("PATCH", `/accounts/${id}`, both)).toMatchObject({
      error: { code: "validation_error", details: { errors: [{ path: "body.settings_change" }] } }
    })
  })
})

describe("an account's page", () => {
  it("shows its state, and saves its label and pace", async () => {
    const id = await connect({ ...rubika, label: "Paced" })
    const path = `/console/channels/${id}`
    const saved = await submit(owner, path, path, {
      label: "<b>Renamed</b>",
      gap_ms: "2000",
      per_minute: "5",
      version: "1"
    })
    expect(saved).toMatchObject({ status: 303, location: `${path}?notice=saved` })
    const { text } = await owner.get(path)
    expect(text).toContain("&lt;b&gt;Renamed&lt;/b&gt;")
    expect(text).toContain("0 of 5")
    expect(await api("GET", `/accounts/${id}`)).toMatchObject({ gap_ms: 2000, per_minute: 5 })
  })

  it("is not overwritten by a form of an earlier version", async () => {
    const id = await connect({ ...rubika, label: "Twice" })
    const path = `/console/channels/${id}`
    await submit(owner, path, path, { label: "First", gap_ms: "", per_minute: "", version: "1" })
    const late = await submit(owner, path, path, {
      label: "Second",
      gap_ms: "",
      per_minute: "",
      version: "1"
    })
    expect(late.status).toBe(412)
    expect(await api("GET", `/accounts/${id}`)).toMatchObject({ label: "First" })
  })

  it("shows what was typed next to somebody else's change, and is saved after that", async () => {
    const id = await connect({ ...rubika, label: "Meanwhile" })
    const path = `/console/channels/${id}`
    const typed = { label: "Mine", gap_ms: "3000", per_minute: "" }
    await submit(owner, path, path, { label: "Theirs", gap_ms: "", per_minute: "", version: "1" })
    const wrong = await submit(owner, path, path, { ...typed, gap_ms: "x", version: "1" })
    expect(versionsIn(wrong.text)).toContain("1")
    const late = await submit(owner, path, path, { ...typed, version: "1" })
    expect(late.text).toContain("Someone else changed this in the meantime.")
    expect(late.text).toContain("<bdi>Theirs</bdi>")
    expect(late.text).toMatch(/name="label"[^>]*value="Mine"/)
    expect(versionsIn(late.text)).not.toContain("1")
    const again = await submit(owner, path, path, { ...typed, version: versionsIn(late.text)[0] ?? "" })
    expect(again.status).toBe(303)
    expect(await api("GET", `/accounts/${id}`)).toMatchObject({ label: "Mine", gap_ms: 3000 })
  })

  it("keeps what a check found", async () => {
    const reply = await submit(owner, "/console/channels/1", "/console/channels/1/check", {})
    expect(reply.status).toBe(303)
    expect((await owner.get("/console/channels/1")).text).toContain("Cannot be checked")
  })

  it("imports contacts, all or none", async () => {
    const id = await connect({ ...rubika, label: "Contacts" })
    const path = `/console/channels/${id}`
    const wrong = await submit(owner, path, `${path}/contacts`, { contacts: "09121234567,7\nnobody,8" })
    expect(wrong.status).toBe(422)
    expect(wrong.text).toContain("line 2 is not an Iranian mobile number")
    const right = await submit(owner, path, `${path}/contacts`, {
      contacts: "chat_id,phone\n7,09121234567\n8,09351234567"
    })
    expect(right).toMatchObject({ status: 303, location: `${path}?notice=linked&count=2` })
    expect((await owner.get(right.location ?? "")).text).toContain("Linked phones: 2")
    const { text } = await owner.get(path)
    expect(text).toContain("+989351234567")
    expect(text).toContain('role="region" aria-label="Linked phones"')
    await submit(owner, path, `${path}/contacts/remove`, { phone: "+989351234567" })
    expect((await owner.get(path)).text).not.toContain("+989351234567")
  })

  it("says what is wrong with a file of contacts, in the language of its page", async () => {
    const path = `/console/channels/${await connect({ ...rubika, label: "Files" })}`
    const refused = async (contacts: string) =>
      (await submit(owner, `${path}?lang=fa`, `${path}/contacts`, { contacts })).text
    expect(await refused("09121234567,7\nnobody,8\n09121234567,")).toContain(
      "سطر ۲ شمارهٔ موبایل ایرانی ندارد؛ سطر ۳ شناسهٔ گفت‌وگوی درستی ندارد"
    )
    expect(await refused("phone,chat_id")).toContain("هیچ سطری شماره و شناسهٔ گفت‌وگو ندارد.")
    expect(await refused("p\0h\0o\0n\0e\0")).toContain("این متن UTF-8 نیست.")
    await owner.get(`${path}?lang=en`)
  })

  it("imports a thousand long lines, and answers more with a page", async () => {
    const path = `/console/channels/${await connect({ ...rubika, label: "Thousand" })}`
    const line = (index: number) => `0912${String(index).padStart(7, "0")},${"x".repeat(128)}`
    const contacts = Array.from({ length: 1000 }, (_, index) => line(index)).join("\n")
    const { location } = await submit(owner, path, `${path}/contacts`, { contacts })
    expect(location).toContain("notice=linked&count=1000")
    const huge = await submit(owner, path, `${path}/contacts`, { contacts: "x".repeat(1_100_000) })
    expect(huge.status).toBe(413)
    expect(huge.text).toContain("<!doctype html>")
    expect(huge.text).toContain("This is too large.")
  })

  it("has standby accounts of its channel, in order, without a cycle", async () => {
    const [first, second] = [await connect(rubika), await connect({ ...rubika, label: "Second" })]
    const [path, other] = [`/console/channels/${first}`, `/console/channels/${second}`]
    const saved = await submit(owner, path, `${path}/standby`, { "standby.0": second })
    expect(saved.location).toContain("notice=saved")
    expect(await api("GET", `/accounts/${first}`)).toMatchObject({ standby: [Number(second)] })
    const cycle = await submit(owner, other, `${other}/standby`, { "standby.0": first })
    expect(cycle.status).toBe(422)
    expect(cycle.text).toContain('role="alert"')
    expect(cycle.text).toContain(`<option value="${first}" selected`)
    await submit(owner, path, `${path}/standby`, { "standby.0": "" })
    expect(await api("GET", `/accounts/${first}`)).toMatchObject({ standby: [] })
  })

  it("is deleted, once", async () => {
    const id = await connect({ ...rubika, label: "Short-lived" })
    const path = `/console/channels/${id}`
    const gone = await submit(owner, path, `${path}/delete`, {})
    expect(gone.location).toBe("/console/channels?notice=deleted")
    expect((await owner.get(path)).status).toBe(404)
    expect((await submit(owner, "/console/channels/1", `${path}/delete`, {})).status).toBe(404)
  })

  it("shows when it cools down, and why", async () => {
    await submit(owner, "/console/channels/2", "/console/channels/2/outcome", {
      outcome: "throttled",
      back: "account"
    })
    expect((await owner.get("/console/channels/2")).text).toContain("Rate limited")
    await submit(owner, "/console/test", "/console/test", {
      mode: "live",
      do: "send",
      phone: "09121110001",
      target: "bale:"
    })
    const { text } = await owner.get("/console/channels/2")
    expect(text).toContain("Cooldown")
    expect(text).toContain("its provider asked to slow down")
    expect((await owner.get("/console/routing")).text).toContain("Skipped now")
  })

  it("leads from each of its last sends to its code, and to all of its phone", async () => {
    const phone = "+989121110047"
    const fields = { mode: "live", do: "send", phone, target: "soroushplus:" }
    const { location } = await submit(owner, "/console/test", "/console/test", fields)
    await until("the send", async () =>
      (await owner.get(location ?? "")).text.includes("The code was sent over") ? true : undefined
    )
    const row = rowsOf(await owner.get("/console/channels/3")).find((each) => each.includes(phone))
    expect(row).toMatch(/href="\/console\/verifications\/[0-9a-f-]{36}"/)
    expect(row).toContain(`href="/console/phones/${phone}"`)
  })
})

it("says of each provider what it is, needs and costs, before one is chosen", async () => {
  const { text } = await owner.get(CONNECT)
  const cards = [...text.matchAll(/class="choice-card".*?<\/a>/gs)].map(([card]) => card)
  expect(cards.length).toBeGreaterThan(10)
  for (const card of cards) expect(card).toMatch(/class="choice-note"\s*>[^<]{20,}</)
})
