import { beforeAll, describe, expect, it } from "vitest"
import { type Answer, csrfIn, signedIn, type Visitor, wordsOf } from "../Visitor.ts"
import { json, messages, newPhone, otp, sandbox, unknownId } from "../../contract/Client.ts"
import { manage, type Role } from "../../contract/Manager.ts"
import { newAccount, newCustomer } from "../../contract/Operator.ts"
import { until } from "../../contract/Server.ts"
import { type SharedServer, sharedServerWithDemo } from "../../contract/SharedServer.ts"

let server: SharedServer
let customer: string
let key: string
let testKey: string
let owner: Visitor
let viewer: Visitor

beforeAll(async () => {
  server = await sharedServerWithDemo()
  const made = await newCustomer(server, "start")
  customer = made.id
  await server.cli("wallet", "top-up", "--customer", customer, "--amount", "100000")
  await newAccount(server, customer, "bale", { settings: { outcome: "unreachable" } })
  await newAccount(server, customer, "eitaa")
  await newAccount(server, customer, "sms")
  key = made.live
  testKey = made.test
  const [first, second] = await Promise.all(
    (["owner", "viewer"] satisfies Array<Role>).map((role) => signedIn(server, customer, role))
  )
  owner = first ?? expect.fail()
  viewer = second ?? expect.fail()
})

const codes = () => otp(server, key)
const rows = ({ text }: Answer) =>
  [...text.matchAll(/class="row-link" href="([^"]+)"/g)].map(([, href]) => href)
const codeOn = (phone: string) =>
  until("the code to arrive", async () => {
    const reply = await fetch(`${server.url}/simulator/messages?phone=${encodeURIComponent(phone)}`)
    const { data } = (await reply.json()) as { data: ReadonlyArray<{ code: string | null }> }
    return data.find(({ code }) => code !== null)?.code ?? undefined
  })

