import type { Effect } from "effect"
import type { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { PageName } from "./Navigation.ts"
import type { SignedRoute } from "./frame/SignedRoutes.ts"

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

/** The routes that one file of `pages` adds to the console. */
export interface ConsolePages {
  /** The page whose link the navigation shows from then on; null: none. */
  readonly name: PageName | null
  readonly routes: ReadonlyArray<SignedRoute<unknown>>
}
