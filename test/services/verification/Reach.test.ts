import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { defaultEndpoints, ProviderEndpoints } from "../../../src/layers/providers/ProviderEndpoints.ts"
import { Accounts } from "../../../src/services/resources/accounts/Accounts.ts"
import { RoutingOrders } from "../../../src/services/resources/RoutingOrders.ts"
import { TimerRunner } from "../../../src/services/timer/TimerRunner.ts"
import { Verifications } from "../../../src/services/verification/Verifications.ts"
import { fakeBaleSafir, SAFIR_KEY } from "../../support/fakes/FakeBaleSafir.ts"
import type { FakeFarEnd, Scripted } from "../../support/fakes/FakeFarEnd.ts"
import {
  fakeKavenegar,
  KAVENEGAR_KEY,
  KAVENEGAR_TEMPLATE,
  kavenegarAnswer
} from "../../support/fakes/FakeKavenegar.ts"
import { fakeSmsir, SMSIR_KEY, smsirAnswer } from "../../support/fakes/FakeSmsir.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { makeCustomer, testProcess } from "../../support/TestGraph.ts"

type FarEnd = "kavenegar" | "smsir" | "safir"

const WAIT = 45
const TIMEOUT = 10

/** Kavenegar, with SMS.ir standing by for it, then Bale. */
const withFarEnds = Effect.gen(function* () {
  const ends = { kavenegar: yield* fakeKavenegar(), smsir: yield* fakeSmsir(), safir: yield* fakeBaleSafir() }
  const endpoints = {
    ...defaultEndpoints,
    kavenegarUrl: `${ends.kavenegar.url}/v1`,
    smsirUrl: `${ends.smsir.url}/v1`,
    baleSafirUrl: `${ends.safir.url}/api/v3`
  }
  return { ends, endpoints: Layer.succeed(ProviderEndpoints, endpoints) }
})

const makeSender = Effect.gen(function* () {
  const customerId = yield* makeCustomer([])
  const { connect, update } = yield* Accounts
  const account = (channel: "sms" | "bale", provider: string, settings: object, isDefault: boolean) =>
    Effect.map(
      Effect.orDie(connect(customerId, { channel, provider, label: provider, settings, isDefault })),
      ({ id }) => id
    )
  const kavenegar = { api_key: KAVENEGAR_KEY, otp_template: KAVENEGAR_TEMPLATE }
  const first = yield* account("sms", "kavenegar", kavenegar, true)
  const standby = yield* account("sms", "smsir", { api_key: SMSIR_KEY, otp_template_id: 123_456 }, false)
  yield* account("bale", "bale_safir", { api_key: SAFIR_KEY, bot_id: 1 }, true)
  yield* Effect.orDie(update(customerId, first, { standby: [standby] }, null))
  const steps = [{ channel: "sms" as const, wait: WAIT }, { channel: "bale" as const }]
  yield* Effect.orDie((yield* RoutingOrders).save(customerId, steps, null))
  return customerId
})

/** The calls that carry a code. */
const sendsOf = (fake: FakeFarEnd) =>
  fake.received.filter(({ method, path }) => method === "POST" && !path.includes("status"))

/** Sockets take real time, in which the test's clock stands still. */
const aMoment = TestClock.withLive(Effect.sleep("5 millis"))

/** Does what is due, for the rest of the test. */
const keepRunning = Effect.flatMap(TimerRunner, ({ runDue }) =>
  Effect.forkChild(Effect.forever(Effect.andThen(runDue, aMoment)))
)

interface Case {
  readonly name: string
  readonly faults: Partial<Record<FarEnd, Scripted>>
  /** The calls, and their seconds after the send. */
  readonly calls: ReadonlyArray<readonly [FarEnd, number]>
}

