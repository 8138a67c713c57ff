import { Context, Data, type Effect, type Result } from "effect"
import type { Channel } from "../domain/Channel.ts"
import type { ProviderOutcome } from "../domain/ProviderOutcome.ts"
import type { CodeDelivery, TextDelivery } from "./Providers.ts"

/** An account's settings do not suit its provider; `message` is for the person who connects it. */
export class InvalidSettings extends Data.TaggedError("InvalidSettings")<{ readonly message: string }> {}

/** A provider with an account's settings: ready to send. */
export interface ProviderConnection {
  readonly sendCode: (delivery: CodeDelivery) => Effect.Effect<ProviderOutcome>
  readonly sendText: (delivery: TextDelivery) => Effect.Effect<ProviderOutcome>
  /** Whether the settings have what sending a code, or a text, needs. */
  readonly sendsCodes: boolean
  readonly sendsTexts: boolean
}

/** How to speak with one provider. */
export interface ProviderAdapter {
  readonly name: string
  readonly channels: ReadonlyArray<Channel>
  readonly connect: (settings: unknown) => Result.Result<ProviderConnection, InvalidSettings>
}

/** The adapters there are, by name. */
export class ProviderAdapters extends Context.Service<
  ProviderAdapters,
  ReadonlyMap<string, ProviderAdapter>
>()("peyk/services/ProviderAdapter/ProviderAdapters") {}
