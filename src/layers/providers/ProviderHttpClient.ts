import { NodeHttpClient } from "@effect/platform-node"
import { Agent, buildConnector, type Dispatcher, ProxyAgent } from "@effect/platform-node/Undici"
import { Context, Effect, Layer, Redacted } from "effect"
import { HttpClient } from "effect/http"
import * as net from "node:net"
import { isPrivateAddress, PrivateAddressRefused, publicLookup } from "../PrivateAddresses.ts"
import { ProviderEndpoints } from "./ProviderEndpoints.ts"

/** How far a call has come: before its first byte was written, it certainly did not reach the provider. */
export class CallProgress {
  hasStarted = false
}

const poolOptions = { connections: 64, maxResponseSize: 262_144, allowH2: false }

/** What waits long, or matters less than a send, has connections of its own. A batch of updates may be long. */
const backgroundOptions = { ...poolOptions, connections: 256, maxResponseSize: 4_194_304 }

/** Has each call's progress told when its first byte is about to be written. */
const tellStart: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
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
    (dispatcher) => dispatcher.compose(tellStart)
  )

const clientOver = (dispatcher: Dispatcher) =>
  Effect.provideService(NodeHttpClient.makeUndici, NodeHttpClient.Dispatcher, dispatcher)

const clientThrough = (proxy: Redacted.Redacted | null, options: typeof poolOptions) =>
  Effect.flatMap(
    scopedDispatcher(() =>
      proxy === null ? new Agent(options) : new ProxyAgent({ ...options, uri: Redacted.value(proxy) })
    ),
    clientOver
  )

const clientsThrough = (proxy: Redacted.Redacted | null) =>
  Effect.all({
    sends: clientThrough(proxy, poolOptions),
    background: clientThrough(proxy, backgroundOptions)
  })

export interface ClientChoice {
  readonly url: string
  readonly isGuarded?: boolean
  readonly isBackground?: boolean
}

/**
 * The HTTP clients for providers: connections are kept and reused, certificates checked, redirects not followed, answers
 * bounded; through a proxy where one is set. A guarded request connects to public addresses only, and to no proxy.
 */
export class ProviderHttpClient extends Context.Service<
  ProviderHttpClient,
  (choice: ClientChoice, progress: CallProgress) => HttpClient.HttpClient
>()("peyk/layers/providers/ProviderHttpClient") {
  static readonly layer = Layer.effect(
    ProviderHttpClient,
    Effect.gen(function* () {
      const { providerProxy, telegramProxy, telegramUrl } = yield* ProviderEndpoints
      const common = yield* clientsThrough(providerProxy)
      const telegram = telegramProxy === null ? common : yield* clientsThrough(telegramProxy)
      const guarded = yield* Effect.flatMap(
        scopedDispatcher(() => new Agent({ ...poolOptions, connect: publicConnector() })),
        clientOver
      )
      const choose = ({ url, isGuarded = false, isBackground = false }: ClientChoice) => {
        if (isGuarded) return guarded
        const clients = url.startsWith(telegramUrl) ? telegram : common
        return isBackground ? clients.background : clients.sends
      }
      return (choice, progress) =>
        HttpClient.transform(choose(choice), (effect) =>
          // Undici hands it on untouched; its default type alone says that there is none.
          Effect.provideService(effect, NodeHttpClient.UndiciOptions, { opaque: progress as never })
        )
    })
  )
}
