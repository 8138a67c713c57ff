import { Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { NotFound } from "../../domain/Errors.ts"
import type { ServedRoute } from "../RouteTable.ts"
import { assetRoutes, ConsoleAssets } from "./ConsoleAssets.ts"
import { CONSOLE_PATH, SIGN_IN_LINK_PATH, SIGN_IN_PATH } from "./ConsolePaths.ts"
import { seeOther } from "./frame/Answers.ts"
import { makeSignedPages } from "./frame/SignedPages.ts"
import type { ConsoleError } from "./frame/Refusals.ts"
import type { PlacedRoute, RequestContext, SignedRoute } from "./frame/SignedRoutes.ts"
import { Simulator } from "../../services/system/Simulator.ts"
import { navigationOf, type PageName } from "./Navigation.ts"
import { sections } from "./Sections.ts"
import { signInPages } from "./pages/session/SignInPages.ts"

type AnyRoute = (typeof sections)[number]["routes"][number]
type NeedsOf<Route> = Route extends SignedRoute<infer R> ? Exclude<R, RequestContext> : never
type Needs = NeedsOf<AnyRoute>

/** The last routes: they have the console's own page for addresses that no other route serves. */
const unknownPages: ReadonlyArray<PlacedRoute<never>> = (["GET", "POST"] as const).map((method) => ({
  method,
  pagePath: null,
  path: `${CONSOLE_PATH}/:page/*`,
  handle: () => Effect.fail<ConsoleError>(new NotFound())
}))

const ownRoutes = sections.flatMap(({ routes }): ReadonlyArray<AnyRoute> => routes)

const pagePaths: ReadonlySet<string> = new Set(
  ownRoutes.flatMap(({ method, path }) => (method === "GET" ? [path] : []))
)

/** The path of the page that a form is on: its own, or the nearest above it. */
const pagePathOf = (path: string): string =>
  pagePaths.has(path) ? path : pagePathOf(path.slice(0, path.lastIndexOf("/")))

/** A form's own path leads to its page: an address is opened again, or shared. */
const formPaths: ReadonlyArray<PlacedRoute<never>> = ownRoutes.flatMap(({ method, path }) =>
  method === "POST" && !pagePaths.has(path)
    ? [
        {
          method: "GET",
          path,
          pagePath: pagePathOf(path),
          handle: (view) => Effect.succeed(seeOther(view.path))
        }
      ]
    : []
)

const signedRoutes: ReadonlyArray<PlacedRoute<Needs | RequestContext>> = [
  ...ownRoutes.map((route) => ({ ...route, pagePath: pagePathOf(route.path) })),
  ...formPaths,
  ...unknownPages
]

const bothMethods = (path: string) => ["GET", "POST"].map((method) => ({ method, path }))

/** The routes of the console; `ConsoleRoutes` has a handler for each. */
export const consoleRoutes: ReadonlyArray<ServedRoute> = [
  ...assetRoutes,
  ...bothMethods(SIGN_IN_PATH),
  ...bothMethods(SIGN_IN_LINK_PATH),
  ...signedRoutes.map(({ method, path }) => ({ method, path }))
]

const pages = Layer.unwrap(
  Effect.gen(function* () {
    const services = yield* Effect.context<Needs>()
    const { isOn } = yield* Simulator
    const own = sections.flatMap(({ name }): ReadonlyArray<PageName> => (name === null ? [] : [name]))
    const names = isOn ? [...own, "simulator" as const] : own
    const serve = yield* makeSignedPages(navigationOf(new Set(names)))
    const routes = [
      ...(yield* signInPages),
      ...signedRoutes.map(({ method, path, pagePath, handle }) =>
        serve({
          method,
          path,
          pagePath,
          handle: (view) => Effect.provideContext(handle(view), services)
        })
      )
    ]
    return Layer.mergeAll(
      Layer.empty,
      ...routes.map(({ method, path, handle }) => HttpRouter.add(method, path, handle))
    )
  })
)

/** The console: pages for the people who manage a customer's account. */
export const ConsoleRoutes = Layer.mergeAll(pages, ConsoleAssets)
