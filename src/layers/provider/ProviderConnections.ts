import { buildConnector } from "@effect/platform-node/Undici"
import { Context, Effect, Layer, Redacted } from "effect"
import * as net from "node:net"
import { DeliveryReport, HIDDEN, inWords, type ProviderOutcome } from "../../domain/ProviderOutcome.ts"
import { OriginConnections } from "../network/OriginConnections.ts"
import { isPrivateAddress, PrivateAddressRefused, publicLookup } from "../network/PrivateAddresses.ts"
import { ProviderEndpoints } from "./ProviderEndpoints.ts"
import { Settings, type SettingsShape } from "../../services/Settings.ts"
import {
  AccountProblem,
  type BotInbox,
  type CallKind,
  type ProviderConnection,
  SECRET_SETTINGS
} from "../../services/provider/ProviderAdapter.ts"
import { MAX_ADMITTED_OF_CUSTOMER } from "../../services/webhook/WebhookQueues.ts"

const credentialsIn = (settings: unknown): ReadonlyArray<string> =>
  Object.entries(Object(settings)).flatMap(([name, value]) =>
    SECRET_SETTINGS.includes(name) && typeof value === "string" && value !== "" ? [value] : []
  )

const maskingProblems =
  (mask: (words: string) => string) =>
  <A>(effect: Effect.Effect<A, AccountProblem>) =>
    Effect.mapError(
      effect,
      ({ message, isDefinite }) => new AccountProblem({ message: mask(message), isDefinite })
    )

const maskInbox = (inbox: BotInbox, mask: (words: string) => string): BotInbox => {
  const { announceWebhook, poll, reply } = inbox
  const orMasked = maskingProblems(mask)
  return {
    ...inbox,
    announceWebhook: announceWebhook && ((webhook) => orMasked(announceWebhook(webhook))),
    poll: poll && ((cursor, waitMillis) => orMasked(poll(cursor, waitMillis))),
    reply: (chatId, words) => Effect.map(reply(chatId, words), (outcome) => inWords(outcome, mask))
  }
}

const maskReport = (report: DeliveryReport, mask: (words: string) => string): DeliveryReport => {
  switch (report._tag) {
    case "Undelivered":
      return DeliveryReport.Undelivered({ providerError: mask(report.providerError) })
    case "NotKnown":
      return DeliveryReport.NotKnown({ reason: mask(report.reason) })
    case "Delivered":
    case "InProgress":
      return report
  }
}

/** The connection, with the account's credentials masked in its texts: a provider can echo what it received. */
export const maskCredentials = (connection: ProviderConnection, settings: unknown): ProviderConnection => {
  const credentials = credentialsIn(settings)
  const mask = (words: string): string =>
    credentials.reduce((rest, credential) => rest.replaceAll(credential, HIDDEN), words)
  const masked = (outcome: Effect.Effect<ProviderOutcome>) =>
    Effect.map(outcome, (each) => inWords(each, mask))
  const orMasked = maskingProblems(mask)
  const { sendCode, sendText, check, credit, deliveryReport, inbox } = connection
  return {
    ...connection,
    sendCode: (delivery) => masked(sendCode(delivery)),
    sendText: (delivery) => masked(sendText(delivery)),
    check: check && orMasked(Effect.map(check, mask)),
    ...(credit !== undefined && { credit: orMasked(credit) }),
    deliveryReport:
      deliveryReport &&
      ((messageId) => Effect.map(deliveryReport(messageId), (report) => maskReport(report, mask))),
    inbox: inbox && maskInbox(inbox, mask)
  }
}

const responseOptions = { maxResponseSize: 262_144, allowH2: false }
type PoolOptions = typeof responseOptions & { readonly connections: number }

/** Calls that wait long, or matter less than a send, have their own connections. A batch of updates can be long. */
const backgroundOptions = { ...responseOptions, connections: 256, maxResponseSize: 4_194_304 }

const publicConnector = (): buildConnector.connector => {
  const connect = buildConnector({ lookup: publicLookup, allowH2: false })
  return (options, callback) => {
    const host = options.hostname.replace(/^\[|\]$/g, "")
    if (net.isIP(host) !== 0 && isPrivateAddress(host)) return callback(new PrivateAddressRefused(host), null)
    return connect(options, callback)
  }
}

const scoped = (make: () => OriginConnections) =>
  Effect.acquireRelease(Effect.sync(make), ({ dispatcher }) => Effect.promise(() => dispatcher.destroy()))

const connectionsThrough = (proxy: Redacted.Redacted | null, options: PoolOptions) =>
  scoped(() =>
    proxy === null
      ? OriginConnections.direct(options)
      : OriginConnections.throughProxy(Redacted.value(proxy), options)
  )

/**
 * The possible targets of a request. `provider`: a provider, through a proxy if one is set. `public`: an address that a
 * customer chose, on the public internet only. `any`: an address that the operator chose, anywhere. The last two never
 * use the providers' proxy.
 */
export type Reach = "provider" | "public" | "any"

/**
 * As many as `CallLimiters` has places, or the pool of webhooks: every call with a place there finds a connection here,
 * even if all go to one host.
 */
const byKind = <A, E, R>(
  { codeConnections, messageConnections }: SettingsShape,
  make: (options: PoolOptions) => Effect.Effect<A, E, R>
) =>
  Effect.all({
    code: make({ ...responseOptions, connections: 2 * codeConnections }),
    text: make({ ...responseOptions, connections: 2 * messageConnections }),
    webhook: make({ ...responseOptions, connections: 2 * MAX_ADMITTED_OF_CUSTOMER })
  } satisfies Record<CallKind, unknown>)

const allThrough = (settings: SettingsShape, proxy: Redacted.Redacted | null) =>
  Effect.all({
    sends: byKind(settings, (options) => connectionsThrough(proxy, options)),
    background: connectionsThrough(proxy, backgroundOptions)
  })

interface ConnectionChoice {
  readonly url: string
  readonly reach?: Reach
  readonly isBackground?: boolean
  readonly kind: CallKind
}

/** The connections to providers: they are reused, check certificates, and limit responses. */
export class ProviderConnections extends Context.Service<
  ProviderConnections,
  (choice: ConnectionChoice) => OriginConnections
>()("peyk/layers/provider/ProviderConnections") {
  static readonly layer = Layer.effect(
    ProviderConnections,
    Effect.gen(function* () {
      const settings = yield* Settings
      const { providerProxy, telegramProxy, telegramUrl, telegramGatewayUrl } = yield* ProviderEndpoints
      const isTelegram = (url: string) =>
        [telegramUrl, telegramGatewayUrl].some((base) => url.startsWith(base))
      const provider = yield* allThrough(settings, providerProxy)
      const telegram = telegramProxy === null ? provider : yield* allThrough(settings, telegramProxy)
      const any = yield* byKind(settings, (options) => connectionsThrough(null, options))
      const onlyPublic = yield* byKind(settings, (options) =>
        scoped(() => OriginConnections.direct({ ...options, connect: publicConnector() }))
      )
      return ({ url, reach = "provider", isBackground = false, kind }: ConnectionChoice) => {
        switch (reach) {
          case "provider": {
            const connections = isTelegram(url) ? telegram : provider
            return isBackground ? connections.background : connections.sends[kind]
          }
          case "public":
            return onlyPublic[isBackground ? "webhook" : kind]
          case "any":
            return any[isBackground ? "webhook" : kind]
        }
      }
    })
  )
}
