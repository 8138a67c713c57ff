import { Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { NotFound } from "../../domain/Errors.ts"
import type { ServedRoute } from "../RouteTable.ts"
import { assetRoutes, ConsoleAssets } from "./ConsoleAssets.ts"
import { CONSOLE_PATH, SECOND_STEP_PATH, SIGN_IN_LINK_PATH, SIGN_IN_PATH } from "./ConsolePaths.ts"
import { navigationOf, type PageName } from "./Navigation.ts"
import { channelPages } from "./account/ChannelRoutes.ts"
import { sharedAccountPages } from "./account/SharedRoutes.ts"
import { alertPages } from "./alert/AlertRoutes.ts"
import { allAuditPages, auditPages } from "./activity/AuditPage.ts"
import { insightsPages } from "./activity/InsightsPage.ts"
import { overviewPages } from "./activity/OverviewPage.ts"
import { allRequestPages, requestPages } from "./activity/RequestRoutes.ts"
import { customerPages } from "./CustomerPages.ts"
import { securityPages } from "./SecurityPage.ts"
import { settingsPages } from "./SettingsPage.ts"
import { seeOther } from "./frame/Responses.ts"
import type { ConsoleError } from "./frame/Refusals.ts"
import { makeSignedPages } from "./frame/SignedPages.ts"
import type { PlacedRoute, RequestContext, SignedRoute } from "./frame/SignedRoutes.ts"
import { guardPages } from "./GuardPage.ts"
import { keyPages } from "./key/KeyPage.ts"
import { tokenPages } from "./key/TokenRoutes.ts"
import { messagePages, messagesPages } from "./message/MessagePages.ts"
import { templatePages } from "./message/TemplatePages.ts"
import { phonePages } from "./phone/PhonePages.ts"
import { usagePages } from "./UsagePage.ts"
import { walletPages } from "./WalletPage.ts"
import { routingPages } from "./RoutingPage.ts"
import { healthPages } from "./HealthPage.ts"
import { sessionPages, signInPages } from "./SignInPages.ts"
import { savedViewPages } from "./SavedViewsPage.ts"
import { searchPages } from "./search/SearchPage.ts"
import { userPages } from "./UserPages.ts"
import { testPages } from "./verification/TestPages.ts"
import { verificationPages, verificationsPages } from "./verification/VerificationPages.ts"
import { webhookPages } from "./webhook/WebhookRoutes.ts"
import { Simulator } from "../../services/system/Simulator.ts"

/** Every page of the console, one line a file. */
const sections = [
  sessionPages,
  searchPages,
  savedViewPages,
  // Operators
  customerPages,
  healthPages,
  sharedAccountPages,
  allRequestPages,
  allAuditPages,
  // Activity
  overviewPages,
  insightsPages,
  verificationsPages,
  verificationPages,
  messagesPages,
  messagePages,
  phonePages,
  testPages,
  // Set-up
  channelPages,
  routingPages,
  templatePages,
  guardPages,
  alertPages,
  // Developers
  keyPages,
  tokenPages,
  webhookPages,
  requestPages,
  // Money
  walletPages,
  usagePages,
  // People
  userPages,
  auditPages,
  settingsPages,
  securityPages
]

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

/** What is looked at, files too. */
export const pagePaths: ReadonlySet<string> = new Set(
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
  ...bothMethods(SECOND_STEP_PATH),
  ...signedRoutes.map(({ method, path }) => ({ method, path, load: "manage" as const }))
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
