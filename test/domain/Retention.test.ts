import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import {
  afterBatch,
  beginPass,
  cutOf,
  erasingTasks,
  nextTask,
  noProgress,
  type RetentionProgress,
  type RetentionTask,
  retentionTasks,
  retentionPauseMillis
} from "../../src/domain/Retention.ts"
import { idAt, instantOf } from "../../src/domain/Paging.ts"
import { defaultSettings } from "../../src/services/Settings.ts"

const DAY = 86_400_000
const NOW = 1_795_000_000_000

const Days = Schema.Union([
  Schema.Literal(0),
  Schema.Int.check(Schema.isBetween({ minimum: 7, maximum: 3000 }))
])
const Ages = Schema.Struct({
  retentionPhonesDays: Days,
  retentionRecordsDays: Days,
  retentionEventsDays: Days,
  retentionAuditDays: Days,
  requestLogDays: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 90 })),
  idempotencyMillis: Schema.Int.check(Schema.isBetween({ minimum: 60_000, maximum: 30 * DAY }))
})
const Time = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 45 }))

/** Null is never: older than everything. */
const ageOf = (task: RetentionTask, ages: typeof Ages.Type) =>
  NOW - (cutOf(task, ages, NOW) ?? Number.NEGATIVE_INFINITY)

/** Every task of a round, when nothing is found. */
const roundOf = (ages: typeof Ages.Type) => {
  const tasks: Array<RetentionTask> = []
  let progress: RetentionProgress = noProgress
  let next = nextTask(null, ages, NOW)
  while (next !== null) {
    tasks.push(next.task)
    progress = afterBatch(progress, beginPass(progress, next, null), null)
    next = nextTask(next.task, ages, NOW)
  }
  return { tasks, progress }
}

describe("what is old", () => {
  it("is by default: phones after 90 days, events after 30, records after 400, and the audit log never", () => {
    const days = (task: RetentionTask) => ageOf(task, defaultSettings) / DAY
    assert.deepStrictEqual(
      [days("verification_phones"), days("message_phones"), days("events"), days("verifications")],
      [90, 90, 30, 400]
    )
    assert.strictEqual(days("audit_log"), Number.POSITIVE_INFINITY)
  })

  it.effect.prop(
    "is never younger than was asked for, save what cannot be shown without its record",
    [Ages],
    ([ages]) =>
      Effect.sync(() => {
        const asked = (days: number) => (days === 0 ? Number.POSITIVE_INFINITY : days * DAY)
        for (const task of ["verifications", "messages"] as const) {
          assert.isAtLeast(ageOf(task, ages), asked(ages.retentionRecordsDays))
        }
        for (const task of erasingTasks) {
          assert.isAtLeast(ageOf(task, ages), asked(ages.retentionPhonesDays))
        }
        assert.strictEqual(ageOf("audit_log", ages), asked(ages.retentionAuditDays))
        assert.isAtMost(ageOf("events", ages), asked(ages.retentionEventsDays))
      })
  )

  it.effect.prop(
    "is a record after its events are, and after its idempotency key has lapsed",
    [Ages],
    ([ages]) =>
      Effect.sync(() => {
        for (const task of ["verifications", "messages", ...erasingTasks] as const) {
          assert.isAbove(ageOf(task, ages), ages.idempotencyMillis)
        }
        const record = ageOf("verifications", ages)
        if (Number.isFinite(record)) assert.isAtLeast(record - ageOf("events", ages), 3 * DAY)
      })
  )
})

describe("a round", () => {
  it.effect.prop("goes once through all that can be old, in order", [Ages], ([ages]) =>
    Effect.sync(() => {
      const { tasks } = roundOf(ages)
      assert.deepStrictEqual(
        tasks,
        retentionTasks.filter((task) => cutOf(task, ages, NOW) !== null)
      )
    })
  )

  it.effect.prop(
    "erases from where the last one ended, and is not done with what is unfinished",
    [Time, Time, Time],
    ([erased, cut, unfinished]) =>
      Effect.sync(() => {
        const progress = { pass: null, erasedUntil: { verification_phones: erased, message_phones: 0 } }
        const pass = beginPass(progress, { task: "verification_phones", cut }, unfinished)
        assert.strictEqual(pass.from, erased)
        assert.deepStrictEqual(
          [pass.until, pass.doneUntil],
          [cut, Math.max(erased, Math.min(cut, unfinished))]
        )
        const after = afterBatch(progress, pass, null).erasedUntil
        assert.strictEqual(after.verification_phones, pass.doneUntil)
        assert.strictEqual(after.message_phones, 0)
      })
  )
})

describe("the pause after a batch", () => {
  const HOUR = 3_600_000

  it.effect.prop("leaves the store to others for four fifths of the time", [Time, Time], ([elapsed, gone]) =>
    Effect.sync(() =>
      assert.isAtLeast(retentionPauseMillis(elapsed, gone, HOUR - 1), Math.max(10, 4 * elapsed))
    )
  )

  it.effect.prop("leaves half of it in a round of over an hour", [Time, Time], ([elapsed, gone]) =>
    Effect.sync(() => assert.isAtLeast(retentionPauseMillis(elapsed, gone, HOUR), Math.max(10, elapsed)))
  )

  it.each([
    ["ten thousand", HOUR - 1, 100],
    ["25 thousand", HOUR, 40]
  ])("lets batches of a thousand delete at most %s rows a second", (_, age, pause) => {
    assert.strictEqual(retentionPauseMillis(0, 1000, age), pause)
  })
})

describe("the ids of an instant", () => {
  it.effect.prop("are all those from its first one to the next instant's", [Time, Schema.String], ([time]) =>
    Effect.sync(() => {
      const first = idAt(time)
      const made = `${first.slice(0, 14)}7abc-9def-0123456789ab`
      assert.isTrue(first < made && made < idAt(time + 1))
      assert.deepStrictEqual([instantOf(made), instantOf(first)], [time, time])
    })
  )
})
