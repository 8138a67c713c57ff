import { Layer } from "effect"
import { ManagedAccountHandlers } from "../../http/manage/AccountApi.ts"
import { AccountsHandlers } from "../../http/manage/AccountsApi.ts"
import { RoutingHandlers } from "../../http/manage/RoutingApi.ts"
import { TemplatesHandlers } from "../../http/manage/TemplatesApi.ts"
import { CredentialLimits, ManagementCredentials } from "../../services/key/ManagementCredentials.ts"
import { KeyWindowStoreSql } from "../key/KeyWindowStoreSql.ts"
import { ApiKeysHandlers } from "../../http/manage/ApiKeysApi.ts"
import { ManageAdmission, ManageAuth } from "../../http/manage/ManageAuth.ts"
import { OptionalIdempotencyKey, OptionalJson, RequireJson } from "../../http/RequestGuards.ts"
import { PhonesHandlers } from "../../http/manage/PhonesApi.ts"
import { StatementsHandlers } from "../../http/manage/StatementsApi.ts"
import { WalletHandlers } from "../../http/manage/WalletApi.ts"
import { AlertsHandlers } from "../../http/manage/AlertsApi.ts"
import { WebhooksHandlers } from "../../http/manage/WebhooksApi.ts"
import { NoUndeclaredInput } from "../../http/manage/UndeclaredInput.ts"
import { CredentialHandlers, SessionsLive } from "./CredentialGraph.ts"
import { GuardHandlers } from "../../http/manage/GuardApi.ts"
import { ManagementWritesLive } from "./LiveStores.ts"
import { PersonalTokensSql } from "../key/TokensSql.ts"
import { Resources, WebhookListenersLive } from "./Management.ts"
import { ReadHandlers } from "./ReadGraph.ts"

const Credentials = Layer.provide(ManagementCredentials.layer, [PersonalTokensSql, SessionsLive])

export const CredentialLimitsLive = Layer.provide(CredentialLimits.layer, KeyWindowStoreSql)

/** The credentials of management. */
export const ManageAdmissionLive = Layer.provide(ManageAdmission.layer, [Credentials, CredentialLimitsLive])

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
  StatementsHandlers,
  PhonesHandlers,
  GuardHandlers,
  WebhooksHandlers,
  AlertsHandlers
).pipe(
  Layer.provide([
    Layer.provide(ManageAuth.layer, ManageAdmissionLive),
    RequireJson.layer,
    OptionalJson.layer,
    NoUndeclaredInput.layer,
    OptionalIdempotencyKey.layer,
    ManageAdmissionLive,
    ManagementWritesLive,
    WebhookListenersLive,
    Resources
  ])
)
