import { type Cause, Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { existsSync, readdirSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { extname } from "node:path"
import { acceptsHtml, DOCS_PATH } from "./DocumentationPage.ts"
import { pathOf } from "../RouteTable.ts"
import { CONTENT_TYPES, documentationHeaders, respondWith, type FixedPage, makePage } from "./FixedPages.ts"

/** What `npm run site` makes: next to the program in a clone, a package and an image. */
const BUILT_SITE = new URL("../../../build/site/", import.meta.url)

const OTHER = "application/octet-stream"
const COMPRESSED = new Set(["image/png", "image/webp", "font/woff2"])

const HEADERS = documentationHeaders({ images: "'self' data:" })

/** The names of these files change with their contents. */
const isHashed = (file: string): boolean => file.startsWith("_astro/")

export interface DocumentationSite {
  readonly files: ReadonlySet<string>
  readonly read: (file: string) => Promise<Uint8Array>
}

export const hasSite = (folder: URL = BUILT_SITE): boolean => existsSync(new URL("index.html", folder))

/** The site in a folder; undefined: none was built. */
export const findSite = (folder: URL = BUILT_SITE): DocumentationSite | undefined => {
  if (!hasSite(folder)) return undefined
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
  return {
    files: new Set(files.map((file) => file.replaceAll("\\", "/"))),
    read: (file) => readFile(new URL(file, folder))
  }
}

/** The file of a path below the site: only what was found in its folder, whatever the path says. */
const fileOf = (files: ReadonlySet<string>, path: string): string | undefined =>
  [path, path === "" || path.endsWith("/") ? `${path}index.html` : undefined].find(
    (file) => file !== undefined && extname(file) !== "" && files.has(file)
  )

const pathBelow = (url: string): string => pathOf(url).replace(/^\/docs\/?/, "")

const optionsFor = (file: string) => {
  const contentType = CONTENT_TYPES[extname(file)] ?? OTHER
  const caching = isHashed(file) ? { "cache-control": "public, max-age=31536000, immutable" } : {}
  return {
    contentType,
    isCompressed: COMPRESSED.has(contentType),
    headersOf: () => ({ ...HEADERS, ...caching })
  }
}

/** Answers any path below /docs. Each file is read and compressed once per process, when it is first wanted. */
const makeSiteResponse = ({ files, read }: DocumentationSite) => {
  const pages = new Map<string, Effect.Effect<FixedPage, Cause.UnknownError>>()
  const makeFrom = (file: string) =>
    Effect.flatMap(
      Effect.tryPromise(() => read(file)),
      (bytes) => makePage(bytes, optionsFor(file))
    )
  /** Null: the site was built anew since this process began. */
  const pageOf = Effect.fnUntraced(function* (file: string) {
    const page = pages.get(file) ?? (yield* Effect.cached(Effect.uninterruptible(makeFrom(file))))
    pages.set(file, page)
    return yield* Effect.catch(page, () => Effect.sync(() => (pages.delete(file), null)))
  })
  const missing = Effect.fnUntraced(function* (path: string, request: HttpServerRequest.HttpServerRequest) {
    if (!acceptsHtml(request)) return HttpServerResponse.empty({ status: 404 })
    const own = path.startsWith("fa/") ? "fa/404/index.html" : "404.html"
    const page = yield* pageOf(files.has(own) ? own : "404.html")
    if (page === null) return HttpServerResponse.empty({ status: 404 })
    return HttpServerResponse.setStatus(page.plain, 404)
  })
  return Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
    const path = pathBelow(request.url)
    const file = fileOf(files, path)
    const page = file === undefined ? null : yield* pageOf(file)
    if (page !== null) return respondWith(page, request)
    // relative, so that a proxy may have another path before it
    if (files.has(`${path}/index.html`))
      return HttpServerResponse.redirect(`${path.split("/").at(-1)}/`, { status: 308, headers: HEADERS })
    return yield* missing(path, request)
  })
}

/** For the route table too. */
export const SITE_PATHS = "/docs/*"

/** The pages of the site: the path of the documentation, and all below it. */
export const sitePages = (site: DocumentationSite) =>
  HttpRouter.add(
    "GET",
    SITE_PATHS,
    Effect.flatMap(HttpServerRequest.HttpServerRequest, makeSiteResponse(site))
  )

/** Where no site was built, the reference says what it can: links of the console lead somewhere. */
export const pagesWithoutSite = HttpRouter.add(
  "GET",
  "/docs/:page/*",
  Effect.map(HttpServerRequest.HttpServerRequest, (request) =>
    acceptsHtml(request)
      ? HttpServerResponse.redirect(DOCS_PATH, { status: 302, headers: HEADERS })
      : HttpServerResponse.empty({ status: 404 })
  )
)
