import { buildConnector, type Dispatcher } from "@effect/platform-node/Undici"
import { Clock, Context, Data, DateTime, Effect, Layer, Option, Redacted, Result } from "effect"
import * as net from "node:net"
import { DAY_MILLIS } from "../../domain/Instant.ts"
import { readExactJson } from "../../domain/text/Fingerprints.ts"
import { exchange, type HttpResponse } from "../network/HttpExchange.ts"
import { OriginConnections } from "../network/OriginConnections.ts"
import { isPrivateAddress, PrivateAddressRefused, publicLookup } from "../network/PrivateAddresses.ts"
import { ProviderEndpoints } from "./ProviderEndpoints.ts"
import { Settings, type SettingsShape } from "../../services/Settings.ts"
import { outsideRequestTime } from "../../services/concurrency/Workers.ts"
import { CallKind } from "../../services/provider/ProviderAdapter.ts"
import { MAX_ADMITTED_OF_CUSTOMER } from "../../services/webhook/WebhookQueues.ts"

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
type Reach = "provider" | "public" | "any"

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
>()("peyk/layers/provider/ProviderHttp/ProviderConnections") {
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

export interface ProviderRequest {
  readonly method: Dispatcher.HttpMethod
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  /** Sent unchanged; the headers declare a JSON body. */
  readonly body?: string
  /** Default: the providers' time-out. */
  readonly timeoutMillis?: number
  /** The part of the providers' time-out that this call may take, where a send needs several; default: all. */
  readonly timeoutShare?: number
  /** Default: a provider. */
  readonly reach?: Reach
  /** Only the status matters: the body is not awaited. */
  readonly ignoresBody?: boolean
  /** Not a send: it must not take the connections that sends need. */
  readonly isBackground?: boolean
}

/** The response, whatever its status. */
export interface ProviderResponse {
  readonly status: number
  /** From `Retry-After`, in either of its forms. */
  readonly retryAfterMillis: number | null
  /** The body parsed as JSON; undefined if it is not JSON. Integers too long for a number are strings. */
  readonly json: unknown
  /** Of a body that is ignored its beginning; absent: it is not ignored. */
  readonly text?: string
}

/** There was no response. */
export type CallFailure = Data.TaggedEnum<{
  /** The request certainly never left. */
  NotSent: { readonly reason: string }
  /** It left, or may have. */
  Lost: { readonly reason: string }
}>
export const CallFailure = Data.taggedEnum<CallFailure>()

const headersOf = ({ headers, body }: ProviderRequest) => ({
  accept: "application/json",
  "user-agent": "peyk",
  ...(body === undefined ? {} : { "content-type": "application/json" }),
  ...headers
})

const MAX_DELAY_MILLIS = DAY_MILLIS

/** Seconds, or a date; the first if there are several. */
const retryAfter = (headers: string | ReadonlyArray<string> | undefined, now: number): number | null => {
  const header = typeof headers === "string" ? headers : headers?.[0]
  if (header === undefined || header.trim() === "") return null
  const seconds = Number(header)
  const millis = Number.isFinite(seconds)
    ? seconds * 1000
    : Option.getOrNull(Option.map(DateTime.make(header), (date) => DateTime.toEpochMillis(date) - now))
  return millis === null ? null : Math.min(Math.max(0, millis), MAX_DELAY_MILLIS)
}

const toResponse = (
  { status, headers, text }: HttpResponse,
  ignoresBody: boolean,
  now: number
): ProviderResponse => ({
  status,
  retryAfterMillis: retryAfter(headers["retry-after"], now),
  // An unreadable body (HTML, empty, too deep) is undefined.
  ...(ignoresBody ? { text } : {}),
  json: text === "" ? undefined : Result.getOrUndefined(readExactJson(text))
})

/** Makes single requests to providers: no redirects, no repeats, limited in time and size. */
export class ProviderHttp extends Context.Service<
  ProviderHttp,
  { readonly call: (request: ProviderRequest) => Effect.Effect<ProviderResponse, CallFailure> }
>()("peyk/layers/provider/ProviderHttp") {
  static readonly layer = Layer.effect(
    ProviderHttp,
    Effect.gen(function* () {
      const { providerTimeoutMillis } = yield* Settings
      const connectionsOf = yield* ProviderConnections

      const timeoutOf = ({ timeoutMillis, timeoutShare = 1 }: ProviderRequest): number =>
        timeoutMillis ?? providerTimeoutMillis * timeoutShare

      return ProviderHttp.of({
        call: (request) =>
          Effect.withFiber((fiber) => {
            const url = URL.parse(request.url)
            if (url === null) return Effect.fail(CallFailure.NotSent({ reason: "the address is not valid" }))
            const answered = exchange(connectionsOf({ ...request, kind: fiber.getRef(CallKind) }), {
              method: request.method,
              url,
              headers: headersOf(request),
              body: request.body,
              timeoutMillis: timeoutOf(request),
              ignoresBody: request.ignoresBody === true
            })
            return outsideRequestTime(answered).pipe(
              Effect.mapBoth({
                onFailure: ({ hasStarted, reason }) =>
                  hasStarted ? CallFailure.Lost({ reason }) : CallFailure.NotSent({ reason }),
                onSuccess: (response) =>
                  toResponse(
                    response,
                    request.ignoresBody === true,
                    fiber.getRef(Clock.Clock).currentTimeMillisUnsafe()
                  )
              }),
              // Whatever a response makes of us, it is the outcome of this call.
              Effect.catchDefect(() => Effect.fail(CallFailure.Lost({ reason: "the call broke" })))
            )
          })
      })
    })
  )
}
