import type { Effect } from "effect"
import type { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"

/** A path of the console, as it is served. */
export interface ConsoleRoute {
  readonly method: "GET" | "POST"
  readonly path: `/${string}`
  readonly handle: Effect.Effect<
    HttpServerResponse.HttpServerResponse,
    never,
    HttpServerRequest.HttpServerRequest | HttpRouter.RouteContext
  >
}
