/** The console's style, scripts and drawings, at addresses that change with them: browsers keep them for good. */
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { extname } from "node:path"
import { pathOf, type ServedRoute } from "../RouteTable.ts"
import { CONTENT_TYPES, FOR_GOOD, makePage, respondAt, versionOf } from "../system/FixedPages.ts"
import { ASSETS_PATH } from "./ConsolePaths.ts"

/** No script or style but the console's own files, no other host, no frame. */
export const CONSOLE_HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy": [
    "default-src 'self'",
    "base-uri 'none'",
    "object-src 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'"
  ].join("; "),
  "referrer-policy": "same-origin",
  "x-frame-options": "DENY"
}

const own = <Name extends string>(name: Name) => ({ name, file: new URL(`assets/${name}`, import.meta.url) })

const require = createRequire(import.meta.url)

/** A file of a package that browsers run as it is. */
const packaged = <Name extends string>(path: string, name: Name) => ({
  name,
  file: require.resolve(`${path}/${name}`)
})

/** They name each other by their names alone, so all of them have one version. */
const versioned = [
  own("console.css"),
  own("console.js"),
  own("charts.js"),
  own("forms.js"),
  own("dates.js"),
  own("palette.js"),
  own("passkeys.js"),
  own("icons.svg"),
  own("icon.svg"),
  packaged("uplot/dist", "uPlot.iife.min.js"),
  packaged("uplot/dist", "uPlot.min.css")
]

/** Its name has its version: an upgrade of the others does not load it again. */
const font = own("vazirmatn-33.0.3.woff2")

/** Browsers ask for it where a page names no icon. */
const FAVICON_PATH = "/favicon.ico"
const favicon = own("icon.svg")

let known: string | undefined
const version = (): string =>
  (known ??= versionOf(versioned.map(({ name, file }) => [name, readFileSync(file)])))

/** The address of a file today. */
export const assetPath = (name: (typeof versioned)[number]["name"]): string =>
  `${ASSETS_PATH}/${version()}/${name}`

interface ServedFile {
  readonly path: `/${string}`
  readonly name: string
  readonly file: string | URL
  /** Whether what an address has never changes. */
  readonly isFinal: (path: string) => boolean
}

/** Where the version stands in `/console/assets/{version}/console.js`. */
const VERSION_AT = ASSETS_PATH.split("/").length

const served: ReadonlyArray<ServedFile> = [
  ...versioned.map(({ name, file }) => ({
    path: `${ASSETS_PATH}/:version/${name}` as const,
    name,
    file,
    isFinal: (path: string) => path.split("/")[VERSION_AT] === version()
  })),
  { path: `${ASSETS_PATH}/${font.name}`, ...font, isFinal: () => true },
  { path: FAVICON_PATH, ...favicon, isFinal: () => false }
]

export const assetRoutes: ReadonlyArray<ServedRoute> = served.map(({ path }) => ({
  method: "GET",
  path,
  load: "asset"
}))

const FONT_TYPE = ".woff2"

const routeOf = Effect.fnUntraced(function* ({ path, name, file, isFinal }: ServedFile) {
  const type = extname(name)
  // Made and compressed once, also if the first who asks goes away.
  const page = yield* Effect.cached(
    Effect.uninterruptible(
      Effect.suspend(() =>
        makePage(readFileSync(file), {
          contentType: CONTENT_TYPES[type] ?? "application/octet-stream",
          isCompressed: type === FONT_TYPE,
          headersOf: () => ({ ...CONSOLE_HEADERS, ...FOR_GOOD })
        })
      )
    )
  )
  return HttpRouter.add(
    "GET",
    path,
    Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      return respondAt(yield* page, request, isFinal(pathOf(request.url)))
    })
  )
})

export const ConsoleAssets = Layer.unwrap(
  Effect.map(Effect.forEach(served, routeOf), ([first, ...rest]) =>
    first === undefined ? Layer.empty : Layer.mergeAll(first, ...rest)
  )
)
