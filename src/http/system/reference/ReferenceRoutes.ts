/** Serves the reference: each page is made from the committed document when it is first wanted, and kept. */
import { Effect, type Types } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { readFileSync } from "node:fs"
import { extname } from "node:path"
import { pathOf } from "../../RouteTable.ts"
import {
  CONTENT_TYPES,
  documentationHeaders,
  type FixedPage,
  FOR_GOOD,
  makePage,
  respondAt,
  versionOf
} from "../FixedPages.ts"
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
  /** Whether what its address has never changes. */
  readonly isFinal: boolean
}

interface Assets {
  readonly version: string
  readonly read: (name: string) => Uint8Array | string | undefined
}

/** Style and scripts name each other by their names alone, so all of them have one version. */
const makeAssets = (siteFiles: ReadonlySet<string>): Assets => {
  const contents = new Map<string, Uint8Array | string>([
    ["fonts.css", fontsOf(siteFiles)],
    ...[...assets].map((name) => [name, readAsset(name)] as const)
  ])
  return { version: versionOf([...contents]), read: (name) => contents.get(name) }
}

interface Parts {
  readonly reference: () => Reference
  readonly assets: () => Assets
}

/** The file at a path below the reference; undefined: there is none. */
const fileAt = (path: string, parts: Parts): File | undefined => {
  if (path === SEARCH) {
    const read = () => parts.reference().search()
    return { contentType: contentTypeOf(path), read, isFinal: false }
  }
  if (path.startsWith(ASSETS)) {
    const [version, name = "", ...more] = path.slice(ASSETS.length).split("/")
    const known = parts.assets()
    const content = more.length === 0 ? known.read(name) : undefined
    if (content === undefined) return undefined
    return { contentType: contentTypeOf(name), read: () => content, isFinal: version === known.version }
  }
  const page = parts.reference().pages.get(path)
  return page === undefined ? undefined : { contentType: contentTypeOf(".html"), read: page, isFinal: false }
}

const pathIn = (url: string): string => pathOf(url).replace(/^\/docs(?:\/api)?\/?/, "")

/** One entry for a file, whatever version a page names. */
const keyOf = (path: string): string =>
  path.startsWith(ASSETS) ? `${ASSETS}${path.slice(path.lastIndexOf("/") + 1)}` : path

type PageResponse = Effect.Effect<HttpServerResponse.HttpServerResponse, Types.unhandled>

/** Also a path that names an operation or an error code: it leads to where that is. */
const makeReferenceResponse = (siteFiles: ReadonlySet<string>) => {
  let readAssets: Assets | undefined
  let made: Reference | undefined
  const parts: Parts = {
    assets: () => (readAssets ??= makeAssets(siteFiles)),
    reference: () => (made ??= makeReference(readReference(), `${ASSETS_PATH}/${parts.assets().version}`))
  }
  const kept = new Map<string, Effect.Effect<FixedPage>>()
  const pageOf = Effect.fnUntraced(function* (key: string, { contentType, read }: File) {
    const known = kept.get(key)
    if (known !== undefined) return yield* known
    const make = Effect.suspend(() => {
      const content = read()
      const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content
      return makePage(bytes, { contentType, headersOf: () => ({ ...HEADERS, ...FOR_GOOD }) })
    })
    const page = yield* Effect.cached(Effect.uninterruptible(make))
    kept.set(key, page)
    return yield* page
  })
  return (request: HttpServerRequest.HttpServerRequest): PageResponse => {
    const path = pathIn(request.url)
    const file = fileAt(path, parts)
    if (file !== undefined)
      return Effect.map(pageOf(keyOf(path), file), (page) => respondAt(page, request, file.isFinal))
    const target = parts.reference().targets.get(path)
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
