import { Context, Effect, Layer, type Redacted } from "effect"
import type { Phone } from "../domain/Phone.ts"
import { ProviderOutcome } from "../domain/ProviderOutcome.ts"
import type { RouteStep } from "../domain/Route.ts"
import type { Instant } from "../domain/Instant.ts"

/** One code on its way to one phone over one step of a route. */
export interface CodeDelivery {
  /** Stable for this attempt: what a provider that de-duplicates is given. */
  readonly attemptId: string
  readonly customerId: number
  readonly step: RouteStep
  readonly phone: Phone
  readonly code: Redacted.Redacted
  readonly text: Redacted.Redacted
  readonly expiresAt: Instant
}

/** The far end. A call never fails: whatever happens is an outcome. */
export class Providers extends Context.Service<
  Providers,
  {
    readonly sendCode: (delivery: CodeDelivery) => Effect.Effect<ProviderOutcome>
  }
>()("peyk/services/Providers") {
  /** The sandbox's: accepts, and sends nothing. */
  static readonly layerSandbox = Layer.succeed(
    Providers,
    Providers.of({ sendCode: () => Effect.succeed(ProviderOutcome.Accepted({ messageId: null })) })
  )
}
