import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { isBlank } from "../../../src/domain/text/VisibleText.ts"
import {
  Message,
  parseStrategy,
  sendTime,
  viewMessage,
  checkText
} from "../../../src/domain/message/Message.ts"
import { created, START, inShownOrder } from "./MessageExamples.ts"
import { happenings, live, setting, SIZE } from "./MessageRuns.ts"
import { propertyRuns } from "../../support/PropertyRuns.ts"

const errorOf = <A>(result: Result.Result<A, { readonly _tag: string }>) =>
  Result.match(result, { onFailure: ({ _tag }): string => _tag, onSuccess: () => "ok" })

describe("a strategy", () => {
  it.each(["failover", "broadcast"])("may be %s", (name) => {
    assert.deepStrictEqual<unknown>(parseStrategy(name), Result.succeed(name))
  })

  it.each(["", "Failover", "BROADCAST", " failover", "failover\n", "all", "__proto__", "constructor"])(
    "is invalid_strategy when it is %j",
    (name) => {
      assert.strictEqual(errorOf(parseStrategy(name)), "invalid_strategy")
    }
  )
})

describe("a text", () => {
  it.each(["", " ", "\n\t\r", "\u00a0\u2003\ufeff", "\u2028\u2029"])(
    "is message_required when it is blank: %j",
    (text) => {
      assert.strictEqual(errorOf(checkText(text)), "message_required")
    }
  )

  it.each([
    ["ASCII letters", "a"],
    ["Persian letters", "س"],
    ["characters outside the basic plane", "🙂"],
    ["combining marks", "\u064b"]
  ])("may be 1000 %s long, and no longer", (_, character) => {
    const longest = character.repeat(1000)
    assert.deepStrictEqual(checkText(longest), Result.succeed(longest))
    assert.strictEqual(errorOf(checkText(longest + character)), "message_too_long")
  })

  it("counts a character of several code points as that many", () => {
    const family = "👨‍👩‍👧"
    assert.strictEqual(errorOf(checkText(family.repeat(200))), "ok")
    assert.strictEqual(errorOf(checkText(family.repeat(200) + "x")), "message_too_long")
  })

  it("is refused with its length and the longest one", () => {
    const error = Result.match(checkText("🙂".repeat(1001)), {
      onFailure: (error) => (error._tag === "message_too_long" ? error.details : null),
      onSuccess: () => null
    })
    assert.deepStrictEqual(error, { length: 1001, maximum: 1000 })
  })

  it("is message_required rather than message_too_long when it is blank and too long", () => {
    assert.strictEqual(errorOf(checkText(" ".repeat(2000))), "message_required")
  })

  it.prop(
    "is kept as it is when it can be sent",
    [Schema.String],
    ([text]) => {
      const result = checkText(text)
      if (Result.isSuccess(result)) assert.strictEqual(result.success, text)
      else assert.isTrue(isBlank(text) || [...text].length > 1000)
    },
    { arbitrary: { runs: propertyRuns(500) } }
  )
})

describe("a new message", () => {
  it("is queued, without attempts, in its first revision", () => {
    const { status, attempts, revision, patientUntil, completedAt } = created({
      strategy: "failover",
      steps: 2,
      scheduledInMillis: null
    })
    assert.deepStrictEqual(
      [status, attempts, revision, patientUntil, completedAt],
      ["queued", [], 0, null, null]
    )
  })

  it("is to be sent when it was created, or when it is scheduled for", () => {
    const at = (scheduledInMillis: number | null) =>
      sendTime(created({ strategy: "failover", steps: 1, scheduledInMillis }))
    assert.deepStrictEqual([at(null), at(60_000)], [START, START + 60_000])
  })
})

describe("what the status endpoint returns of a message", () => {
  it("is, before the first attempt, that it is queued, and nothing of its routes", () => {
    const message = created({ strategy: "broadcast", steps: 3, scheduledInMillis: 1 })
    const { status, attempts, successfulAttempts, failedAttempts, completedAt } = viewMessage(message)
    assert.deepStrictEqual(
      [status, attempts, successfulAttempts, failedAttempts, completedAt],
      ["queued", [], 0, 0, null]
    )
  })

  it.prop(
    "counts, of the attempts that failed, those that may have been delivered",
    [setting, happenings],
    ([setting, list]) => {
      for (const { after } of live(setting, list)) {
        const { attempts, failedAttempts, unknownAttempts } = viewMessage(after)
        const failed = attempts.filter(({ status }) => status === "failed")
        const unknown = failed.filter(({ errorCode }) => errorCode === "provider_outcome_unknown")
        assert.deepStrictEqual([failedAttempts, unknownAttempts], [failed.length, unknown.length])
      }
    },
    { arbitrary: { runs: propertyRuns(500) } }
  )

  it.prop(
    "is what the message is, with the times of its attempts",
    [setting, happenings],
    ([setting, list]) => {
      for (const { after } of live(setting, list)) {
        const view = viewMessage(after)
        const { id, status, phone, strategy, scheduledFor, template, metadata, createdAt, completedAt } =
          after
        assert.deepInclude(view, {
          id,
          status,
          phone,
          strategy,
          scheduledFor,
          template,
          metadata,
          createdAt,
          completedAt
        })
        assert.deepStrictEqual(
          view.attempts.map(({ status, dueAt, attemptedAt, finishedAt, providerError }) => [
            status,
            dueAt,
            attemptedAt,
            finishedAt,
            providerError
          ]),
          inShownOrder(after).map(({ status, due_at, attempted_at, finished_at, provider_error }) => [
            status,
            due_at,
            attempted_at,
            finished_at,
            provider_error
          ])
        )
      }
    },
    { arbitrary: { runs: propertyRuns(300), size: SIZE } }
  )
})

describe("a message in the store", () => {
  const decode = Schema.decodeUnknownSync(Message)

  it.prop(
    "is read back as it was, at any time",
    [setting, happenings],
    ([setting, list]) => {
      const last = live(setting, list).at(-1)?.after
      assert.deepStrictEqual(decode(JSON.parse(JSON.stringify(last))), last)
    },
    { arbitrary: { runs: propertyRuns(500), size: SIZE } }
  )
})
