import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { readFileSync } from "node:fs"
import type { ServedRoute } from "../RouteTable.ts"
import { serveFixed } from "../system/FixedPage.ts"
import { ASSETS_PATH } from "./ConsolePaths.ts"
import { CONSOLE_HEADERS } from "./frame/ConsoleHeaders.ts"

/** Of the folder next to this file. */
const files = [
  { name: "console.css", contentType: "text/css; charset=utf-8" },
  { name: "console.js", contentType: "text/javascript; charset=utf-8" },
  { name: "icons.svg", contentType: "image/svg+xml" },
  { name: "icon.svg", contentType: "image/svg+xml" }
] as const

const pathOf = (name: string): `/${string}` => `${ASSETS_PATH}/${name}`

export const assetRoutes: ReadonlyArray<ServedRoute> = files.map(({ name }) => ({
  method: "GET",
  path: pathOf(name)
}))

/** The console's style, script and drawings. */
export const ConsoleAssets = Layer.unwrap(
  Effect.sync(() => {
    const [first, ...rest] = files.map(({ name, contentType }) => {
      const bytes = readFileSync(new URL(`assets/${name}`, import.meta.url))
      return HttpRouter.add("GET", pathOf(name), HttpServerResponse.uint8Array(bytes)).pipe(
        Layer.provide(serveFixed({ contentType, headersOf: () => CONSOLE_HEADERS }).layer)
      )
    })
    return first === undefined ? Layer.empty : Layer.mergeAll(first, ...rest)
  })
)
