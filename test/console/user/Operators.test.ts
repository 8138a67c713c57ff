// @effect-diagnostics globalDate:off
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { tehranDay } from "../../../src/domain/Calendar.ts"
import { rowsOf, submit } from "../Forms.ts"
import { csrfIn, newVisitor, signedIn, type Visitor } from "../Visitor.ts"
import { auth, manage, PASSWORD, withPasswordFile } from "../../contract/Manager.ts"
import { type Server, startServer, until } from "../../contract/Server.ts"
import { onEmbeddedStore } from "../../support/EmbeddedStore.ts"

let server: Server
let operator: Visitor
const email = "Root@example.ir"

const onStore = (text: string) =>
  onEmbeddedStore(
    server.dataDir,
    Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(text))
  )

const byLink = async (address: string) => {
  const made = (await server.cli("operator", "sign-in-link", "--email", address)) as Record<string, string>
  expect(made["expires_at"]).toMatch(/Z$/)
  const { pathname, search, searchParams } = new URL(made["url"] ?? "")
  const visitor = newVisitor(server)
  const csrf = csrfIn(await visitor.get(`${pathname}${search}`))
  const reply = await visitor.post("/console/sign-in-link", { csrf, token: searchParams.get("token") ?? "" })
  expect(reply.status).toBe(303)
  return visitor
}

beforeAll(async () => {
  server = await startServer()
  const created = (await server.cli("operator", "create", "--email", email)) as object
  expect(created).toEqual({ id: expect.stringMatching(/^[0-9a-f-]{36}$/), email: "root@example.ir" })
  operator = await byLink(email)
})
afterAll(() => server?.stop())

