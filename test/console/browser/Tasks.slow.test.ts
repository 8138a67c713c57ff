// @effect-diagnostics globalDate:off
/** What people come to the console for, and how many clicks it takes them from the first page. */
import type { Locator, Page } from "playwright-core"
import { beforeAll, expect, it } from "vitest"
import { newPhone, ok, request } from "../../contract/Client.ts"
import { manage } from "../../contract/Manager.ts"
import { DAY_MILLIS, HOUR_MILLIS } from "../../../src/domain/Instant.ts"
import { monthBefore } from "../../../src/domain/Calendar.ts"
import { newAccount, newCustomer, newSecret } from "../../contract/Operator.ts"
import { until } from "../../contract/Server.ts"
import { inStore } from "../Alarms.ts"
import { signedIn, type Visitor } from "../Visitor.ts"
import { newWebhook, sendCode, startReceiver } from "./kit/Activity.ts"
import { desktop, type Look } from "./kit/Looks.ts"
import { describeInBrowser } from "./kit/Suite.ts"

/** Each opens several pages, next to other tests. */
const SLOW = 120_000

const JALALI = { calendar: "jalali", zone: "Asia/Tehran" } as const

interface SavedRouting {
  readonly data: ReadonlyArray<{ readonly channel: string; readonly wait?: number | null }>
}

/** Codes over one channel, sent within an hour; some of them were verified. */
interface SentCodes {
  readonly at: number
  readonly channel: "bale" | "eitaa"
  readonly codes: number
  readonly verified: number
  readonly price: number
}

/** Somebody's hand on a page: counts what it clicks or chooses, and what it fills in. */
const makeHand = () => {
  const count = { clicks: 0, fills: 0 }
  return {
    count,
    click: async (target: Locator) => {
      count.clicks += 1
      await target.click()
    },
    choose: async (target: Locator, value: string) => {
      count.clicks += 1
      await target.selectOption(value)
    },
    fill: async (target: Locator, text: string) => {
      count.fills += 1
      await target.fill(text)
    }
  }
}

