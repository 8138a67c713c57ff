/** A customer behind the guard, its users and its attackers. */
import { assert } from "@effect/vitest"
import { Effect, Exit, Layer } from "effect"
import { TestClock } from "effect/testing"
import { ProviderOutcome } from "../../../src/domain/ProviderOutcome.ts"
import type { GuardMode } from "../../../src/domain/guard/GuardSettings.ts"
import { Guard } from "../../../src/services/guard/Guard.ts"
import { Providers } from "../../../src/services/provider/Providers.ts"
import { GuardRecords } from "../../../src/services/guard/GuardRecords.ts"
import type { SettingsShape } from "../../../src/services/Settings.ts"
import { TimerRunner } from "../../../src/services/timer/TimerRunner.ts"
import { Codes } from "../../../src/services/verification/Codes.ts"
import { Workers } from "../../../src/services/concurrency/Workers.ts"
import { Verifications } from "../../../src/services/verification/Verifications.ts"
import { makeCustomer, testProcess } from "../../support/TestGraph.ts"

export const RIGHT_CODE = "424242"

const Accepting = Layer.merge(
  Layer.mock(Providers)({ sendCode: () => Effect.succeed(ProviderOutcome.Accepted({ messageId: null })) }),
  Layer.mock(Codes)({
    next: () => Effect.succeed(RIGHT_CODE),
    length: RIGHT_CODE.length,
    maxWrongCodes: 5,
    tries: 5
  })
)
export const guarded = (guard = Guard.layer, settings: Partial<SettingsShape> = {}) =>
  testProcess(Accepting, settings, 0, guard)

/** Phones of consecutive numbers are far apart, so that they share no range. */
export const phoneOf = (n: number) => `+98912${1_000_000 + ((n * 5_562_307) % 9_000_000)}`

export const customerIn = Effect.fnUntraced(function* (
  mode: GuardMode,
  channels: ["sms"] | ["bale", "sms"] | ["bale"] = ["sms"]
) {
  const customerId = yield* makeCustomer(channels)
  yield* Effect.orDie((yield* GuardRecords).save(customerId, { mode }, null))
  return customerId
})

export interface Asking {
  readonly ip?: string
  readonly deviceId?: string
  readonly trusted?: boolean
}

export const send = Effect.fnUntraced(function* (customerId: number, phone: string, client: Asking = {}) {
  const sent = yield* Effect.exit((yield* Verifications).send({ customerId, phone, client }))
  // The round is ensured in the background; a jump of the clock would be a time-out for it.
  yield* (yield* Workers).idle
  return Exit.isSuccess(sent) ? sent.value.verificationId : null
})

export const verify = Effect.fnUntraced(function* (customerId: number, id: string) {
  yield* Effect.orDie((yield* Verifications).verify({ customerId, id, code: RIGHT_CODE }))
})

export const verified = Effect.fnUntraced(function* (customerId: number, phone: string, ip: string) {
  const id = yield* send(customerId, phone, { ip })
  if (id !== null) yield* verify(customerId, id)
  return id !== null
})

/** Their network. */
export const USERS = "198.51.100.7"
export const CUSTOMERS_BUDGET = 36

/** As many requests arrive together: their sends are one statement. */
const AT_ONCE = 4

/** Codes to a phone each, for requests from these addresses, in this order. How many passed. */
export const passedFrom = Effect.fnUntraced(function* (
  customerId: number,
  firstPhone: number,
  ips: ReadonlyArray<string>
) {
  const sent = yield* Effect.forEach(ips, (ip, n) => send(customerId, phoneOf(firstPhone + n), { ip }), {
    concurrency: AT_ONCE
  })
  return sent.filter((id) => id !== null).length
})

/** As many codes for users, each verified at once: whether all passed. */
export const allVerified = Effect.fnUntraced(function* (
  customerId: number,
  firstPhone: number,
  ips: ReadonlyArray<string>
) {
  const passed = yield* Effect.forEach(ips, (ip, n) => verified(customerId, phoneOf(firstPhone + n), ip), {
    concurrency: AT_ONCE
  })
  return passed.every((isVerified) => isVerified)
})

/** Codes of an attacker with a new network for each, which nobody verifies. How many passed. */
export const attackedFromEverywhere = (customerId: number, codes: number) =>
  passedFrom(
    customerId,
    1000,
    Array.from({ length: codes }, (_, n) => `203.${Math.floor(n / 250)}.${n % 250}.1`)
  )

export const judged = Effect.gen(function* () {
  yield* TestClock.adjust("3 minutes")
  yield* (yield* TimerRunner).runDue
})

/** The network of users is known: six of its codes were verified, with this customer. */
export const knownTo = Effect.fnUntraced(function* (customerId: number) {
  for (let n = 0; n < 6; n++) assert.isTrue(yield* verified(customerId, phoneOf(n), USERS))
  yield* judged
})
