import { Layer } from "effect"
import { SetUpConcerns } from "../../services/resources/SetUpConcerns.ts"
import { AccountStatesSql } from "../resources/accounts/AccountStatesSql.ts"
import { AccountsSql } from "../resources/accounts/AccountsSql.ts"
import { ChannelResultsSql } from "../resources/ChannelResultsSql.ts"
import { ContactsSql } from "../resources/accounts/ContactsSql.ts"
import { CustomerRecordsSql } from "../resources/CustomerRecordsSql.ts"
import { RoutingOrdersSql } from "../resources/RoutingOrdersSql.ts"
import { TemplateRecordsSql } from "../resources/TemplateRecordsSql.ts"
import { WalletsSql } from "../resources/WalletsSql.ts"
import { WebhooksSql } from "../resources/webhooks/WebhooksSql.ts"
import { GuardRecordsSql } from "../resources/activity/GuardRecordsSql.ts"
import { KeysSql } from "../resources/access/KeysSql.ts"
import { Idempotency } from "../../services/customer/Idempotency.ts"
import { Workers } from "../../services/concurrency/Workers.ts"
import { Timers } from "../../services/timer/Timers.ts"
import { OperatorsSql, SignInLinksSql } from "../access/ConsoleSessionsSql.ts"
import { CredentialStores } from "../access/CredentialStores.ts"
import { BotAddressesMac } from "../account/BotInboxStoreSql.ts"
import { ContactLinksSql } from "../account/ContactLinksSql.ts"
import { ProviderAdaptersHttp } from "../account/ProviderAdaptersHttp.ts"
import { ManagementWritesSql } from "../resources/ManagementWritesSql.ts"
import { TimerStoreSql } from "../timer/TimerStoreSql.ts"
import { SqlClient } from "effect/sql"
import { ReadSql } from "../postgres/hosts/Replica.ts"
import { MessageRecordsSql } from "../resources/activity/MessageRecordsSql.ts"
import { VerificationRecordsSql } from "../resources/activity/VerificationRecordsSql.ts"
import { Crypto } from "./Infrastructure.ts"

/** Uses separate connections, because searches can take long; to the replica, if there is one. */
export const overReads = Layer.provide(Layer.effect(SqlClient.SqlClient, ReadSql))

const Records = Layer.mergeAll(
  AccountStatesSql,
  AccountsSql,
  ContactsSql,
  CustomerRecordsSql,
  GuardRecordsSql,
  KeysSql,
  RoutingOrdersSql,
  TemplateRecordsSql,
  WalletsSql,
  WebhooksSql
)

/** The resources that customers manage by the API, and operators by the command line. */
export const Resources = Layer.provideMerge(
  Layer.provide(SetUpConcerns.layer, ChannelResultsSql.pipe(overReads)),
  Records
)

/** The searches that the command line has too. */
export const Searches = Layer.mergeAll(VerificationRecordsSql, MessageRecordsSql).pipe(overReads)

/** The services that the command line's set-up commands need. */
export const ManagementLive = Layer.mergeAll(
  Resources,
  CredentialStores,
  Searches,
  ManagementWritesSql,
  OperatorsSql,
  SignInLinksSql,
  Layer.provide(Timers.layer, TimerStoreSql),
  Workers.layer
).pipe(
  Layer.provide([ProviderAdaptersHttp, ContactLinksSql, BotAddressesMac, Idempotency.layer]),
  Layer.provideMerge(Crypto)
)
