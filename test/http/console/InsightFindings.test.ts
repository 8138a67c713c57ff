import { assert, describe, it, layer } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { type KeyedSums, noCodeSums } from "../../../src/domain/Insights.ts"
import { DAY_MILLIS, MINUTE_MILLIS } from "../../../src/domain/Instant.ts"
import type { Channel } from "../../../src/domain/routing/Channel.ts"
import {
  fallbackPart,
  findingsPart,
  readFindings
} from "../../../src/http/console/activity/InsightFindings.ts"
import type { Html } from "../../../src/http/console/frame/Html.ts"
import { navigationOf } from "../../../src/http/console/Navigation.ts"
import { type Language, makeLocale } from "../../../src/http/console/frame/Locale.ts"
import { ActivitySums } from "../../../src/services/activity/ActivityReports.ts"
import { Insights } from "../../../src/services/activity/Insights.ts"
import { RouteRecords } from "../../../src/services/routing/RouteRecords.ts"
import { codeTo, MARCH, readProcess, settle, verifyCode } from "../../support/ManageReads.ts"
import { scriptProviders } from "../../support/ScriptedProviders.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { makeCustomer } from "../../support/TestGraph.ts"

const localeOf = (language: Language) => makeLocale(language, "Asia/Tehran")

/** What a person reads. */
const wordsOf = (part: Html): string =>
  String(part)
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim()

type Findings = Parameters<typeof findingsPart>[1]

const nothing = { data: [], previous: [] }
/** Conversion as a whole did not fall. */
const unchanged = {
  all: { data: noCodeSums, previous: noCodeSums },
  channels: nothing,
  operators: nothing,
  operatorName: (key: string) => key,
  listTime: new URLSearchParams({ within: "30d" })
}

const said = (findings: Findings, language: Language = "en"): string =>
  wordsOf(findingsPart({ locale: localeOf(language), navigation: [] }, findings, unchanged))

const sums = (key: string, given: Partial<KeyedSums>): KeyedSums => ({ key, ...noCodeSums, ...given })

/** Codes to other phones, the first of which are verified. */
const send = Effect.fnUntraced(function* (
  providers: ReturnType<typeof scriptProviders>,
  customerId: number,
  { channels, codes, verified }: { channels: ReadonlyArray<Channel>; codes: number; verified: number }
) {
  for (let nth = 0; nth < codes; nth += 1) {
    const at = yield* Clock.currentTimeMillis
    const phone = `+98912${String(1_000_000 + ((at / 1000) % 8_000_000)).padStart(7, "0")}`
    const { id } = yield* codeTo(customerId, phone, channels)
    yield* TestClock.adjust("1 second")
    if (nth < verified) assert.isTrue((yield* verifyCode(providers, customerId, id)).verified)
    yield* TestClock.adjust("2 seconds")
  }
  yield* settle
})

/** The codes over each channel up to now, summed up. */
const channelsOf = Effect.fnUntraced(function* (customerId: number) {
  const now = yield* Clock.currentTimeMillis
  const span = { from: MARCH, to: MARCH + DAY_MILLIS }
  yield* (yield* ActivitySums).sumUp(customerId, span, now)
  const rows = yield* (yield* Insights).totals({ customerId, mode: "live" }, ["channel"], span)
  return rows.filter(({ kind }) => kind === "channel")
})

const findingsOf = Effect.fnUntraced(function* (customerId: number) {
  const now = yield* Clock.currentTimeMillis
  return yield* readFindings(customerId, yield* channelsOf(customerId), now)
})

layer(TestDatabase, { excludeTestServices: true })("where a channel got worse", (it) => {
  it.effect("the measured order finds the fall, and what its codes cost", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer()
      yield* send(providers, customerId, { channels: ["bale"], codes: 40, verified: 40 })
      yield* TestClock.adjust("3 minutes")
      yield* (yield* RouteRecords).refresh(customerId)
      assert.deepStrictEqual(yield* findingsOf(customerId), [])
      assert.strictEqual(said([]), "No channel is down or worse than usual.")

      yield* send(providers, customerId, { channels: ["bale"], codes: 20, verified: 0 })
      yield* TestClock.adjust("3 minutes")
      yield* (yield* RouteRecords).refresh(customerId)
      const findings = yield* findingsOf(customerId)
      const [finding] = findings
      assert.deepInclude(finding, { by: "routing", channel: "bale" })
      assert.deepInclude(finding?.sums, { codes: 60, verified: 40, cost: 60_000 })
      // A third of 60 codes at 1000 rials was not verified. Until the fall was certain, its codes counted as usual.
      assert.match(
        said(findings),
        /^What got worse Fallen Bale: 0% of the codes that try it first are verified there, 82\.5% before it fell\. In this period, 20,000 IRR went to codes that were not verified over it\./
      )
      assert.match(said(findings, "fa"), /۲۰٬۰۰۰ ریال صرف کدهایی شد که با آن تأیید نشد/)
    }).pipe(Effect.provide(readProcess(providers)))
  })

  it.effect("the guard's outage comes first, with the codes and the money since it began", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const customerId = yield* makeCustomer()
      yield* send(providers, customerId, { channels: ["bale"], codes: 40, verified: 40 })
      // Sums are by half hours: nothing from before the outage is in its own.
      yield* TestClock.adjust(30 * MINUTE_MILLIS - ((yield* Clock.currentTimeMillis) % (30 * MINUTE_MILLIS)))
      const since = yield* Clock.currentTimeMillis
      yield* send(providers, customerId, { channels: ["bale"], codes: 21, verified: 1 })
      yield* TestClock.adjust("3 minutes")
      // The measured order sees the same: it is said once.
      const routing = yield* RouteRecords
      yield* routing.refresh(customerId)
      assert.isNotNull(routing.of(customerId).records.bale?.before ?? null)
      yield* sql`
        insert into guard_rounds (customer_id, judged_until, state, codes, verified)
        values (${customerId}, gen_random_uuid(), ${JSON.stringify({
          outage: { channel: "bale", since },
          judgingDelayMillis: 60_000,
          usual: { conversion: 0.8 }
        })}::text::jsonb, 0, 0)
        on conflict (customer_id) do update set state = excluded.state`
      const findings = yield* findingsOf(customerId)
      assert.deepStrictEqual(
        findings.map(({ by, channel }) => [by, channel]),
        [["guard", "bale"]]
      )
      assert.deepInclude(findings[0]?.sums, { codes: 21, verified: 1, cost: 21_000 })
      assert.match(
        said(findings),
        /^What got worse Down Bale has been down since .*\. Of 21 codes over it since then, 1 were verified\. 20,000 IRR went to the others\./
      )
      assert.match(said(findings, "fa"), /از ۲۱ کد پس از آن، ۱ کد تأیید شد\. ۲۰٬۰۰۰ ریال صرف بقیه شد\./)
    }).pipe(Effect.provide(readProcess(providers)))
  })
})

