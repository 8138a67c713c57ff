import { beforeAll, describe, expect, it } from "vitest"
import { newPhone, ok, otp } from "../../contract/Client.ts"
import { newAccount, newCustomer } from "../../contract/Operator.ts"
import { manage } from "../../contract/Manager.ts"
import { type SharedServer, sharedServerWithDemo } from "../../contract/SharedServer.ts"
import { csrfIn, signedIn, type Visitor } from "../Visitor.ts"
import { demoApi } from "../Forms.ts"

const wordsOf = (page: string) => page.replaceAll(/<[^>]+>/g, " ").replaceAll(/\s+/g, " ")

let server: SharedServer
let owner: Visitor
let stranger: Visitor
let api: ReturnType<typeof demoApi>
beforeAll(async () => {
  server = await sharedServerWithDemo()
  api = demoApi(server)
  owner = await signedIn(server, server.demo.customer_id, "owner")
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
    expect(text).toContain("Preview of a send now")
    expect(text).toContain("Simulated sms")
    expect(text).toContain("The code is valid for 5 min")
  })

  it("shows the same as the API's preview: texts with their SMS parts, limits, and what would refuse it", async () => {
    const phone = newPhone()
    const preview = async (number: string) => {
      const csrf = csrfIn(await owner.get("/console/routing"))
      const fields = {
        csrf,
        do: "preview",
        version: "1",
        target: "sms:",
        wait: "",
        template: "",
        phone: number
      }
      const { text } = await owner.post("/console/routing", fields)
      return wordsOf(/<section[^>]*id="outlook".*?<\/section>/s.exec(text)?.[0] ?? "")
    }
    const live = otp(server, server.demo.live_key)
    const { texts } = ok<{ readonly texts: ReadonlyArray<{ readonly text: string }> }>(
      await live.post("/preview", { phone, channels: "sms" })
    )
    const anybody = await preview("")
    for (const line of (texts[0]?.text ?? "?").split("\n")) expect(anybody).toContain(line)
    expect(anybody).toContain("1 SMS part")
    expect(anybody).toContain("Codes per hour At most 5")
    expect(anybody).toContain("Available balance")
    expect(await preview(phone)).toContain("Codes per hour 0 of 5")
    for (let n = 0; n < 5; n++) await live.sent({ phone, channels: "sms" })
    const full = await preview(phone)
    expect(full).toContain("Codes per hour 5 of 5 Limit reached until")
    expect(full).toContain("A send with this order would be refused now. ")
    expect(await preview("12")).toContain("not an Iranian mobile number")
  })

  it("shows when an account's turn comes", async () => {
    const slow = await newAccount(server, String(server.demo.customer_id), "rubika")
    await api("PATCH", `/accounts/${slow}`, { gap_ms: 60_000 })
    const live = otp(server, server.demo.live_key)
    await live.sent({ phone: newPhone(), channels: [{ channel: "rubika", account_id: slow }] })
    const csrf = csrfIn(await owner.get("/console/routing"))
    const target = `rubika:${slow}`
    const { text } = await owner.post("/console/routing", {
      csrf,
      do: "preview",
      version: "1",
      target,
      wait: "",
      template: ""
    })
    expect(wordsOf(text)).toMatch(/Waits its turn .* Free again at \d/)
  })

  it("has no preview while a step has a mistake, and says why", async () => {
    const csrf = csrfIn(await owner.get("/console/routing"))
    const fields = { csrf, do: "preview", version: "1", target: "sms:", wait: "soon", template: "" }
    const { text } = await owner.post("/console/routing", fields)
    expect(text).toContain("A step has a value that is not valid.")
    expect(text).not.toContain("No step yet")
  })
})

