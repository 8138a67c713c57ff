import { beforeAll, describe, expect, it } from "vitest"
import { messages } from "../../contract/Client.ts"
import { newAccount, newCustomer } from "../../contract/Operator.ts"
import { until } from "../../contract/Server.ts"
import { type SharedServer, sharedServerWithDemo } from "../../contract/SharedServer.ts"
import { type Answer, csrfIn, signedIn, type Visitor } from "../Visitor.ts"

let server: SharedServer
let owner: Visitor
beforeAll(async () => {
  server = await sharedServerWithDemo()
  owner = await signedIn(server, server.demo.customer_id, "owner")
})

const send = async () => {
  const reply = await fetch(`${server.url}/v1/otp/send`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-api-key": server.demo.live_key,
      "idempotency-key": crypto.randomUUID()
    },
    body: JSON.stringify({ phone: "09121234567", channels: ["bale"] })
  })
  expect(reply.status).toBe(200)
}

describe("the wallet", () => {
  it("shows what is there, every movement, and the ledger as a file", async () => {
    await send()
    const page = await owner.get("/console/wallet")
    expect(page.text).toContain("9,999,000 IRR")
    expect(page.text).toContain("Top-up")
    const filtered = await owner.get("/console/wallet?kind=capture")
    expect(filtered.text).not.toContain(">Top-up</span>")
    const file = await owner.get("/console/wallet/ledger.csv")
    expect(file.headers.get("content-type")).toMatch(/^text\/csv/)
    const lines = file.text.trim().split("\r\n")
    expect(lines[0]).toContain("id,time,kind,amount_rials,subject_type,subject_id,channel,balance_rials")
    expect(lines.slice(1).map((line) => line.split(",").slice(2, 4).join(" "))).toEqual([
      "capture -1000",
      "top_up 10000000"
    ])
  })

  it("speaks Persian with Persian digits", async () => {
    const { text } = await owner.get("/console/wallet?lang=fa")
    expect(text).toContain("ریال")
    expect(text).toMatch(/[۰-۹]٬[۰-۹]{3}|[۰-۹]{3}/)
    await owner.get("/console/wallet?lang=en")
  })

  it("has no file for a time that it cannot read", async () => {
    const file = await owner.get("/console/wallet/ledger.csv?from=1405/13/01")
    expect(file.status).toBe(422)
    expect(file.text).toContain("From: enter a date and time, such as")
    expect(file.text).toMatch(/href="\/console\/wallet">Back/)
  })

  it("refuses a cursor that is none", async () => {
    expect((await owner.get("/console/wallet?cursor=x")).status).toBe(422)
  })

  it("says that it shows the newest of what is held, and leads to all of it", async () => {
    const heldFor = ({ text }: Answer) =>
      [...(text.split("<h2 class")[0] ?? "").matchAll(/href="\/console\/messages\/[^"]+"/g)].length
    const { id, live } = await newCustomer(server, "start")
    await server.cli("wallet", "top-up", "--customer", id, "--amount", "100000")
    await newAccount(server, id, "bale")
    const viewer = await signedIn(server, id, "viewer")
    for (let round = 0; round < 11; round++)
      await messages(server, live).created({ channels: "bale", delay: "1h" })
    const page = await viewer.get("/console/wallet")
    expect(heldFor(page)).toBe(10)
    expect(page.text).toContain("Newest 10.")
    expect(page.text).toContain('href="/console/wallet/holds"')
    expect(heldFor(await viewer.get("/console/wallet/holds"))).toBe(11)
  })

  it("says to customers of the free plan that nothing is charged", async () => {
    const viewer = await signedIn(server, (await newCustomer(server, "free")).id, "viewer")
    const { text } = await viewer.get("/console/wallet")
    expect(text).toContain("Sends on the free plan cost nothing.")
    expect(text).not.toContain("is charged")
  })
})

describe("the statement of a month", () => {
  it("has the sums of the ledger, for the page's calendar and any month of either", async () => {
    await send()
    const { text } = await owner.get("/console/wallet/statement?lang=en")
    expect(text).toContain("Opening balance")
    expect(text).toContain("Sends over Bale")
    expect(text).toContain("data-print")
    expect(text).toMatch(/Closing balance[\s\S]*IRR/)
    const persian = await owner.get("/console/wallet/statement?lang=fa&month=1404-12")
    expect(persian.text).toContain("اسفند ۱۴۰۴")
    expect(persian.text).toContain("ماندهٔ پایان دوره")
    for (const month of ["2026-13", "x", "1405-00"]) {
      const page = await owner.get(`/console/wallet/statement?lang=en&month=${month}`)
      expect(page.text, month).toContain("Enter a month")
    }
    expect((await owner.get("/console/wallet/statement?month=۱۴۰۴-۱۲")).text).not.toContain("Enter a month")
  })
})

describe("a monthly budget", () => {
  it("is set with Persian digits, shows what is spent, and is taken back", async () => {
    await send()
    const csrf = csrfIn(await owner.get("/console/wallet"))
    const set = (amount: string) => owner.post("/console/wallet/budget", { csrf, amount, calendar: "jalali" })
    expect((await set("۱٬۰۰۰٬۰۰۰")).status).toBe(303)
    const { text } = await owner.get("/console/wallet?lang=en")
    expect(text).toMatch(/of\s+1,000,000 IRR/)
    expect(text).toContain("<progress")
    const refused = await set("many")
    expect(refused.status).toBe(422)
    expect(refused.text).toContain('value="many"')
    const viewer = await signedIn(server, server.demo.customer_id, "viewer")
    expect((await viewer.get("/console/wallet")).text).not.toContain("/console/wallet/budget")
    const own = csrfIn(await viewer.get("/console/wallet"))
    const tried = await viewer.post("/console/wallet/budget", { csrf: own, amount: "5", calendar: "jalali" })
    expect(tried.status).toBe(403)
    expect((await set("")).status).toBe(303)
    expect((await owner.get("/console/wallet")).text).not.toContain("<progress")
  })
})

describe("usage", () => {
  it("shows a month by day and channel, and as a file", async () => {
    await send()
    const page = await until("the send to be summed up", async () => {
      const shown = await owner.get("/console/usage")
      return shown.text.includes("Bale") && !shown.text.includes("Still counting") ? shown : undefined
    })
    expect(page.text).toContain("data-chart")
    // no provider here reports deliveries: 0 would say that nothing was delivered
    expect(page.text).toMatch(/Delivered[\s\S]*Not reported/)
    const file = await owner.get("/console/usage/usage.csv")
    expect(file.text).toMatch(/\d{4}-\d\d-\d\d,bale,/)
    expect((await owner.get("/console/usage?month=1999-01")).status).toBe(200)
  })

  it("says of a month in which nothing was sent that there is nothing, and draws no chart", async () => {
    const month = (name: string) => owner.get(`/console/usage?period=${name}`)
    const page = await until("the month to be summed up", async () => {
      const shown = await month("last-month")
      return shown.text.includes("Still counting") ? undefined : shown
    })
    expect(page.text).toContain("Nothing sent in this time")
    expect(page.text).not.toContain("data-chart")
    expect((await month("month")).text).toContain("data-chart")
  })

  it("names its months by the calendar of the language", async () => {
    const lead = async (language: string) =>
      /<p class="lead">([^<]*)/.exec((await owner.get(`/console/usage?lang=${language}`)).text)?.[1] ?? ""
    expect(await lead("fa")).toMatch(/فروردین|اردیبهشت|خرداد|تیر|مرداد|شهریور|مهر|آبان|آذر|دی|بهمن|اسفند/)
    expect(await lead("fa")).not.toMatch(
      /ژانویه|فوریه|مارس|آوریل|مه|ژوئن|ژوئیه|اوت|سپتامبر|اکتبر|نوامبر|دسامبر/
    )
    expect(await lead("en")).toMatch(/^\s*[A-Z][a-z]+ \d{4}\s*$/)
  })

  it("counts a month of the Persian calendar by the days of Tehran", async () => {
    const { text } = await owner.get("/console/usage?lang=fa")
    expect(text).toContain("به وقت تهران")
    const now = performance.timeOrigin + performance.now()
    const day = (at: number, options: Intl.DateTimeFormatOptions) =>
      new Intl.DateTimeFormat("fa-IR-u-ca-persian-nu-arabext", {
        timeZone: "Asia/Tehran",
        ...options
      }).format(at)
    const days = [...text.matchAll(/<th scope="row">([^<]+)<\/th>/g)].map(([, name]) => name)
    const ofMonth = Number(
      new Intl.DateTimeFormat("en-u-ca-persian-nu-latn", { timeZone: "Asia/Tehran", day: "numeric" })
        .formatToParts(now)
        .find(({ type }) => type === "day")?.value
    )
    expect(days).toHaveLength(ofMonth)
    expect(days.at(-1)).toBe(day(now, { month: "short", day: "numeric" }))
    expect(days[0]).toMatch(/^۱ /)
    await owner.get("/console/usage?lang=en")
  })
})
