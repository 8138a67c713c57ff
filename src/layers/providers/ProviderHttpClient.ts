import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Agent, buildConnector, type Dispatcher, ProxyAgent } from "@effect/platform-node/Undici"
import { Context, Effect, Layer, Redacted } from "effect"
import { HttpClient } from "effect/http"
import * as net from "node:net"
import type { CallKind } from "../../services/provider/CallKind.ts"
import { Settings, type SettingsShape } from "../../services/Settings.ts"
import { isPrivateAddress, PrivateAddressRefused, publicLookup } from "../network/PrivateAddresses.ts"
import { ProviderEndpoints } from "./ProviderEndpoints.ts"

/** How far a call has come: before its first byte was written, it certainly did not reach the provider. */
export class CallProgress {
  hasStarted = false
}

const poolOptions = { connections: 64, maxResponseSize: 262_144, allowH2: false }
type PoolOptions = typeof poolOptions

/** Calls that wait long, or matter less than a send, have their own connections. A batch of updates can be long. */
const backgroundOptions = { ...poolOptions, connections: 256, maxResponseSize: 4_194_304 }

/** Reports when each call's first byte is about to be written. */
const reportStart: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
  const progress = "opaque" in options ? options.opaque : undefined
  if (progress instanceof CallProgress) {
    const begin = handler.onRequestStart?.bind(handler)
    handler.onRequestStart = (controller, context) => {
      progress.hasStarted = true
      begin?.(controller, context)
    }
  }
  return dispatch(options, handler)
}

const publicConnector = (): buildConnector.connector => {
  const connect = buildConnector({ lookup: publicLookup, allowH2: false })
  return (options, callback) => {
    const host = options.hostname.replace(/^\[|\]$/g, "")
    if (net.isIP(host) !== 0 && isPrivateAddress(host)) return callback(new PrivateAddressRefused(host), null)
    return connect(options, callback)
  }
}

const scopedDispatcher = (make: () => Dispatcher) =>
  Effect.map(
    Effect.acquireRelease(Effect.sync(make), (dispatcher) => Effect.promise(() => dispatcher.destroy())),
    (dispatcher) => dispatcher.compose(reportStart)
  )

const clientOver = (dispatcher: Dispatcher) =>
  Effect.provideService(NodeHttpClient.makeUndici, NodeHttpClient.Dispatcher, dispatcher)

const clientFrom = (make: () => Dispatcher) => Effect.flatMap(scopedDispatcher(make), clientOver)

const clientThrough = (proxy: Redacted.Redacted | null, options: PoolOptions) =>
  clientFrom(() =>
    proxy === null ? new Agent(options) : new ProxyAgent({ ...options, uri: Redacted.value(proxy) })
  )

/**
 * The possible targets of a request. `provider`: a provider, through a proxy if one is set. `public`: an address that a
 * customer chose, on the public internet only. `any`: an address that the operator chose, anywhere. The last two never
 * use the providers' proxy.
 */
export type Reach = "provider" | "public" | "any"

/** As many as `CallLimiters` has places: every call with a place there finds a connection here. */
const byKind = <A, E, R>(
  { codeConnections, messageConnections }: SettingsShape,
  make: (options: PoolOptions) => Effect.Effect<A, E, R>
) =>
  Effect.all({
    code: make({ ...poolOptions, connections: 2 * codeConnections }),
    text: make({ ...poolOptions, connections: 2 * messageConnections }),
    webhook: make(poolOptions)
  } satisfies Record<CallKind, unknown>)

const clientsThrough = (settings: SettingsShape, proxy: Redacted.Redacted | null) =>
  Effect.all({
    sends: byKind(settings, (options) => clientThrough(proxy, options)),
    background: clientThrough(proxy, backgroundOptions)
  })

export interface ClientChoice {
  readonly url: string
  readonly reach?: Reach
  readonly isBackground?: boolean
  readonly kind: CallKind
}

/**
 * The HTTP clients for providers: they reuse connections, check certificates, follow no redirects, and limit
 * responses.
 */
export class ProviderHttpClient extends Context.Service<
  ProviderHttpClient,
  (choice: ClientChoice, progress: CallProgress) => HttpClient.HttpClient
>()("peyk/layers/providers/ProviderHttpClient") {
  static readonly layer = Layer.effect(
    ProviderHttpClient,
    Effect.gen(function* () {
      const settings = yield* Settings
      const { providerProxy, telegramProxy, telegramUrl, telegramGatewayUrl } = yield* ProviderEndpoints
      const isTelegram = (url: string) =>
        [telegramUrl, telegramGatewayUrl].some((base) => url.startsWith(base))
      const provider = yield* clientsThrough(settings, providerProxy)
      const telegram = telegramProxy === null ? provider : yield* clientsThrough(settings, telegramProxy)
      const any = yield* byKind(settings, (options) => clientThrough(null, options))
      const onlyPublic = yield* byKind(settings, (options) =>
        clientFrom(() => new Agent({ ...options, connect: publicConnector() }))
      )
      const choose = ({ url, reach = "provider", isBackground = false, kind }: ClientChoice) => {
        switch (reach) {
          case "provider": {
            const clients = isTelegram(url) ? telegram : provider
            return isBackground ? clients.background : clients.sends[kind]
          }
          case "public":
            return onlyPublic[isBackground ? "webhook" : kind]
          case "any":
            return any[isBackground ? "webhook" : kind]
        }
      }
      return (choice, progress) =>
        HttpClient.transform(choose(choice), (effect) =>
          // Undici passes it on unchanged; only its default type says that there is none.
          Effect.provideService(effect, NodeHttpClient.UndiciOptions, { opaque: progress as never })
        )
    })
  )
}
