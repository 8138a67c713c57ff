import { Layer } from "effect"
import { SetUpConcerns } from "../../services/customer/SetUpConcerns.ts"
import { AlertCodes } from "../../services/alert/AlertCodes.ts"
import { AlertsSql } from "../alert/AlertsSql.ts"
import { AccountStatesSql } from "../account/PacedAccounts.ts"
import { AccountsSql } from "../account/AccountsSql.ts"
import { ChannelResultsLive, ManagementWritesLive, TimerStoreLive, WalletsLive } from "./LiveStores.ts"
import { BudgetsSql } from "../money/BudgetsSql.ts"
import { ContactLinksSql, ContactsSql } from "../account/ContactsSql.ts"
import { SetUpProgressSql } from "../customer/SetUpProgressSql.ts"
import { CustomerRecordsSql } from "../customer/CustomerRecordsSql.ts"
import { RoutingOrdersSql } from "../routing/RoutingOrdersSql.ts"
import { TemplateRecordsSql } from "../message/TemplateRecordsSql.ts"
import { WebhooksSql } from "../webhook/WebhooksSql.ts"
import { ListenerStoreSql } from "../webhook/WebhookListenersSql.ts"
import { WebhookListeners } from "../../services/webhook/WebhookListeners.ts"
import { GuardRecordsSql } from "../guard/GuardRecordsSql.ts"
import { KeysSql } from "../key/KeysSql.ts"
import { Idempotency } from "../../services/customer/Idempotency.ts"
import { Workers } from "../../services/concurrency/Workers.ts"
import { Timers } from "../../services/timer/Timers.ts"
import { ConsoleSessionsSql, OperatorsSql, SignInLinksSql } from "../user/ConsoleSessionsSql.ts"
import { CredentialStores, SecondFactorsLive } from "./CredentialGraph.ts"
import { BotAddressesMac } from "../account/BotInboxStoreSql.ts"
import { ProviderAdaptersHttp } from "../provider/ProviderAdaptersHttp.ts"
import { SqlClient } from "effect/sql"
import { ReadSql } from "../postgres/Replica.ts"
import { MessageRecordsSql } from "../message/MessageRecordsSql.ts"
import { VerificationRecordsSql } from "../verification/VerificationRecordsSql.ts"
import { Crypto } from "./Infrastructure.ts"

/** Uses separate connections, because searches can take long; to the replica, if there is one. */
export const overReads = Layer.provide(Layer.effect(SqlClient.SqlClient, ReadSql))

const Records = Layer.mergeAll(
  AccountStatesSql,
  AccountsSql,
  BudgetsSql,
  AlertsSql,
  ContactsSql,
  CustomerRecordsSql,
  GuardRecordsSql,
  KeysSql,
  RoutingOrdersSql,
  SetUpProgressSql,
  TemplateRecordsSql,
  WalletsLive,
  WebhooksSql
)

/** The resources that customers manage by the API, and operators by the command line. */
export const Resources = Layer.provideMerge(
  Layer.provide(SetUpConcerns.layer, ChannelResultsLive.pipe(overReads)),
  Records
)

/** Streams of events to developers' programs. */
export const WebhookListenersLive = Layer.provide(WebhookListeners.layer, [
  ListenerStoreSql,
  ManagementWritesLive
])

/** The searches that the command line has too. */
export const Searches = Layer.mergeAll(VerificationRecordsSql, MessageRecordsSql).pipe(overReads)

/** The services that the command line's set-up commands need. */
export const ManagementLive = Layer.mergeAll(
  Resources,
  Layer.provide(AlertCodes.layerMail, CustomerRecordsSql),
  CredentialStores,
  Searches,
  ManagementWritesLive,
  WebhookListenersLive,
  OperatorsSql,
  SignInLinksSql,
  ConsoleSessionsSql,
  SecondFactorsLive,
  Layer.provide(Timers.layer, TimerStoreLive),
  Workers.layer
).pipe(
  Layer.provide([ContactLinksSql, BotAddressesMac, Idempotency.layer]),
  Layer.provideMerge(ProviderAdaptersHttp),
  Layer.provideMerge(Crypto)
)
