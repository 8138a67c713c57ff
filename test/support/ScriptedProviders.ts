import { Clock, Effect, Layer, Redacted } from "effect"
import type { Channel } from "../../src/domain/Channel.ts"
import { ProviderOutcome } from "../../src/domain/ProviderOutcome.ts"
import { Providers } from "../../src/services/Providers.ts"

export interface Delivery {
  readonly channel: Channel
  readonly code: string
  readonly text: string
  readonly attemptId: string
  readonly at: number
}

type Answer = ProviderOutcome | Effect.Effect<ProviderOutcome>

export const accepted = ProviderOutcome.Accepted({ messageId: "m-1" })
export const unreachable = ProviderOutcome.Rejected({ blame: "recipient", providerError: "17 NotBaleUser" })
export const unknown = ProviderOutcome.Unknown({ providerError: "reset" })

/** Providers that answer as told, channel by channel (accepted where nothing is told), and remember what they sent. */
export const scriptProviders = (answers: Partial<Record<Channel, Answer>> = {}) => {
  const deliveries: Array<Delivery> = []
  const layer = Layer.succeed(
    Providers,
    Providers.of({
      sendCode: Effect.fnUntraced(function* ({ step, code, text, attemptId }) {
        deliveries.push({
          channel: step.channel,
          code: Redacted.value(code),
          text: Redacted.value(text),
          attemptId,
          at: yield* Clock.currentTimeMillis
        })
        const answer = answers[step.channel] ?? accepted
        return Effect.isEffect(answer) ? yield* answer : answer
      })
    })
  )
  return { answers, deliveries, layer, channels: () => deliveries.map(({ channel }) => channel) }
}
