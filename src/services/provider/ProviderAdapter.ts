import { Context, Data, type Effect, type Result } from "effect"
import type { BotReply, BotUpdate } from "../../domain/account/BotUpdate.ts"
import type { Channel } from "../../domain/routing/Channel.ts"
import type { AccountTraits } from "../../domain/people/Customer.ts"
import type { DeliveryReport } from "../../domain/account/DeliveryReport.ts"
import type { Instant } from "../../domain/Instant.ts"
import type { ProviderOutcome } from "../../domain/account/ProviderOutcome.ts"
import type { CodeDelivery, TextDelivery } from "./Providers.ts"

/** An account's settings do not suit its provider; `message` is for the person who connects it, and repeats no value. */
export class InvalidSettings extends Data.TaggedError("InvalidSettings")<{ readonly message: string }> {}

/** A send over one account. `chatId` is how the account reaches the phone, where it needs that; else null. */
export type Addressed<Delivery extends TextDelivery> = Delivery & { readonly chatId: string | null }

/** The account does not work; `message` is for people. `isDefinite`: the provider said so; else it could not be asked. */
export class AccountProblem extends Data.TaggedError("AccountProblem")<{
  readonly message: string
  readonly isDefinite: boolean
}> {}

/** The updates of a bot, one batch, and where the next begins. */
export interface UpdateBatch {
  readonly updates: ReadonlyArray<BotUpdate>
  /** What to ask for next; the platform's own, null: from the start. */
  readonly cursor: string | null
}

/** How a platform tells a bot what people do with it, and how the bot answers. */
export interface BotInbox {
  /** Reads one posted update; null where there is nothing in it for us. */
  readonly read: (posted: unknown, now: Instant) => BotUpdate | null
  /** The header in which the platform repeats a secret that it was given with the address; null: it has none. */
  readonly secretHeader: string | null
  /** Tells the platform where to post updates; null: it cannot post them. */
  readonly announceWebhook: ((webhook: Webhook) => Effect.Effect<void, AccountProblem>) | null
  /** Waits up to `waitMillis` for updates; null: the platform has no polling. */
  readonly poll:
    | ((cursor: string | null, waitMillis: number) => Effect.Effect<UpdateBatch, AccountProblem>)
    | null
  readonly reply: (chatId: string, reply: BotReply) => Effect.Effect<ProviderOutcome>
}

export interface Webhook {
  readonly url: string
  readonly secret: string
}

/** A provider with an account's settings: ready to send. */
export interface ProviderConnection {
  readonly traits: AccountTraits
  /** The origin that it calls (`https://api.sms.ir`): calls there share connections. Absent: it calls none. */
  readonly farEnd?: string
  readonly sendCode: (delivery: Addressed<CodeDelivery>) => Effect.Effect<ProviderOutcome>
  readonly sendText: (delivery: Addressed<TextDelivery>) => Effect.Effect<ProviderOutcome>
  /** A call that changes nothing and shows whether the account works: what it found, for people. Null: there is none. */
  readonly check: Effect.Effect<string, AccountProblem> | null
  /** What became of a message that was accepted; null: the provider does not tell. */
  readonly deliveryReport: ((messageId: string) => Effect.Effect<DeliveryReport>) | null
  /** Null: nobody writes to this account. */
  readonly inbox: BotInbox | null
}

export interface ConnectOptions {
  /** Whether an address in the settings may be plain http, or lie in a private network. */
  readonly allowsPrivateAddresses: boolean
}

/** How to speak with one provider. */
export interface ProviderAdapter {
  readonly name: string
  readonly channels: ReadonlyArray<Channel>
  /** Why no account can be connected to it here; absent: accounts can. */
  readonly switchedOff?: string
  /** The settings without which an account connects but cannot send codes, or texts; absent where it always can. */
  readonly sendingSettings?: { readonly codes: string; readonly texts: string }
  readonly connect: (
    settings: unknown,
    options: ConnectOptions
  ) => Result.Result<ProviderConnection, InvalidSettings>
}

/** The adapters there are, by name. */
export class ProviderAdapters extends Context.Service<
  ProviderAdapters,
  ReadonlyMap<string, ProviderAdapter>
>()("peyk/services/provider/ProviderAdapter/ProviderAdapters") {}
