// @effect-diagnostics globalTimers:off
import { baseOf, credentialOf, etagOf, pathOf, requireIdempotencyKey, requireKnown } from "./Arguments.ts"
import { type ErrorCode, PeykError } from "./PeykError.ts"
import { delayBefore, mayRetry } from "./Retries.ts"
import { randomUuid, sleep } from "./Runtime.ts"

export interface ClientOptions {
  /** E.g. `https://peyk.example.ir` */
  readonly baseUrl: string
  /** A service key: `svc_live_…`, or `svc_test_…` for `client.sandbox`. */
  readonly apiKey?: string | undefined
  /** A personal access token (`svc_pat_…`), for `client.manage`. */
  readonly token?: string | undefined
  /** Instead of the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /**
   * How long one try may take, in milliseconds; 20 000 by default, `Infinity`: no limit. A send answers after the first
   * channel was tried.
   */
  readonly timeoutMs?: number | undefined
  /** How often a call that is safe to repeat is repeated; 2 by default. */
  readonly retries?: number | undefined
}

/** Options of one call. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs?: number | undefined
  readonly retries?: number | undefined
  /** Your id for this request, in the service's logs and errors. */
  readonly requestId?: string | undefined
}

export interface IdempotencyKey {
  /** Made if absent. Give one to repeat the call yourself, after a restart of your program. */
  readonly idempotencyKey?: string | undefined
}

/** Options of a call that an idempotency key makes safe to repeat. */
export interface IdempotentOptions extends CallOptions, IdempotencyKey {}

/** A change of one version only. */
export interface Versioned {
  /** The `version` that you read: the number 3, or its ETag `'"3"'`. If it has changed since, the response is 412. */
  readonly ifMatch?: number | string | undefined
}

export interface Call {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  /** With names of ids: `/v1/otp/{verification_id}`. */
  readonly path: string
  readonly ids?: Readonly<Record<string, unknown>>
  readonly credential: "apiKey" | "token" | "none"
  readonly query?: Readonly<Record<string, unknown>> | undefined
  readonly body?: unknown
  /** The fields that the query, the body, or each of `items` may have. */
  readonly known?: ReadonlyArray<string>
  readonly items?: ReadonlyArray<unknown>
  /** Whether repeating it does nothing more. A call with an idempotency key is safe too. */
  readonly isSafe?: boolean
  readonly isIdempotent?: boolean
  /** Whether a response without content is a success. */
  readonly mayBeEmpty?: boolean
  readonly options?: (IdempotentOptions & Versioned) | undefined
}

export type Send = <A>(call: Call) => Promise<A>

const DEFAULT_TIMEOUT_MS = 20_000
const DEFAULT_RETRIES = 2
/** A longer timer would end at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** `metadata` becomes `metadata[key]=value`. */
const queryText = (query: Readonly<Record<string, unknown>>): string => {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null) continue
    if (typeof value === "object")
      for (const [key, each] of Object.entries(value)) search.append(`${name}[${key}]`, String(each))
    else search.append(name, String(value))
  }
  const text = search.toString()
  return text === "" ? "" : `?${text}`
}

const fail = (code: ErrorCode, status: number, message: string, cause?: unknown) =>
  new PeykError({ code, status, message, details: {}, requestId: null, retryAfter: null, cause } as never)

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

