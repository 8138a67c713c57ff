import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { Channel } from "../../src/domain/routing/Channel.ts"
import { ProviderOutcome } from "../../src/domain/ProviderOutcome.ts"
import { Messages } from "../../src/services/message/Messages.ts"
import type { SettingsShape } from "../../src/services/Settings.ts"
import { Verifications } from "../../src/services/verification/Verifications.ts"
import type { scriptProviders } from "./ScriptedProviders.ts"
import { PHONE, settle } from "./SentMessages.ts"
import { testProcess } from "./TestGraph.ts"

export const slowDown = ProviderOutcome.Throttled({ retryAfterMillis: null, providerError: "429" })

export const messageTo = (customerId: number, channels: ReadonlyArray<Channel>) =>
  Effect.flatMap(Messages, ({ send }) =>
    send({ customerId, to: PHONE, message: "x", channels: channels.map((channel) => ({ channel })) })
  )

export const codeTo = (customerId: number, channels: ReadonlyArray<Channel>) =>
  Effect.flatMap(Verifications, ({ send }) =>
    send({ customerId, phone: PHONE, channels: channels.map((channel) => ({ channel })) })
  )

/** A quarter of a second after the other, does what is due in each. */
export const liveFor = Effect.fnUntraced(function* (seconds: number) {
  for (let quarter = 0; quarter < seconds * 4; quarter++) {
    yield* settle
    yield* TestClock.adjust("250 millis")
  }
  yield* settle
})

export const gapsOf = (times: ReadonlyArray<number>) =>
  times.toSorted((a, b) => a - b).flatMap((time, nth, all) => (nth === 0 ? [] : [time - (all[nth - 1] ?? 0)]))

export const paced = (
  providers: ReturnType<typeof scriptProviders>,
  settings: Partial<SettingsShape> = { accountGapMillis: 1000 }
) => testProcess(providers.layer, settings)