const lie = { json: { ok: "yes" } }
const cases: ReadonlyArray<Case> = [
  {
    name: "all is well",
    faults: {},
    calls: [
      ["kavenegar", 0],
      ["safir", WAIT]
    ]
  },
  {
    name: "Kavenegar has no credit",
    faults: { kavenegar: kavenegarAnswer(418, "اعتبار کافی نیست") },
    calls: [
      ["kavenegar", 0],
      ["smsir", 0],
      ["safir", WAIT]
    ]
  },
  {
    name: "Kavenegar asks to slow down",
    faults: { kavenegar: kavenegarAnswer(451, "?") },
    calls: [
      ["kavenegar", 0],
      ["smsir", 0],
      ["safir", WAIT]
    ]
  },
  {
    name: "Kavenegar refuses the recipient",
    faults: { kavenegar: kavenegarAnswer(411, "?") },
    calls: [
      ["kavenegar", 0],
      ["safir", 0]
    ]
  },
  {
    name: "Kavenegar breaks the connection",
    faults: { kavenegar: "reset" },
    calls: [
      ["kavenegar", 0],
      ["safir", 0]
    ]
  },
  {
    name: "Kavenegar says nothing",
    faults: { kavenegar: "silence" },
    calls: [
      ["kavenegar", 0],
      ["safir", TIMEOUT]
    ]
  },
  {
    name: "Kavenegar lies",
    faults: { kavenegar: lie },
    calls: [
      ["kavenegar", 0],
      ["safir", 0]
    ]
  },
  {
    name: "Kavenegar has no credit, and SMS.ir says nothing",
    faults: { kavenegar: kavenegarAnswer(418, "?"), smsir: "silence" },
    calls: [
      ["kavenegar", 0],
      ["smsir", 0],
      ["safir", TIMEOUT]
    ]
  },
  {
    name: "Kavenegar has no credit, and SMS.ir lies",
    faults: { kavenegar: kavenegarAnswer(418, "?"), smsir: lie },
    calls: [
      ["kavenegar", 0],
      ["smsir", 0],
      ["safir", 0]
    ]
  },
  {
    name: "both have no credit",
    faults: { kavenegar: kavenegarAnswer(418, "?"), smsir: smsirAnswer(102, "?", null, 400) },
    calls: [
      ["kavenegar", 0],
      ["smsir", 0],
      ["safir", 0]
    ]
  }
]

/** Records when each far end is called, and lets the test decide its response. */
const watch = (ends: Readonly<Record<FarEnd, FakeFarEnd>>, faults: Case["faults"], clock: Clock.Clock) => {
  const times: Array<readonly [FarEnd, number]> = []
  for (const name of ["kavenegar", "smsir", "safir"] as const) {
    const fault = faults[name] ?? ends[name].behave
    ends[name].script((received) => {
      times.push([name, clock.currentTimeMillisUnsafe() / 1000])
      return typeof fault === "function" ? fault(received) : fault
    })
  }
  return times
}

layer(TestDatabase, { excludeTestServices: true })("no code is late by more than its wait", (it) => {
  it.effect.each(cases)("when $name", ({ faults, calls }) =>
    Effect.gen(function* () {
      const { ends, endpoints } = yield* withFarEnds
      yield* Effect.gen(function* () {
        const customerId = yield* makeSender
        const times = watch(ends, faults, yield* Clock.Clock)
        const { send, status } = yield* Verifications
        const sending = yield* Effect.forkChild(send({ customerId, phone: "09123456789" }))
        /** The call before has come to its end, if it does by itself. */
        const isRecorded = Effect.fnUntraced(function* (count: number) {
          const { verificationId: id } = yield* Fiber.join(sending)
          while ((yield* status({ customerId, id })).attempts.length < count) yield* aMoment
        })
        yield* keepRunning
        for (const [index, [name, at]] of calls.entries()) {
          const [before, called] = calls[index - 1] ?? [name, 0]
          if (at > called) {
            if (faults[before] !== "silence") yield* isRecorded(index)
            yield* TestClock.adjust((at - called - 1) * 1000)
            yield* aMoment
            assert.strictEqual(times.length, index, `${name} was called early`)
            yield* TestClock.adjust("1 second")
          }
          yield* ends[name].arrived(1)
        }
        yield* isRecorded(calls.length)
        assert.deepStrictEqual(times, calls)
        const sends = [ends.kavenegar, ends.smsir, ends.safir].flatMap(sendsOf)
        assert.strictEqual(sends.length, calls.length)
      }).pipe(Effect.provide(Layer.provideMerge(testProcess(Layer.empty), endpoints)))
    })
  )
})
