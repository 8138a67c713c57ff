import { NodeHttpServer } from "@effect/platform-node"
import { ByteSize, Clock, Effect, Layer, Option, Struct } from "effect"
import { HttpIncomingMessage, HttpRouter } from "effect/http"
import { maxHeaderSize } from "node:http"
import { availableParallelism } from "node:os"
import { TrustedProxies } from "../http/ClientAddress.ts"
import { MessageHandlers } from "../http/MessageHandlers.ts"
import { directRoutes } from "../http/DirectRoutes.ts"
import { MetricsAccess } from "../http/MetricsAccess.ts"
import { OtpHandlers, SandboxHandlers } from "../http/OtpHandlers.ts"
import {
  OptionalIdempotencyKeyLive,
  RequireIdempotencyKeyLive,
  RequireJsonLive
} from "../http/RequestGuards.ts"
import { RequestMetrics } from "../http/RequestMetrics.ts"
import { makeRoutes } from "../http/Routes.ts"
import { LiveKeyLive, TestKeyLive } from "../http/ServiceKeys.ts"
import { Serving } from "../http/Serving.ts"
import { ServingMetrics } from "../http/ServingMetrics.ts"
import { SystemHandlers } from "../http/SystemHandlers.ts"
import { BotInboxes } from "../services/BotInboxes.ts"
import { BotInboxStore } from "../services/BotInboxStore.ts"
import { Idempotency } from "../services/Idempotency.ts"
import { KeyLimits } from "../services/KeyLimits.ts"
import { SessionIssuers } from "../services/manage/SessionIssuers.ts"
import { RetentionStore } from "../services/RetentionStore.ts"
import { settingNames, Settings } from "../services/Settings.ts"
import { TimerRunner } from "../services/TimerRunner.ts"
import { SubjectIds } from "../services/SubjectIds.ts"
import { TimerRoom } from "../services/TimerRoom.ts"
import { Timers } from "../services/Timers.ts"
import { Workers } from "../services/Workers.ts"
import { AccountConnectionsSql } from "./AccountConnectionsSql.ts"
import { AllowsPrivateAddresses } from "./AddressPolicy.ts"
import { ApiKeysSql } from "./ApiKeysSql.ts"
import { WritesTakeTurns } from "./batch/BatchLane.ts"
import { BatchMetricsLive } from "./batch/BatchMetrics.ts"
import { BotAddressesLive } from "./BotAddressesLive.ts"
import { BotInboxStoreSql } from "./BotInboxStoreSql.ts"
import { ChangeFeed } from "./ChangeFeed.ts"
import { CodeVaultLive } from "./CodeVaultLive.ts"
import type { Configuration } from "./Configuration.ts"
import { ContactLinksSql } from "./ContactLinksSql.ts"
import { CustomersSql } from "./CustomersSql.ts"
import { endpointSettings } from "./EndpointSettings.ts"
import { ManagedWebhooksSql } from "./manage/ManagedWebhooksSql.ts"
import { ManageAdmissionLive, ManagementHandlers } from "./manage/ManagementGraph.ts"
import { Searches } from "./manage/ReadGraph.ts"
import { KeyWindowStoreSql } from "./KeyWindowStoreSql.ts"
import { ManagementSql } from "./ManagementSql.ts"
import { MetricsLive } from "./MetricsLive.ts"
import { OneShotDigest } from "./OneShotDigest.ts"
import { PooledRandom } from "./PooledRandom.ts"
import { isLoopbackHost, isPrivateAddress } from "./PrivateAddresses.ts"
import { ProviderEndpoints } from "./providers/ProviderEndpoints.ts"
import { ProviderAdaptersLive } from "./ProviderAdaptersLive.ts"
import { RetentionStoreSql } from "./RetentionStoreSql.ts"
import { sessionIssuers } from "./SessionSettings.ts"
import { SetUpVersions } from "./SetUpVersions.ts"
import { emptySimulator, SimulatorOff, SimulatorSql } from "./SimulatorSql.ts"
import { ReadinessSql } from "./ReadinessSql.ts"
import { isEmbedded, poolLimits, StoreLive } from "./Store.ts"
import { isStoreUnavailable } from "./StoreAvailability.ts"
import { Telemetry } from "./Telemetry.ts"
import { timerGraph } from "./TimerGraph.ts"
import { TimerStoreSql } from "./TimerStoreSql.ts"
import { LiveMessages } from "./MessageGraph.ts"
import { LiveVerifications, SandboxVerifications } from "./VerificationGraph.ts"
import { GarbageCollection } from "./GarbageCollection.ts"

