import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Accounts } from "../../../src/services/account/Accounts.ts"
import { RoutingOrders } from "../../../src/services/routing/RoutingOrders.ts"
import { TimerRunner } from "../../../src/services/timer/TimerRunner.ts"
import { Verifications } from "../../../src/services/verification/Verifications.ts"
import { SAFIR_KEY } from "../../support/fakes/FakeBaleSafir.ts"
import { KAVENEGAR_KEY, KAVENEGAR_TEMPLATE } from "../../support/fakes/FakeKavenegar.ts"
import { SMSIR_KEY } from "../../support/fakes/FakeSmsir.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { makeCustomer, testProcess } from "../../support/TestGraph.ts"
import { cases, WAIT } from "./reach/Cases.ts"
import { type FarEnd, watchFarEnds, withFarEnds } from "./reach/FarEnds.ts"

/** Kavenegar, with SMS.ir standing by for it, and Bale: in this order, or Bale first. */
const makeSender = Effect.fnUntraced(function* (first: "sms" | "bale") {
  const customerId = yield* makeCustomer([])
  const { connect, update } = yield* Accounts
  const account = (label: FarEnd, provider: string, settings: object) => {
    const channel = label === "safir" ? ("bale" as const) : ("sms" as const)
    const isDefault = label !== "smsir"
    return Effect.map(
      Effect.orDie(connect(customerId, { channel, provider, label, settings, isDefault })),
      ({ id }) => id
    )
  }
  const kavenegar = { api_key: KAVENEGAR_KEY, otp_template: KAVENEGAR_TEMPLATE }
  const preferred = yield* account("kavenegar", "kavenegar", kavenegar)
  const standby = yield* account("smsir", "smsir", { api_key: SMSIR_KEY, otp_template_id: 123_456 })
  yield* account("safir", "bale_safir", { api_key: SAFIR_KEY, bot_id: 1 })
  yield* Effect.orDie(update(customerId, preferred, { standby: [standby] }, null))
  const second = first === "sms" ? ("bale" as const) : ("sms" as const)
  const steps = [{ channel: first, wait: WAIT }, { channel: second }]
  yield* Effect.orDie((yield* RoutingOrders).save(customerId, steps, null))
  return customerId
})

/** Sockets take real time, in which the test's clock stands still. */
const aMoment = TestClock.withLive(Effect.sleep("5 millis"))

/** Does what is due, for the rest of the test. */
const keepRunning = Effect.flatMap(TimerRunner, ({ runDue }) =>
  Effect.forkChild(Effect.forever(Effect.andThen(runDue, aMoment)))
)

layer(TestDatabase, { excludeTestServices: true })("no code is late by more than its wait", (it) => {
  it.effect.each(cases)("when %s", ([, { first, faults, calls, end }]) =>
    Effect.gen(function* () {
      const { ends, endpoints } = yield* withFarEnds
      yield* Effect.gen(function* () {
        const customerId = yield* makeSender(first)
        const times = watchFarEnds(ends, faults, yield* Clock.Clock)
        const { send, status } = yield* Verifications
        const sending = yield* Effect.forkChild(send({ customerId, phone: "09123456789" }))
        const attempts = Effect.gen(function* () {
          const { verificationId: id } = yield* Fiber.join(sending)
          return (yield* status({ customerId, id })).attempts
        })
        yield* keepRunning

        let now = 0
        /** Moves the clock to this second, and checks that nothing was called on the way. */
        const moveTo = Effect.fnUntraced(function* (second: number, called: number) {
          if (second === now) return
          yield* TestClock.adjust((second - now - 1) * 1000)
          yield* aMoment
          assert.strictEqual(times.length, called, "a far end was called early")
          yield* TestClock.adjust("1 second")
          now = second
        })

        for (const [index, { to, at, acceptedAt }] of calls.entries()) {
          yield* moveTo(at, index)
          yield* ends[to].arrived(calls.slice(0, index + 1).filter((call) => call.to === to).length)
          if (acceptedAt === undefined) continue
          yield* moveTo(acceptedAt, index + 1)
          const isSent = Effect.map(attempts, (all) =>
            all.some(({ channel, status }) => channel.label === to && status === "sent")
          )
          while (!(yield* isSent)) yield* aMoment
        }
        yield* moveTo(end, calls.length)
        const called = new Set(calls.map(({ to }) => to)).size
        while ((yield* attempts).length < called) yield* aMoment
        // Nothing more is sent until the code expires.
        yield* TestClock.adjust("10 minutes")
        yield* aMoment
        assert.deepStrictEqual(
          times,
          calls.map(({ to, at }) => [to, at])
        )
      }).pipe(Effect.provide(Layer.provideMerge(testProcess(Layer.empty), endpoints)))
    })
  )
})
