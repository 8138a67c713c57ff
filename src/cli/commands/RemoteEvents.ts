import { Data, Duration, Effect, Option, Schema, Stream } from "effect"
import { Sse } from "effect/encoding"
import { FetchHttpClient, HttpClient, HttpClientRequest, type HttpClientResponse } from "effect/http"
import { CommandError } from "../output/CommandError.ts"
import type { KeyMode } from "../../domain/customer/Customer.ts"
import { END, READY } from "../../http/manage/WebhookStream.ts"
import type { Listened, ListeningEnd } from "../../services/webhook/WebhookListeners.ts"

/** A part of a stream. `Ready`: it begins after this id. */
export type Received =
  | Exclude<Listened, { _tag: "Heartbeat" }>
  | { readonly _tag: "Ready"; readonly after: string }

/** The stream broke; it may work again. */
export class ConnectionLost extends Data.TaggedError("ConnectionLost")<{ readonly message: string }> {}

interface RemoteListener {
  readonly url: string
  readonly token: string
  readonly mode: KeyMode
  /** Of this run: on each connection it is the same listener. */
  readonly id: string
}

const CONNECT_MILLIS = 15_000
/** Several heartbeats: the server, or what is between, is gone without a word. */
const SILENCE_MILLIS = 15_000

const Refusal = Schema.fromJsonString(
  Schema.Struct({
    error: Schema.Struct({
      message: Schema.String,
      details: Schema.optionalKey(Schema.Struct({ reason: Schema.optionalKey(Schema.String) }))
    })
  })
)

const TRY_AGAIN = new Set([408, 429])

/** A refusal by Peyk is final; what is between it and here may be restarting. */
const refusalOf = Effect.fnUntraced(function* (response: HttpClientResponse.HttpClientResponse) {
  const { status } = response
  const text = yield* Effect.orElseSucceed(response.text, () => "")
  const body = Option.map(Schema.decodeOption(Refusal)(text), ({ error }) => error)
  const reason = Option.match(body, {
    onNone: () => `HTTP ${status}`,
    onSome: ({ message, details }) => details?.reason ?? message
  })
  if (status >= 500 || TRY_AGAIN.has(status)) return yield* new ConnectionLost({ message: `HTTP ${status}` })
  return yield* new CommandError({ message: `the server refused: ${reason}` })
})

const Reason = Schema.fromJsonString(
  Schema.Struct({ reason: Schema.Literals(["token_ended", "stopping", "replaced", "unavailable"]) })
)

const toReceived = ({ event, id = "", data }: Sse.Event): Received => {
  switch (event) {
    case READY:
      return { _tag: "Ready", after: id }
    case END: {
      const found = Schema.decodeOption(Reason)(data)
      const reason: ListeningEnd = Option.match(found, {
        onNone: () => "stopping",
        onSome: (end) => end.reason
      })
      return { _tag: "End", reason }
    }
    default:
      return { _tag: "Event", event: { id, body: data } }
  }
}

const unreachable = () => new ConnectionLost({ message: "the server cannot be reached" })

/** A connection to a server: the events after one, or from now on. It neither follows redirects nor waits in silence. */
export const remoteEvents = ({ url, token, mode, id }: RemoteListener, after: string | null) => {
  const request = HttpClientRequest.get(
    new URL("v1/manage/webhooks/listen", url.endsWith("/") ? url : `${url}/`),
    {
      urlParams: { mode, listener: id, ...(after === null ? {} : { after }) },
      headers: { authorization: `apikey ${token}`, accept: "text/event-stream" }
    }
  )
  const opened = Effect.gen(function* () {
    const response = yield* Effect.timeoutOrElse(Effect.mapError(HttpClient.execute(request), unreachable), {
      duration: Duration.millis(CONNECT_MILLIS),
      orElse: () => new ConnectionLost({ message: "there was no response: a proxy may hold it back" })
    })
    if (response.status !== 200) return yield* refusalOf(response)
    return response.stream.pipe(
      Stream.timeout(Duration.millis(SILENCE_MILLIS)),
      Stream.decodeText,
      Stream.pipeThroughChannel(Sse.decode()),
      Stream.mapError(() => new ConnectionLost({ message: "the connection broke" })),
      Stream.map(toReceived)
    )
  })
  return Stream.unwrap(opened).pipe(
    Stream.provide(FetchHttpClient.layer),
    Stream.provideService(FetchHttpClient.RequestInit, { redirect: "manual" })
  )
}
