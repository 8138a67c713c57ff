import { Effect, Option, Redacted } from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { Api } from "./http/Api.ts"

/** A client's credentials. Each endpoint takes one of them; give those that you use. */
export interface ClientOptions {
  /** E.g. `https://peyk.example.ir`. */
  readonly baseUrl: string
  /** A service key (`svc_live_…`, `svc_test_…`), for sending and verifying. */
  readonly serviceKey?: Redacted.Redacted
  /** A personal access token (`svc_pat_…`), for the management API. */
  readonly personalToken?: Redacted.Redacted
  /** A session's access token, for the management API; overrides the personal token. */
  readonly accessToken?: Redacted.Redacted
}

const MANAGEMENT = /^\/v1\/(manage|auth)(\/|$)/

const pathOf = (url: string): string => (URL.canParse(url) ? new URL(url).pathname : url)

const authorizationOf = ({ personalToken, accessToken }: ClientOptions): string | undefined => {
  if (accessToken !== undefined) return `Bearer ${Redacted.value(accessToken)}`
  return personalToken === undefined ? undefined : `apikey ${Redacted.value(personalToken)}`
}

const authorize =
  (options: ClientOptions) =>
  (request: HttpClientRequest.HttpClientRequest): HttpClientRequest.HttpClientRequest => {
    if (!MANAGEMENT.test(pathOf(request.url))) {
      return options.serviceKey === undefined
        ? request
        : HttpClientRequest.setHeader(request, "x-api-key", Redacted.value(options.serviceKey))
    }
    const authorization = authorizationOf(options)
    return authorization === undefined
      ? request
      : HttpClientRequest.setHeader(request, "authorization", authorization)
  }

/** The error of a header with other characters would show the secret. */
const isPrintable = (secret: string): boolean => /^[!-~]+$/.test(secret)

const requireUsable = ({ baseUrl, serviceKey, personalToken, accessToken }: ClientOptions): void => {
  if (!/^https?:\/\/[^@?#\s\\]+$/i.test(baseUrl))
    throw new TypeError("baseUrl must be http:// or https://, a host and at most a path.")
  for (const [name, secret] of Object.entries({ serviceKey, personalToken, accessToken })) {
    if (secret !== undefined && !isPrintable(Redacted.value(secret)))
      throw new TypeError(`${name} is empty, or has characters that no header can carry.`)
  }
}

/**
 * `fetch` follows redirects and would send the service key to their target. Other HTTP clients follow no redirects by
 * default.
 */
const refuseRedirects = (client: HttpClient.HttpClient): HttpClient.HttpClient =>
  HttpClient.transform(client, (response) =>
    Effect.flatMap(Effect.serviceOption(FetchHttpClient.RequestInit), (given) =>
      Effect.provideService(response, FetchHttpClient.RequestInit, {
        ...Option.getOrUndefined(given),
        redirect: "manual"
      })
    )
  )

/**
 * A typed client of the whole API, over any `HttpClient`: `client.otp.send(…)`, `client["api-keys"].list(…)`. Errors
 * are the envelopes that the endpoint documents. A `TypeError` is thrown for options that cannot be sent.
 */
export const makeClient = (options: ClientOptions) => {
  requireUsable(options)
  return HttpApiClient.make(Api, {
    baseUrl: options.baseUrl,
    transformClient: (client) => refuseRedirects(HttpClient.mapRequest(client, authorize(options)))
  })
}

export { Api }
