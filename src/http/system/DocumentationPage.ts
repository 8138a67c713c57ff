import { Effect, Layer, type Types } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { promisify } from "node:util"
import { constants, gzip } from "node:zlib"
import type { ServedRoute } from "../RouteTable.ts"
import { CONSOLE_PATH } from "../console/ConsolePaths.ts"
import type { ApiDocument } from "./ApiDocument.ts"
import { referencePage } from "./ReferencePage.ts"

/** Whether a browser asks: it names HTML, and does not refuse it. */
export const acceptsHtml = ({ headers }: HttpServerRequest.HttpServerRequest): boolean =>
  (headers["accept"] ?? "")
    .split(",")
    .some((range) => /^\s*text\/html\s*(;|$)/i.test(range) && !/;\s*q=0(\.0*)?\s*$/i.test(range))

type Response = HttpServerResponse.HttpServerResponse

const zip = promisify(gzip)

interface FixedPageOptions {
  readonly contentType: string
  readonly headersOf?: (bytes: Uint8Array) => Readonly<Record<string, string>>
}

interface Page {
  readonly plain: Response
  readonly zipped: Response
  readonly unchanged: Response
  readonly etag: string
}

const makePage = Effect.fnUntraced(function* (
  bytes: Uint8Array,
  { contentType, headersOf }: FixedPageOptions
) {
  const etag = `W/"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`
  const headers = { etag, "cache-control": "no-cache", vary: "accept-encoding", ...headersOf?.(bytes) }
  const zipped = yield* Effect.promise(() => zip(bytes, { level: constants.Z_BEST_COMPRESSION }))
  return {
    plain: HttpServerResponse.uint8Array(bytes, { contentType, headers }),
    zipped: HttpServerResponse.uint8Array(zipped, {
      contentType,
      headers: { ...headers, "content-encoding": "gzip" }
    }),
    unchanged: HttpServerResponse.empty({ status: 304, headers }),
    etag
  } satisfies Page
})

/** RFC 9110, 12.5.3: whether gzip has a weight that is not zero. */
const acceptsGzip = (header = ""): boolean =>
  header
    .split(",")
    .some((coding) => /^\s*(gzip|x-gzip|\*)\s*(;|$)/i.test(coding) && !/;\s*q=0(\.0*)?\s*$/i.test(coding))

const opaque = (etag: string): string => etag.trim().replace(/^W\//, "")

/** RFC 9110, 13.1.2: tags are compared weakly. */
const isUnchanged = (header: string | undefined, etag: string): boolean =>
  header !== undefined &&
  header.split(",").some((given) => given.trim() === "*" || opaque(given) === opaque(etag))

const bytesOf = ({ body }: Response): Uint8Array =>
  body._tag === "Uint8Array" ? body.body : new Uint8Array()

type App = Effect.Effect<Response, Types.unhandled>

/**
 * Serves what the route creates. It is created and compressed once per process, also if hundreds ask at once, and the
 * first of them goes away meanwhile.
 */
export const serveFixed = (options: FixedPageOptions) => {
  let made: Effect.Effect<Page, Types.unhandled> | undefined
  const makeFrom = (app: App) => Effect.flatMap(app, (response) => makePage(bytesOf(response), options))
  const answer = Effect.fnUntraced(function* (app: App) {
    made ??= yield* Effect.cached(Effect.uninterruptible(makeFrom(app)))
    const page = yield* made
    const { headers } = yield* HttpServerRequest.HttpServerRequest
    if (isUnchanged(headers["if-none-match"], page.etag)) return page.unchanged
    return acceptsGzip(headers["accept-encoding"]) ? page.zipped : page.plain
  })
  return HttpRouter.middleware(
    (app: App): Effect.Effect<Response, Types.unhandled, HttpServerRequest.HttpServerRequest> => answer(app)
  )
}

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

/** The committed document: to make it from the schemas takes a quarter of a second, in which nobody else is served. */
const readDocument = (): ApiDocument =>
  JSON.parse(readFileSync(new URL("../../../openapi.json", import.meta.url), "utf8")) as ApiDocument

/** The API's reference for people. */
export const DocumentationPage = Layer.unwrap(
  Effect.sync(() =>
    HttpRouter.add(
      "GET",
      DOCS_PATH,
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
