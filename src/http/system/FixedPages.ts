import { Effect, type Types } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { createHash } from "node:crypto"
import { promisify } from "node:util"
import { constants, gzip } from "node:zlib"

type Response = HttpServerResponse.HttpServerResponse

const zip = promisify(gzip)

/** Content types by the ends of files' names. */
export const CONTENT_TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".webp": "image/webp",
  ".woff2": "font/woff2"
}

/** What pages of the documentation may load: their own files, and responses of their own server (search, Try it). */
export const documentationHeaders = ({ images }: { readonly images: string }) => ({
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src ${images}`,
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'"
  ].join("; "),
  "referrer-policy": "no-referrer",
  "x-frame-options": "DENY"
})

/** For a file whose address changes with its content. */
export const FOR_GOOD = { "cache-control": "public, max-age=31536000, immutable" }

const TAG_LENGTH = 22
const VERSION_LENGTH = 12

/** A part of files' addresses that changes with the content of any of them. They can name each other by their names. */
export const versionOf = (
  files: ReadonlyArray<readonly [name: string, content: Uint8Array | string]>
): string => {
  const hash = createHash("sha256")
  for (const [name, content] of files) hash.update(`${name} ${Buffer.byteLength(content)}\n`).update(content)
  return hash.digest("base64url").slice(0, VERSION_LENGTH)
}

interface FixedPageOptions {
  readonly contentType: string
  /** Gzip would not make it smaller. */
  readonly isCompressed?: boolean
  readonly headersOf?: (bytes: Uint8Array) => Readonly<Record<string, string>>
}

export interface FixedPage {
  readonly plain: Response
  readonly zipped: Response
  readonly unchanged: Response
  readonly etag: string
}

/** A page that stays as it is: whole, compressed, and as the response to those who have it. */
export const makePage = Effect.fnUntraced(function* (
  bytes: Uint8Array,
  { contentType, headersOf, isCompressed = false }: FixedPageOptions
) {
  const etag = `W/"${createHash("sha256").update(bytes).digest("base64url").slice(0, TAG_LENGTH)}"`
  const headers = { etag, "cache-control": "no-cache", vary: "accept-encoding", ...headersOf?.(bytes) }
  const plain = HttpServerResponse.uint8Array(bytes, { contentType, headers })
  const unchanged = HttpServerResponse.empty({ status: 304, headers })
  if (isCompressed) return { plain, zipped: plain, unchanged, etag } satisfies FixedPage
  const zipped = yield* Effect.promise(() => zip(bytes, { level: constants.Z_BEST_COMPRESSION }))
  return {
    plain,
    zipped: HttpServerResponse.uint8Array(zipped, {
      contentType,
      headers: { ...headers, "content-encoding": "gzip" }
    }),
    unchanged,
    etag
  } satisfies FixedPage
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

/** The form of a page that a request accepts. */
export const respondWith = (page: FixedPage, { headers }: HttpServerRequest.HttpServerRequest): Response => {
  if (isUnchanged(headers["if-none-match"], page.etag)) return page.unchanged
  return acceptsGzip(headers["accept-encoding"]) ? page.zipped : page.plain
}

/**
 * A file at an address with the version of its content. While Peyk is upgraded, a page of another process can name an
 * older or a newer version: it gets the file as it is here (`isFinal` is false), and asks again the next time.
 */
export const respondAt = (
  page: FixedPage,
  request: HttpServerRequest.HttpServerRequest,
  isFinal: boolean
): Response => {
  const response = respondWith(page, request)
  return isFinal ? response : HttpServerResponse.setHeader(response, "cache-control", "no-cache")
}

type App = Effect.Effect<Response, Types.unhandled>

/**
 * Serves what the route creates. It is created and compressed once per process, also if hundreds ask at once, and the
 * first of them goes away meanwhile.
 */
export const serveFixed = (options: FixedPageOptions) => {
  let made: Effect.Effect<FixedPage, Types.unhandled> | undefined
  const makeFrom = (app: App) => Effect.flatMap(app, (response) => makePage(bytesOf(response), options))
  const respond = Effect.fnUntraced(function* (app: App) {
    made ??= yield* Effect.cached(Effect.uninterruptible(makeFrom(app)))
    return respondWith(yield* made, yield* HttpServerRequest.HttpServerRequest)
  })
  return HttpRouter.middleware(
    (app: App): Effect.Effect<Response, Types.unhandled, HttpServerRequest.HttpServerRequest> => respond(app)
  )
}
