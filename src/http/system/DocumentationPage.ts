import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { ServedRoute } from "../RouteTable.ts"
import { CONSOLE_PATH } from "../console/ConsolePaths.ts"
import { serveFixed } from "./FixedPages.ts"
import { readDocument } from "./reference/ReferenceRoutes.ts"

/** Whether a browser asks: it names HTML, and does not refuse it. */
export const acceptsHtml = ({ headers }: HttpServerRequest.HttpServerRequest): boolean =>
  (headers["accept"] ?? "")
    .split(",")
    .some((range) => /^\s*text\/html\s*(;|$)/i.test(range) && !/;\s*q=0(\.0*)?\s*$/i.test(range))

export const DOCS_PATH = "/docs"
export const OPENAPI_PATH = "/openapi.json"

/** The reference for programs. */
export const OpenApiDocument = Layer.unwrap(
  Effect.sync(() =>
    HttpRouter.add(
      "GET",
      OPENAPI_PATH,
      Effect.sync(() => HttpServerResponse.jsonUnsafe(readDocument()))
    ).pipe(Layer.provide(serveFixed({ contentType: "application/json" }).layer))
  )
)

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
