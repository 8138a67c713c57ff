import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { AlertConditions } from "../../services/alert/AlertConditions.ts"
import { AlertDeliveries } from "../../services/alert/AlertDeliveries.ts"
import { AlertRounds } from "../../services/alert/AlertRounds.ts"
import { AccountCredits } from "../../services/account/AccountCredits.ts"
import { BotInboxes } from "../../services/account/BotInboxes.ts"
import { DeliveryReports } from "../../services/provider/DeliveryReports.ts"
import { simulatedCodeReport, simulatedMessageReport } from "../../services/provider/SimulatedReport.ts"
import { GuardRounds } from "../../services/guard/GuardRounds.ts"
import { MessageDeliveries } from "../../services/message/MessageDeliveries.ts"
import type { MessageStore } from "../../services/message/MessageStore.ts"
import { ActivityRounds } from "../../services/activity/ActivityRounds.ts"
import { Retention } from "../../services/Retention.ts"
import { TimerHandlers, TimerMetrics, TimerRunner } from "../../services/timer/TimerRunner.ts"
import type { DueTimer } from "../../domain/Timer.ts"
import { VerificationSteps } from "../../services/verification/VerificationSteps.ts"
import type { VerificationStore } from "../../services/verification/VerificationStore.ts"
import { WebhookMetrics } from "../../services/webhook/WebhookMetrics.ts"
import { WebhookDeliveries } from "../../services/webhook/WebhookDeliveries.ts"
import { RetentionStoreLive } from "./LiveStores.ts"
import { WebhookSenderHttp } from "../webhook/WebhookSenderHttp.ts"
import { WebhookStoreSql } from "../webhook/WebhookStoreSql.ts"
import type { Messages } from "../../services/message/Messages.ts"
import { AlertStoreSql } from "../alert/AlertStoreSql.ts"
import { ReportingSql } from "../postgres/Pools.ts"
import { RoutingOrdersSql } from "../routing/RoutingOrdersSql.ts"
import { HealthReportsSql } from "../system/HealthReportsSql.ts"
import { Resources } from "./Management.ts"
import { AccountSummariesLive, InsightsLive, KeptSums } from "./ReadGraph.ts"
import { AccountsSql } from "../account/AccountsSql.ts"
import { ProviderHttpLive } from "../provider/ProviderAdaptersHttp.ts"

type Handler = (timer: DueTimer) => Effect.Effect<void>

class LiveHandler extends Context.Service<LiveHandler, Handler>()(
  "peyk/layers/graphs/TimerGraph/LiveHandler"
) {}
class MessageHandler extends Context.Service<MessageHandler, Handler>()(
  "peyk/layers/graphs/TimerGraph/MessageHandler"
) {}
class SandboxMessageHandler extends Context.Service<SandboxMessageHandler, Handler>()(
  "peyk/layers/graphs/TimerGraph/SandboxMessageHandler"
) {}
class SandboxHandler extends Context.Service<SandboxHandler, Handler>()(
  "peyk/layers/graphs/TimerGraph/SandboxHandler"
) {}
class SandboxReportHandler extends Context.Service<SandboxReportHandler, Handler>()(
  "peyk/layers/graphs/TimerGraph/SandboxReportHandler"
) {}
class SandboxMessageReportHandler extends Context.Service<SandboxMessageReportHandler, Handler>()(
  "peyk/layers/graphs/TimerGraph/SandboxMessageReportHandler"
) {}

const runTimer = Effect.map(VerificationSteps, (steps) => steps.runTimer)
const runLane = Effect.map(MessageDeliveries, (deliveries) => deliveries.runTimer)

/** What people are alerted of is read where the console reads it: on the connections of reports. */
const AlertRoundsLive = AlertRounds.layer.pipe(
  Layer.provide(AlertConditions.layer),
  Layer.provide([
    AlertStoreSql,
    Resources,
    InsightsLive,
    AccountSummariesLive,
    Layer.provide(HealthReportsSql, Layer.effect(SqlClient.SqlClient, ReportingSql))
  ])
)

/** Runs due work of every kind with the given compositions. */
export const timerGraph = <E, R, E2, R2, E3, R3, E4, R4>(graphs: {
  readonly live: Layer.Layer<VerificationSteps | VerificationStore, E, R>
  readonly sandbox: Layer.Layer<VerificationSteps | VerificationStore, E2, R2>
  readonly messages: Layer.Layer<MessageDeliveries | Messages | MessageStore, E3, R3>
  readonly sandboxMessages: Layer.Layer<MessageDeliveries | MessageStore, E4, R4>
}) =>
  TimerRunner.layer.pipe(
    Layer.provide(
      Layer.effect(
        TimerHandlers,
        Effect.gen(function* () {
          const reports = yield* DeliveryReports
          const inboxes = yield* BotInboxes
          const webhooks = yield* WebhookDeliveries
          const guard = yield* GuardRounds
          const retention = yield* Retention
          return new Map([
            ["verification" as const, yield* LiveHandler],
            ["sandbox_verification" as const, yield* SandboxHandler],
            ["message" as const, yield* MessageHandler],
            ["sandbox_message" as const, yield* SandboxMessageHandler],
            ["verification_report" as const, reports.pollVerification],
            ["sandbox_verification_report" as const, yield* SandboxReportHandler],
            ["message_report" as const, reports.pollMessage],
            ["sandbox_message_report" as const, yield* SandboxMessageReportHandler],
            ["bot_updates" as const, inboxes.runTimer],
            ["webhook" as const, webhooks.runTimer],
            ["guard" as const, guard.runTimer],
            ["retention" as const, retention.runTimer],
            ["account_credits" as const, (yield* AccountCredits).runTimer],
            ["activity_sums" as const, (yield* ActivityRounds).runTimer],
            ["alert_watch" as const, (yield* AlertRounds).runTimer],
            ["alert" as const, (yield* AlertDeliveries).runTimer]
          ])
        })
      )
    ),
    Layer.provide([
      TimerMetrics.layer,
      Layer.provide(Layer.effect(LiveHandler, runTimer), graphs.live),
      Layer.provide(Layer.effect(SandboxHandler, runTimer), graphs.sandbox),
      Layer.provide(Layer.effect(SandboxReportHandler, simulatedCodeReport), graphs.sandbox),
      Layer.provide(Layer.effect(MessageHandler, runLane), graphs.messages),
      Layer.provide(Layer.effect(SandboxMessageHandler, runLane), graphs.sandboxMessages),
      Layer.provide(
        Layer.effect(SandboxMessageReportHandler, simulatedMessageReport),
        graphs.sandboxMessages
      ),
      Layer.provide(DeliveryReports.layer, [graphs.live, graphs.messages]),
      GuardRounds.layer,
      Layer.provide(Retention.layer, RetentionStoreLive),
      Layer.provide(AccountCredits.layer, AccountsSql),
      Layer.provide(ActivityRounds.layer, KeptSums),
      AlertRoundsLive,
      Layer.provide(AlertDeliveries.layer, [AlertStoreSql, AccountsSql, RoutingOrdersSql, graphs.messages]),
      Layer.provide(WebhookDeliveries.layer, [
        WebhookStoreSql,
        WebhookMetrics.layer,
        Layer.provide(WebhookSenderHttp, ProviderHttpLive)
      ])
    ])
  )
