/** Serves the reference: each page is made from the committed document when it is first wanted, and kept. */
import { Effect, type Types } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { readFileSync } from "node:fs"
import { extname } from "node:path"
import { pathOf } from "../../RouteTable.ts"
import { CONTENT_TYPES, documentationHeaders, respondWith, type FixedPage, makePage } from "../FixedPages.ts"
import type { ApiDocument } from "./ApiDocument.ts"
import { withAdvice } from "./Prose.ts"
import { ASSETS_PATH, REFERENCE_PATH } from "./Frame.ts"
import { makeReference, type Reference } from "./ReferencePages.ts"

const HEADERS = documentationHeaders({ images: "'self'" })

const assets: ReadonlySet<string> = new Set([
  "reference.css",
  "search.css",
  "code.css",
  "lists.css",
  "operation.css",
  "theme.js",
  "reference.js",
  "code.js",
  "search.js",
  "try.js"
])

const readAsset = (name: string): Uint8Array => readFileSync(new URL(`assets/${name}`, import.meta.url))

/** A file that clones and packages have. */
const readText = (file: string): string =>
  readFileSync(new URL(`../../../../${file}`, import.meta.url), "utf8")

/** The committed document: to make it from the schemas takes a quarter of a second, in which nobody else is served. */
export const readDocument = (): ApiDocument => JSON.parse(readText("openapi.json")) as ApiDocument

/** The document with what docs/errors.md says to do about each error. */
export const readReference = (): ApiDocument => withAdvice(readDocument(), readText("docs/errors.md"))

const contentTypeOf = (name: string): string =>
  CONTENT_TYPES[extname(`_${name}`)] ?? "application/octet-stream"

const SEARCH = "search.json"
const ASSETS = `${ASSETS_PATH.slice(REFERENCE_PATH.length + 1)}/`

const FONT = /^_astro\/inter-latin-wght-normal\.[\w-]+\.woff2$/

/** The site's font, where the site is built; else the reader's own. */
const fontsOf = (siteFiles: ReadonlySet<string>): string => {
  const file = [...siteFiles].find((each) => FONT.test(each))
  return file === undefined
    ? "/* the site is not built: the reader's own font */\n"
    : `@font-face { font-family: "Inter Variable"; font-weight: 100 900; font-display: swap; src: url("/docs/${file}") format("woff2"); }\n`
}

interface File {
  readonly contentType: string
  readonly read: () => Uint8Array | string
}

/** The file at a path below the reference; undefined: there is none. */
const fileAt = (
  path: string,
  reference: () => Reference,
  siteFiles: ReadonlySet<string>
): File | undefined => {
  if (path === SEARCH) return { contentType: contentTypeOf(path), read: () => reference().search() }
  if (path.startsWith(ASSETS)) {
    const name = path.slice(ASSETS.length)
    if (name === "fonts.css") return { contentType: contentTypeOf(name), read: () => fontsOf(siteFiles) }
    return assets.has(name) ? { contentType: contentTypeOf(name), read: () => readAsset(name) } : undefined
  }
  const page = reference().pages.get(path)
  return page === undefined ? undefined : { contentType: contentTypeOf(".html"), read: page }
}

const pathIn = (url: string): string => pathOf(url).replace(/^\/docs(?:\/api)?\/?/, "")

type PageResponse = Effect.Effect<HttpServerResponse.HttpServerResponse, Types.unhandled>

/** Also a path that names an operation or an error code: it leads to where that is. */
export const makeReferenceResponse = (siteFiles: ReadonlySet<string>) => {
  let made: Reference | undefined
  const reference = () => (made ??= makeReference(readReference()))
  const kept = new Map<string, Effect.Effect<FixedPage>>()
  const pageOf = Effect.fnUntraced(function* (path: string, { contentType, read }: File) {
    const known = kept.get(path)
    if (known !== undefined) return yield* known
    const make = Effect.suspend(() => {
      const content = read()
      const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content
      return makePage(bytes, { contentType, headersOf: () => HEADERS })
    })
    const page = yield* Effect.cached(Effect.uninterruptible(make))
    kept.set(path, page)
    return yield* page
  })
  return (request: HttpServerRequest.HttpServerRequest): PageResponse => {
    const path = pathIn(request.url)
    const file = fileAt(path, reference, siteFiles)
    if (file !== undefined) return Effect.map(pageOf(path, file), (page) => respondWith(page, request))
    const target = reference().targets.get(path)
    return Effect.succeed(
      target === undefined
        ? HttpServerResponse.empty({ status: 404 })
        : HttpServerResponse.redirect(target, { status: 302, headers: HEADERS })
    )
  }
}

/** The path that stands for the start page, and those below it. */
export const REFERENCE_PATHS = `${REFERENCE_PATH}/*` as const

export const referenceAt = (path: `/${string}`, siteFiles: ReadonlySet<string> = new Set()) => {
  const respond = makeReferenceResponse(siteFiles)
  return HttpRouter.add("GET", path, Effect.flatMap(HttpServerRequest.HttpServerRequest, respond))
}