describe("the list of verifications", () => {
  it("is in the chosen order, with the chosen number of rows, and says how many there are", async () => {
    const phone = newPhone()
    const first = await codes().sent({ phone, channels: "eitaa" })
    const second = await codes().sent({ phone, channels: "eitaa" })
    const inOrder = [second, first].map(({ verification_id }) => `/console/verifications/${verification_id}`)
    const path = `/console/verifications?q=${encodeURIComponent(phone)}`
    const page = await viewer.get(path)
    expect(rows(page)).toEqual(inOrder)
    expect(wordsOf(page)).toContain("2 results")
    expect(rows(await viewer.get(`${path}&sort=oldest`))).toEqual(inOrder.toReversed())
    expect((await viewer.get(`${path}&sort=random`)).text).toContain('role="alert"')
    expect((await viewer.get("/console/verifications?size=50")).text).toMatch(
      /<span aria-current="true">50<\/span>/
    )
  })

  it("has the newest first, and leads to the page of each", async () => {
    const first = await codes().sent({ channels: "eitaa" })
    const second = await codes().sent({ channels: "eitaa" })
    const page = await viewer.get("/console/verifications")
    expect(page.status).toBe(200)
    expect(rows(page).slice(0, 2)).toEqual([
      `/console/verifications/${second.verification_id}`,
      `/console/verifications/${first.verification_id}`
    ])
  })

  it("finds a phone in any form, a status, and a channel", async () => {
    const phone = newPhone()
    const { verification_id: id } = await codes().sent({ phone, channels: "bale" })
    const path = `/console/verifications/${id}`
    const found = async (query: string) => rows(await viewer.get(`/console/verifications?${query}`))
    expect(await found(`q=0${phone.slice(3)}`)).toEqual([path])
    expect(await found(`q=${encodeURIComponent(phone)}&status=failed`)).toEqual([path])
    // as this page itself has it
    expect(await found(`q=${encodeURIComponent(`\u2066${phone}\u2069`)}`)).toEqual([path])
    expect(
      await found(`q=${encodeURIComponent(`\u200f${phone.slice(0, 6)}\u2011${phone.slice(6)}`)}`)
    ).toEqual([path])
    expect(await found(`q=${encodeURIComponent(phone)}&status=verified`)).toEqual([])
    expect(await found(`q=${encodeURIComponent(phone)}&channel=bale&within=1h`)).toEqual([path])
    expect(await found(`q=${encodeURIComponent(phone)}&channel=eitaa`)).toEqual([])
    expect(
      await found(`q=${encodeURIComponent(phone)}&from=2020-01-01T00%3A00&to=2020-02-01T00%3A00`)
    ).toEqual([])
  })

  it("leads from a whole id to its page, also with what copying takes along", async () => {
    const { verification_id: id } = await codes().sent({ channels: "eitaa" })
    const copied = await viewer.get(`/console/verifications?q=${encodeURIComponent(`\u2066${id}\u200f `)}`)
    expect(copied.location).toBe(`/console/verifications/${id}`)
    expect(await viewer.get(`/console/verifications?q=${id.toUpperCase()}`)).toMatchObject({
      status: 303,
      location: `/console/verifications/${id}`
    })
  })

  it("says what it did not understand, as text", async () => {
    const page = await viewer.get(`/console/verifications?q=${encodeURIComponent('"><script>x</script>')}`)
    expect(page.status).toBe(200)
    expect(page.text).toContain("Enter a phone number, its last four digits, or a complete id")
    expect(page.text).not.toContain("<script>x")
    expect(rows(page)).toEqual([])
  })

  it("has no file for a search that it cannot read", async () => {
    const file = await viewer.get("/console/verifications/export.csv?from=yesterday")
    expect(file.status).toBe(422)
    expect(file.text).toContain("From: enter a date and time, such as")
  })

  it("keeps its filters on the next page, and refuses a cursor that is none", async () => {
    const phone = newPhone()
    const { verification_id: id } = await codes().sent({ phone, channels: "eitaa" })
    for (let round = 0; round < 26; round++) await codes().sent({ channels: "eitaa" })
    const first = await viewer.get("/console/verifications?within=24h&channel=eitaa")
    const next = /href="([^"]*cursor=[^"]*)"/.exec(first.text)?.[1]?.replaceAll("&amp;", "&") ?? ""
    expect(next).toContain("within=24h")
    expect(rows(first)).toHaveLength(25)
    const second = await viewer.get(next)
    expect(rows(second)).toContain(`/console/verifications/${id}`)
    expect(rows(second)).not.toContain(rows(first)[0])
    expect((await viewer.get("/console/verifications?cursor=x")).status).toBe(422)
  }, 60_000)

  it("has the sandbox's apart", async () => {
    const phone = newPhone()
    const { verification_id: id } = await sandbox(server, testKey).sent({ phone })
    const query = `q=${encodeURIComponent(phone)}`
    expect(rows(await viewer.get(`/console/verifications?${query}`))).toEqual([])
    const path = `/console/verifications/${id}`
    expect(rows(await viewer.get(`/console/verifications?${query}&mode=test`))).toEqual([path])
    expect(wordsOf(await viewer.get(path))).toContain("Sandbox")
  })

  it("can be had as a file of comma-separated values, with the same filters", async () => {
    const phone = newPhone()
    const { verification_id: id } = await codes().sent({ phone, channels: "bale" })
    const path = `/console/verifications/export.csv?q=${encodeURIComponent(phone)}`
    const file = await viewer.get(path)
    expect(file.headers.get("content-type")).toBe("text/csv; charset=utf-8")
    expect(file.headers.get("content-disposition")).toContain("verifications.csv")
    const lines = file.text.trim().split("\r\n")
    expect(lines).toHaveLength(2)
    expect(lines[1]).toContain(`${id},${phone},failed,`)
    expect(lines[1]).toContain("recipient_unreachable")
  })
})

