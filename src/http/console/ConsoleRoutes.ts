import { Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import type { ServedRoute } from "../RouteTable.ts"
import { assetRoutes, ConsoleAssets } from "./ConsoleAssets.ts"
import { CONSOLE_PATH, SIGN_IN_LINK_PATH, SIGN_IN_PATH, SIGN_OUT_PATH } from "./ConsolePaths.ts"
import { makeSignedPages } from "./frame/SignedPages.ts"
import { overviewPage } from "./pages/OverviewPage.ts"
import { sessionPages, SIGN_OUT_EVERYWHERE_PATH } from "./pages/SessionPages.ts"
import { signInPages } from "./pages/SignInPages.ts"
import { pathOf } from "./Navigation.ts"

const gets = (...paths: ReadonlyArray<string>) => paths.map((path) => ({ method: "GET", path }))
const posts = (...paths: ReadonlyArray<string>) => paths.map((path) => ({ method: "POST", path }))

/** What the console serves; `ConsoleRoutes` has a handler for each. */
export const consoleRoutes: ReadonlyArray<ServedRoute> = [
  ...assetRoutes,
  ...gets(CONSOLE_PATH, SIGN_IN_PATH, SIGN_IN_LINK_PATH, pathOf("overview")),
  ...posts(SIGN_IN_PATH, SIGN_IN_LINK_PATH, SIGN_OUT_PATH, SIGN_OUT_EVERYWHERE_PATH)
]

const pages = Layer.unwrap(
  Effect.gen(function* () {
    const signed = yield* makeSignedPages
    const routes = [
      ...(yield* signInPages),
      ...(yield* sessionPages(signed)),
      ...(yield* overviewPage(signed))
    ]
    return Layer.mergeAll(
      Layer.empty,
      ...routes.map(({ method, path, handle }) => HttpRouter.add(method, path, handle))
    )
  })
)

/** The console: pages for the people who manage a customer's account. */
export const ConsoleRoutes = Layer.mergeAll(pages, ConsoleAssets)
