import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { tryNext } from "../../../src/domain/verification/NextChannel.ts"
import { recordAttempt } from "../../../src/domain/verification/Step.ts"
import type { Verification } from "../../../src/domain/verification/Verification.ts"
import { type Language, makeLocale } from "../../../src/http/console/frame/Locale.ts"
import { timeline } from "../../../src/http/console/runs/Timeline.ts"
import { verificationMoments } from "../../../src/http/console/verification/VerificationTimeline.ts"
import { created, outcomes, routeOf, START } from "../../domain/verification/VerificationRuns.ts"

const attempt = (verification: Verification, step: number, at: number): Verification =>
  recordAttempt(verification, { step, outcome: outcomes.Accepted, attemptedAt: at, finishedAt: at + 20 }).next

/** Why the second channel was tried, in the words of the page. */
const reasonIn = (verification: Verification, language: Language = "en"): string => {
  const history = { events: [], charges: [], wrongCodes: 0, client: null }
  const run = { verification, history, now: START + 90_000, maxWrongCodes: 5 }
  const moments = verificationMoments(run, makeLocale(language, "Asia/Tehran"))
  return (
    moments.flatMap(({ more = [] }) => more.map(String)).find((words) => /Tried|امتحان شد/.test(words)) ?? ""
  )
}

describe("the reason of a second attempt", () => {
  const first = attempt(created(routeOf([60, 60])), 0, START)

  it("is that the next channel was asked for, where somebody did", () => {
    const at = START + 12_000
    const { next } = Result.getOrThrow(tryNext(first, { fromSequence: 1, now: at }))
    const asked = attempt(next, 1, at)
    assert.strictEqual(reasonIn(asked), "Tried because the next channel was requested, 12 s after Bale.")
    assert.match(reasonIn(asked, "fa"), /پیام‌رسان بله کانال بعدی درخواست شد/)
  })

  it("is the wait, where that ended, however late the step before it began", () => {
    const late = attempt(created(routeOf([60, 60])), 0, START + 4000)
    for (const [before, at] of [
      [first, START + 60_000],
      [first, START + 80_000],
      [late, START + 60_000]
    ] as const)
      assert.match(reasonIn(attempt(before, 1, at)), /was not entered within .* \(its wait is 1 min\)/)
  })
})

describe("the timeline of a code", () => {
  /** What happened, in the order of the page. */
  const titlesOf = (verification: Verification, language: Language = "en"): ReadonlyArray<string> => {
    const locale = makeLocale(language, "Asia/Tehran")
    const history = { events: [], charges: [], wrongCodes: 1, client: null }
    const run = { verification, history, now: START + 90_000, maxWrongCodes: 5 }
    const page = String(timeline(verificationMoments(run, locale), locale))
    return Array.from(page.matchAll(/<strong>(.*?)<\/strong>/g), ([, title = ""]) => title)
  }
  const first = attempt(created(routeOf([60, 60, 60])), 0, START)

  it("has a skipped step before the attempt that took its place, however late a report came", () => {
    const reported = first.attempts.map((each) => ({
      ...each,
      delivery: { status: "delivered" as const, at: START + 80_000, provider_error: null }
    }))
    const last = attempt({ ...first, attempts: reported, remaining: [2] }, 2, START + 60_000)
    assert.deepStrictEqual(titlesOf(last).slice(0, 6), [
      "Accepted",
      "Sent over Bale",
      "Eitaa was skipped",
      "Sent over SMS",
      "1 wrong code was entered",
      "Bale reported: delivered"
    ])
  })

  it("names the messenger in Persian sentences, where its name alone says yes", () => {
    const over: Verification = { ...first, remaining: [], nextStepAt: null }
    assert.deepStrictEqual(titlesOf(over, "fa").slice(0, 4), [
      "پذیرفته شد",
      "از پیام‌رسان بله ارسال شد",
      "پیام‌رسان ایتا امتحان نشد",
      "پیامک امتحان نشد"
    ])
  })

  it("has the steps that were skipped last after every attempt", () => {
    const over: Verification = { ...first, remaining: [], nextStepAt: null }
    assert.deepStrictEqual(titlesOf(over).slice(0, 4), [
      "Accepted",
      "Sent over Bale",
      "Eitaa was skipped",
      "SMS was skipped"
    ])
  })
})