/** The numbers that use cases go by; the rest of the configuration (secrets too) is none of their business. */
export const settingsLayer = (configuration: Configuration) =>
  Layer.mergeAll(
    Layer.succeed(Settings, Struct.pick(configuration, settingNames)),
    Layer.succeed(AllowsPrivateAddresses, configuration.allowsPrivateAddresses),
    Layer.succeed(TrustedProxies, configuration.trustedProxies),
    Layer.succeed(ProviderEndpoints, Struct.pick(configuration, Struct.keys(endpointSettings))),
    Layer.succeed(SessionIssuers, sessionIssuers(configuration))
  )

/** What it receives can be read by everybody who reaches the service: on by itself only where nobody else does. */
export const hasSimulator = (configuration: Configuration): boolean =>
  Option.getOrElse(
    configuration.simulator,
    () => isEmbedded(configuration) && isLoopbackHost(configuration.host)
  )

/** What an answer may take beside the provider's part of it: by far the longest is a report's statement. */
const OWN_ANSWER_MILLIS = 16_000

const Crypto = Layer.merge(OneShotDigest, PooledRandom)

/** The simulator's phones; switched off, there are none. */
export const simulatorLayer = (configuration: Configuration) =>
  hasSimulator(configuration) ? SimulatorSql : SimulatorOff

/**
 * What every composition stands on, over a store that is ready. Workers stand on top: when the process stops they come
 * to their end while their leases are still renewed.
 */
export const Foundation = Layer.mergeAll(
  Idempotency.layer,
  CodeVaultLive,
  CustomersSql,
  ApiKeysSql,
  BotInboxes.layer
).pipe(
  Layer.provideMerge(
    Layer.mergeAll(ContactLinksSql, AccountConnectionsSql, BotInboxStoreSql, BotAddressesLive, Workers.layer)
  ),
  Layer.provideMerge(ProviderAdaptersLive),
  Layer.provideMerge(
    Layer.mergeAll(ChangeFeed.layer, SetUpVersions.layer, Timers.layer, TimerRoom.layer, SubjectIds.layer)
  ),
  Layer.provideMerge(Layer.mergeAll(TimerStoreSql, Crypto))
)

/** The compositions of the use cases that a service runs; replace one to swap a part of it. */
export const useCases = { live: LiveVerifications, sandbox: SandboxVerifications, messages: LiveMessages }

const KeyLimitsLive = Layer.provide(KeyLimits.layer, KeyWindowStoreSql)

const metricsAccess = ({ metricsToken: token, host }: Configuration) =>
  Layer.succeed(MetricsAccess, { token, isOpen: isLoopbackHost(host), isPrivate: isPrivateAddress })

const httpRoutes = (configuration: Configuration, { live, sandbox, messages }: typeof useCases) =>
  makeRoutes({
    simulator: hasSimulator(configuration),
    isUnavailable: isStoreUnavailable,
    corsOrigins: configuration.corsOrigins
  }).pipe(
    Layer.provide([
      Layer.provide(OtpHandlers, [live, LiveKeyLive, RequireIdempotencyKeyLive, RequireJsonLive]),
      Layer.provide(SandboxHandlers, [sandbox, TestKeyLive, RequireJsonLive]),
      Layer.provide(MessageHandlers, [messages, LiveKeyLive, OptionalIdempotencyKeyLive, RequireJsonLive]),
      Layer.provide(SystemHandlers, [
        ReadinessSql,
        MetricsLive(poolLimits(configuration)),
        metricsAccess(configuration)
      ]),
      ManagementHandlers,
      ManageAdmissionLive
    ]),
    Layer.provide([KeyLimitsLive, RequestMetrics.layer])
  )

