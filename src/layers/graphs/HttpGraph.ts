import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Layer } from "effect"
import {
  OptionalIdempotencyKey,
  OptionalJson,
  RequireBatchJson,
  RequireIdempotencyKey,
  RequireJson
} from "../../http/RequestGuards.ts"
import { hotPath } from "../../http/HotPath.ts"
import { makeRouteTable } from "../../http/RouteTable.ts"
import { makeRoutes, servedRoutes } from "../../http/Routes.ts"
import { hotMessages } from "../../http/message/MessageRequests.ts"
import { hotCodes } from "../../http/verification/OtpWire.ts"
import { AccountHandlers } from "../../http/manage/AccountApi.ts"
import { AnyKey, LiveKey, TestKey } from "../../http/ServiceKeys.ts"
import { MessageHandlers, SandboxMessageHandlers } from "../../http/message/MessageHandlers.ts"
import { MetricsAccess, RequestMetrics } from "../../http/server/RequestMetrics.ts"
import { PhoneLookupHandlers } from "../../http/verification/PhoneLookupApi.ts"
import { OtpHandlers, SandboxHandlers } from "../../http/verification/OtpHandlers.ts"
import { defaultOverload } from "../../http/server/Gate.ts"
import { Serving } from "../../http/server/Serving.ts"
import { SystemHandlers } from "../../http/system/SystemHandlers.ts"
import { RequestLog } from "../../services/activity/RequestLog.ts"
import { KeyLimits } from "../../services/key/RequestWindows.ts"
import type { Configuration } from "../config/Configuration.ts"
import { KeyWindowStoreSql } from "../key/KeyWindowStoreSql.ts"
import { isLoopbackHost, isPrivateAddress } from "../network/PrivateAddresses.ts"
import { ReadinessSql } from "../system/HealthReportsSql.ts"
import { poolLimits } from "../postgres/Pools.ts"
import { isStoreUnavailable } from "../postgres/StoreAvailability.ts"
import { ConnectionWatch } from "../postgres/ConnectionWatch.ts"
import { silentRequestMillis } from "../postgres/WatchedPool.ts"
import { MetricsPrometheus } from "../system/Metrics.ts"
import { consoleLive } from "./ConsoleGraph.ts"
import { RequestStoreLive } from "./LiveStores.ts"
import { hasSimulator } from "./Infrastructure.ts"
import { ManageAdmissionLive, ManagementHandlers } from "./ManagementGraph.ts"
import { Searches } from "./Management.ts"
import { AccountSummariesLive, CodePreviewsLive, PhoneLookupsLive } from "./ReadGraph.ts"
import { alertCodesLive, erasuresLive, type useCases } from "./UseCases.ts"

/** The longest time for a response without the provider's part: by far the longest is a report's statement. */
const OWN_ANSWER_MILLIS = 16_000

const KeyLimitsLive = Layer.provide(KeyLimits.layer, KeyWindowStoreSql)

/** One buffer for the whole process. */
const RequestLogLive = Layer.provide(RequestLog.layer, RequestStoreLive)

const metricsAccess = ({ metricsToken: token, host }: Configuration) =>
  Layer.succeed(MetricsAccess, { token, isOpen: isLoopbackHost(host), isPrivate: isPrivateAddress })