describe("conversion that fell", () => {
  it("leads to the codes of the channel that lost the most, of the same time", () => {
    const channels = {
      data: [sums("bale", { codes: 200, verified: 100 }), sums("eitaa", { codes: 200, verified: 170 })],
      previous: [sums("bale", { codes: 200, verified: 180 }), sums("eitaa", { codes: 200, verified: 180 })]
    }
    const all = {
      data: sums("", { codes: 400, verified: 270 }),
      previous: sums("", { codes: 400, verified: 360 })
    }
    const locale = localeOf("en")
    const navigation = navigationOf(new Set(["verifications"] as const))
    const part = findingsPart({ locale, navigation }, [], { ...unchanged, all, channels })
    assert.include(wordsOf(part), "Conversion fell by 22.5 points, to 67.5%. Bale")
    assert.include(
      String(part),
      'href="/console/verifications?status=expired&amp;channel=bale&amp;within=30d"'
    )
  })
})

describe("what a channel that got worse cost", () => {
  const at = { by: "guard", channel: "bale", since: MARCH } as const

  it("is the part of the cost of the codes that were not verified", () => {
    assert.include(
      said([{ ...at, sums: sums("bale", { codes: 3, verified: 1, cost: 1000 }) }]),
      " 667 IRR went"
    )
  })

  it("is not said where nothing was sent, or nothing was lost", () => {
    assert.match(
      said([{ ...at, sums: noCodeSums }]),
      /^What got worse Down Bale has been down since [^.]*\. View guard$/
    )
    for (const cost of [0, 9000])
      assert.notInclude(said([{ ...at, sums: sums("bale", { codes: 3, verified: 3, cost }) }]), "IRR")
  })
})

describe("what fallback saved", () => {
  const all = sums("", { codes: 200, verified: 150, fallbacks: 30, cost: 90_000 })
  const channels = [
    sums("bale", { codes: 200, verified: 100, fallbacks: 0, cost: 70_000 }),
    sums("eitaa", { codes: 90, verified: 30, fallbacks: 20, cost: 20_000 }),
    sums("sms", { codes: 60, verified: 20, fallbacks: 10, cost: 0 })
  ]
  const month = (smsPrice: number | null, language: Language = "en") =>
    wordsOf(fallbackPart({ name: "Azar 1405", all, channels, smsPrice }, localeOf(language)))

  it("are the users that a further channel reached, of each channel, and the conversion without them", () => {
    assert.strictEqual(
      month(null),
      "What fallback saved in Azar 1405 Users it saved 30 · 20% of the verified " +
        "Verified at last over Eitaa 20 · SMS 10 Conversion 75% · without it 60%"
    )
    assert.include(month(null, "fa"), "۳۰ · \u061c۲۰٪ از تأییدشده‌ها")
    assert.include(month(null, "fa"), "\u061c۷۵٪ · بدون آن \u061c۶۰٪")
  })

  it("is compared with an SMS for each code that a messenger got verified", () => {
    // 130 SMS that were not sent, less 90,000 rials of the messengers. Those that went by SMS cost the same either way.
    assert.include(month(1500), "Next to an SMS for each 105,000 IRR less")
    assert.include(month(500), "Next to an SMS for each 25,000 IRR more")
    assert.include(month(500, "fa"), "۲۵٬۰۰۰ ریال بیشتر")
  })

  it("says so where there was no code, or no fallback", () => {
    const empty = { name: "Azar 1405", all: sums("", {}), channels: [], smsPrice: 1500 }
    assert.include(wordsOf(fallbackPart(empty, localeOf("en"))), "No codes in this month.")
    const none = {
      ...empty,
      all: sums("", { codes: 4, verified: 2 }),
      channels: [sums("bale", { codes: 4, verified: 2 })]
    }
    const words = wordsOf(fallbackPart(none, localeOf("en")))
    assert.include(words, "Users it saved 0 Conversion 50% · without it 50%")
    assert.notInclude(words, "Verified at last over")
  })
})
