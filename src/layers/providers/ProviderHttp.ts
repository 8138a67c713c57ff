import { Cause, Clock, Context, Data, DateTime, Effect, Layer, Option, Result, Stream } from "effect"
import {
  HttpClient,
  type HttpClientError,
  HttpClientRequest,
  type HttpClientResponse,
  type HttpMethod
} from "effect/http"
import { readExactJson } from "../../domain/text/ExactJson.ts"
import { CallKind } from "../../services/provider/CallKind.ts"
import { Settings } from "../../services/Settings.ts"
import { CallProgress, ProviderHttpClient, type Reach } from "./ProviderHttpClient.ts"

export interface ProviderRequest {
  readonly method: HttpMethod.HttpMethod
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
export interface ProviderAnswer {
  readonly status: number
  /** From `Retry-After`, in either of its forms. */
  readonly retryAfterMillis: number | null
  /** The body parsed as JSON; undefined if it is not JSON. Integers too long for a number are strings. */
  readonly json: unknown
}

/** There was no response. */
export type CallFailure = Data.TaggedEnum<{
  /** The request certainly never left. */
  NotSent: { readonly reason: string }
  /** It left, or may have. */
  Lost: { readonly reason: string }
}>
export const CallFailure = Data.taggedEnum<CallFailure>()

const toHttp = ({ method, url, headers = {}, body }: ProviderRequest) =>
  HttpClientRequest.make(method)(url).pipe(
    HttpClientRequest.setHeaders({ accept: "application/json", "user-agent": "peyk", ...headers }),
    (request) =>
      body === undefined
        ? request
        : HttpClientRequest.bodyText(request, body, headers["content-type"] ?? "application/json")
  )

const MAX_DELAY_MILLIS = 24 * 3_600_000

/** Seconds, or a date. */
const retryAfter = (header: string | undefined, now: number): number | null => {
  if (header === undefined || header.trim() === "") return null
  const seconds = Number(header)
  const millis = Number.isFinite(seconds)
    ? seconds * 1000
    : Option.getOrNull(Option.map(DateTime.make(header), (date) => DateTime.toEpochMillis(date) - now))
  return millis === null ? null : Math.min(Math.max(0, millis), MAX_DELAY_MILLIS)
}

const DISCARD_TIME = "1 second"

/** Reads a short body, so that its connection can be reused; cuts off a long or slow one. */
const discard = (response: HttpClientResponse.HttpClientResponse): Effect.Effect<string> =>
  Stream.runDrain(response.stream).pipe(Effect.timeoutOption(DISCARD_TIME), Effect.ignore, Effect.as(""))

const NO_CONTENT = 204

/** Nothing is left on its connection, so nothing has to be read. */
const isEmpty = ({ status, headers }: HttpClientResponse.HttpClientResponse): boolean =>
  status === NO_CONTENT || headers["content-length"] === "0"

/** The text of the body; empty if it is ignored. */
const textOf = (response: HttpClientResponse.HttpClientResponse, isIgnored: boolean) => {
  if (!isIgnored) return response.text
  return isEmpty(response) ? Effect.succeed("") : discard(response)
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** The error's own text, which contains no address of ours: the request itself is left out. */
const reasonOf = (cause: Cause.Cause<HttpClientError.HttpClientError>): string => {
  const [reason] = cause.reasons
  if (reason?._tag !== "Fail") return "the call broke"
  const inner = reason.error.reason
  return "cause" in inner && inner.cause !== undefined ? messageOf(inner.cause) : inner._tag
}

/** Makes single requests to providers: no redirects, no repeats, limited in time and size. */
export class ProviderHttp extends Context.Service<
  ProviderHttp,
  { readonly call: (request: ProviderRequest) => Effect.Effect<ProviderAnswer, CallFailure> }
>()("peyk/layers/providers/ProviderHttp") {
  static readonly layer = Layer.effect(
    ProviderHttp,
    Effect.gen(function* () {
      const { providerTimeoutMillis } = yield* Settings
      const clientOf = yield* ProviderHttpClient

      const exchange = Effect.fnUntraced(function* (request: ProviderRequest, progress: CallProgress) {
        const client = clientOf({ ...request, kind: yield* CallKind }, progress)
        const response = yield* client.execute(toHttp(request))
        const text = yield* textOf(response, request.ignoresBody === true)
        return {
          status: response.status,
          retryAfterMillis: retryAfter(response.headers["retry-after"], yield* Clock.currentTimeMillis),
          // An unreadable body (HTML, empty, too deep) is undefined.
          json: Result.getOrUndefined(readExactJson(text))
        }
      })

      const failureOf = (progress: CallProgress, reason: string): CallFailure =>
        progress.hasStarted ? CallFailure.Lost({ reason }) : CallFailure.NotSent({ reason })

      /** Ends a call that has not left within half its time-out, or has no response within all of it. */
      const watch = Effect.fnUntraced(function* (timeoutMillis: number, progress: CallProgress) {
        yield* Effect.sleep(timeoutMillis / 2)
        if (!progress.hasStarted) return yield* Effect.fail(failureOf(progress, "no connection in time"))
        yield* Effect.sleep(timeoutMillis / 2)
        return yield* Effect.fail(failureOf(progress, "no answer in time"))
      })

      const timeoutOf = ({ timeoutMillis, timeoutShare = 1 }: ProviderRequest): number =>
        timeoutMillis ?? providerTimeoutMillis * timeoutShare

      return ProviderHttp.of({
        call: (request) =>
          Effect.suspend(() => {
            const progress = new CallProgress()
            return exchange(request, progress).pipe(
              Effect.catchCause((cause) =>
                Cause.hasInterrupts(cause)
                  ? Effect.interrupt
                  : Effect.fail(failureOf(progress, reasonOf(cause)))
              ),
              Effect.raceFirst(watch(timeoutOf(request), progress)),
              // Their addresses contain credentials, and providers do not use our trace headers.
              Effect.provideService(HttpClient.TracerDisabledWhen, () => true),
              Effect.provideService(HttpClient.TracerPropagationEnabled, false)
            )
          })
      })
    })
  )
}
