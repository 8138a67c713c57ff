import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { CONSOLE_PATH } from "../console/ConsolePaths.ts"
import type { ServedRoute } from "../RouteTable.ts"
import { acceptsHtml } from "./AcceptedHtml.ts"
import { DOCS_PATH, OPENAPI_PATH } from "./DocumentationPage.ts"

const ROOT_PATH = "/"

export const rootRoutes: ReadonlyArray<ServedRoute> = [{ method: "GET", path: ROOT_PATH }]

const links = { docs: DOCS_PATH, openapi: OPENAPI_PATH, console: CONSOLE_PATH, health: "/healthz" }

/** Sends people to the console, and answers programs with where everything is. */
export const RootPage = HttpRouter.add(
  "GET",
  ROOT_PATH,
  Effect.map(HttpServerRequest.HttpServerRequest, (request) => {
    const headers = { vary: "accept" }
    return acceptsHtml(request)
      ? HttpServerResponse.redirect(CONSOLE_PATH, { headers })
      : HttpServerResponse.jsonUnsafe(links, { headers })
  })
)
