import { beforeAll, describe, expect, it } from "vitest"
import { newCustomer } from "../contract/Operator.ts"
import { until } from "../contract/Server.ts"
import { type SharedServer, sharedServerWithDemo } from "../contract/SharedServer.ts"
import { csrfIn, signedIn, type Visitor } from "./Visitor.ts"
import { demoApi, hiddenFields, submit } from "./Forms.ts"

let server: SharedServer
let owner: Visitor
let viewer: Visitor
let stranger: Visitor
let api: ReturnType<typeof demoApi>
beforeAll(async () => {
  server = await sharedServerWithDemo()
  api = demoApi(server)
  owner = await signedIn(server, server.demo.customer_id, "owner")
  viewer = await signedIn(server, server.demo.customer_id, "viewer")
  stranger = await signedIn(server, (await newCustomer(server)).id, "owner")
})

describe("the routing order", () => {
  const row = (target: string) => ["target", target] as const
  const draft = async (button: string, ...rows: ReadonlyArray<readonly [string, string]>) => {
    const csrf = csrfIn(await owner.get("/console/routing"))
    const body = new URLSearchParams([
      ["csrf", csrf],
      ["do", button],
      ["version", "1"],
      ...rows.map(([name, value]) => [name, value])
    ])
    for (const _ of rows) {
      body.append("wait", "")
      body.append("template", "")
    }
    const cookie = [...owner.cookies].map(([name, value]) => `${name}=${value}`).join("; ")
    const reply = await fetch(`${server.url}/console/routing`, {
      method: "POST",
      body,
      headers: { cookie },
      redirect: "manual"
    })
    return { status: reply.status, text: await reply.text() }
  }
  const chosen = (text: string) =>
    Array.from(text.matchAll(/<option value="(\w+:\w*)" selected/g), ([, target]) => target)

  it("moves its steps by buttons, without saving them", async () => {
    const before = await api("GET", "/routing")
    const { status, text } = await draft("up:1", row("bale:"), row("sms:"))
    expect(status).toBe(200)
    expect(chosen(text)).toEqual(["sms:", "bale:"])
    expect(chosen((await draft("remove:0", row("bale:"), row("sms:"))).text)).toEqual(["sms:"])
    expect(await api("GET", "/routing")).toEqual(before)
  })

  it("is not filled in from a link that somebody else made, but from the page's own address", async () => {
    const link = "/console/routing?version=1&order=saved&target=rubika%3A&wait=&template="
    const saved = chosen((await owner.get("/console/routing")).text)
    expect(chosen((await owner.get(link)).text)).toEqual(saved)
    const markIn = (text: string) => /name="draft"\s+value="([^"]+)"/.exec(text)?.[1] ?? "none"
    const mark = markIn((await owner.get("/console/routing")).text)
    expect(chosen((await owner.get(`${link}&draft=${mark}`)).text)).toEqual(["rubika:"])
    const another = markIn((await stranger.get("/console/test")).text)
    expect(another).not.toBe("none")
    expect(chosen((await owner.get(`${link}&draft=${another}`)).text)).toEqual(saved)
  })

  it("is saved as it stands, and refused as the API refuses it", async () => {
    const twice = await draft("save", row("bale:"), row("bale:"))
    expect(twice.status).toBe(422)
    const { status } = await draft("save", row("sms:"), row("bale:"))
    expect(status).toBe(303)
    expect(await api("GET", "/routing")).toMatchObject({ steps: [{ channel: "sms" }, { channel: "bale" }] })
  })

  it("leads from each mistake to the field of its step", async () => {
    const csrf = csrfIn(await owner.get("/console/routing"))
    const body = new URLSearchParams({ csrf, do: "save", version: "1" })
    for (const [target, wait] of [
      ["bale:", "۵۰"],
      ["eitaa:", "5"]
    ] as const)
      for (const [name, value] of Object.entries({ target, wait, template: "" })) body.append(name, value)
    const { status, text } = await owner.postAll("/console/routing", body)
    expect(status).toBe(422)
    expect(text).toMatch(
      /<a href="#field-wait-1">Step 2: Wait \(s\)<\/a>: <bdi>Enter a number from 45 to 120\.<\/bdi>/
    )
    expect(text).toMatch(
      /id="field-wait-1"\s+name="wait"\s+aria-describedby="waits-hint field-wait-1-error"\s+aria-invalid="true"/
    )
    expect(text.split('aria-invalid="true"')).toHaveLength(2)
  })

  it("shows what a send would do, and sends nothing", async () => {
    const { text } = await owner.get("/console/routing")
    expect(text).toContain("What a send would do now")
    expect(text).toContain("Simulated sms")
    expect(text).toContain("The code is valid for 300 s")
  })

  it("has no preview while a step has a mistake, and says why", async () => {
    const csrf = csrfIn(await owner.get("/console/routing"))
    const fields = { csrf, do: "preview", version: "1", target: "sms:", wait: "soon", template: "" }
    const { text } = await owner.post("/console/routing", fields)
    expect(text).toContain("A step has a value that is not valid.")
    expect(text).not.toContain("No step yet")
  })
})

