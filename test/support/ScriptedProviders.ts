import { Clock, Effect, Layer, Redacted } from "effect"
import type { Channel } from "../../src/domain/routing/Channel.ts"
import { ProviderOutcome } from "../../src/domain/ProviderOutcome.ts"
import { Providers, type TextDelivery } from "../../src/services/provider/Providers.ts"

export interface Delivery {
  readonly channel: Channel
  readonly accountId: number | null
  /** Null for a message. */
  readonly code: string | null
  readonly text: string
  readonly phone: string
  readonly attemptId: string
  readonly at: number
}

type Answer = ProviderOutcome | Effect.Effect<ProviderOutcome>

/** One answer for every send over a channel, or a list: one after the other, the last for all that follow. */
type Script = Answer | ReadonlyArray<Answer>

export const accepted = ProviderOutcome.Accepted({ messageId: "m-1" })
export const unreachable = ProviderOutcome.Rejected({ cause: "recipient", providerError: "17 NotBaleUser" })
export const rejected = ProviderOutcome.Rejected({ cause: "request", providerError: "40 BadText" })
export const misconfigured = ProviderOutcome.Rejected({ cause: "configuration", providerError: "11 Token" })
export const throttled = ProviderOutcome.Throttled({ retryAfterMillis: 60_000, providerError: "429" })
export const unavailable = ProviderOutcome.Unavailable({ providerError: "503 try again" })
export const unknown = ProviderOutcome.Unknown({ providerError: "reset" })

/** Providers that answer as scripted, channel by channel (accepted where nothing is scripted), and remember what they sent. */
export const scriptProviders = (answers: Partial<Record<Channel, Script>> = {}) => {
  const deliveries: Array<Delivery> = []
  const answerOf = (channel: Channel): Answer => {
    const script = answers[channel] ?? accepted
    if (!Array.isArray(script)) return script as Answer
    const earlier = deliveries.filter((delivery) => delivery.channel === channel).length - 1
    return script[Math.min(earlier, script.length - 1)] as Answer
  }
  const send = Effect.fnUntraced(function* (
    { step, text, attemptId, phone }: TextDelivery,
    code: string | null
  ) {
    deliveries.push({
      channel: step.channel,
      accountId: step.account_id,
      code,
      text: Redacted.value(text),
      phone,
      attemptId,
      at: yield* Clock.currentTimeMillis
    })
    const answer = answerOf(step.channel)
    return Effect.isEffect(answer) ? yield* answer : answer
  })
  const layer = Layer.succeed(
    Providers,
    Providers.of({
      sendCode: (delivery) => send(delivery, Redacted.value(delivery.code)),
      sendText: (delivery) => send(delivery, null)
    })
  )
  return { answers, deliveries, layer, channels: () => deliveries.map(({ channel }) => channel) }
}
