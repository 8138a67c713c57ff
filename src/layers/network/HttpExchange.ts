import type { Dispatcher } from "@effect/platform-node/Undici"
import { type Context, Effect, type Fiber } from "effect"
import type { OriginConnections } from "./OriginConnections.ts"

/** A header that occurs several times is a list: Undici's own type does not say so. */
type ResponseHeaders = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

export interface HttpCall {
  readonly method: Dispatcher.HttpMethod
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
  readonly timeoutMillis: number
  /** Only the status matters: a long or slow body is cut off. Its beginning is read, as far as it has come by then. */
  readonly ignoresBody: boolean
}

export interface HttpResponse {
  readonly status: number
  readonly headers: ResponseHeaders
  /** Of a body that is ignored the beginning. */
  readonly text: string
}

/** There was no response. */
interface NoResponse {
  /** Whether a byte of the request left, or may have. */
  readonly hasStarted: boolean
  readonly reason: string
}

type Settle = (result: Effect.Effect<HttpResponse, NoResponse>) => void

interface Head {
  readonly status: number
  readonly headers: ResponseHeaders
}

const FIRST_FINAL_STATUS = 200
const NO_CONTENT = 204

/** So much of an ignored body is kept, for people. */
const MAX_IGNORED_BYTES = 2048

/** Nothing follows it. */
const isWhole = ({ status, headers }: Head): boolean =>
  status === NO_CONTENT || headers["content-length"] === "0"

/** One request while it is under way; it settles once. */
class Exchange implements Dispatcher.DispatchHandler {
  hasStarted = false
  readonly #connections: OriginConnections
  readonly #origin: string
  readonly #settle: Settle
  /** Called when the head of a response is there whose body does not matter, but follows. */
  readonly #onIgnoredBody: (() => void) | null
  #isSettled = false
  #controller: Dispatcher.DispatchController | undefined
  #head: Head | undefined
  readonly #chunks: Array<Buffer> = []
  #ignoredBytes = 0
  /** How often the connections had been renewed when it started. */
  #renewals = 0

  constructor(
    connections: OriginConnections,
    origin: string,
    settle: Settle,
    onIgnoredBody: (() => void) | null
  ) {
    this.#connections = connections
    this.#origin = origin
    this.#settle = settle
    this.#onIgnoredBody = onIgnoredBody
  }

  /** Its first byte is about to be written. */
  onRequestStart(controller: Dispatcher.DispatchController) {
    this.#controller = controller
    if (this.#isSettled) return controller.abort(new Error("given up before it began"))
    this.hasStarted = true
    this.#renewals = this.#connections.renewals
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: ResponseHeaders) {
    if (status < FIRST_FINAL_STATUS) return
    this.#head = { status, headers }
    if (!isWhole(this.#head)) this.#onIgnoredBody?.()
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer) {
    if (this.#isSettled) return
    if (this.#onIgnoredBody === null) return void this.#chunks.push(chunk)
    const room = MAX_IGNORED_BYTES - this.#ignoredBytes
    if (room > 0) this.#chunks.push(chunk.subarray(0, room))
    this.#ignoredBytes += chunk.length
  }

  onResponseEnd() {
    this.#end("no answer")
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error) {
    if (this.#onIgnoredBody === null) this.fail(error.message)
    else this.#end(error.message)
  }

  fail(reason: string) {
    this.#settleWith(Effect.fail({ hasStarted: this.hasStarted, reason }))
  }

  /** Reads no more of an ignored body. */
  cutOff() {
    this.#end("no answer")
    this.abort()
  }

  /** Its time is over. A response without the body that is ignored is one. */
  lapse() {
    if (this.#onIgnoredBody !== null && this.#head !== undefined) return this.cutOff()
    this.fail(this.hasStarted ? "no answer in time" : "no connection in time")
    this.abort()
    if (this.hasStarted) this.#connections.renew(this.#origin, this.#renewals)
  }

  /** Nobody waits for it any more. */
  abort() {
    this.#isSettled = true
    this.#controller?.abort(new Error("given up"))
  }

  #end(problem: string) {
    if (this.#head === undefined) return this.fail(problem)
    const text = new TextDecoder().decode(Buffer.concat(this.#chunks))
    this.#settleWith(Effect.succeed({ ...this.#head, text }))
  }

  #settleWith(result: Effect.Effect<HttpResponse, NoResponse>) {
    if (this.#isSettled) return
    this.#isSettled = true
    this.#settle(result)
  }
}

const IGNORED_BODY_TIME = "1 second"

/** Ends a request that has not left within half its time-out, or has no response within all of it. */
const watch = (exchange: Exchange, timeoutMillis: number) =>
  Effect.sleep(timeoutMillis / 2).pipe(
    Effect.flatMap(() => (exchange.hasStarted ? Effect.sleep(timeoutMillis / 2) : Effect.void)),
    Effect.map(() => exchange.lapse())
  )

const begin = (
  connections: OriginConnections,
  call: HttpCall,
  context: Context.Context<never>,
  resume: Settle
) => {
  const fork = Effect.runForkWith(context)
  const watches: Array<Fiber.Fiber<void>> = []
  const stopWatches = () => watches.forEach((fiber) => fiber.interruptUnsafe())
  const cutOffLater = () =>
    void watches.push(fork(Effect.map(Effect.sleep(IGNORED_BODY_TIME), () => exchange.cutOff())))
  const settle: Settle = (result) => {
    stopWatches()
    // The connection is free for the next call only when Undici's own work is done.
    queueMicrotask(() => resume(result))
  }
  const { url, method, headers, body = null } = call
  const { origin } = url
  const exchange = new Exchange(connections, origin, settle, call.ignoresBody ? cutOffLater : null)
  // Before the call: one that fails at once stops its watch.
  watches.push(fork(watch(exchange, call.timeoutMillis)))
  connections.dispatcher.dispatch(
    // The time-outs of the connection itself are off: they do not follow Effect's clock.
    {
      origin,
      path: url.pathname + url.search,
      method,
      headers,
      body,
      headersTimeout: 0,
      bodyTimeout: 0
    },
    exchange
  )
  return Effect.sync(() => {
    stopWatches()
    exchange.abort()
  })
}

/** Makes one request over these connections, without redirects or repeats. */
export const exchange = (
  connections: OriginConnections,
  call: HttpCall
): Effect.Effect<HttpResponse, NoResponse> =>
  Effect.contextWith((context: Context.Context<never>) =>
    Effect.callback((resume) => begin(connections, call, context, resume))
  )
