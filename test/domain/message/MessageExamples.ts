import { type Message, startMessage, type Strategy } from "../../../src/domain/message/Message.ts"
import type { MessageRoute } from "../../../src/domain/routing/MessageRoute.ts"
import { Phone } from "../../../src/domain/Phone.ts"
import { ProviderOutcome } from "../../../src/domain/ProviderOutcome.ts"
import type { RouteAccount } from "../../../src/domain/routing/Route.ts"

export const START = 1_800_000_000_000

const CHANNELS = ["bale", "eitaa", "sms", "rubika", "soroushplus", "telegram"] as const

const routeAccount = (index: number): RouteAccount => {
  const channel = CHANNELS[index] ?? "bale"
  return {
    channel,
    account_id: index + 1,
    descriptor: {
      type: channel === "sms" ? "sms" : "messenger",
      provider: channel,
      credential_id: index + 1,
      label: `account ${index + 1}`
    }
  }
}

export const routeOf = (steps: number): MessageRoute => [
  routeAccount(0),
  ...Array.from({ length: steps - 1 }, (_, index) => routeAccount(index + 1))
]

export const created = ({
  strategy,
  steps,
  scheduledInMillis
}: {
  readonly strategy: Strategy
  readonly steps: number
  readonly scheduledInMillis: number | null
}): Message =>
  startMessage({
    id: "m",
    customerId: 1,
    phone: Phone.make("+989121234567"),
    strategy,
    route: routeOf(steps),
    text: "سلام",
    template: null,
    metadata: "{}",
    scheduledFor: scheduledInMillis === null ? null : START + scheduledInMillis,
    createdAt: START
  })

/** The attempts in the order in which they are shown: that of the request under broadcast, else as they began. */
export const inShownOrder = ({ strategy, attempts }: Message): Message["attempts"] =>
  strategy === "failover" ? attempts : attempts.toSorted((one, other) => one.step - other.step)

export const outcomes = {
  Accepted: ProviderOutcome.Accepted({ messageId: "id of the provider" }),
  Rejected: ProviderOutcome.Rejected({ cause: "recipient", providerError: "no such user" }),
  Throttled: ProviderOutcome.Throttled({ retryAfterMillis: null, providerError: "slow down" }),
  Unavailable: ProviderOutcome.Unavailable({ providerError: "refused" }),
  Unknown: ProviderOutcome.Unknown({ providerError: "no answer" })
}