export const httpRoutes = (
  configuration: Configuration,
  { live, sandbox, messages, sandboxMessages }: typeof useCases
) =>
  makeRoutes({
    simulator: hasSimulator(configuration),
    isUnavailable: isStoreUnavailable,
    corsOrigins: configuration.corsOrigins
  }).pipe(
    Layer.provide([
      Layer.provide(OtpHandlers, [
        live,
        CodePreviewsLive,
        Searches,
        LiveKey.layer,
        RequireIdempotencyKey.layer,
        RequireJson.layer,
        OptionalJson.layer
      ]),
      Layer.provide(SandboxHandlers, [
        sandbox,
        Searches,
        TestKey.layer,
        OptionalIdempotencyKey.layer,
        RequireJson.layer,
        OptionalJson.layer
      ]),
      Layer.provide(MessageHandlers, [
        messages,
        Searches,
        LiveKey.layer,
        OptionalIdempotencyKey.layer,
        RequireIdempotencyKey.layer,
        RequireBatchJson.layer,
        RequireJson.layer
      ]),
      Layer.provide(SandboxMessageHandlers, [
        sandboxMessages,
        Searches,
        TestKey.layer,
        OptionalIdempotencyKey.layer,
        RequireIdempotencyKey.layer,
        RequireBatchJson.layer,
        RequireJson.layer
      ]),
      Layer.provide(PhoneLookupHandlers, [PhoneLookupsLive, AnyKey.layer, RequireJson.layer]),
      Layer.provide(AccountHandlers, [AccountSummariesLive, AnyKey.layer]),
      Layer.provide(SystemHandlers, [
        ReadinessSql,
        MetricsPrometheus(poolLimits(configuration)),
        metricsAccess(configuration)
      ]),
      Layer.provide(ManagementHandlers, [
        AccountSummariesLive,
        alertCodesLive(live),
        erasuresLive({ live, sandbox, messages, sandboxMessages })
      ]),
      ManageAdmissionLive,
      consoleLive({ live, sandbox, messages, sandboxMessages }),
      AccountSummariesLive,
      ReadinessSql
    ]),
    Layer.provide([KeyLimitsLive, RequestMetrics.layer, RequestLogLive])
  )

const requestTimeout = ({ slotWaitMillis, providerTimeoutMillis }: Configuration) =>
  slotWaitMillis + providerTimeoutMillis + OWN_ANSWER_MILLIS

/** The names that are served as Host next to this machine's own; null: every name. */
const servedHosts = ({ allowedHosts, publicUrl, host }: Configuration): ReadonlyArray<string> | null => {
  if (allowedHosts.length === 0 && !isLoopbackHost(host)) return null
  return publicUrl === null ? allowedHosts : [...allowedHosts, new URL(publicUrl).hostname]
}

/** What the connections to the store say of how long a request may take. */
const storeSilence = ({ statementTimeoutMillis }: Configuration) =>
  Effect.map(ConnectionWatch, ({ isTroubled }) => {
    const silentStoreMillis = silentRequestMillis(statementTimeoutMillis)
    return { silentStoreMillis, isStoreSilent: () => isTroubled(silentStoreMillis) }
  })

export const servingLayer = (configuration: Configuration, { live, messages }: typeof useCases) =>
  Layer.unwrap(
    Effect.map(storeSilence(configuration), (silence) =>
      Serving.layer({
        ...silence,
        findPath: makeRouteTable(servedRoutes(hasSimulator(configuration))),
        maxInFlight: configuration.maxRequestsInFlight,
        maxDelayMillis: configuration.overloadDelayMillis,
        coldRequests: defaultOverload.coldRequests,
        maxConnections: configuration.maxConnections,
        // Behind a proxy all clients have its address.
        maxConnectionsPerAddress:
          configuration.trustedProxies > 0 ? 0 : configuration.maxConnectionsPerAddress,
        keepAliveMillis: configuration.keepAliveMillis,
        writeTimeoutMillis: configuration.writeTimeoutMillis,
        hosts: servedHosts(configuration),
        publicUrl: configuration.publicUrl,
        bodyTimeoutMillis: configuration.bodyTimeoutMillis,
        requestTimeoutMillis: requestTimeout(configuration)
      })
    )
  ).pipe(
    Layer.provide(
      hotPath(
        Effect.map(Effect.all([hotCodes, hotMessages]), ([codes, texts]) => [...codes, ...texts]),
        {
          isUnavailable: isStoreUnavailable,
          maxBodyBytes: configuration.maxBodyBytes
        }
      )
    ),
    Layer.provide([live, messages, KeyLimitsLive, RequestMetrics.layer, RequestLogLive])
  )

export const httpServerLayer = ({ host, port, processes, graceMillis }: Configuration) =>
  Layer.unwrap(
    Effect.map(Serving, (server) =>
      NodeHttpServer.layer(() => server, {
        host,
        port,
        reusePort: processes > 1,
        gracefulShutdownTimeout: graceMillis
      })
    )
  )