describe("a template", () => {
  const fields = { name: "Sign-in", body: "کد شما: {{code}}" }

  it("is previewed before it is saved, with the parts of an SMS", async () => {
    const body = "س".repeat(71)
    const reply = await submit(owner, "/console/templates/new", "/console/templates/new", {
      ...fields,
      body,
      do: "preview"
    })
    expect(reply.status).toBe(200)
    expect(reply.text).toMatch(/2 parts · 71 places, 63 left/)
  })

  it("is created, changed and switched off", async () => {
    const created = await submit(owner, "/console/templates/new", "/console/templates/new", {
      ...fields,
      do: "save"
    })
    const path = (created.location ?? "").replace(/\?.*/, "")
    expect(path).toMatch(/^\/console\/templates\/\d+$/)
    await submit(owner, path, path, { ...fields, name: "Other", version: "1", do: "save" })
    await submit(owner, path, `${path}/disable`, {})
    expect(await api("GET", `/templates/${path.split("/").at(-1)}`)).toMatchObject({
      name: "Other",
      active: false
    })
  })

  it("keeps what was typed next to somebody else's change, and is saved after that", async () => {
    const made = await submit(owner, "/console/templates/new", "/console/templates/new", {
      ...fields,
      do: "save"
    })
    const path = (made.location ?? "").replace(/\?.*/, "")
    await submit(owner, path, path, { ...fields, name: "Theirs", version: "1", do: "save" })
    const mine = { name: "Mine", body: "رمز: {{code}}" }
    const preview = await submit(owner, path, path, { ...mine, version: "1", do: "preview" })
    expect(preview.text).toContain('name="version" value="1"')
    const late = await submit(owner, path, path, { ...mine, version: "1", do: "save" })
    expect(late.status).toBe(412)
    expect(late.text).toContain("Somebody has changed it meanwhile.")
    expect(late.text).toContain("<bdi>Theirs</bdi>")
    expect(late.text).toContain("رمز: {{code}}")
    const version = /name="version" value="(\d+)"/.exec(late.text)?.[1] ?? ""
    const again = await submit(owner, path, path, { ...mine, version, do: "save" })
    expect(again.status).toBe(303)
    expect(await api("GET", `/templates/${path.split("/").at(-1)}`)).toMatchObject(mine)
  })

  it("shows its text as text", async () => {
    const body = `<script>alert("{{name}}")</script>`
    const { text } = await submit(owner, "/console/templates/new", "/console/templates/new", {
      name: "x",
      body,
      do: "preview"
    })
    expect(text).not.toContain("<script>alert")
    expect(text).toContain("&lt;script&gt;")
  })
})

