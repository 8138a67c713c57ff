import { readdirSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { isNamedField } from "../../../src/http/console/activity/AuditChanges.ts"
import { changesIn, hasSentence, sentenceOf } from "../../../src/http/console/activity/AuditSentences.ts"
import { makeLocale } from "../../../src/http/console/frame/Locale.ts"
import type { AuditRecord } from "../../../src/services/activity/AuditLog.ts"

interface FoundAction {
  readonly name: string
  readonly auditedAs: string
  readonly input: { readonly fields?: Readonly<Record<string, unknown>> }
}

const isAction = (value: unknown): value is FoundAction =>
  typeof value === "object" && value !== null && "auditedAs" in value && "prepare" in value

const SERVICES = new URL("../../../src/services/", import.meta.url)

const modules = await Promise.all(
  readdirSync(SERVICES, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map(async (name): Promise<Record<string, unknown>> => await import(new URL(name, SERVICES).href))
)

/** Every action there is, by the services that export it. */
const actions = modules.flatMap((each) => Object.values(each)).filter(isAction)

/** What is in the log and no action: what happens to sessions. */
const SESSIONS = ["user.sign_in", "user.sign_in_failed", "user.session_ended", "user.sign_out"]

const english = makeLocale("en", "Asia/Tehran")
const persian = makeLocale("fa", "Asia/Tehran")

const record = (change: Partial<AuditRecord>): AuditRecord => ({
  id: "01890000-0000-7000-8000-000000000000",
  customerId: 1,
  actorKind: "user",
  actorId: "u1",
  actorName: "Sara",
  action: "api_key.create",
  subjectType: "api_key",
  subjectId: "7",
  subjectName: null,
  details: {},
  previous: {},
  ip: null,
  userAgent: null,
  requestId: null,
  occurredAt: 0,
  ...change
})

const links = { thing: null, who: null }
const text = (entry: AuditRecord, locale: typeof english) =>
  [
    sentenceOf(entry, links, locale)
      .toString()
      .replaceAll(/<[^>]+>/g, ""),
    ...changesIn(entry, locale)
  ]
    .join(" | ")
    .replaceAll(/[\u2066-\u2069]/g, "")
    .replaceAll(/\s+/g, " ")

describe("the audit log in words", () => {
  it("finds the actions", () => {
    expect(actions.length).toBeGreaterThan(45)
  })

  it("names the channel that somebody asked for", () => {
    const next = { action: "verification.next", subjectType: "verification", subjectId: "7" }
    const asked = record({ ...next, details: { channel: "voice" } })
    expect(text(asked, english)).toMatch(/^Sara tried .*over voice/)
    expect(text(asked, persian)).toMatch(/^Sara .*از کانال voice امتحان کرد/)
    expect(text(record(next), english)).toMatch(/^Sara tried the next channel of /)
  })

  it.each([...new Set([...actions.map(({ auditedAs }) => auditedAs), ...SESSIONS])])(
    "has a sentence for %s, in both languages",
    (action) => {
      expect(hasSentence(action)).toBe(true)
      for (const locale of [english, persian])
        expect(text(record({ action }), locale)).not.toMatch(/[{}]|undefined|NaN/)
      expect(text(record({ action }), persian)).toMatch(/[آ-ی]/)
    }
  )

  it("names the fields that changes have", () => {
    const changed = actions.filter(({ auditedAs }) => /\.(?:update|set_limits|save)$/.test(auditedAs))
    const own = new Set(["check", "url", "account_ids", "settings_change", "steps", "order"])
    const unnamed = changed
      .flatMap(({ name, input: { fields = {} } }) =>
        Object.keys(fields).map((field) => [name, field] as const)
      )
      .filter(([, field]) => !own.has(field) && !isNamedField(field))
    expect(unnamed).toEqual([])
  })

  it("says what was changed of the routing", () => {
    const entry = record({
      action: "routing.save",
      details: { order: "saved", steps: [{ channel: "bale", wait: 75 }, { channel: "sms" }] },
      previous: { steps: [{ channel: "bale", wait: 60 }, { channel: "eitaa" }] }
    })
    expect(text(entry, english)).toBe(
      "Sara changed the routing | added SMS | removed Eitaa | wait of Bale 60 → 75 s"
    )
    expect(text(entry, persian)).toBe(
      "Sara ترتیب ارسال را تغییر داد | افزودن پیامک | برداشتن ایتا | انتظار بله: از ۶۰ به ۷۵ ثانیه"
    )
  })

  it("says that the order of channels and the choice of the first were changed", () => {
    const entry = record({
      action: "routing.save",
      details: { order: "measured", steps: [{ channel: "sms" }, { channel: "bale", account_id: 4 }] },
      previous: { order: "saved", steps: [{ channel: "bale", account_id: 3 }, { channel: "sms" }] }
    })
    expect(text(entry, english)).toBe(
      "Sara changed the routing | order now SMS → Bale | account of Bale #3 → #4 | first channel: as the steps stand → measured"
    )
  })

  it("says old and new values, and what is null by default", () => {
    const entry = record({
      action: "api_key.update",
      subjectName: "Shop",
      details: { name: "Shop 2", rate_limit_per_minute: null, allowed_ips: ["10.0.0.0/8"] },
      previous: { name: "Shop", rate_limit_per_minute: 60 }
    })
    expect(text(entry, english)).toBe(
      "Sara changed the key “Shop” | name “Shop” → “Shop 2” | requests per minute 60 → the default | networks: 10.0.0.0/8"
    )
  })

  it("says that a form was saved as it was", () => {
    const mode = { mode: "record" }
    const entry = record({ action: "guard.save", subjectType: "guard", details: mode, previous: mode })
    expect(text(entry, english)).toBe("Sara changed the guard | nothing is different")
  })

  it("names no secret, and the states in words", () => {
    const entry = record({
      action: "account.update",
      subjectName: "Bale",
      details: { settings: "replaced", active: false, gap_ms: 1000, label: "Bale" },
      previous: { active: true, gap_ms: null, label: "Bale" }
    })
    expect(text(entry, english)).toBe(
      "Sara changed the account “Bale” | settings replaced | disabled | least gap the default → 1,000 ms"
    )
  })

  it("names the settings that were changed one by one, and no value", () => {
    const entry = record({
      action: "account.update",
      subjectName: "Bale",
      details: { settings: ["api_key"] }
    })
    expect(text(entry, english)).toBe("Sara changed the account “Bale” | settings: api_key")
  })

  it("calls the command line by what it is", () => {
    const entry = record({ actorKind: "operator", actorId: "command-line", actorName: "Operator" })
    expect(text(entry, english)).toBe("An operator (command line) created the – key #7")
  })
})

describe("the link of a sentence that names no thing", () => {
  it.each([english, persian])("ends before what is in brackets", (locale) => {
    const entry = record({ action: "alert.test", subjectType: "alert", details: { type: "user" } })
    const said = sentenceOf(entry, { thing: "/console/alerts", who: null }, locale).toString()
    expect(said).toMatch(/<a href="\/console\/alerts">[^<(]*[^<( ]<\/a> \(/)
  })
})
