import { Layer } from "effect"
import { ManagedAccountHandlers } from "../../http/account/AccountHandlers.ts"
import { AccountsHandlers } from "../../http/manage/setup/AccountsHandlers.ts"
import { RoutingHandlers, TemplatesHandlers } from "../../http/manage/setup/SetUpHandlers.ts"
import { SetUpConcerns } from "../../services/resources/SetUpConcerns.ts"
import { CredentialLimits } from "../../services/access/CredentialLimits.ts"
import { KeyWindowStoreSql } from "../customer/KeyWindowStoreSql.ts"
import { AccountStatesSql } from "../resources/accounts/AccountStatesSql.ts"
import { AccountsSql } from "../resources/accounts/AccountsSql.ts"
import { ChannelResultsSql } from "../resources/ChannelResultsSql.ts"
import { ContactsSql } from "../resources/accounts/ContactsSql.ts"
import { CustomerRecordsSql } from "../resources/CustomerRecordsSql.ts"
import { RoutingOrdersSql } from "../resources/RoutingOrdersSql.ts"
import { TemplateRecordsSql } from "../resources/TemplateRecordsSql.ts"
import { ApiKeysHandlers } from "../../http/manage/access/ApiKeysHandlers.ts"
import { ManageAdmission, ManageAuth } from "../../http/manage/access/ManageAuth.ts"
import { OptionalIdempotencyKey, OptionalJson, RequireJson } from "../../http/RequestGuards.ts"
import { PhonesHandlers } from "../../http/manage/activity/PhonesHandlers.ts"
import { WalletHandlers } from "../../http/manage/money/WalletHandlers.ts"
import { WebhooksHandlers } from "../../http/manage/setup/WebhooksHandlers.ts"
import { NoUndeclaredInput } from "../../http/manage/wire/UndeclaredInput.ts"
import { WalletsSql } from "../resources/WalletsSql.ts"
import { WebhooksSql } from "../resources/webhooks/WebhooksSql.ts"
import { CredentialHandlers, SessionsLive } from "./CredentialGraph.ts"
import { GuardHandlers } from "../../http/manage/guard/GuardHandlers.ts"
import { GuardRecordsSql } from "../resources/activity/GuardRecordsSql.ts"
import { KeysSql } from "../resources/access/KeysSql.ts"
import { ManagementCredentials } from "../../services/access/ManagementCredentials.ts"
import { ManagementWritesSql } from "../resources/ManagementWritesSql.ts"
import { PersonalTokensSql } from "../access/PersonalTokensSql.ts"
import { overReads, ReadHandlers } from "./ReadGraph.ts"

const Credentials = Layer.provide(ManagementCredentials.layer, [PersonalTokensSql, SessionsLive])

export const CredentialLimitsLive = Layer.provide(CredentialLimits.layer, KeyWindowStoreSql)

/** The credentials of management. */
export const ManageAdmissionLive = Layer.provide(ManageAdmission.layer, [Credentials, CredentialLimitsLive])

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

/** The handlers of the management API, over the store. */
export const ManagementHandlers = Layer.mergeAll(
  ApiKeysHandlers,
  CredentialHandlers,
  AccountsHandlers,
  RoutingHandlers,
  TemplatesHandlers,
  ReadHandlers,
  ManagedAccountHandlers,
  WalletHandlers,
  PhonesHandlers,
  GuardHandlers,
  WebhooksHandlers
).pipe(
  Layer.provide([
    Layer.provide(ManageAuth.layer, ManageAdmissionLive),
    RequireJson.layer,
    OptionalJson.layer,
    NoUndeclaredInput.layer,
    OptionalIdempotencyKey.layer,
    ManagementWritesSql,
    Resources
  ])
)
