import { Clock, Effect, Fiber, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { AllowsPrivateAddresses } from "../../src/layers/network/CustomerUrls.ts"
import { Webhooks } from "../../src/services/webhook/Webhooks.ts"
import type { KeyMode } from "../../src/domain/customer/Customer.ts"
import type { SettingsShape } from "../../src/services/Settings.ts"
import { Verifications } from "../../src/services/verification/Verifications.ts"
import { Workers } from "../../src/services/concurrency/Workers.ts"
import { fakeFarEnd, type Received } from "./fakes/FakeFarEnd.ts"
import type { scriptProviders } from "./ScriptedProviders.ts"
import { PHONE } from "./SentMessages.ts"
import { makeCustomer, runDue, testProcess } from "./TestGraph.ts"

/** One process that may call receivers on loopback. */
export const webhookProcess = (
  providers: ReturnType<typeof scriptProviders>,
  options: {
    readonly settings?: Partial<SettingsShape>
    readonly startsAt?: number
    readonly allowsPrivate?: boolean
  } = {}
) =>
  testProcess(providers.layer, options.settings, options.startsAt).pipe(
    Layer.provideMerge(Layer.succeed(AllowsPrivateAddresses, options.allowsPrivate ?? true))
  )

/** Jumping over days, a process would renew its leases thousands of times. */
export const patient = { settings: { leaseMillis: 24 * 3_600_000 } }

export const failing = (times: number) => Array.from({ length: times }, () => ({ status: 500 }))

/** Takes everything, unless it is scripted. */
export const receiver = fakeFarEnd(() => ({ status: 204 }))

export interface Payload {
  readonly type: string
  readonly mode: KeyMode
  readonly timestamp: string
  readonly data: Readonly<Record<string, unknown>> & { readonly sequence: number }
}

export const payloadOf = ({ json }: Received) => json as Payload

/** Runs the try that is due, up to its request. The function returned answers it, and ends when it is recorded. */
export const holdTry = Effect.fnUntraced(function* (fake: Effect.Success<typeof receiver>) {
  const answer = Promise.withResolvers<{ readonly status: number }>()
  fake.script(() => answer.promise)
  const trying = yield* Effect.forkChild(runDue)
  yield* fake.arrived(1)
  return (status: number) => {
    answer.resolve({ status })
    return Fiber.join(trying)
  }
})

/** Jumps to `seconds` after `start` and does what is due then. */
export const comeTo = Effect.fnUntraced(function* (start: number, seconds: number) {
  yield* TestClock.adjust(start + seconds * 1000 - (yield* Clock.currentTimeMillis))
  return yield* runDue
})

/** An endpoint of a customer at a receiver, and what tests do with it. */
export const endpointAt = Effect.fnUntraced(function* (
  customerId: number,
  url: string,
  events: ReadonlyArray<string> = ["*"],
  mode: KeyMode = "live"
) {
  const webhooks = yield* Webhooks
  const { endpoint, secret } = yield* webhooks.create(customerId, { url, events, mode, description: "" })
  return {
    id: endpoint.id,
    secret: Redacted.value(secret),
    record: webhooks.find(customerId, endpoint.id),
    deliveries: Effect.map(
      webhooks.deliveries(customerId, endpoint.id, { limit: 100, after: null }),
      ({ items }) => items
    ),
    /** The delivery of the newest event. */
    delivery: Effect.flatMap(
      webhooks.deliveries(customerId, endpoint.id, { limit: 1, after: null }),
      ({ items: [newest] }) => (newest === undefined ? Effect.die("no delivery") : Effect.succeed(newest))
    )
  }
})

/** A customer with one endpoint. */
export const customerAt = Effect.fnUntraced(function* (url: string, events?: ReadonlyArray<string>) {
  const customerId = yield* makeCustomer()
  return { customerId, endpoint: yield* endpointAt(customerId, url, events) }
})

export const sendCode = Effect.fnUntraced(function* (customerId: number) {
  const verifications = yield* Verifications
  const { verificationId: id } = yield* verifications.send({ customerId, phone: PHONE })
  yield* (yield* Workers).idle
  return { id, verify: (code: string) => verifications.verify({ customerId, id, code }) }
})
