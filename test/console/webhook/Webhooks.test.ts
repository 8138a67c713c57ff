import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { beforeAll, describe, expect, it } from "vitest"
import { WebhookEventType } from "../../../src/domain/Webhook.ts"
import { manage } from "../../contract/Manager.ts"
import { until } from "../../contract/Server.ts"
import { type SharedServer, sharedServerWithDemo } from "../../contract/SharedServer.ts"
import { rowsOf, submit } from "../Forms.ts"
import { sendCode } from "../browser/kit/Activity.ts"
import { type Answer, csrfIn, signedIn, type Visitor } from "../Visitor.ts"

let server: SharedServer
let owner: Visitor
beforeAll(async () => {
  server = await sharedServerWithDemo()
  owner = await signedIn(server, server.demo.customer_id, "owner")
})

const secretIn = ({ text }: Answer): string => /<code>(\w+_[\w+/=-]{20,})<\/code>/.exec(text)?.[1] ?? ""

describe("webhooks in the console", () => {
  const make = async (url: string) => {
    const fields = { url, events: "*", description: "orders", mode: "live" }
    const made = await submit(owner, "/console/webhooks/new", "/console/webhooks/new", fields)
    expect(made.status, made.text).toBe(200)
    const path = /href="(\/console\/webhooks\/\d+)"/.exec(made.text)?.[1] ?? ""
    return { path, secret: secretIn(made) }
  }

  it("say how far a delivery that fails is, and not that it waits", async () => {
    const { path } = await make("http://127.0.0.1:9/retried")
    await submit(owner, path, `${path}/test`)
    const page = await until("a try", async () => {
      const { text } = await owner.get(path)
      return text.includes("ECONNREFUSED") ? text : undefined
    })
    expect(page).toContain('<span class="badge warn">Retrying, 1 of 10</span>')
    expect(page).toMatch(/<span class="badge bad">–<\/span>\s*<bdi>[^<]*ECONNREFUSED/)
    const event = new RegExp(`${path}/events/[0-9a-f-]+`).exec(page)?.[0] ?? ""
    expect((await owner.get(event)).text).toContain("Retrying,")
  })

  it("keep what a failing server responded, without phones, and send all that failed again at one click", async () => {
    let isMended = false
    const receiving = createServer((asked, answer) => {
      asked.resume()
      answer.writeHead(isMended ? 204 : 500)
      answer.end(isMended ? undefined : `<b>broken</b> for 09121239913 ${"x".repeat(3000)}`)
    })
    await new Promise<void>((resolve) => void receiving.listen(0, "127.0.0.1", resolve))
    try {
      const { port } = receiving.address() as AddressInfo
      const { path } = await make(`http://127.0.0.1:${port}/mended`)
      await sendCode(server, "+989121239913")
      const listed = await until("a refused try", async () => {
        const { text } = await owner.get(path)
        // The deliveries and the badge are read in two statements.
        return text.includes(">500</span>") && text.includes("Its latest attempts failed") ? text : undefined
      })
      expect(listed).toContain("+98912•••9913")
      expect(listed).not.toContain("+989121239913")
      expect((await owner.get(path)).text).toContain('<span class="badge bad">Failing</span>')
      expect(listed).toContain('<span class="badge bad">Its latest attempts failed</span>')
      expect(listed).toMatch(/panel tile bad[\s\S]{0,80}Succeeded/)
      const event = new RegExp(`${path}/events/[0-9a-f-]+`).exec(listed)?.[0] ?? ""
      const { text } = await owner.get(event)
      expect(text).toContain("&lt;b&gt;broken&lt;/b&gt; for ")
      expect(text).not.toContain("09121239913 x")
      expect(/x{100,}/.exec(text)?.[0].length).toBeLessThanOrEqual(2048)
      expect(text).toMatch(/webhook-signature: v1,[\w+/=]{40,}/)
      isMended = true
      expect(await submit(owner, path, `${path}/retry-failed`)).toMatchObject({
        location: `${path}?notice=replayed`
      })
      await until("all events to be taken", async () => {
        const now = await owner.get(path)
        return /Retrying|Pending<|>Failed</.test(now.text.slice(now.text.indexOf('id="deliveries"')))
          ? undefined
          : true
      })
      expect(await submit(owner, path, `${path}/retry-failed`)).toMatchObject({
        location: `${path}?notice=nothing_to_replay`
      })
    } finally {
      receiving.close()
    }
  })

  it("have a catalogue with a sample of each event, in both languages", async () => {
    const { text } = await owner.get("/console/webhooks/events")
    for (const type of ["verification.verified", "message.sent", "guard.alarm", "webhook.test"]) {
      expect(text).toContain(`id="${type}"`)
    }
    expect(text).toContain(`--url ${server.url} --token $PEYK_TOKEN`)
    const persian = (await owner.get("/console/webhooks/events?lang=fa")).text
    expect(persian).toContain("کد درست وارد شد")
    await owner.get("/console/webhooks/events?lang=en")
  })

  it("may be in a private network where this installation allows it, and the form says so", async () => {
    const { text } = await owner.get("/console/webhooks/new")
    expect(text).toContain("http or https, reachable from this server; a private network is allowed.")
  })

  it("are made with a secret that is shown once, tested, replayed, switched off and deleted", async () => {
    const { path, secret } = await make("http://127.0.0.1:9/events")
    expect(secret).toMatch(/^whsec_/)
    expect((await owner.get(path)).text).not.toContain(secret)
    expect(await submit(owner, path, `${path}/test`)).toMatchObject({ location: `${path}?notice=sent` })
    const event = await until("a try", async () => {
      const { text } = await owner.get(path)
      const found = new RegExp(`${path}/events/[0-9a-f-]+`).exec(text)?.[0]
      return found !== undefined && (await owner.get(found)).text.includes("ECONNREFUSED") ? found : undefined
    })
    const shown = await owner.get(event)
    expect(shown.text).toContain("&quot;type&quot;: &quot;webhook.test&quot;")
    expect(await submit(owner, event, `${event}/replay`)).toMatchObject({
      location: `${event}?notice=replayed`
    })
    const rotated = await submit(owner, path, `${path}/secret`)
    expect(secretIn(rotated)).toMatch(/^whsec_/)
    expect(secretIn(rotated)).not.toBe(secret)
    expect((await submit(owner, path, `${path}/replay`, { since: "2026-01-01T00:00" })).status).toBe(303)
    expect((await submit(owner, path, `${path}/replay`, { since: "yesterday" })).status).toBe(422)
    await submit(owner, path, `${path}/disable`)
    expect((await owner.get(path)).text).toContain("Disabled")
    await submit(owner, path, `${path}/enable`)
    expect((await submit(owner, path, `${path}/delete`)).location).toBe("/console/webhooks?notice=deleted")
    expect((await owner.get(path)).status).toBe(404)
  })

  it("show no delivery for a state that does not exist, and say so", async () => {
    const { path } = await make("http://127.0.0.1:9/none")
    const { text } = await owner.get(`${path}?status=zzz`)
    expect(text).toContain('role="alert">Status: choose one of the options.')
  })

  it("say which address is not accepted", async () => {
    const fields = { url: "ftp://example.ir", events: "*", mode: "live" }
    const refused = await submit(owner, "/console/webhooks/new", "/console/webhooks/new", fields)
    expect(refused.status).toBe(422)
    expect(refused.text).toMatch(/id="field-url"[^>]*aria-invalid="true"/s)
  })

  it("take the events that were chosen", async () => {
    const { path } = await make("http://127.0.0.1:9/events")
    const body = new URLSearchParams([
      ["url", "http://127.0.0.1:9/other"],
      ["events", "verification.verified"],
      ["events", "message.sent"],
      ["csrf", csrfIn(await owner.get(path))],
      ["version", "1"]
    ])
    const cookie = [...owner.cookies].map(([name, value]) => `${name}=${value}`).join("; ")
    await fetch(`${server.url}${path}`, { method: "POST", body, headers: { cookie }, redirect: "manual" })
    const { text } = await owner.get(path)
    expect(text).toContain("verification.verified")
    expect(text).toContain("http://127.0.0.1:9/other")
    expect(text).not.toContain("All events<")
  })

  it.each([
    [["*"], "All events except alerts"],
    [["*", "alert.*"], "All events and alerts"],
    [["*", "alert.balance_low"], "All events, and 1 event of alerts"],
    [["message.sent", "message.failed"], "2 events"]
  ])("say in their list which events they take: %j", async (events, text) => {
    const authorization = `apikey ${server.demo.token}`
    const url = `http://127.0.0.1:9/${events.join("")}`
    await manage(server, "POST", "/webhooks", { authorization }, { url, events })
    const row = rowsOf(await owner.get("/console/webhooks")).find((each) => each.includes(url))
    expect(row).toMatch(new RegExp(`>\\s*${text}\\s*<`))
  })

  it("offer every event that there is", async () => {
    const { text } = await owner.get("/console/webhooks/new")
    const offered = Array.from(text.matchAll(/name="events"\s+value="([^"]+)"/g), ([, event]) => event)
    expect(offered.toSorted()).toEqual(["*", "alert.*", ...WebhookEventType.literals].toSorted())
  })
})