describe("a test", () => {
  it("of the sandbox is verified by the code that always works", async () => {
    const sent = await submit(owner, "/console/test", "/console/test", {
      mode: "sandbox",
      phone: "09121234567",
      do: "send"
    })
    expect(sent.location).toMatch(/^\/console\/test\?mode=sandbox&kind=code&id=[\w-]{36}$/)
    const id = new URL(sent.location ?? "", server.url).searchParams.get("id") ?? ""
    const verified = await submit(owner, "/console/test", "/console/test/verify", {
      mode: "sandbox",
      id,
      code: "123456"
    })
    expect(verified.status).toBe(303)
    expect((await owner.get(verified.location ?? "")).text).toContain("the right code was entered")
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

  it("blames the phone, if that is denied", async () => {
    await submit(owner, "/console/guard", "/console/guard/deny/add", {
      deny_type: "phone",
      deny_value: test.phone
    })
    const reply = await sendTest()
    expect(reply.status).toBe(403)
    expect(reply.text).toMatch(/<a href="#field-phone">شماره<\/a>: <bdi>این شماره، پیش‌شماره/)
    expect(reply.text).toMatch(/id="field-phone"[^>]*aria-invalid="true"/s)
  })

  it("has no link where no field is to blame", async () => {
    const reply = await sendTest({ phone: "09121110032", target: "soroushplus:999999" })
    expect(reply.text).toMatch(/<li><bdi>چنین حسابی نیست/)
    expect(reply.text).not.toContain("#field-send")
  })
})

describe("a form of the guard that is refused", () => {
  it("keeps the settings that were typed", async () => {
    const typed = { mode: "enforcing", unverified_hour: "many", sms_price: "1200" }
    const { status, text } = await submit(owner, "/console/guard", "/console/guard", typed)
    expect(status).toBe(422)
    expect(text).toContain('<option value="enforcing" selected')
    expect(text).toMatch(/name="unverified_hour"[^>]*value="many"/)
    expect(text).toMatch(/name="sms_price"[^>]*value="1200"/)
  })

  it("does not overwrite somebody else's change, and is saved after it has shown that", async () => {
    const path = "/console/guard"
    const { version } = hiddenFields(await owner.get(path), path)
    const typed = { mode: "record", unverified_hour: "", sms_price: "1300", version: version ?? "" }
    await api("PATCH", "/guard", { mode: "enforcing" })
    const late = await submit(owner, path, path, typed)
    expect(late.status).toBe(412)
    expect(late.text).toMatch(/name="sms_price"[^>]*value="1300"/)
    expect(await api("GET", "/guard")).toMatchObject({ mode: "enforcing", sms_price: null })
    const again = await submit(owner, path, path, { ...typed, ...hiddenFields(late, path) })
    expect(again.status).toBe(303)
    expect(await api("GET", "/guard")).toMatchObject({ mode: "record", sms_price: 1300 })
  })

  it("keeps the kind and the value of a line", async () => {
    const typed = { deny_type: "ip", deny_value: "203.0.113.x" }
    const { status, text } = await submit(owner, "/console/guard", "/console/guard/deny/add", typed)
    expect(status).toBe(422)
    expect(text).toContain('<option value="ip" selected')
    expect(text).toMatch(/name="deny_value"[^>]*value="203\.0\.113\.x"/)
    expect(text).toMatch(/name="allow_value"[^>]*value=""/)
  })
})

describe("set-up pages", () => {
  /** Of the owner's customer. */
  let account: string
  let template: string
  beforeAll(async () => {
    const { data } = await api<{ data: ReadonlyArray<{ credential_id: number }> }>("GET", "/accounts")
    account = `/console/channels/${data[0]?.credential_id}`
    const { id } = await api<{ id: number }>("POST", "/templates", { name: "theirs", body: "{{code}}" })
    template = `/console/templates/${id}`
  })

  it("have no forms for viewers, who could not send them either", async () => {
    const pages = ["routing", "templates", "test", "guard"].map((name) => `/console/${name}`)
    for (const path of [account, ...pages]) {
      const { status, text } = await viewer.get(path)
      expect(status, path).toBe(200)
      expect(text, path).not.toMatch(new RegExp(`action="(?!/console/sign-out)[^"]*"`))
    }
    const csrf = csrfIn(await viewer.get("/console/overview"))
    for (const path of [
      `${account}/disable`,
      "/console/routing",
      "/console/templates/new",
      "/console/test"
    ]) {
      expect((await viewer.post(path, { csrf })).status, path).toBe(403)
    }
  })

  it("do not exist for another customer", async () => {
    const csrf = csrfIn(await stranger.get("/console/overview"))
    for (const path of [account, template, "/console/channels/0", "/console/channels/x"]) {
      expect((await stranger.get(path)).status, path).toBe(404)
    }
    for (const action of ["", "/check", "/disable", "/settings", "/contacts", "/outcome", "/inbox/rotate"]) {
      const reply = await stranger.post(`${account}${action}`, {
        csrf,
        label: "x",
        phone: "09121234567",
        chat_id: "7"
      })
      expect(reply.status, action).toBe(404)
    }
  })

  it("change nothing without the form's token", async () => {
    for (const path of [
      `${account}/disable`,
      "/console/routing",
      "/console/templates/new",
      "/console/test"
    ]) {
      expect((await owner.post(path, { csrf: "x" })).status, path).toBe(403)
    }
  })
})

describe("a form that a link leads to", () => {
  const paths = {
    "keys/new": "name=Chosen-elsewhere&mode=test&rate_limit_per_minute=7",
    "tokens/new": "name=Chosen-elsewhere&scope=full",
    "users/new": "name=Chosen-elsewhere&email=chosen%40elsewhere.example&role=owner",
    "channels/connect":
      "channel=sms&provider=bridge&label=Chosen-elsewhere&url=https%3A%2F%2Fchosen.elsewhere"
  }
  it.each(Object.entries(paths))("has nothing of the link's own: %s", async (path, query) => {
    const { status, text } = await owner.get(`/console/${path}?${query}`)
    expect(status).toBe(200)
    const main = text.slice(text.indexOf("<form", text.indexOf("<h1>")))
    expect(main).not.toMatch(/chosen.elsewhere/i)
  })
})

it("says of a bridge's address when it may be http", async () => {
  const { text } = await owner.get("/console/channels/connect?channel=sms&provider=bridge&lang=en")
  expect(text).toContain("https; http too where PEYK_ALLOW_PRIVATE_ADDRESSES is set")
})
