import type { Dispatcher } from "@effect/platform-node/Undici"
import { Clock, Context, Data, DateTime, Effect, Layer, Option, Result } from "effect"
import { DAY_MILLIS } from "../../domain/Instant.ts"
import { readExactJson } from "../../domain/text/Fingerprints.ts"
import { exchange, type HttpResponse } from "../network/HttpExchange.ts"
import { ProviderConnections, type Reach } from "./ProviderConnections.ts"
import { Settings } from "../../services/Settings.ts"
import { outsideRequestTime } from "../../services/concurrency/Workers.ts"
import { CallKind } from "../../services/provider/ProviderAdapter.ts"

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
