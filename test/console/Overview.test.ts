import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { messages, newPhone, otp } from "../contract/Client.ts"
import { insertToken } from "../support/InsertedTokens.ts"
import { manage } from "../contract/Manager.ts"
import { newAccount, newCustomer } from "../contract/Operator.ts"
import { type Server, startServer, until } from "../contract/Server.ts"
import { type Receiver, startReceiver } from "./browser/kit/Activity.ts"
import { type Answer, signedIn, type Visitor, wordsOf } from "./Visitor.ts"

let server: Server
let refusing: Receiver
beforeAll(async () => {
  refusing = await startReceiver(401)
  server = await startServer({
    env: {
      PEYK_ACCOUNT_GAP_MS: "0",
      PEYK_COOLDOWN_FAILURES: "1",
      PEYK_RUBIKA_URL: "http://127.0.0.1:9",
      PEYK_BALE_BOT_URL: refusing.url
    }
  })
})
afterAll(() => {
  refusing?.close()
  return server?.stop()
})

/** A figure by the label of its tile. */
const tile = (page: Answer, label: string) => {
  const tiles = [...page.text.matchAll(/<dt>(.*?)<\/dt>\s*<dd>(.*?)<\/dd>/gs)]
  const found = tiles.find(([, name = ""]) => name.replaceAll(/<[^>]+>/g, "").trim() === label)
  return found?.[2]?.replaceAll(/<[^>]+>/g, "").trim()
}

const newPerson = async (plan: "free" | "start" = "start") => {
  const customer = await newCustomer(server, plan)
  return { customer, visitor: await signedIn(server, customer.id, "viewer") }
}

const verified = async (key: string, channels: string) => {
  const phone = newPhone()
  const { verification_id: id } = await otp(server, key).sent({ phone, channels })
  const code = await until("the code to arrive", async () => {
    const reply = await fetch(`${server.url}/simulator/messages?phone=${encodeURIComponent(phone)}`)
    const { data } = (await reply.json()) as { data: ReadonlyArray<{ code: string }> }
    return data[0]?.code
  })
  expect((await otp(server, key).outcome(id, code)).verified).toBe(true)
}

/** The page once the figures that it waits for are there. */
const overviewOf = (visitor: Visitor, query = "") =>
  until("the figures to be summed up", async () => {
    const page = await visitor.get(`/console/overview${query}`)
    expect(page.status).toBe(200)
    return page.text.includes("Still counting") ? undefined : page
  })