/** At every start: whether updates are posted or polled may have changed with the settings. */
const lookAfterInboxes = Layer.effectDiscard(
  Effect.gen(function* () {
    const inboxes = yield* BotInboxStore
    yield* inboxes.wakeAll(yield* Clock.currentTimeMillis)
  })
)

const emptySimulatorThatIsOff = (configuration: Configuration) =>
  hasSimulator(configuration) ? Layer.empty : Layer.effectDiscard(emptySimulator)

const plantRetention = Layer.effectDiscard(
  Effect.gen(function* () {
    const retention = yield* RetentionStore
    yield* retention.plant(yield* Clock.currentTimeMillis)
  })
).pipe(Layer.provide(RetentionStoreSql))

/** Most requests go past the router. */
const serveDirectly = ({ maxBodyBytes }: Configuration, { live }: typeof useCases) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const server = yield* Serving
      server.direct = yield* directRoutes(isStoreUnavailable, maxBodyBytes)
    })
  ).pipe(Layer.provide(live), Layer.provide([KeyLimitsLive, RequestMetrics.layer]))

const servingLayer = (configuration: Configuration) =>
  Serving.layer({
    maxInFlight: configuration.maxRequestsInFlight,
    maxDelayMillis: configuration.overloadDelayMillis,
    maxConnections: configuration.maxConnections,
    bodyTimeoutMillis: configuration.bodyTimeoutMillis,
    requestTimeoutMillis:
      configuration.slotWaitMillis + configuration.providerTimeoutMillis + OWN_ANSWER_MILLIS
  })

const httpServerLayer = ({ host, port, processes, graceMillis }: Configuration) =>
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

/**
 * Serves the API, and does what is due. In the order in which it ends: nothing more that is due is begun, requests are
 * answered, and only then goes what answers them.
 */
export const Service = (configuration: Configuration, graphs = useCases) =>
  Layer.provide(TimerRunner.layerLoop, timerGraph(graphs)).pipe(
    Layer.provideMerge(Serving.layerDrain),
    Layer.provideMerge(
      HttpRouter.serve(httpRoutes(configuration, graphs), { disableLogger: true, disableListenLog: true })
    ),
    Layer.provide([lookAfterInboxes, plantRetention, emptySimulatorThatIsOff(configuration), ServingMetrics]),
    Layer.provide(serveDirectly(configuration, graphs)),
    Layer.provide([
      // As long as Node lets a path be: what is too long for an id is refused as one.
      Layer.succeed(HttpRouter.RouterConfig, { maxParamLength: maxHeaderSize }),
      Layer.succeed(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(configuration.maxBodyBytes))
    ]),
    Layer.provideMerge(httpServerLayer(configuration)),
    Layer.provideMerge(servingLayer(configuration)),
    Layer.provide(Foundation),
    Layer.provide([
      Telemetry,
      GarbageCollection,
      BatchMetricsLive,
      Layer.succeed(WritesTakeTurns, configuration.processes >= availableParallelism())
    ])
  )

/** What the command line's set-up commands stand on. */
export const ManagementLive = Layer.mergeAll(ManagementSql, ManagedWebhooksSql, Searches).pipe(
  Layer.provide([ProviderAdaptersLive, ContactLinksSql, BotAddressesLive]),
  Layer.provide(Crypto)
)

/** The store and the settings that everything is built over. */
export const Ground = (configuration: Configuration) =>
  Layer.provideMerge(
    simulatorLayer(configuration),
    Layer.mergeAll(StoreLive(configuration), settingsLayer(configuration))
  )