describe("the page of a verification", () => {
  it("says in a sentence what happened, and shows each attempt with the provider's words", async () => {
    const phone = newPhone()
    const { verification_id: id } = await codes().sent({ phone, channels: ["bale", "eitaa"] })
    await codes().attempted(id, 2)
    const code = await codeOn(phone)
    await codes().outcome(id, code === "000000" ? "111111" : "000000")
    await codes().outcome(id, code)
    const page = await viewer.get(`/console/verifications/${id}`)
    const words = wordsOf(page)
    expect(words).toMatch(
      /The right code was entered [\d.]+ s after the request, after it was sent over Eitaa/
    )
    expect(words).toContain("Bale: this phone cannot be reached there")
    expect(words).toContain("Route: Bale → Eitaa · from the channels of the request")
    expect(words).toContain("simulated: unreachable")
    expect(words).toContain("1 wrong code was entered")
    expect(words).toContain("Charged: 1,000 IRR.")
    expect(words).toContain("verification.verified")
    expect(page.text).not.toContain(code)
  })

  it("says where a saved order came from", async () => {
    await manage(
      server,
      "PUT",
      "/routing",
      { authorization: `apikey ${await token()}` },
      {
        steps: [{ channel: "eitaa" }, { channel: "sms", wait: 45 }]
      }
    )
    const { verification_id: id } = await codes().sent({})
    expect(wordsOf(await viewer.get(`/console/verifications/${id}`))).toContain(
      "Route: Eitaa → SMS · from the saved order"
    )
  })

  it("explains a code that failed, and what to do", async () => {
    const { verification_id: id } = await codes().sent({ channels: "bale" })
    const words = wordsOf(await viewer.get(`/console/verifications/${id}`))
    expect(words).toContain("No channel could send the code.")
    expect(words).toContain("What to do:")
    expect(words).toContain("Nothing was charged")
  })

  it("is brought up to date while it is not over, and not afterwards", async () => {
    const { verification_id: id } = await codes().sent({ channels: ["eitaa", "sms"] })
    const path = `/console/verifications/${id}`
    const before = await viewer.get(path)
    expect(before.text).toMatch(/id="run" data-live="\d+"/)
    expect(wordsOf(before)).toMatch(/Next: SMS in \d+ (s|min)/)
    expect((await owner.post(`${path}/cancel`, { csrf: csrfIn(before) })).status).toBe(403)
    expect(await owner.post(`${path}/cancel`, { csrf: csrfIn(await owner.get(path)) })).toMatchObject({
      status: 303,
      location: `${path}?notice=canceled`
    })
    const after = await viewer.get(`${path}?notice=canceled`)
    expect(after.text).not.toContain("data-live")
    expect(wordsOf(after)).toContain("Canceled. No more channels are tried.")
    expect((await codes().status(id)).status).toBe("canceled")
  })

  it("says that the phone is erased, in place of the number that stands for it", async () => {
    const phone = newPhone()
    const { verification_id: id } = await codes().sent({ phone, channels: ["eitaa"] })
    const path = `/console/verifications/${id}`
    await owner.post(`${path}/cancel`, { csrf: csrfIn(await owner.get(path)) })
    await server.cli("phone", "erase", "--customer", customer, "--phone", phone)
    const page = await viewer.get(path)
    expect(wordsOf(page)).toContain("Code to an erased phone")
    expect(page.text).not.toContain("+989800000000")
  })

  it("tries the next channel for those who may write, once for each attempt that was looked at", async () => {
    const { verification_id: id } = await codes().sent({ channels: ["eitaa", "sms"] })
    const path = `/console/verifications/${id}`
    const seen = await viewer.get(path)
    expect(seen.text).not.toContain(`${path}/next`)
    expect((await viewer.post(`${path}/next`, { csrf: csrfIn(seen) })).status).toBe(403)
    const csrf = csrfIn(await owner.get(path))
    const pressed = () => owner.post(`${path}/next`, { csrf, from_sequence: "1" })
    expect(await pressed()).toMatchObject({ status: 303, location: `${path}?notice=next` })
    expect((await pressed()).status).toBe(303)
    expect((await codes().status(id)).attempts.map(({ channel }) => channel.provider)).toEqual([
      "eitaa",
      "simulator"
    ])
  })

  it("is audited as its user's when it changes something", async () => {
    const { verification_id: id } = await codes().sent({ channels: ["eitaa", "sms"] })
    const path = `/console/verifications/${id}`
    await owner.post(`${path}/cancel`, { csrf: csrfIn(await owner.get(path)) })
    const log = await manage(server, "GET", `/audit-log?subject_id=${id}`, {
      authorization: `apikey ${await token()}`
    })
    expect(json<{ data: ReadonlyArray<unknown> }>(log).data).toMatchObject([
      { action: "verification.cancel", actor: { kind: "user" }, subject: { type: "verification", id } }
    ])
  })

  it("is nothing to another customer, and nothing without an id", async () => {
    const { verification_id: id } = await codes().sent({ channels: "eitaa" })
    const stranger = await signedIn(server, server.demo.customer_id, "owner")
    for (const path of [id, unknownId, "x", "%00"])
      expect((await stranger.get(`/console/verifications/${path}`)).status, path).toBe(404)
    const csrf = csrfIn(await stranger.get("/console/verifications"))
    for (const verb of ["cancel", "next", "replay"])
      expect((await stranger.post(`/console/verifications/${id}/${verb}`, { csrf })).status, verb).toBe(404)
  })

  it("has Persian words, digits and direction", async () => {
    const { verification_id: id } = await codes().sent({ channels: "bale" })
    const page = await viewer.get(`/console/verifications/${id}?lang=fa`)
    expect(page.text).toMatch(/<html\s+lang="fa"\s+dir="rtl"/)
    expect(wordsOf(page)).toContain("هیچ کانالی نتوانست کد را بفرستد")
    await viewer.get("/console/overview?lang=en")
  })
})

