import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { OpenApi } from "effect/http-api"
import { Api } from "../Api.ts"
import { serveFixed } from "./FixedPage.ts"
import type { ApiDocument } from "./reference/ApiDocument.ts"
import { referencePage } from "./reference/ReferencePage.ts"

export const DOCS_PATH = "/docs"
export const OPENAPI_PATH = "/openapi.json"

/** Nothing but the page's own styles; not even a script. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
].join("; ")

/** The API's reference for people. */
export const DocumentationPage = Layer.unwrap(
  Effect.sync(() =>
    HttpRouter.add(
      "GET",
      DOCS_PATH,
      Effect.sync(() =>
        HttpServerResponse.text(referencePage(OpenApi.fromApi(Api) as unknown as ApiDocument))
      )
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
