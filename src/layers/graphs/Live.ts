import { NodeHttpServer } from "@effect/platform-node"
import { ByteSize, Clock, Effect, Layer, Option, Struct } from "effect"
import { HttpIncomingMessage, HttpRouter } from "effect/http"
import { maxHeaderSize } from "node:http"
import { availableParallelism } from "node:os"
import { TrustedProxies } from "../../http/server/ClientAddress.ts"
import { MessageHandlers } from "../../http/message/MessageHandlers.ts"
import { directRoutes } from "../../http/fast/DirectRoutes.ts"
import { MetricsAccess } from "../../http/metrics/MetricsAccess.ts"
import { OtpHandlers, SandboxHandlers } from "../../http/otp/OtpHandlers.ts"
import {
  OptionalIdempotencyKeyLive,
  RequireIdempotencyKeyLive,
  RequireJsonLive
} from "../../http/RequestGuards.ts"
import { RequestMetrics } from "../../http/metrics/RequestMetrics.ts"
import { makeRoutes } from "../../http/Routes.ts"
import { LiveKeyLive, TestKeyLive } from "../../http/ServiceKeys.ts"
import { Serving } from "../../http/server/Serving.ts"
import { ServingMetrics } from "../../http/metrics/ServingMetrics.ts"
import { SystemHandlers } from "../../http/system/SystemHandlers.ts"
import { BotInboxes } from "../../services/account/BotInboxes.ts"
import { BotInboxStore } from "../../services/account/BotInboxStore.ts"
import { Idempotency } from "../../services/customer/Idempotency.ts"
import { KeyLimits } from "../../services/customer/KeyLimits.ts"
import { SessionIssuers } from "../../services/access/SessionIssuers.ts"
import { RetentionStore } from "../../services/retention/RetentionStore.ts"
import { settingNames, Settings } from "../../services/Settings.ts"
import { TimerRunner } from "../../services/timer/TimerRunner.ts"
import { SubjectIds } from "../../services/SubjectIds.ts"
import { TimerPools } from "../../services/timer/TimerPools.ts"
import { Timers } from "../../services/timer/Timers.ts"
import { Workers } from "../../services/concurrency/Workers.ts"
import { AccountConnectionsSql } from "../account/AccountConnectionsSql.ts"
import { AllowsPrivateAddresses } from "../network/AddressPolicy.ts"
import { ApiKeysSql } from "../customer/ApiKeysSql.ts"
import { SerializeWrites } from "../postgres/batching/BatchLane.ts"
import { BatchMetricsLive } from "../postgres/batching/BatchMetrics.ts"
import { BotAddressesLive } from "../account/BotAddressesLive.ts"
import { BotInboxStoreSql } from "../account/BotInboxStoreSql.ts"
import { ChangeFeed } from "../postgres/cache/ChangeFeed.ts"
import { CodeVaultLive } from "../verification/CodeVaultLive.ts"
import type { Configuration } from "../config/Configuration.ts"
import { ContactLinksSql } from "../account/ContactLinksSql.ts"
import { CustomersSql } from "../customer/CustomersSql.ts"
import { endpointSettings } from "../config/EndpointSettings.ts"
import { ManagedWebhooksSql } from "../resources/ManagedWebhooksSql.ts"
import { ManageAdmissionLive, ManagementHandlers } from "./ManagementGraph.ts"
import { Searches } from "./ReadGraph.ts"
import { KeyWindowStoreSql } from "../customer/KeyWindowStoreSql.ts"
import { ManagementSql } from "../postgres/ManagementSql.ts"
import { MetricsLive } from "../telemetry/MetricsLive.ts"
import { OneShotDigest } from "../crypto/OneShotDigest.ts"
import { PooledRandom } from "../crypto/PooledRandom.ts"
import { isLoopbackHost, isPrivateAddress } from "../network/PrivateAddresses.ts"
import { ProviderEndpoints } from "../providers/ProviderEndpoints.ts"
import { ProviderAdaptersLive } from "../account/ProviderAdaptersLive.ts"
import { RetentionStoreSql } from "../retention/RetentionStoreSql.ts"
import { sessionIssuers } from "../config/SessionSettings.ts"
import { SetUpVersions } from "../postgres/cache/SetUpVersions.ts"
import { emptySimulator, SimulatorOff, SimulatorSql } from "../verification/SimulatorSql.ts"
import { ReadinessSql } from "../postgres/ReadinessSql.ts"
import { isEmbedded, poolLimits, StoreLive } from "../postgres/Store.ts"
import { isStoreUnavailable } from "../postgres/StoreAvailability.ts"
import { Telemetry } from "../telemetry/Telemetry.ts"
import { timerGraph } from "./TimerGraph.ts"
import { TimerStoreSql } from "../timer/TimerStoreSql.ts"
import { LiveMessages } from "./MessageGraph.ts"
import { LiveVerifications, SandboxVerifications } from "./VerificationGraph.ts"
import { GarbageCollection } from "../process/GarbageCollection.ts"

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
export const SharedServices = Layer.mergeAll(
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
    Layer.mergeAll(ChangeFeed.layer, SetUpVersions.layer, Timers.layer, TimerPools.layer, SubjectIds.layer)
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
const scheduleInboxChecks = Layer.effectDiscard(
  Effect.gen(function* () {
    const inboxes = yield* BotInboxStore
    yield* inboxes.wakeAll(yield* Clock.currentTimeMillis)
  })
)

const emptySimulatorThatIsOff = (configuration: Configuration) =>
  hasSimulator(configuration) ? Layer.empty : Layer.effectDiscard(emptySimulator)

const scheduleRetention = Layer.effectDiscard(
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
    Layer.provide([
      scheduleInboxChecks,
      scheduleRetention,
      emptySimulatorThatIsOff(configuration),
      ServingMetrics
    ]),
    Layer.provide(serveDirectly(configuration, graphs)),
    Layer.provide([
      // As long as Node lets a path be: what is too long for an id is refused as one.
      Layer.succeed(HttpRouter.RouterConfig, { maxParamLength: maxHeaderSize }),
      Layer.succeed(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(configuration.maxBodyBytes))
    ]),
    Layer.provideMerge(httpServerLayer(configuration)),
    Layer.provideMerge(servingLayer(configuration)),
    Layer.provide(SharedServices),
    Layer.provide([
      Telemetry,
      GarbageCollection,
      BatchMetricsLive,
      Layer.succeed(SerializeWrites, configuration.processes >= availableParallelism())
    ])
  )

/** What the command line's set-up commands stand on. */
export const ManagementLive = Layer.mergeAll(ManagementSql, ManagedWebhooksSql, Searches).pipe(
  Layer.provide([ProviderAdaptersLive, ContactLinksSql, BotAddressesLive]),
  Layer.provide(Crypto)
)

/** The store and the settings that everything is built over. */
export const Infrastructure = (configuration: Configuration) =>
  Layer.provideMerge(
    simulatorLayer(configuration),
    Layer.mergeAll(StoreLive(configuration), settingsLayer(configuration))
  )