describe("the overview", () => {
  it("tells somebody who has sent nothing what to do", async () => {
    const { visitor } = await newPerson()
    const page = await overviewOf(visitor)
    expect(wordsOf(page)).toContain("Nothing sent in this period")
    expect(tile(page, "Codes")).toBe("0")
    expect(tile(page, "Conversion")).toBe("–")
  })

  it("guides a new customer through the set-up, and ticks what is done", async () => {
    const customer = await newCustomer(server, "start")
    await server.cli("wallet", "top-up", "--customer", customer.id, "--amount", "5000000")
    const developer = await signedIn(server, customer.id, "developer")
    const done = async () => {
      const page = await overviewOf(developer)
      expect(page.text).not.toContain("all-well")
      const steps = [...page.text.matchAll(/<li class="(done|next|)"[^>]*>.*?<h3>([^<]*)/gs)]
      return { page, ticked: steps.filter(([, state]) => state === "done").map(([, , title]) => title) }
    }
    const before = await done()
    // this customer was made with keys
    expect(before.ticked).toEqual(["Create an API key"])
    expect(before.page.text).toContain('href="/console/channels/connect"')
    expect(before.page.text).not.toContain("curl -X POST")
    const account = await newAccount(server, customer.id, "sms")
    expect((await done()).ticked).toEqual(["Connect a channel", "Create an API key"])
    await server.cli(
      "routing",
      "set",
      "--customer",
      customer.id,
      "--steps",
      JSON.stringify([{ channel: "sms", account_id: account }])
    )
    const ready = await done()
    expect(ready.ticked).toHaveLength(3)
    expect(wordsOf(ready.page)).toContain(`curl -X POST ${server.url}/v1/otp/send`)
    await otp(server, customer.live).sent({})
    const sent = await done()
    expect(sent.ticked).toHaveLength(4)
    expect(sent.page.text).not.toContain("curl -X POST")
    const authorization = `apikey ${await insertToken(server.dataDir, customer.id)}`
    const hook = { url: "https://93.184.216.34/hook", events: ["*"] }
    expect((await manage(server, "POST", "/webhooks", { authorization }, hook)).status).toBe(201)
    const all = await overviewOf(developer)
    expect(all.text).not.toContain('id="guide-title"')
    expect(wordsOf(all)).toContain("All good. Nothing needs attention.")
  })

  it("shows the guide to those who may only read, without its buttons", async () => {
    const { visitor } = await newPerson()
    const page = await overviewOf(visitor)
    expect(wordsOf(page)).toContain("Get started")
    expect(page.text).not.toContain('href="/console/channels/connect"')
  })

  it("has the sends of the period, what they cost, and what became of them", async () => {
    const { customer, visitor } = await newPerson()
    await server.cli("wallet", "top-up", "--customer", customer.id, "--amount", "5000000")
    await newAccount(server, customer.id, "bale")
    await newAccount(server, customer.id, "sms")
    await verified(customer.live, "bale")
    await verified(customer.live, "bale")
    await otp(server, customer.live).sent({ channels: "sms" })
    await messages(server, customer.live).delivered({ channels: "sms" })
    for (const period of ["24h", "7d", "30d"]) {
      const page = await overviewOf(visitor, `?period=${period}`)
      expect(tile(page, "Codes")).toBe("3")
      expect(tile(page, "Conversion")).toBe("66.7%")
      expect(tile(page, "Messages")).toBe("1")
      expect(tile(page, "Cost")).toBe("2,000 IRR")
      expect(tile(page, "Wallet")).toBe("4,998,000 IRR")
      expect(tile(page, "Median time to verify")).toMatch(/^0\.\d s$/)
      expect(wordsOf(page)).toMatch(/Bale 2 100% 100% [\d.]+ s [\d.]+ s 2,000 IRR/)
      expect(wordsOf(page)).toMatch(/SMS 2 100% 0% – – –/)
    }
  })

  it("has the days of Tehran, wherever its viewer is", async () => {
    const { customer, visitor } = await newPerson()
    await newAccount(server, customer.id, "sms")
    await otp(server, customer.live).sent({ channels: "sms" })
    const days = async (zone: string) => {
      visitor.cookies.set("peyk_zone", zone)
      const { text } = await overviewOf(visitor, "?period=7d")
      return [...text.matchAll(/<th scope="row">([^<]+)<\/th>/g)].map(([, day]) => day)
    }
    const seen = await days("Asia/Tehran")
    expect(seen.length).toBeGreaterThanOrEqual(7)
    for (const zone of ["Pacific/Kiritimati", "Pacific/Pago_Pago"]) expect(await days(zone)).toEqual(seen)
  })

  it("keeps the figures of another customer apart", async () => {
    const { customer } = await newPerson()
    await newAccount(server, customer.id, "sms")
    await otp(server, customer.live).sent({ channels: "sms" })
    const other = await newPerson()
    expect(tile(await overviewOf(other.visitor), "Codes")).toBe("0")
  })

  it("says what is wrong now", async () => {
    const { customer, visitor } = await newPerson()
    await newAccount(server, customer.id, "sms", {
      label: "The <line>",
      settings: { outcome: "unavailable" }
    })
    await otp(server, customer.live).sent({ channels: "sms" })
    const authorization = `apikey ${await insertToken(server.dataDir, customer.id)}`
    await manage(
      server,
      "POST",
      "/webhooks",
      { authorization },
      { url: "https://203.0.113.9/hook", events: ["*"] }
    )
    const page = await until("the account to rest", async () => {
      const now = await overviewOf(visitor)
      return wordsOf(now).includes("Cooldown") ? now : undefined
    })
    expect(page.text).toContain("The &lt;line&gt;")
    expect(wordsOf(page)).toContain("Low balance 0 IRR left")
  })

  it("names what keeps codes from arriving: refused, incomplete and unreachable accounts, and steps of the order", async () => {
    const { customer, visitor } = await newPerson()
    const owned = ["--customer", customer.id, "--channel"]
    const connected = async (...args: ReadonlyArray<string>) => {
      const made = await server.cli("account", "connect", ...owned, ...args, "--no-check")
      return (made as { readonly credential_id: number }).credential_id
    }
    const settings = ["--settings", '{"api_key":"k"}']
    const line = await connected("sms", "--provider", "smsir", "--label", "No template", ...settings)
    const bot = await connected(
      "rubika",
      "--provider",
      "rubika_bot",
      "--label",
      "Bot",
      "--settings",
      '{"token":"a-secret-token"}'
    )
    const app = await connected(
      "bale",
      "--provider",
      "bale_bot",
      "--label",
      "App",
      "--settings",
      '{"token":"a-secret-token"}'
    )
    const steps = JSON.stringify([{ channel: "sms", account_id: line }, { channel: "rubika" }])
    await server.cli("routing", "set", "--customer", customer.id, "--steps", steps).catch(() => {})
    const authorization = `apikey ${await insertToken(server.dataDir, customer.id)}`
    for (const id of [bot, app]) await manage(server, "POST", `/accounts/${id}/check`, { authorization })
    const words = wordsOf(await overviewOf(visitor))
    expect(words).toContain("No template (SMS): settings incomplete")
    expect(words).toContain("Bot (Rubika): the provider was unreachable at the last check")
    expect(words).toMatch(/App \(Bale\): refused by the provider: \S/)
    expect(words).toMatch(/SMS in the saved order: The SMS account.{1,5}s settings are incomplete/)
    const account = wordsOf(await visitor.get(`/console/channels/${app}`))
    expect(account).toMatch(/Last error provider_misconfigured : the account’s credentials, sender or credit/)
  })

  it("says that the free plan's quota is nearly used", async () => {
    const { customer, visitor } = await newPerson("free")
    await server.cli("customer", "limits", "--customer", customer.id, "--set", "monthly_quota=1")
    await newAccount(server, customer.id, "sms")
    await otp(server, customer.live).sent({ channels: "sms" })
    expect(wordsOf(await overviewOf(visitor))).toContain("1 of 1 sends of this month used. Resets on")
  })
})
