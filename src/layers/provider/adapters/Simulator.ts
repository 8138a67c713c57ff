import { Clock, Effect, Redacted, Result, Schema } from "effect"
import { MINUTE_MILLIS } from "../../../domain/Instant.ts"
import { problem } from "../../../domain/Problem.ts"
import { ProviderOutcome, SimulatedOutcome } from "../../../domain/provider/ProviderOutcome.ts"
import { Channel } from "../../../domain/routing/Channel.ts"
import { accepted, adapter, rejected, throttled, traitsOf, unknown } from "./AdapterKit.ts"
import { InvalidSettings, type ProviderAdapter } from "../../../services/provider/ProviderAdapter.ts"
import type { TextDelivery } from "../../../services/provider/Providers.ts"
import type { Simulator } from "../../../services/system/Simulator.ts"

const SimulatorSettings = Schema.Struct({
  outcome: Schema.optionalKey(SimulatedOutcome).annotateKey({
    description: "The outcome of every send of this account; accepted by default."
  }),
  latency_ms: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 120_000 }))
  ).annotateKey({ description: "Milliseconds until the provider responds, after the phone has the message." })
})

const THROTTLED_MILLIS = MINUTE_MILLIS

const outcomes: Record<SimulatedOutcome, ProviderOutcome> = {
  accepted: accepted(null),
  rejected: rejected("request", "simulated: rejected"),
  unreachable: rejected("recipient", "simulated: unreachable"),
  throttled: throttled(THROTTLED_MILLIS, "simulated: throttled"),
  unavailable: ProviderOutcome.Unavailable({ providerError: "simulated: unavailable" }),
  unknown: unknown("simulated: the answer was lost")
}

const SWITCHED_OFF = problem("simulator_off")

const declared = { name: "simulator", channels: Channel.literals, settings: SimulatorSettings }

const simulatorOff: ProviderAdapter = {
  ...declared,
  switchedOff: SWITCHED_OFF,
  connect: () => Result.fail(new InvalidSettings({ problems: [{ setting: null, problem: SWITCHED_OFF }] }))
}

/** A provider for development: its phones are the page `/simulator`. */
export const simulatorAdapter = (simulator: Simulator["Service"]): ProviderAdapter =>
  simulator.isOn ? simulatorOn(simulator) : simulatorOff

const simulatorOn = (simulator: Simulator["Service"]): ProviderAdapter =>
  adapter(declared, ({ outcome = "accepted", latency_ms = 0 }) => {
    const send = Effect.fnUntraced(function* ({ phone, step, text }: TextDelivery, code: string | null) {
      const at = yield* Clock.currentTimeMillis
      const message = { phone, channel: step.channel, text: Redacted.value(text), code, at }
      const decided = yield* simulator.send({ accountId: step.account_id, outcome, message })
      if (latency_ms > 0) yield* Effect.sleep(latency_ms)
      return outcomes[decided]
    })
    return {
      sendCode: (delivery) => send(delivery, Redacted.value(delivery.code)),
      sendText: (delivery) => send(delivery, null),
      traits: traitsOf({}),
      check: null,
      deliveryReport: null,
      inbox: null
    }
  })
