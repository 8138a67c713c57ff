import { Effect, type Scope } from "effect"
import type {
  RejectionCause,
  DeliveryReport,
  ProviderOutcome
} from "../../../../src/domain/ProviderOutcome.ts"
import type { Channel } from "../../../../src/domain/routing/Channel.ts"
import { ProviderHttp } from "../../../../src/layers/provider/ProviderHttp.ts"
import type {
  ProviderAdapter,
  ProviderConnection
} from "../../../../src/services/provider/ProviderAdapter.ts"
import { connected, delivery, type Expected, type SendCalls } from "./AdapterTest.ts"
import type { Answer, FakeFarEnd, Received, Scripted } from "../../../support/fakes/FakeFarEnd.ts"

export const accepted: Expected = { _tag: "Accepted" }
export const unknown: Expected = { _tag: "Unknown", error_code: "provider_outcome_unknown" }
export const unavailable: Expected = { _tag: "Unavailable", error_code: "provider_unavailable" }
export const throttled: Expected = { _tag: "Throttled", error_code: "provider_rate_limited" }
export const recipient: Expected = {
  _tag: "Rejected",
  cause: "recipient",
  error_code: "recipient_unreachable"
}
export const request: Expected = { _tag: "Rejected", cause: "request", error_code: "provider_rejected" }
export const configuration: Expected = {
  _tag: "Rejected",
  cause: "configuration",
  error_code: "provider_misconfigured"
}

export type Kind = "code" | "text"

/** The facts about a provider that the kit needs; everything else is the same for all. */
export interface ProviderCase extends SendCalls {
  readonly name: string
  readonly channel: Channel
  readonly fake: Effect.Effect<FakeFarEnd, never, Scope.Scope>
  readonly adapter: (http: ProviderHttp["Service"], url: string) => ProviderAdapter
  /** The settings of an account that sends all that the provider carries. */
  readonly settings: (url: string) => Readonly<Record<string, unknown>>
  /** The settings that no log, span or outcome may hold. */
  readonly credentials: ReadonlyArray<string>
  /** The request that each kind becomes; a kind that is missing is not carried. */
  readonly sends: Readonly<Partial<Record<Kind, (sent: Received) => void>>>
  /** How the far end refuses in these words. */
  readonly refusal: (words: string) => Scripted
  /** An answer that says no in a way that no document lists, and its cause. */
  readonly unlisted: readonly [answer: Answer, cause: RejectionCause]
  /** Only an id says that a send was accepted: any that is there, or one of digits. Without it, nothing says so. */
  readonly idSaysYes?: "if there" | "as a number"
  /** The documented answers, and the outcome. */
  readonly answers?: ReadonlyArray<readonly [name: string, Scripted, Expected, kind?: Kind]>
  /** Answers that only a status carries. */
  readonly survives?: Readonly<Record<string, Expected>>
  /** How it answers a send; absent: as the fake does. */
  readonly success?: unknown
  /** Where the chat is. */
  readonly chatId?: string
  readonly wrongSettings: ReadonlyArray<readonly [settings: unknown, message: string]>
  /** The findings of an account check, the credit that is left, and settings that the far end refuses. */
  readonly check: {
    readonly finds: string
    readonly credit?: number
    readonly refuses: Readonly<Record<string, unknown>>
  } | null
  /** The far end's report on a message; null: it has none. */
  readonly reports: ReadonlyArray<readonly [name: string, Scripted, Partial<DeliveryReport>]> | null
}

export const kindsOf = ({ sends }: ProviderCase): ReadonlyArray<Kind> =>
  (["code", "text"] as const).filter((kind) => sends[kind] !== undefined)

/** Sends one of a kind over an account. */
export const sendKind = (
  { channel, chatId }: ProviderCase,
  kind: Kind,
  account: ProviderConnection
): Effect.Effect<ProviderOutcome> => {
  const given = delivery(channel, chatId === undefined ? {} : { chatId })
  return kind === "code" ? account.sendCode(given) : account.sendText(given)
}

/** How an account of the provider is connected here. */
export const optionsOf = ({ channel }: Pick<ProviderCase, "channel">) => ({
  channel,
  allowsPrivateAddresses: true
})

/** A fake far end, and an account that it knows. */
export const setUp = (provider: ProviderCase, changes: Readonly<Record<string, unknown>> = {}) =>
  Effect.gen(function* () {
    const fake = yield* provider.fake
    const adapter = provider.adapter(yield* ProviderHttp, fake.url)
    const settings = { ...provider.settings(fake.url), ...changes }
    return { fake, adapter, settings, account: connected(adapter, settings, optionsOf(provider)) }
  })
