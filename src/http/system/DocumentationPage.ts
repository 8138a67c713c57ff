import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { readFileSync } from "node:fs"
import type { ServedRoute } from "../RouteTable.ts"
import { CONSOLE_PATH } from "../console/ConsolePaths.ts"
import type { ApiDocument } from "./ApiDocument.ts"
import { serveFixed } from "./FixedPages.ts"
import { referencePage } from "./ReferencePage.ts"

/** Whether a browser asks: it names HTML, and does not refuse it. */
export const acceptsHtml = ({ headers }: HttpServerRequest.HttpServerRequest): boolean =>
  (headers["accept"] ?? "")
    .split(",")
    .some((range) => /^\s*text\/html\s*(;|$)/i.test(range) && !/;\s*q=0(\.0*)?\s*$/i.test(range))

export const DOCS_PATH = "/docs"
export const REFERENCE_PATH = `${DOCS_PATH}/api` as const
export const OPENAPI_PATH = "/openapi.json"

/** Nothing but the page's own styles; not even a script. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
].join("; ")

/** The committed document: to make it from the schemas takes a quarter of a second, in which nobody else is served. */
const readDocument = (): ApiDocument =>
  JSON.parse(readFileSync(new URL("../../../openapi.json", import.meta.url), "utf8")) as ApiDocument

/** The API's reference for people. */
export const referenceAt = (path: typeof DOCS_PATH | typeof REFERENCE_PATH) =>
  Layer.unwrap(
    Effect.sync(() =>
      HttpRouter.add(
        "GET",
        path,
        Effect.sync(() => HttpServerResponse.text(referencePage(readDocument())))
      ).pipe(
        Layer.provide(
          serveFixed({
            contentType: "text/html; charset=utf-8",
            headersOf: () => ({
              "content-security-policy": CONTENT_SECURITY_POLICY,
              "referrer-policy": "no-referrer",
              "x-frame-options": "DENY"
            })
          }).layer
        )
      )
    )
  )

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