describeInBrowser("from the first page", (stage) => {
  let owner: Visitor
  beforeAll(async () => {
    owner = await signedIn(stage, stage.demo.customer_id, "owner")
  })

  /** Begins on the first page. */
  const begin = (
    visitor: Visitor,
    use: (page: Page, hand: ReturnType<typeof makeHand>) => Promise<void>,
    look: Look = desktop
  ) =>
    stage.within(look, visitor, async ({ open, page }) => {
      await open("/console/overview")
      await use(page, makeHand())
    })

  const menu = (page: Page, name: string) =>
    page.getByRole("navigation", { name: "Main" }).getByRole("link", { name, exact: true })
  const main = (page: Page) => page.getByRole("main")

  /** Sends a code with a live key of the customer's. */
  const sendAs = async (customer: string, phone: string) => {
    const key = await newSecret(stage, customer, "live")
    const headers = { "content-type": "application/json", "x-api-key": key, "idempotency-key": phone }
    const body = JSON.stringify({ phone, channels: ["bale"] })
    return ok<{ readonly verification_id: string }>(
      await request(stage, "POST", "/v1/otp/send", { headers, body })
    )
  }

  /** Opens the page of a phone by the search. */
  const openPhone = async (page: Page, { click, fill }: ReturnType<typeof makeHand>, typed: string) => {
    await click(page.getByRole("link", { name: /^Search/ }).first())
    const palette = page.locator("dialog.palette[open]")
    await fill(palette.getByRole("combobox"), typed)
    await click(
      palette
        .getByRole("option")
        .filter({ hasText: typed.slice(1) })
        .first()
    )
    await page.waitForURL(/\/console\/phones\//)
  }

  it("why a code did not arrive is found in three clicks", { timeout: SLOW }, async () => {
    const phone = newPhone()
    const { id } = await newCustomer(stage, "start")
    await stage.cli("wallet", "top-up", "--customer", id, "--amount", "5000000")
    await newAccount(stage, id, "bale", { settings: { outcome: "unreachable" } })
    const { verification_id: code } = await sendAs(id, phone)
    await begin(await signedIn(stage, id, "viewer"), async (page, hand) => {
      await openPhone(page, hand, phone)
      await hand.click(main(page).locator(`a[href="/console/verifications/${code}"]`).first())
      const story = page.getByRole("region", { name: "What happened" })
      expect(await story.innerText()).toContain("Bale: this phone cannot be reached there")
      expect(hand.count).toEqual({ clicks: 3, fills: 1 })
    })
  })

  it("why a code was refused is found in two clicks", { timeout: SLOW }, async () => {
    const phone = newPhone()
    const entry = { type: "phone", value: phone }
    const authorization = `apikey ${stage.demo.token}`
    expect((await manage(stage, "POST", "/guard/deny", { authorization }, entry)).status).toBeLessThan(300)
    await sendCode(stage, phone).catch(() => undefined)
    await begin(owner, async (page, hand) => {
      await openPhone(page, hand, phone)
      await expect
        .poll(async () => {
          await page.reload()
          return main(page).innerText()
        })
        .toContain("1 request was refused: blocked_phone.")
      expect(hand.count).toEqual({ clicks: 2, fills: 1 })
    })
  })

  it(
    "an SMS account is connected and comes second, after 60 s of Bale, in eight clicks",
    { timeout: SLOW },
    async () => {
      const { id } = await newCustomer(stage, "start")
      for (const channel of ["bale", "eitaa"]) await newAccount(stage, id, channel, { isDefault: true })
      const steps = [{ channel: "bale", wait: 45 }, { channel: "eitaa" }]
      await stage.cli("routing", "set", "--customer", id, "--steps", JSON.stringify(steps))
      await begin(await signedIn(stage, id, "owner"), async (page, hand) => {
        const { click, choose, fill } = hand
        const sms = page.getByRole("region", { name: "SMS", exact: true })
        await click(menu(page, "Channels"))
        await click(page.getByRole("link", { name: "Connect account" }).first())
        await click(sms.getByRole("link", { name: "SMS.ir" }))
        await fill(page.getByLabel("Name"), "SMS.ir")
        await fill(page.getByLabel("API key"), "a-key")
        await fill(page.getByLabel("Template for codes"), "123456")
        // tests ask no provider; people leave it as it is
        await page.getByLabel("Check with the provider first").uncheck()
        await click(page.getByRole("button", { name: "Connect" }))
        await click(page.getByRole("link", { name: "Add it to the routing" }))
        await click(page.locator('[data-step] [data-move="up"]').last())
        await choose(page.locator('[data-step] select[name="wait"]').first(), "60")
        await click(page.getByRole("button", { name: "Save order" }))
        expect(await page.getByRole("status").innerText()).toContain("Saved")
        expect(hand.count).toEqual({ clicks: 8, fills: 3 })
      })
      const { data: saved } = (await stage.cli("routing", "show", "--customer", id)) as SavedRouting
      expect(saved.map(({ channel, wait }) => [channel, wait ?? null])).toEqual([
        ["bale", 60],
        ["sms", null],
        ["eitaa", null]
      ])
    }
  )

  it("why a webhook fails is found in two clicks", { timeout: SLOW }, async () => {
    const receiver = await startReceiver(500)
    try {
      const { id } = await newWebhook(stage, receiver.url)
      await sendCode(stage, "09121239313")
      await until("an attempt that failed", async () => {
        const { text } = await owner.get(`/console/webhooks/${id}`)
        return text.includes("Its latest attempts failed") ? true : undefined
      })
      await begin(owner, async (page, hand) => {
        const { host } = new URL(receiver.url)
        const row = main(page).getByRole("listitem").filter({ hasText: host })
        await hand.click(row.getByRole("link", { name: "View deliveries" }))
        await hand.click(main(page).locator('a[href*="/events/"]').first())
        expect(await main(page).innerText()).toContain("500")
        expect(hand.count).toEqual({ clicks: 2, fills: 0 })
      })
    } finally {
      receiver.close()
    }
  })

  /** As programs that have run for weeks have them. */
  const hasSent = (customer: string, { at, channel, codes, verified, price }: SentCodes) =>
    inStore(stage, (sql) => {
      const route = JSON.stringify([
        {
          channel,
          account_id: 1,
          price,
          wait: 60,
          descriptor: { type: "messenger", provider: channel, credential_id: 1, label: channel }
        }
      ])
      const attempts = JSON.stringify([
        {
          step: 0,
          status: "sent",
          error_code: null,
          provider_error: null,
          provider_message_id: null,
          attempted_at: at
        }
      ])
      return sql`
        with code as (
          insert into verifications (customer_id, id, mode, phone, status, revision, route, attempts, remaining,
            captured, created_at, expires_at, verified_at)
          select ${customer}::int, uuidv7((${at}::bigint + n * 1000) * interval '1 ms' - extract(epoch from
            clock_timestamp()) * interval '1 s'), 'live', '+98912' || lpad(n::text, 7, '0'),
            case when n <= ${verified}::int then 'verified' else 'expired' end, 2, ${route}::jsonb,
            ${attempts}::jsonb, '{}', ${price}::bigint, to_timestamp(${at}::bigint / 1000.0 + n),
            to_timestamp(${at}::bigint / 1000.0 + n + 300),
            case when n <= ${verified}::int then to_timestamp(${at}::bigint / 1000.0 + n + 9) end
          from generate_series(1, ${codes}::int) n
          returning id, created_at)
        insert into ledger (customer_id, id, kind, amount, subject, occurred_at, channel)
        select ${customer}::int, uuidv7(created_at - clock_timestamp()), 'capture', ${-price}::bigint, id, created_at,
          ${channel}
        from code`
    })

  const customerSince = async (days: number) => {
    const { id } = await newCustomer(stage, "start")
    await inStore(
      stage,
      (sql) =>
        sql`update customers set created_at = now() - ${days}::int * interval '1 day' where id = ${id}::int`
    )
    return id
  }

  it(
    "what was spent on Bale last month is found in Persian in two clicks, and is right",
    { timeout: SLOW },
    async () => {
      const id = await customerSince(100)
      const now = Date.now()
      const [last, before] = [monthBefore(now, 1, JALALI).from, monthBefore(now, 2, JALALI).from]
      const bale = { channel: "bale", verified: 3, price: 1500 } as const
      await hasSent(id, { ...bale, at: last, codes: 17 })
      await hasSent(id, { ...bale, at: last + 12 * DAY_MILLIS, codes: 23 })
      await hasSent(id, { ...bale, at: last - HOUR_MILLIS, codes: 5 })
      await hasSent(id, { ...bale, at: before + DAY_MILLIS, codes: 7 })
      await hasSent(id, { ...bale, at: monthBefore(now, 0, JALALI).from + 1000, codes: 11 })
      await hasSent(id, { ...bale, channel: "eitaa", at: last + DAY_MILLIS, codes: 9 })
      const persian = { ...desktop, language: "fa" } as const
      await begin(
        await signedIn(stage, id, "viewer"),
        async (page, hand) => {
          await hand.click(page.locator('nav a[href="/console/usage"]').first())
          await hand.click(main(page).getByRole("link", { name: "ماه گذشته" }))
          const row = main(page).getByRole("row").filter({ hasText: "بله" })
          await expect.poll(() => row.innerText()).toContain("۶۰٬۰۰۰ ریال")
          expect(hand.count).toEqual({ clicks: 2, fills: 0 })
        },
        persian
      )
    }
  )

  it("who changed the routing, and what, is found in one click", { timeout: SLOW }, async () => {
    const { id } = await newCustomer(stage, "start")
    await newAccount(stage, id, "bale", { isDefault: true })
    const save = (wait: number) =>
      stage.cli("routing", "set", "--customer", id, "--steps", JSON.stringify([{ channel: "bale", wait }]))
    await save(60)
    await save(75)
    await begin(await signedIn(stage, id, "owner"), async (page, hand) => {
      await hand.click(menu(page, "Audit log"))
      const row = main(page).getByRole("row").filter({ hasText: "changed the routing" }).first()
      expect(await row.innerText()).toMatch(/An operator .*changed the routing: wait of Bale 60 → 75 s/)
      expect(hand.count).toEqual({ clicks: 1, fills: 0 })
    })
  })

  it(
    "whether conversion is worse than last week, and where, is found in one click",
    { timeout: SLOW },
    async () => {
      const id = await customerSince(30)
      const now = Date.now()
      const sent = { codes: 200, price: 1000 }
      await hasSent(id, { ...sent, channel: "bale", verified: 180, at: now - 10 * DAY_MILLIS })
      await hasSent(id, { ...sent, channel: "eitaa", verified: 180, at: now - 10 * DAY_MILLIS })
      await hasSent(id, { ...sent, channel: "bale", verified: 100, at: now - 3 * DAY_MILLIS })
      await hasSent(id, { ...sent, channel: "eitaa", verified: 180, at: now - 3 * DAY_MILLIS })
      await begin(await signedIn(stage, id, "viewer"), async (page, hand) => {
        await hand.click(menu(page, "Insights"))
        const worse = page.getByRole("region", { name: "What got worse" })
        await expect
          .poll(() => worse.innerText())
          .toMatch(/Conversion fell by 20 points, to 70%\. Bale .?−40/)
        expect(hand.count).toEqual({ clicks: 1, fills: 0 })
      })
    }
  )
})