describe("an operator", () => {
  it("is listed on the command line with the id that disables them, without customers' users", async () => {
    const { data } = (await server.cli("operator", "list")) as { readonly data: ReadonlyArray<unknown> }
    expect(data).toEqual([
      expect.objectContaining({
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        email: "root@example.ir",
        active: true
      })
    ])
  })

  it("is led to the customers, and sees no customer's page before they enter a console", async () => {
    expect(await operator.get("/console/overview")).toMatchObject({
      status: 302,
      location: "/console/customers"
    })
    const { text, status } = await operator.get("/console/customers")
    expect(status).toBe(200)
    expect(text).toContain("Demo")
    expect(text).not.toContain('href="/console/keys"')
  })

  it("without a name is known by the address, which is said once", async () => {
    const { text } = await operator.get("/console/customers")
    const [, account = ""] = /<p class="account-name">(.*?)<\/p>/s.exec(text) ?? []
    expect(account.split("root@example.ir")).toHaveLength(2)
  })

  it("sees each customer's sends, balance and trouble, and sorts by them", async () => {
    const small = (await server.cli("customer", "create", "--name", "Small", "--plan", "start")) as {
      id: number
    }
    const sent = await fetch(`${server.url}/v1/otp/send`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "x-api-key": server.demo.live_key,
        "idempotency-key": "operators-list"
      },
      body: JSON.stringify({ phone: "+989121234567" })
    })
    expect(sent.status).toBe(200)
    const namesOf = async (sort: string) => {
      const { text } = await operator.get(`/console/customers?sort=${sort}`)
      return [...text.matchAll(/href="\/console\/customers\/\d+"><bdi>([^<]+)/g)].map(([, name]) => name)
    }
    expect(await namesOf("volume")).toEqual(["Demo", "Small"])
    expect(await namesOf("balance")).toEqual(["Small", "Demo"])
    const [demo = ""] = rowsOf(await operator.get("/console/customers?sort=volume"))
    expect(demo).toMatch(/data-label="Sends, 24 h">\s*<div>1<\/div>/)
    expect(demo).toMatch(/data-label="Available">\s*<div>[\d,]+ IRR<\/div>/)
    expect((await operator.get("/console/customers?sort=zzz")).status).toBe(200)
    expect(small.id).toBeGreaterThan(0)
  })

  it("sees the sends, the customers and the size of the whole installation", async () => {
    const { text } = await operator.get("/console/health")
    for (const words of ["1 codes, 0 messages", "Store size", " MB", "Peyk 0.1.0", "with a wallet below"])
      expect(text).toContain(words)
  })

  it("sees the processes with their versions, and one that is lost", async () => {
    const rowsIn = (text: string) => {
      const [, table = ""] = /id="processes-title"([^]*?)<\/table>/.exec(text) ?? []
      return table.split("<tr").filter((row) => row.includes("pid"))
    }
    const own = await until("the process", async () => {
      const rows = rowsIn((await operator.get("/console/health")).text)
      return rows.length > 0 ? rows : undefined
    })
    expect(own).toHaveLength(1)
    expect(own[0]).toContain("Running")
    expect(own[0]).toContain("0.1.0")
    expect(own[0]).not.toContain("Another version")
    await onStore(`insert into processes (id, host, pid, version, started_at, alive_until)
      values (gen_random_uuid(), 'old-host', 7, '0.0.9', now() - interval '1 day', now() - interval '5 minutes'),
        (gen_random_uuid(), 'older-host', 7, '0.0.9', now() - interval '2 days', now() - interval '2 hours')`)
    const { text } = await operator.get("/console/health")
    const lost = rowsIn(text).find((row) => row.includes("old-host")) ?? ""
    expect(lost).toContain("Lost")
    expect(lost).toContain("Another version")
    expect(text).not.toContain("older-host")
    await onStore("delete from processes where host like 'old%'")
  })

  it("sees what the guards of all customers did in seven days", async () => {
    const id = server.demo.customer_id
    await onStore(`insert into guard_days (customer_id, day, codes, verified, flagged, flagged_verified, refused)
      select ${id}, '${tehranDay(Date.now())}'::date - n, 9, 9, 3, 1, 2 from generate_series(0, 9) n`)
    const { text } = await operator.get("/console/health")
    expect(text).toContain("14 refused")
    expect(text).toContain("21 more would be, 7 of them verified")
    await onStore(`delete from guard_days where customer_id = ${id}`)
  })

  it("sees the defaults of limits, and in a customer's console the customer's name", async () => {
    const path = `/console/customers/${server.demo.customer_id}`
    const { text } = await operator.get(path)
    expect(text).toContain("Default: 300")
    const entered = await submit(operator, path, `${path}/enter`)
    expect(entered.status).toBe(303)
    const overview = await operator.get("/console/overview")
    expect(overview.text.replaceAll(/[\u2066-\u2069]/g, "")).toContain(
      "You are in the console of “Demo” as an operator."
    )
    await submit(operator, "/console/overview", "/console/customers/leave")
  })

  it("creates a customer, sets the plan and limits, and tops up, audited in their name", async () => {
    const made = await submit(operator, "/console/customers/new", "/console/customers/new", {
      name: "Shop",
      plan: "free"
    })
    expect(made.location).toMatch(/^\/console\/customers\/\d+\?notice=created$/)
    const path = made.location?.split("?")[0] ?? ""
    expect((await submit(operator, path, path, { name: "Shop", plan: "business" })).status).toBe(303)
    expect((await submit(operator, path, `${path}/limits`, { phone_hour: "7" })).status).toBe(303)
    expect((await submit(operator, path, `${path}/limits`, { phone_hour: "many" })).status).toBe(422)
    const toppedUp = await submit(operator, path, `${path}/top-up`, { amount: "۵۰٬۰۰۰" })
    expect(toppedUp.status).toBe(303)
    expect((await operator.get(toppedUp.location ?? "")).text).toMatch(
      /role="status">\s*50,000 IRR added to the wallet\./
    )
    const { text } = await operator.get(path)
    expect(text).not.toContain("added to the wallet")
    expect(text).toContain("Business")
    expect(text).toContain("50,000 IRR")
    expect(text).toContain('value="7"')
    expect((await operator.get("/console/customers?q=shop")).text).toContain("Shop")
    expect((await operator.get("/console/customers?q=nobody")).text).toContain("No results")
  })

  it("enters a customer's console visibly, works there in their own name, and leaves it", async () => {
    const path = `/console/customers/${server.demo.customer_id}`
    expect((await submit(operator, path, `${path}/enter`)).location).toBe("/console/overview")
    const page = await operator.get("/console/overview")
    expect(page.text).toContain("operator-banner")
    const made = await submit(operator, "/console/keys/new", "/console/keys/new", {
      name: "help",
      mode: "test"
    })
    expect(made.status).toBe(200)
    const log = await manage(server, "GET", "/audit-log?actor_kind=operator&action=api_key.", {
      authorization: `apikey ${server.demo.token}`
    })
    expect(log.text).toContain('"name":"root@example.ir"')
    expect((await submit(operator, "/console/overview", "/console/customers/leave")).status).toBe(303)
    expect((await operator.get("/console/keys")).status).toBe(302)
  })

  it("connects, switches off and deletes a shared account, in the platform's audit log", async () => {
    const path = "/console/shared-accounts"
    expect((await operator.get(path)).text).toContain("No shared accounts yet")
    // Only calls of theirs can be shared, which is another field of the form.
    const form = (await operator.get(`${path}/connect?channel=sms`)).text
    expect(form).not.toContain('value="sms"')
    const from = `${path}/connect?channel=bale&provider=simulator`
    expect((await operator.get(from)).text).not.toContain('name="default"')
    const fields = { channel: "bale", provider: "simulator", label: "For all" }
    expect((await submit(operator, from, `${path}/connect`, fields)).location).toContain("notice=created")
    const { text } = await operator.get(path)
    expect(text).toContain("For all")
    const id = /shared-accounts\/(\d+)\/disable/.exec(text)?.[1] ?? ""
    expect((await submit(operator, path, `${path}/${id}/disable`)).location).toContain("notice=disabled")
    expect((await submit(operator, path, `${path}/${id}/delete`)).location).toContain("notice=deleted")
    expect((await operator.get(path)).text).not.toContain("For all")
    const log = await manage(server, "GET", "/audit-log?action=account.", {
      authorization: `apikey ${server.demo.token}`
    })
    expect(log.text).not.toContain("For all")
  })

  it("sees which accounts and webhooks fail, whose they are, and what is due", async () => {
    const before = await operator.get("/console/health")
    expect(before.text).toContain("Ready")
    expect(before.text).toContain("No account is in cooldown or refused.")
    await onStore("update account_pace set failures = 7, cooling_until = now() + interval '1 hour'")
    const { text } = await operator.get("/console/health")
    expect(text).toContain("Cooldown")
    expect(text).toContain(`href="/console/customers/${server.demo.customer_id}"`)
    await onStore("update account_pace set failures = 0, cooling_until = null")
  })

  it("may sign in with a password, but gets no token of the management API", async () => {
    await withPasswordFile(PASSWORD, (file) =>
      server.cli("operator", "create", "--email", "second@example.ir", "--password-file", file)
    )
    expect((await newVisitor(server).signIn("second@example.ir")).status).toBe(303)
    const reply = await auth(server, "sign-in", { email: "second@example.ir", password: PASSWORD })
    expect(reply.status).toBe(401)
  })

  it("is an address of its own, and can be disabled", async () => {
    const again = await server.run("operator", "create", "--email", email)
    expect(again.code).toBe(1)
    const { id } = (await server.cli("operator", "create", "--email", "third@example.ir")) as { id: string }
    const third = await byLink("third@example.ir")
    await server.cli("user", "disable", "--user", id)
    expect((await third.get("/console/customers")).status).toBe(302)
    expect((await server.run("operator", "sign-in-link", "--email", "third@example.ir")).code).toBe(1)
  })
})

describe("for a customer's people", () => {
  it("the pages of operators are not there", async () => {
    const owner = await signedIn(server, server.demo.customer_id, "owner")
    for (const page of ["customers", "health", "shared-accounts", "all-requests"]) {
      expect((await owner.get(`/console/${page}`)).status).toBe(404)
    }
    const path = `/console/customers/${server.demo.customer_id}`
    expect((await submit(owner, "/console/overview", `${path}/top-up`, { amount: "1" })).status).toBe(404)
    expect((await submit(owner, "/console/overview", `${path}/enter`)).status).toBe(404)
  })
})
