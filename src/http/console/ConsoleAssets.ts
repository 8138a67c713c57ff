import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import type { ServedRoute } from "../RouteTable.ts"
import { serveFixed } from "../system/FixedPage.ts"
import { ASSETS_PATH } from "./ConsolePaths.ts"
import { CONSOLE_HEADERS } from "./frame/ConsoleHeaders.ts"

const CSS = "text/css; charset=utf-8"
const JAVASCRIPT = "text/javascript; charset=utf-8"
const SVG = "image/svg+xml"

const own = (name: string, contentType: string) => ({
  name,
  contentType,
  file: new URL(`assets/${name}`, import.meta.url)
})

const require = createRequire(import.meta.url)

/** A file of a package that browsers run as it is. */
const packaged = (path: string, name: string, contentType: string) => ({
  name,
  contentType,
  file: require.resolve(`${path}/${name}`)
})

const files = [
  own("console.css", CSS),
  own("console.js", JAVASCRIPT),
  own("charts.js", JAVASCRIPT),
  own("forms.js", JAVASCRIPT),
  own("icons.svg", SVG),
  own("icon.svg", SVG),
  packaged("uplot/dist", "uPlot.iife.min.js", JAVASCRIPT),
  packaged("uplot/dist", "uPlot.min.css", CSS)
]

const pathOf = (name: string): `/${string}` => `${ASSETS_PATH}/${name}`

export const assetRoutes: ReadonlyArray<ServedRoute> = files.map(({ name }) => ({
  method: "GET",
  path: pathOf(name)
}))

/** The console's style, script and drawings. */
export const ConsoleAssets = Layer.unwrap(
  Effect.sync(() => {
    const [first, ...rest] = files.map(({ name, contentType, file }) => {
      const bytes = readFileSync(file)
      return HttpRouter.add("GET", pathOf(name), HttpServerResponse.uint8Array(bytes)).pipe(
        Layer.provide(serveFixed({ contentType, headersOf: () => CONSOLE_HEADERS }).layer)
      )
    })
    return first === undefined ? Layer.empty : Layer.mergeAll(first, ...rest)
  })
)