describe("the orders that were saved", () => {
  interface Version {
    readonly version: number
    readonly order?: string
    readonly steps: ReadonlyArray<unknown>
    readonly saved_by: string | null
  }
  const versions = async () =>
    (await api<{ readonly data: ReadonlyArray<Version> }>("GET", "/routing/versions")).data

  it("are listed with their maker, compared, and restored as a new version", async () => {
    await api("PUT", "/routing", { steps: [{ channel: "bale", wait: 60 }, { channel: "sms" }] })
    await api("PUT", "/routing", { steps: [{ channel: "bale", wait: 75 }], order: "measured" })
    const [now, earlier] = await versions()
    expect(now).toMatchObject({ order: "measured", steps: [{ channel: "bale", wait: 75 }] })
    expect(earlier?.saved_by).toEqual(expect.any(String))
    const { text } = await owner.get("/console/routing/history")
    const words = text.replaceAll(/<[^>]+>/g, "").replaceAll(/\s+/g, " ")
    expect(words).toContain(
      "removed SMS, wait of Bale 60 → 75 s, first channel: as the steps stand → measured"
    )
    expect(words).toContain(`Version ${earlier?.version} becomes the order again. What changes: added SMS`)
    const fields = { csrf: csrfIn(await owner.get("/console/routing")), version: String(now?.version) }
    const path = `/console/routing/history/${earlier?.version}/restore`
    expect((await owner.post(path, fields)).location).toBe("/console/routing?notice=restored")
    expect(await api("GET", "/routing")).toMatchObject({
      version: (now?.version ?? 0) + 1,
      steps: [{ channel: "bale", wait: 60 }, { channel: "sms" }]
    })
    expect((await owner.post(path, fields)).status).toBe(412)
  })

  it("are restored by the API with the version that the caller has seen, and by the command line", async () => {
    const [now, ...older] = await versions()
    const first = older.at(-1)
    const path = `/routing/versions/${first?.version}/restore`
    const restore = (seen: number) =>
      manage(server, "POST", path, { authorization: `apikey ${server.demo.token}`, "if-match": `"${seen}"` })
    expect((await restore((now?.version ?? 0) - 1)).status).toBe(412)
    expect((await restore(now?.version ?? 0)).status).toBe(200)
    expect((await versions())[0]?.steps).toEqual(first?.steps)
    expect(
      (await api<{ error?: { code: string } }>("POST", "/routing/versions/9999/restore")).error?.code
    ).toBe("not_found")
    const customer = ["--customer", String(server.demo.customer_id)]
    const { data } = (await server.cli("routing", "history", ...customer)) as {
      readonly data: ReadonlyArray<{ readonly version: number }>
    }
    expect(data.map(({ version }) => version)).toEqual((await versions()).map(({ version }) => version))
    await server.cli("routing", "restore", ...customer, "--version", String(now?.version))
    expect((await versions())[0]?.steps).toEqual(now?.steps)
  })

  it("name the command line by what it is, and a program by its name, whatever that is", async () => {
    const customer = ["--customer", String(server.demo.customer_id)]
    const named = ["--scope", "full", "--name", "Operator"]
    const { secret } = (await server.cli("token", "create", ...customer, ...named)) as { secret: string }
    await manage(server, "PUT", "/routing", { authorization: `apikey ${secret}` }, { steps: [] })
    await server.cli("routing", "set", ...customer, "--steps", '[{"channel":"bale"}]')
    const { text } = await owner.get("/console/routing/history")
    const makers = [...text.matchAll(/data-label="Saved by"[^>]*>([^]*?)<\/td>/g)].map(([, cell = ""]) =>
      cell.replaceAll(/<[^>]+>|[\u2066-\u2069]/g, "").trim()
    )
    expect(makers.slice(0, 2)).toEqual(["An operator (command line)", "Operator"])
  })

  it("stay another customer's own", async () => {
    const other = (await server.cli("customer", "create", "--name", "Other", "--plan", "free")) as {
      id: number
    }
    const stranger = await signedIn(server, other.id, "owner")
    expect((await stranger.get("/console/routing/history")).text).toContain("Nothing saved yet")
    const csrf = csrfIn(await stranger.get("/console/settings"))
    expect((await stranger.post("/console/routing/history/1/restore", { csrf })).status).toBe(404)
  })
})
