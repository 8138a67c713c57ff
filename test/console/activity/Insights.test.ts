import { beforeAll, describe, expect, it } from "vitest"
import { newPhone, otp, sandbox } from "../../contract/Client.ts"
import { newAccount, newCustomer, sentCode } from "../../contract/Operator.ts"
import { until } from "../../contract/Server.ts"
import { type SharedServer, sharedServer } from "../../contract/SharedServer.ts"
import { signedIn, type Visitor, wordsOf } from "../Visitor.ts"

let server: SharedServer
beforeAll(() => {
  server = sharedServer()
})

const newPerson = async () => {
  const customer = await newCustomer(server, "start")
  return { customer, visitor: await signedIn(server, customer.id, "viewer") }
}

/** The page once all sums are there. */
const insightsOf = (visitor: Visitor, query = "") =>
  until("the codes to be summed up", async () => {
    const page = await visitor.get(`/console/insights${query}`)
    expect(page.status).toBe(200)
    return /Still counting|هنوز شمرده/.test(page.text) ? undefined : page
  })

describe("insights", () => {
  it("say what to do where nothing was sent", async () => {
    const { visitor } = await newPerson()
    const page = await insightsOf(visitor)
    expect(wordsOf(page)).toContain("No codes in this period")
    expect(wordsOf(page)).toContain("No channel is down or worse than usual.")
  })

  it("have conversion, cost and fallbacks, by channel, account, operator and template", async () => {
    const { customer, visitor } = await newPerson()
    const { id, live, test } = customer
    await server.cli("wallet", "top-up", "--customer", id, "--amount", "5000000")
    const bale = await newAccount(server, id, "bale", { settings: { outcome: "unreachable" } })
    await newAccount(server, id, "eitaa", { label: "The <line>" })
    const { id: code, code: digits } = await sentCode(server, live, { channels: "eitaa" })
    expect((await otp(server, live).outcome(code, digits)).verified).toBe(true)
    const late = await sentCode(server, live, {
      channels: [{ channel: "bale" }, { channel: "eitaa" }],
      phone: "+989351112233"
    })
    // a call that is recorded after its code was verified costs nothing
    await otp(server, live).attempted(late.id, 2)
    expect((await otp(server, live).outcome(late.id, late.code)).verified).toBe(true)
    await otp(server, live).sent({ channels: "bale", phone: newPhone() })
    await sandbox(server, test).sent({ channels: "eitaa" })

    const page = await insightsOf(visitor)
    const words = wordsOf(page)
    expect(words).toMatch(/Conversion 66\.7% nothing to compare with/)
    expect(words).toMatch(/Verified by fallback 50% /)
    expect(words).toMatch(/Cost per verified user 1,000 IRR/)
    expect(words).toMatch(/Eitaa 2 100% [\d.]+ s [\d.]+ s 1 2,000 IRR 1,000 IRR/)
    expect(words).toMatch(/MCI 2 50% .* Irancell 1 100% /)
    expect(words).toMatch(/No template 3 66\.7% /)
    expect(words).toMatch(/Users it saved 1 · 50% of the verified Verified at last over Eitaa 1/)
    expect(words).toMatch(/Conversion 66\.7% · without it 33\.3%/)
    expect(page.text).toContain("The &lt;line&gt;")
    expect(page.text).toContain(`/console/channels/${bale}`)
    expect(page.text.match(/data-chart/g)).toHaveLength(6)

    const persian = await insightsOf(visitor, "?lang=fa&period=month")
    expect(wordsOf(persian)).toMatch(/نرخ تأیید \u061c۶۶٫۷٪/)
    expect(wordsOf(persian)).toContain("ایرانسل")

    expect(wordsOf(await insightsOf(visitor, "?mode=test&lang=en"))).toMatch(/Sandbox 1 0% /)
    const file = await visitor.get("/console/insights/insights.csv?lang=en")
    const lines = file.text.trim().split("\r\n")
    expect(lines[0]).toBe(
      "by,period,key,codes,verified,conversion,median_seconds,p95_seconds,fallbacks,cost_rials"
    )
    expect(lines.filter((line) => line.startsWith("operator,"))).toEqual([
      expect.stringMatching(/^operator,current,mci,2,1,0\.5,/),
      expect.stringMatching(/^operator,current,irancell,1,1,1,/)
    ])
  })

  it("refuse a period that they cannot show, and its file", async () => {
    const { visitor } = await newPerson()
    const query = "?from=2026-01-01T00:00&to=2026-06-01T00:00"
    expect(wordsOf(await insightsOf(visitor, query))).toContain("Choose at most 92 days.")
    expect((await visitor.get(`/console/insights/insights.csv${query}`)).status).toBe(422)
    expect(wordsOf(await insightsOf(visitor, "?period=year"))).toContain("Unknown period.")
  })

  it("are linked to from the overview", async () => {
    const { visitor } = await newPerson()
    expect((await visitor.get("/console/overview")).text).toContain('href="/console/insights"')
  })
})
