import { Layer } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api, apiRoutes } from "./Api.ts"
import { DOCS_PATH, OPENAPI_PATH, OpenApiDocument, RootPage, rootRoutes } from "./system/DocumentationPage.ts"
import { findSite, pagesWithoutSite, SITE_PATHS, sitePages } from "./system/DocumentationSite.ts"
import { REFERENCE_PATHS, referenceAt } from "./system/reference/ReferenceRoutes.ts"
import { InboundRoutes, inboundRoutes } from "./system/InboundRoutes.ts"
import { ManageOptions } from "./manage/ManageAuth.ts"
import { type IsUnavailable, requestPipeline } from "./server/RequestPipeline.ts"
import { ConsoleRoutes, consoleRoutes } from "./console/ConsoleRoutes.ts"
import { asErrorPage } from "./console/frame/Responses.ts"
import { makeRouteTable, personalPaths, type ServedRoute } from "./RouteTable.ts"
import { SimulatorRoutes, simulatorRoutes } from "./system/SimulatorRoutes.ts"

const documentRoutes: ReadonlyArray<ServedRoute> = [OPENAPI_PATH, REFERENCE_PATHS, SITE_PATHS].map(
  (path) => ({
    method: "GET",
    path,
    load: "asset"
  })
)

/** Everything that is served. */
export const servedRoutes = (simulator: boolean): ReadonlyArray<ServedRoute> => [
  ...apiRoutes,
  ...documentRoutes,
  ...rootRoutes,
  ...consoleRoutes,
  ...inboundRoutes,
  ...(simulator ? simulatorRoutes : [])
]

/** The graph that composes it provides the handlers of the API's groups. */
export const makeRoutes = (options: {
  readonly simulator: boolean
  readonly isUnavailable: IsUnavailable
  readonly corsOrigins: ReadonlySet<string>
}) => {
  const site = findSite()
  const served = servedRoutes(options.simulator)
  return Layer.mergeAll(
    HttpApiBuilder.layer(Api),
    referenceAt(REFERENCE_PATHS, site?.files),
    site === undefined ? Layer.merge(referenceAt(DOCS_PATH), pagesWithoutSite) : sitePages(site),
    OpenApiDocument,
    RootPage,
    ConsoleRoutes,
    InboundRoutes,
    options.simulator ? SimulatorRoutes : Layer.empty,
    ManageOptions,
    requestPipeline({
      ...options,
      asErrorPage,
      findPath: makeRouteTable(served),
      isPersonalPath: personalPaths(served)
    })
  )
}