describe("the page of a message", () => {
  it("does not say that no channel could send it where an outcome is unknown", async () => {
    const made = await newCustomer(server, "business")
    await server.cli("wallet", "top-up", "--customer", made.id, "--amount", "100000")
    await newAccount(server, made.id, "bale", { settings: { outcome: "unknown" } })
    const { message_id: id } = await messages(server, made.live).created({ channels: "bale" })
    await messages(server, made.live).completed(id)
    const visitor = await signedIn(server, made.id, "viewer")
    const words = wordsOf(await visitor.get(`/console/messages/${id}`))
    expect(words).toContain("No channel confirmed that the message was sent.")
    expect(words).not.toContain("No channel could send the message.")
  })

  it("shows its text, its metadata and its attempts", async () => {
    const { message_id: id } = await messages(server, key).created({
      message: "سفارش <b>آماده</b> است",
      channels: ["bale", "eitaa"],
      metadata: { order: "1843", "<i>": "x" }
    })
    await messages(server, key).completed(id)
    const page = await viewer.get(`/console/messages/${id}`)
    const words = wordsOf(page)
    expect(words).toContain("The message was sent over Eitaa.")
    expect(words).toContain("1843")
    expect(page.text).toContain("سفارش &lt;b&gt;آماده")
    expect(page.text).not.toContain("<i>")
    expect(rows(await viewer.get("/console/messages?metadata=order%3D1843"))).toEqual([
      `/console/messages/${id}`
    ])
    expect(rows(await viewer.get("/console/messages?metadata=order%3D1"))).toEqual([])
  })

  it("cancels one that is scheduled", async () => {
    const { message_id: id } = await messages(server, key).created({ channels: "eitaa", delay: "1h" })
    const path = `/console/messages/${id}`
    expect(wordsOf(await owner.get(path))).toContain("Scheduled: the first channel is tried in")
    const reply = await owner.post(`${path}/cancel`, { csrf: csrfIn(await owner.get(path)) })
    expect(reply).toMatchObject({ status: 303, location: `${path}?notice=canceled` })
    expect((await messages(server, key).status(id)).status).toBe("canceled")
  })
})