interface Envelope {
  readonly error: { readonly code: ErrorCode; readonly message: string; readonly details: object }
  readonly request_id: string
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isEnvelope = (value: unknown): value is Envelope => {
  const error = isObject(value) ? value["error"] : undefined
  if (!isObject(value) || !isObject(error)) return false
  const texts = [error["code"], error["message"], value["request_id"]]
  return isObject(error["details"]) && texts.every((text) => typeof text === "string")
}

const secondsIn = (header: string | null): number | null => {
  const seconds = Number(header ?? Number.NaN)
  return Number.isFinite(seconds) ? seconds : null
}

const errorOf = (response: Response, value: unknown): PeykError => {
  const retryAfter = secondsIn(response.headers.get("retry-after"))
  if (response.status < 400 || !isEnvelope(value)) {
    const requestId = response.headers.get("x-request-id")
    const message = `The response with status ${response.status} is not one of Peyk's.`
    return new PeykError({
      code: "invalid_response",
      status: response.status,
      message,
      details: {},
      requestId,
      retryAfter
    })
  }
  const { code, message, details } = value.error
  const fields = { code, message, details, status: response.status, requestId: value.request_id, retryAfter }
  return new PeykError(fields as never)
}

const readResponse = async <A>(response: Response, mayBeEmpty = false): Promise<A> => {
  const text = await response.text()
  if (response.status === 204 && mayBeEmpty) return undefined as A
  const value = parse(text)
  if (!response.ok || !isObject(value)) throw errorOf(response, value)
  return value as A
}

/** Ends with the caller's signal, or when the time is over. */
const withTimeout = async <A>(
  timeoutMs: number,
  signal: AbortSignal | undefined,
  use: (signal: AbortSignal) => Promise<A>
): Promise<A> => {
  signal?.throwIfAborted()
  const controller = new AbortController()
  const abort = () => controller.abort(signal?.reason)
  signal?.addEventListener("abort", abort)
  const end = () => controller.abort(fail("timeout", 0, `No response within ${timeoutMs} ms.`))
  const timer = timeoutMs > LONGEST_TIMER_MS ? undefined : setTimeout(end, timeoutMs)
  try {
    return await use(controller.signal)
  } catch (error) {
    if (signal?.aborted === true) throw signal.reason
    if (controller.signal.aborted) throw controller.signal.reason
    throw error instanceof PeykError ? error : fail("connection_failed", 0, "The connection failed.", error)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener("abort", abort)
  }
}

interface Credentials {
  readonly apiKey: string | undefined
  readonly token: string | undefined
}

const headersOf = (
  { apiKey, token }: Credentials,
  { credential, body, options }: Call,
  key: string | undefined
): Record<string, string> => ({
  accept: "application/json",
  ...(body === undefined ? {} : { "content-type": "application/json" }),
  ...(credential === "apiKey" && apiKey !== undefined ? { "x-api-key": apiKey } : {}),
  ...(credential === "token" && token !== undefined ? { authorization: `Bearer ${token}` } : {}),
  ...(key === undefined ? {} : { "idempotency-key": key }),
  ...(options?.ifMatch === undefined ? {} : { "if-match": etagOf(options.ifMatch) }),
  ...(options?.requestId === undefined ? {} : { "x-request-id": options.requestId })
})

/** The key of a call that takes one: the given one, or a new one. */
const keyOf = async ({ isIdempotent, options }: Call): Promise<string | undefined> => {
  if (isIdempotent !== true) return undefined
  if (options?.idempotencyKey === undefined) return randomUuid()
  requireIdempotencyKey(options.idempotencyKey)
  return options.idempotencyKey
}

/** Makes the function that all calls go through: it adds credentials, waits, repeats, and fails with `PeykError`. */
export const makeSend = (client: ClientOptions): Send => {
  const base = baseOf(client.baseUrl)
  const credentials = {
    apiKey: credentialOf("apiKey", client.apiKey),
    token: credentialOf("token", client.token)
  }
  const fetch = client.fetch ?? globalThis.fetch

  const requestOf = (call: Call, key: string | undefined): readonly [url: string, init: RequestInit] => [
    `${base}${pathOf(call.path, call.ids ?? {})}${queryText(call.query ?? {})}`,
    {
      method: call.method,
      headers: headersOf(credentials, call, key),
      // Never followed: the key would go elsewhere. With "error" it would look like a failed connection.
      redirect: "manual",
      ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) })
    }
  ]

  const tryOnce = <A>({ options, mayBeEmpty }: Call, url: string, init: RequestInit): Promise<A> =>
    withTimeout(options?.timeoutMs ?? client.timeoutMs ?? DEFAULT_TIMEOUT_MS, options?.signal, (signal) =>
      fetch(url, { ...init, signal }).then((response) => readResponse<A>(response, mayBeEmpty))
    )

  return async <A>(call: Call): Promise<A> => {
    const { known } = call
    if (known !== undefined)
      for (const fields of call.items ?? [call.query ?? call.body]) requireKnown(fields, known)
    const key = await keyOf(call)
    const [url, init] = requestOf(call, key)
    // Throws the TypeError of arguments that cannot be sent, which from `fetch` looks like a failed connection.
    void new Request(url, init)
    const retries = call.options?.retries ?? client.retries ?? DEFAULT_RETRIES
    const isSafe = call.method === "GET" || call.isSafe === true || key !== undefined
    for (let tries = 0; ; tries++) {
      try {
        return await tryOnce<A>(call, url, init)
      } catch (error) {
        if (!(error instanceof PeykError) || tries >= retries || !mayRetry(error, isSafe)) throw error
        await sleep(delayBefore(tries, error), call.options?.signal)
      }
    }
  }
}
