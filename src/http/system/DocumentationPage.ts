import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { HttpApiScalar, OpenApi } from "effect/http-api"
import { createHash } from "node:crypto"
import { Api } from "../Api.ts"
import { serveFixed } from "./FixedPage.ts"

export const DOCS_PATH = "/docs"
export const OPENAPI_PATH = "/openapi.json"

const INLINE_SCRIPT = /<script>([\s\S]*?)<\/script>/g

const hashSource = (script: string): string =>
  `'sha256-${createHash("sha256").update(script).digest("base64")}'`

/** Allows the page's scripts by their hashes, and nothing from another host. The page can call this service. */
const contentSecurityPolicy = (html: string): string =>
  [
    "default-src 'none'",
    `script-src ${[...html.matchAll(INLINE_SCRIPT)].map(([, script = ""]) => hashSource(script)).join(" ")}`,
    "style-src 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'"
  ].join("; ")

const servePage = () =>
  serveFixed({
    contentType: "text/html; charset=utf-8",
    headersOf: (html) => ({
      "content-security-policy": contentSecurityPolicy(Buffer.from(html).toString("utf8")),
      "referrer-policy": "no-referrer",
      "x-frame-options": "DENY"
    })
  })

/** The API's reference for people. Its default fonts would come from the network. */
export const DocumentationPage = Layer.unwrap(
  Effect.sync(() =>
    HttpApiScalar.layer(Api, { path: DOCS_PATH, scalar: { withDefaultFonts: false } }).pipe(
      Layer.provide(servePage().layer)
    )
  )
)

/** The same for programs. */
export const OpenApiDocument = Layer.unwrap(
  Effect.sync(() =>
    HttpRouter.add(
      "GET",
      OPENAPI_PATH,
      Effect.sync(() => HttpServerResponse.jsonUnsafe(OpenApi.fromApi(Api)))
    ).pipe(Layer.provide(serveFixed({ contentType: "application/json" }).layer))
  )
)
