import { Layer } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "./Api.ts"
import {
  DOCS_PATH,
  OPENAPI_PATH,
  OpenApiDocument,
  REFERENCE_PATH,
  referenceAt,
  RootPage,
  rootRoutes
} from "./system/DocumentationPage.ts"
import { findSite, SITE_PATHS, sitePages } from "./system/DocumentationSite.ts"
import { InboundRoutes, inboundRoutes } from "./system/InboundRoutes.ts"
import { ManageOptions } from "./manage/ManageAuth.ts"
import { type IsUnavailable, requestPipeline } from "./server/RequestPipeline.ts"
import { ConsoleRoutes, consoleRoutes } from "./console/ConsoleRoutes.ts"
import { asErrorPage } from "./console/frame/Answers.ts"
import { makeRouteTable, type ServedRoute } from "./RouteTable.ts"
import { SimulatorRoutes, simulatorRoutes } from "./system/SimulatorRoutes.ts"

const apiRoutes: ReadonlyArray<ServedRoute> = Object.values(Api.groups).flatMap((group) =>
  Object.values(group.endpoints).map(({ method, path }) => ({ method, path }))
)
const documentRoutes = [OPENAPI_PATH, REFERENCE_PATH]

/** Everything that is served. The graph that composes it provides the handlers of the API's groups. */
export const makeRoutes = (options: {
  readonly simulator: boolean
  readonly isUnavailable: IsUnavailable
  readonly corsOrigins: ReadonlySet<string>
}) => {
  const site = findSite()
  const served = [
    ...apiRoutes,
    ...[...documentRoutes, site === undefined ? DOCS_PATH : SITE_PATHS].map((path) => ({
      method: "GET",
      path
    })),
    ...rootRoutes,
    ...consoleRoutes,
    ...inboundRoutes,
    ...(options.simulator ? simulatorRoutes : [])
  ]
  return Layer.mergeAll(
    HttpApiBuilder.layer(Api),
    referenceAt(REFERENCE_PATH),
    site === undefined ? referenceAt(DOCS_PATH) : sitePages(site),
    OpenApiDocument,
    RootPage,
    ConsoleRoutes,
    InboundRoutes,
    options.simulator ? SimulatorRoutes : Layer.empty,
    ManageOptions,
    requestPipeline({ ...options, asErrorPage, findPath: makeRouteTable(served) })
  )
}
