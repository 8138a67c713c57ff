import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, identity, Layer, Logger, References } from "effect"
import { SqlError } from "effect/sql"
import { outcomeOf } from "../../../src/services/provider/ProviderCalls.ts"
import { logFailure, reasonOf } from "../../../src/services/system/Observability.ts"

const hung = new SqlError.SqlError({
  reason: new SqlError.ConnectionError({
    cause: new Error("connection terminated unexpectedly\n  hint: look at the pooler"),
    message: "Failed to execute statement"
  })
})

/** What is logged from this level on. */
const logged = Effect.fnUntraced(function* (level: "Info" | "Debug", effect: Effect.Effect<unknown>) {
  const lines: Array<string> = []
  const logger = Logger.make((entry) => void lines.push(Logger.formatLogFmt.log(entry)))
  yield* Effect.provide(
    effect,
    Layer.merge(Logger.layer([logger]), Layer.succeed(References.MinimumLogLevel, level))
  )
  return lines
})

describe("the reason of a failure", () => {
  it("is the tag, the driver's message, and what PostgreSQL or the network reported, in one line", () => {
    assert.strictEqual(
      reasonOf(Cause.die(hung)),
      "ConnectionError: Failed to execute statement: connection terminated unexpectedly hint: look at the pooler"
    )
  })

  it.each([
    [
      "Unexpected token 'o', \"ok 047113 for you\" is not valid JSON",
      "Unexpected token 'o', ••• is not valid JSON"
    ],
    ["no chat of +989121234567 here", "no chat of ••• here"],
    ["https://api.example/bot123456:AAbbCC/send failed", "••• failed"],
    ['relation "timers" does not exist', 'relation "timers" does not exist']
  ])("repeats nobody's data: %s", (message, expected) => {
    assert.strictEqual(reasonOf(Cause.die(new TypeError(message))), `TypeError: ${expected}`)
  })

  it.each([undefined, null, 7, "a text", {}, [], Object.create(null)])(
    "is found in anything: %j",
    (defect) => {
      assert.isString(reasonOf(Cause.die(defect)))
      assert.isString(reasonOf(Cause.fail(defect)))
    }
  )
})

describe("a failure of background work", () => {
  it.effect("is logged in one line, and with its stack at debug only", () =>
    Effect.gen(function* () {
      const log = logFailure("timers are halted", Cause.die(hung))
      const [line = "", ...others] = yield* logged("Info", log)
      assert.deepStrictEqual(others, [])
      assert.include(line, "timers are halted: ConnectionError: Failed to execute statement")
      assert.notInclude(line, "LoggedCause.test.ts")
      assert.include((yield* logged("Debug", log)).at(-1) ?? "", "LoggedCause.test.ts")
    })
  )

  it.effect("of an adapter has no part of a message to somebody", () =>
    Effect.gen(function* () {
      const call = Effect.die(new TypeError('cannot read "رمز شما 047113"'))
      const [line = "", ...others] = yield* logged(
        "Info",
        outcomeOf(call, { channel: "sms", inTime: identity })
      )
      assert.deepStrictEqual(others, [])
      assert.include(line, "the adapter of sms broke: TypeError: cannot read •••")
      assert.notInclude(line, "LoggedCause.test.ts")
    })
  )
})
