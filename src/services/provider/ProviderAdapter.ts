import { Context, Data, type Effect, type Result, type Schema } from "effect"
import type { Instant } from "../../domain/Instant.ts"
import type { Problem, SettingProblem } from "../../domain/Problem.ts"
import type { BotReply, BotUpdate } from "../../domain/account/BotConversation.ts"
import type { DeliveryReport, ProviderOutcome } from "../../domain/ProviderOutcome.ts"
import type { SendingSettings } from "../../domain/account/AccountState.ts"
import type { AccountTraits } from "../../domain/customer/Customer.ts"
import type { Channel } from "../../domain/routing/Channel.ts"
import type { CodeDelivery, TextDelivery } from "./Providers.ts"

/** How providers are called, unless the operator sets other numbers. */
export const defaultCalls = {
  /** After that the outcome of a call is unknown. */
  providerTimeoutMillis: 10_000,
  /** Calls of one customer to one provider's host at once; all customers get twice as many. */
  codeConnections: 128,
  messageConnections: 64
}

/** The purpose of a call to the outside; each has its own connections. */
export type CallKind = "code" | "text" | "webhook"

export const CallKind = Context.Reference<CallKind>("peyk/services/provider/ProviderAdapter/CallKind", {
  defaultValue: () => "text"
})

/** Settings that do not suit the account's provider. No problem repeats a value: it can be a credential. */
export class InvalidSettings extends Data.TaggedError("InvalidSettings")<{
  readonly problems: ReadonlyArray<SettingProblem>
}> {}

/** A send over one account. `chatId` is how the account reaches the phone, if it needs that; else null. */
export type Addressed<Delivery extends TextDelivery> = Delivery & { readonly chatId: string | null }

/** The account does not work; `message` is for people. `isDefinite`: the provider said so; else it was unreachable. */
export class AccountProblem extends Data.TaggedError("AccountProblem")<{
  readonly message: string
  readonly isDefinite: boolean
}> {}

/** One batch of a bot's updates, and where the next begins. */
export interface UpdateBatch {
  readonly updates: ReadonlyArray<BotUpdate>
  /** The cursor for the next request, in the platform's own terms; null: from the start. */
  readonly cursor: string | null
}

/** How a bot gets a platform's updates, and how it replies. */
export interface BotInbox {
  /** Reads one posted update; null if it is of no use here. */
  readonly read: (posted: unknown, now: Instant) => BotUpdate | null
  /** The header in which the platform repeats the secret of the address; null: it has none. */
  readonly secretHeader: string | null
  /** Announces the address for updates to the platform; null: it cannot post them. */
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

/** The value of a header, by its lower-case name. */
export type HeaderReader = (name: string) => string | undefined

export interface PostedReport {
  readonly header: HeaderReader
  /** As it came: signatures cover its bytes. */
  readonly body: string
}

/** What a provider posts about one attempt. */
export interface AttemptReport {
  readonly customerId: number
  readonly attemptId: string
  readonly report: DeliveryReport
}

/** A provider with an account's settings: ready to send. */
export interface ProviderConnection {
  readonly traits: AccountTraits
  /** The origin that it calls (`https://api.sms.ir`): calls there share connections. Absent: it calls none. */
  readonly origin?: string
  readonly sendCode: (delivery: Addressed<CodeDelivery>) => Effect.Effect<ProviderOutcome>
  readonly sendText: (delivery: Addressed<TextDelivery>) => Effect.Effect<ProviderOutcome>
  /**
   * A call that changes nothing and shows whether the account works. Its result is for people; where the provider
   * reports the credit, which is asked for first, it is a warning or empty. Null: there is no such call.
   */
  readonly check: Effect.Effect<string, AccountProblem> | null
  /** The credit left at the provider, in its own unit (NaN: unreadable); absent: it does not say. */
  readonly credit?: Effect.Effect<number, AccountProblem>
  /** The delivery report of an accepted message; null: the provider has none. */
  readonly deliveryReport: ((messageId: string) => Effect.Effect<DeliveryReport>) | null
  /** Reads a report that the provider posts; null if it is not genuine. Absent: it posts none. */
  readonly readReport?: (posted: PostedReport, now: Instant) => AttemptReport | null
  /** Null: people cannot write to this account. */
  readonly inbox: BotInbox | null
}

export interface ConnectOptions {
  /** The account's channel; absent: the first that the provider serves. */
  readonly channel?: string
  /** Whether an address in the settings can be plain http, or in a private network. */
  readonly allowsPrivateAddresses: boolean
}

/** Settings that are credentials, for any provider: never shown, and masked in a provider's texts. */
export const SECRET_SETTINGS: ReadonlyArray<string> = ["api_key", "token", "secret", "password"]

/** How to use one provider. */
export interface ProviderAdapter {
  readonly name: string
  readonly channels: ReadonlyArray<Channel>
  /** Why accounts of it cannot be connected here; absent: they can. */
  readonly switchedOff?: Problem
  /** The settings of its accounts: a struct, from which forms are made. A field's `description` is its hint. */
  readonly settings: Schema.Top
  /** The settings without which an account connects but cannot send codes, or texts; absent if it always can. */
  readonly sendingSettings?: SendingSettings
  readonly connect: (
    settings: unknown,
    options: ConnectOptions
  ) => Result.Result<ProviderConnection, InvalidSettings>
}

/** All adapters, by name. */
export class ProviderAdapters extends Context.Service<
  ProviderAdapters,
  ReadonlyMap<string, ProviderAdapter>
>()("peyk/services/provider/ProviderAdapter/ProviderAdapters") {}
