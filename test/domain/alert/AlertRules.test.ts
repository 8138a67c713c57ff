import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import {
  creditConditions,
  creditDays,
  expiryConditions,
  guardConditions,
  hasFallen,
  moneyConditions,
  webhookConditions
} from "../../../src/domain/alert/AlertRules.ts"
import { alertLetter, alertMessage, alertSentence } from "../../../src/domain/alert/AlertText.ts"
import { RaisedKind } from "../../../src/domain/alert/Alert.ts"
import { DAY_MILLIS, HOUR_MILLIS, MINUTE_MILLIS } from "../../../src/domain/Instant.ts"
import { isWantedEvent } from "../../../src/domain/Webhook.ts"

const kindsOf = (
  found: ReadonlyArray<{ readonly kind: string; readonly subject: { readonly id: string } }>
) => found.map(({ kind, subject }) => `${kind} ${subject.id}`)

describe("what people are alerted of", () => {
  it("money for less than 100 sends, and a quota from 80 % on: used up is another alert", () => {
    const prices = { bale: 500, sms: 1000 }
    const money = (balance: number, used: number) =>
      kindsOf(
        moneyConditions({ wallet: { balance, held: 0 }, quota: { limit: 100, used }, prices }, "2026-11")
      )
    assert.deepStrictEqual(money(100_000, 79), [])
    assert.deepStrictEqual(money(99_999, 80), ["balance_low wallet", "quota_near 2026-11:80"])
    assert.deepStrictEqual(money(99_999, 100), ["balance_low wallet", "quota_near 2026-11:100"])
    assert.deepStrictEqual(moneyConditions({ wallet: null, quota: null, prices }, ""), [])
    assert.deepStrictEqual(
      moneyConditions({ wallet: { balance: 0, held: 0 }, quota: null, prices: {} }, ""),
      []
    )
  })

  it("credit that lasts less than two days at the pace of the week; top-ups are no spending", () => {
    const days = (...credits: ReadonlyArray<number>) =>
      credits.map((credit, index) => ({ at: index * DAY_MILLIS, credit }))
    assert.strictEqual(creditDays(days(400, 300, 200, 100)), 1)
    assert.strictEqual(creditDays(days(100, 50, 1050, 1000)), 30)
    assert.isNull(creditDays(days(100, 100, 100)))
    assert.isNull(creditDays([{ at: 0, credit: 10 }]))
    assert.strictEqual(creditDays([{ at: 0, credit: 0 }]), 0)
    assert.deepStrictEqual(
      kindsOf(creditConditions([{ id: 7, label: "main", samples: days(400, 300, 200, 100) }])),
      ["balance_low 7"]
    )
  })

  it("webhooks that fail for ten minutes, or were switched off; not by their owner", () => {
    const now = HOUR_MILLIS
    const webhook = (
      id: number,
      disabledReason: "gone" | "failing" | "manual" | null,
      failingSince: number | null
    ) => ({
      id,
      name: "ops",
      disabledReason,
      failingSince
    })
    assert.deepStrictEqual(
      kindsOf(
        webhookConditions(
          [
            webhook(1, null, now - 9 * MINUTE_MILLIS),
            webhook(2, null, now - 10 * MINUTE_MILLIS),
            webhook(3, "gone", null),
            webhook(4, "failing", 0),
            webhook(5, "manual", 0)
          ],
          now
        )
      ),
      ["webhook_failing 2", "webhook_off 3", "webhook_off 4"]
    )
  })

  it("keys a week and a day before their end", () => {
    const secret = (days: number) => ({
      type: "key" as const,
      id: 3,
      name: "old",
      expiresAt: days * DAY_MILLIS
    })
    assert.deepStrictEqual(
      [8, 7, 1.5, 1, 0].map((days) => kindsOf(expiryConditions([secret(days)], 0))),
      [[], ["key_expiring 3:7"], ["key_expiring 3:7"], ["key_expiring 3:1"], []]
    )
  })

  it("alarms of the guard by their reason, with their number", () => {
    const found = guardConditions([{ reason: "unverified" }, { reason: "bombed" }, { reason: "unverified" }])
    assert.deepStrictEqual(
      found.map(({ subject, counts }) => [subject.id, counts["alarms"]]),
      [
        ["unverified", 2],
        ["bombed", 1]
      ]
    )
  })

  it("a conversion that fell by more than chance", () => {
    assert.isTrue(hasFallen([100, 50], [10_000, 9000]))
    assert.isFalse(hasFallen([100, 80], [10_000, 9000]))
    assert.isFalse(hasFallen([49, 0], [10_000, 9000]))
    assert.isFalse(hasFallen([100, 50], [199, 190]))
  })

  const Count = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100_000 }))
  it.prop("never a conversion that is as good as before", [Count, Count, Count], ([codes, share, usual]) => {
    const verified = Math.min(codes, share)
    const usualVerified = Math.floor((usual * verified) / Math.max(1, codes))
    assert.isFalse(hasFallen([codes, verified], [usual, usualVerified]))
  })
})

describe("the text of an alert", () => {
  it("exists for each kind in both languages, with what was held back", () => {
    for (const kind of RaisedKind.literals) {
      const alert = {
        kind,
        subject: { type: "account" as const, id: "7", name: "main" },
        counts: {},
        heldBack: 2
      }
      for (const locale of ["en", "fa"] as const) {
        assert.notStrictEqual(alertSentence(alert, locale), "")
        assert.match(
          alertMessage(alert, locale, "Shop"),
          locale === "en" ? /2 times without one/ : /۲ بار دیگر/
        )
      }
    }
  })

  it("names the month of a budget in words, in the calendar of the budget", () => {
    const sentence = (name: string, locale: "en" | "fa") => {
      const subject = { type: "budget" as const, id: `${name}:80`, name }
      const counts = { percent: 80, spent: 1600, limit: 2000 }
      return alertSentence({ kind: "budget", subject, counts, heldBack: 0 }, locale)
    }
    assert.include(
      sentence("1405-09", "en"),
      "budget of \u2068Azar 1405\u2069 is spent: 1,600 of 2,000 rials"
    )
    assert.include(sentence("1405-09", "fa"), "بودجهٔ \u2068آذر ۱۴۰۵\u2069 خرج شده است")
    assert.include(sentence("2026-11", "en"), "\u2068November 2026\u2069")
    assert.include(sentence("2026-11", "fa"), "\u2068نوامبر ۲۰۲۶\u2069")
  })

  it.prop("stays in its lines, whatever a name has", [Schema.String, Schema.String], ([name, sender]) => {
    const alert = {
      kind: "webhook_off" as const,
      subject: { type: "webhook" as const, id: "1", name },
      counts: {},
      heldBack: 0
    }
    const letter = alertLetter(alert, "en", { sender, baseUrl: null })
    assert.notMatch(letter.subject, /[\r\n\p{Cc}]/u)
    assert.strictEqual(letter.text.trimEnd().split(/[\r\n]/).length, 1)
    assert.notMatch(alertMessage(alert, "fa", sender), /[\r\n]/)
  })
})

describe("an alert's event", () => {
  it("goes only where it is named", () => {
    assert.isFalse(isWantedEvent(["*"], "alert.channel_down"))
    assert.isTrue(isWantedEvent(["alert.*"], "alert.channel_down"))
    assert.isTrue(isWantedEvent(["*", "alert.channel_down"], "alert.channel_down"))
    assert.isFalse(isWantedEvent(["alert.*"], "verification.sent"))
    assert.isTrue(isWantedEvent(["*"], "verification.sent"))
  })
})
