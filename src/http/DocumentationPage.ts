import { Effect, Layer, type Types } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiScalar } from "effect/http-api"
import { createHash } from "node:crypto"
import { promisify } from "node:util"
import { constants, gzip } from "node:zlib"
import { Api } from "./Api.ts"

export const DOCS_PATH = "/docs"

type Response = HttpServerResponse.HttpServerResponse

const zip = promisify(gzip)

const INLINE_SCRIPT = /<script>([\s\S]*?)<\/script>/g

const hashSource = (script: string): string =>
  `'sha256-${createHash("sha256").update(script).digest("base64")}'`

/** Of the page's scripts by their hashes, and nothing from another host; requests can be tried against this service. */
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

interface Page {
  readonly plain: Response
  readonly zipped: Response
  readonly unchanged: Response
  readonly etag: string
}

/** It stays the same for as long as the process lives: three megabytes, of which nothing is made twice. */
const makePage = Effect.fnUntraced(function* (html: Uint8Array) {
  const etag = `W/"${createHash("sha256").update(html).digest("base64url").slice(0, 22)}"`
  const headers = {
    etag,
    "cache-control": "no-cache",
    "content-security-policy": contentSecurityPolicy(Buffer.from(html).toString("utf8")),
    "referrer-policy": "no-referrer",
    vary: "accept-encoding",
    "x-frame-options": "DENY"
  }
  const contentType = "text/html; charset=utf-8"
  const zipped = yield* Effect.promise(() => zip(html, { level: constants.Z_BEST_COMPRESSION }))
  return {
    plain: HttpServerResponse.uint8Array(html, { contentType, headers }),
    zipped: HttpServerResponse.uint8Array(zipped, {
      contentType,
      headers: { ...headers, "content-encoding": "gzip" }
    }),
    unchanged: HttpServerResponse.empty({ status: 304, headers }),
    etag
  } satisfies Page
})

/** RFC 9110, 12.5.3: whether gzip is named with a weight that is not zero. */
const acceptsGzip = (header = ""): boolean =>
  header
    .split(",")
    .some((coding) => /^\s*(gzip|x-gzip|\*)\s*(;|$)/i.test(coding) && !/;\s*q=0(\.0*)?\s*$/i.test(coding))

const opaque = (etag: string): string => etag.trim().replace(/^W\//, "")

/** RFC 9110, 13.1.2: tags are compared weakly. */
const isUnchanged = (header: string | undefined, etag: string): boolean =>
  header !== undefined &&
  header.split(",").some((given) => given.trim() === "*" || opaque(given) === opaque(etag))

const htmlOf = ({ body }: Response): Uint8Array => (body._tag === "Uint8Array" ? body.body : new Uint8Array())

/** Answers with the page that the route makes, once it was made. */
const servePage = () => {
  let page: Page | undefined
  const answer = Effect.fnUntraced(function* (app: Effect.Effect<Response, Types.unhandled>) {
    page ??= yield* makePage(htmlOf(yield* app))
    const { headers } = yield* HttpServerRequest.HttpServerRequest
    if (isUnchanged(headers["if-none-match"], page.etag)) return page.unchanged
    return acceptsGzip(headers["accept-encoding"]) ? page.zipped : page.plain
  })
  return HttpRouter.middleware(
    (
      app: Effect.Effect<Response, Types.unhandled>
    ): Effect.Effect<Response, Types.unhandled, HttpServerRequest.HttpServerRequest> => answer(app)
  )
}

/** The API's reference for people. Its default fonts would come from the network. */
export const DocumentationPage = Layer.unwrap(
  Effect.sync(() =>
    HttpApiScalar.layer(Api, { path: DOCS_PATH, scalar: { withDefaultFonts: false } }).pipe(
      Layer.provide(servePage().layer)
    )
  )
)