describe("the events of a send", () => {
  it("are delivered again on request, to the endpoints that they were for", async () => {
    const authorization = `apikey ${await token()}`
    const hook = json<{ id: number }>(
      await manage(
        server,
        "POST",
        "/webhooks",
        { authorization },
        {
          url: "http://127.0.0.1:9/hook",
          events: ["verification.failed"]
        }
      )
    )
    const { verification_id: id } = await codes().sent({ channels: "bale" })
    const path = `/console/verifications/${id}`
    const page = await owner.get(path)
    expect(wordsOf(page)).toContain("127.0.0.1:9")
    const reply = await owner.post(`${path}/replay`, { csrf: csrfIn(page) })
    expect(reply).toMatchObject({ status: 303, location: `${path}?notice=replayed` })
    const log = await manage(server, "GET", "/audit-log?action=webhook.replay", { authorization })
    expect(json<{ data: ReadonlyArray<unknown> }>(log).data).toMatchObject([
      { subject: { id: String(hook.id) }, actor: { kind: "user" } }
    ])
  })
})

let madeToken: Promise<string> | undefined
const token = () => {
  madeToken ??= server
    .cli("token", "create", "--customer", customer, "--scope", "full")
    .then((made) => (made as { secret: string }).secret)
  return madeToken
}

describe("a send and what belongs to it", () => {
  it("lead to each other: its requests, the deliveries of its events, and its entry in the wallet", async () => {
    const { verification_id: id } = await codes().sent({ channels: "eitaa" })
    const page = await owner.get(`/console/verifications/${id}`)
    const request = /href="(\/console\/requests\/[0-9a-f-]+\.\d+)"/.exec(page.text)?.[1] ?? expect.fail()
    expect((await owner.get(request)).text).toContain(`href="/console/verifications/${id}"`)
    const entry = /href="(\/console\/wallet\?[^"#]+)#(row-[0-9a-f-]+)"/.exec(page.text) ?? expect.fail()
    const wallet = await owner.get((entry[1] ?? "").replaceAll("&amp;", "&"))
    expect(wallet.text).toContain(`id="${entry[2]}"`)
    expect(wallet.text).toContain(`href="/console/verifications/${id}"`)
  })

  it("is drawn on an axis of time, which runs to the left in Persian", async () => {
    const { verification_id: id } = await codes().sent({ channels: ["bale", "eitaa"] })
    const chartOf = ({ text }: Answer) => /<div class="waterfall">.*?<\/ol>/s.exec(text)?.[0] ?? ""
    const page = await until("the second channel", async () => {
      const answer = await owner.get(`/console/verifications/${id}`)
      return chartOf(answer).includes("Eitaa") ? answer : undefined
    })
    const chart = chartOf(page)
    expect(wordsOf({ ...page, text: chart })).toMatch(
      /otp\/send 200 · .* Bale Failed · call .* Eitaa Sent · call .* · wait /
    )
    expect(chart).toMatch(/<rect\s+class="call bad"/)
    const firstTick = (text: string) => /class="first" x="([\d.]+)%"/.exec(text)?.[1]
    expect(firstTick(page.text)).toBe("0")
    expect(firstTick((await owner.get(`/console/verifications/${id}?lang=fa`)).text)).toBe("100")
    await owner.get("/console/overview?lang=en")
  })

  it("shows the same network and device by equal hashes, and no address", async () => {
    const client = { ip: "5.160.12.7", device_id: "device-1" }
    const hashesOf = async (given: object) => {
      const { verification_id: id } = await codes().sent({ channels: "eitaa", client: given })
      const page = await owner.get(`/console/verifications/${id}`)
      expect(page.text).not.toContain("5.160")
      return /Network \(hash\) (\w{8}) Device \(hash\) (\w{8})/.exec(wordsOf(page))?.slice(1) ?? []
    }
    const [network, device] = await hashesOf(client)
    expect(network).toBeDefined()
    expect(await hashesOf({ ...client, ip: "5.160.12.8" })).toEqual([network, device])
    expect((await hashesOf({ ip: "5.161.12.7", device_id: "device-2" }))[0]).not.toBe(network)
  })
})
