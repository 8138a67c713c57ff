import { assert, it } from "@effect/vitest"
import { Effect, Exit, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import type { Alarm } from "../../../src/domain/guard/Alarm.ts"
import { newCustomerState } from "../../../src/domain/guard/CustomerState.ts"
import { maskPhone, Phone } from "../../../src/domain/Phone.ts"
import { GuardMetrics } from "../../../src/services/guard/Guard.ts"
import { GuardRounds } from "../../../src/services/guard/GuardRounds.ts"
import { GuardStore, type ReadCode, type RoundResult } from "../../../src/services/guard/GuardStore.ts"
import { Timers } from "../../../src/services/timer/Timers.ts"
import { TimerStore } from "../../../src/services/timer/TimerStore.ts"

const NOW = 1_795_000_000_000
const [known, other] = [Phone.make("+989121234567"), Phone.make("+989351234567")]

const timer = {
  kind: "guard",
  customerId: 7,
  subject: "00000000-0000-0000-0000-000000000000",
  lane: 0,
  leaseToken: "00000000-0000-4000-8000-000000000001",
  leasedUntil: NOW + 30_000,
  dueAt: NOW,
  wasAbandoned: false
} as const

const bombedCode = (phone: Phone): ReadCode => ({
  id: "019a0000-0000-7000-8000-000000000001",
  phone,
  flag: null,
  isBombed: true,
  sentSms: 1,
  charged: 0,
  isVerified: false,
  weight: 1,
  sentAt: NOW - 180_000,
  dueAt: NOW - 60_000,
  prefix: phone.slice(0, 6),
  network: null,
  device: null,
  channel: "sms",
  isVoid: false,
  took: "all"
})

const openAlarm = {
  id: "019a0000-0000-7000-8000-000000000002",
  enforced: true,
  kind: "phone",
  key: maskPhone(known),
  reason: "bombed",
  level: 1,
  action: "refuse",
  startedAt: NOW - 1000,
  until: NOW + 60_000,
  codes: 0,
  verified: 0
} as const

/** A customer without anything to judge. */
const store = {
  source: () =>
    Effect.succeed({
      state: newCustomerState(NOW),
      judgedUntil: null,
      mode: "enforcing" as const,
      alarms: [openAlarm],
      refusedWhole: 0
    }),
  timeToVerify: () => Effect.succeedNone,
  dueCodes: () => Effect.succeed([]),
  nextSentAt: () => Effect.succeed(Option.none()),
  segments: () => Effect.succeed(new Map()),
  platform: Effect.succeed([100, 80] as const),
  save: () => Effect.succeed([])
} satisfies Partial<GuardStore["Service"]>

/** Does something with the rounds of a process over a store. */
const overStore = <A>(
  changes: Partial<GuardStore["Service"]>,
  use: (runTimer: GuardRounds["Service"]["runTimer"]) => Effect.Effect<A>,
  alarmed: (reason: string) => void = () => {}
) => {
  const Rounds = Layer.provide(GuardRounds.layer, [
    Layer.mock(GuardStore)({ ...store, ...changes }),
    Layer.mock(Timers)({
      initialLease: () => ({ token: timer.leaseToken, until: timer.leasedUntil }),
      isLeased: () => true,
      wakeAt: () => {},
      wakeFor: () => {},
      releaseForRetry: () => Effect.failCause
    }),
    Layer.mock(TimerStore)({}),
    Layer.succeed(GuardMetrics, {
      refused: () => {},
      flagged: () => {},
      judged: () => {},
      alarmed
    })
  ])
  return Effect.andThen(
    TestClock.setTime(NOW),
    Effect.provide(
      Effect.flatMap(GuardRounds, ({ runTimer }) => use(runTimer)),
      Rounds
    )
  )
}

/** A round with codes to two bombed phones, one of which has an open alarm; the store raises some of its alarms. */
const round = Effect.fnUntraced(function* (raisedOf: (result: RoundResult) => ReadonlyArray<Alarm>) {
  const keys: Array<string> = []
  const counted: Array<string> = []
  const changes: Partial<GuardStore["Service"]> = {
    dueCodes: () => Effect.succeed([bombedCode(known), bombedCode(other)]),
    save: (_timer, result) => {
      keys.push(...result.raised.map(({ key }) => key))
      return Effect.succeed(raisedOf(result))
    }
  }
  yield* overStore(
    changes,
    (runTimer) => runTimer(timer),
    (reason) => void counted.push(reason)
  )
  return { keys, counted }
})

it.effect("a round raises no alarm of a bombed phone that is open already", () =>
  Effect.gen(function* () {
    const { keys, counted } = yield* round(({ raised }) => raised)
    assert.deepStrictEqual(keys, [maskPhone(other)])
    assert.deepStrictEqual(counted, ["bombed"])
  })
)

it.effect("a round counts only the alarms that the store raised", () =>
  Effect.gen(function* () {
    const { counted } = yield* round(() => [])
    assert.deepStrictEqual(counted, [])
  })
)

/** Suspicious enough to look at the others. */
const watched = { ...newCustomerState(NOW), self: { ...newCustomerState(NOW).self, score: 5 } }
const ofWatched = () => Effect.map(store.source(), (source) => ({ ...source, state: watched }))

it.effect("what all customers sent is read once for all rounds of five seconds", () => {
  let reads = 0
  const largest = () => Effect.sync(() => (reads++, []))
  return overStore({ source: ofWatched, largest }, (runTimer) =>
    Effect.gen(function* () {
      yield* Effect.all([runTimer(timer), runTimer({ ...timer, customerId: 8 })], { concurrency: 2 })
      yield* TestClock.adjust("4 seconds")
      yield* runTimer(timer)
      assert.strictEqual(reads, 1)
      yield* TestClock.adjust("1 second")
      yield* runTimer(timer)
      assert.strictEqual(reads, 2)
    })
  )
})

it.effect("a round reads again what the one before it could not read of all customers", () => {
  const missing = new Set(["platform", "largest"])
  const atFirst = <A>(name: string, found: A) =>
    Effect.suspend(() => (missing.delete(name) ? Effect.die(`no ${name}`) : Effect.succeed(found)))
  const platform = atFirst("platform", [100, 80] as const)
  return overStore({ source: ofWatched, platform, largest: () => atFirst("largest", []) }, (runTimer) =>
    Effect.gen(function* () {
      const ends = [yield* Effect.exit(runTimer(timer)), yield* Effect.exit(runTimer(timer))]
      ends.push(yield* Effect.exit(runTimer(timer)))
      assert.deepStrictEqual(ends.map(Exit.isSuccess), [false, false, true])
    })
  )
})
