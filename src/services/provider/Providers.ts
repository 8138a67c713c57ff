import { Context, Effect, Layer, type Redacted } from "effect"
import type { Phone } from "../../domain/Phone.ts"
import { sandboxResponse } from "../../domain/verification/SandboxPhone.ts"
import type { ProviderOutcome } from "../../domain/ProviderOutcome.ts"
import type { RouteAccount } from "../../domain/routing/Route.ts"
import type { Instant } from "../../domain/Instant.ts"

/** One message on its way to one phone over one account. */
export interface TextDelivery {
  /** Stable for this attempt; providers that de-duplicate get it. */
  readonly attemptId: string
  readonly customerId: number
  readonly step: RouteAccount
  readonly phone: Phone
  readonly text: Redacted.Redacted
}

/** One code on its way. */
export interface CodeDelivery extends TextDelivery {
  readonly code: Redacted.Redacted
  readonly expiresAt: Instant
}

/** The step of an attempt: its id ends with the step's number. */
const stepOf = (attemptId: string): number => Number(attemptId.slice(attemptId.lastIndexOf("-") + 1)) - 1

const simulate = ({ phone, attemptId }: TextDelivery) =>
  Effect.sync(() => sandboxResponse(phone, stepOf(attemptId)))

/** The providers. A call never fails: every result is an outcome. */
export class Providers extends Context.Service<
  Providers,
  {
    readonly sendCode: (delivery: CodeDelivery) => Effect.Effect<ProviderOutcome>
    readonly sendText: (delivery: TextDelivery) => Effect.Effect<ProviderOutcome>
  }
>()("peyk/services/provider/Providers") {
  /** The sandbox's provider: sends nothing, and returns the outcome that the phone forces. */
  static readonly layerSandbox = Layer.succeed(
    Providers,
    Providers.of({ sendCode: simulate, sendText: simulate })
  )
}
