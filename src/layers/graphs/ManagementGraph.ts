import { Layer } from "effect"
import { ManagedAccountHandlers } from "../../http/account/AccountHandlers.ts"
import { AccountsHandlers } from "../../http/account/AccountsHandlers.ts"
import { RoutingHandlers, TemplatesHandlers } from "../../http/routing/SetUpHandlers.ts"
import { CredentialLimits, ManagementCredentials } from "../../services/key/ManagementCredentials.ts"
import { KeyWindowStoreSql } from "../key/KeyWindowStoreSql.ts"
import { ApiKeysHandlers } from "../../http/key/ApiKeysHandlers.ts"
import { ManageAdmission, ManageAuth } from "../../http/wire/ManageAuth.ts"
import { OptionalIdempotencyKey, OptionalJson, RequireJson } from "../../http/RequestGuards.ts"
import { PhonesHandlers } from "../../http/retention/PhonesHandlers.ts"
import { WalletHandlers } from "../../http/money/WalletHandlers.ts"
import { WebhooksHandlers } from "../../http/webhook/WebhooksHandlers.ts"
import { NoUndeclaredInput } from "../../http/wire/UndeclaredInput.ts"
import { CredentialHandlers, SessionsLive } from "./CredentialGraph.ts"
import { GuardHandlers } from "../../http/guard/GuardHandlers.ts"
import { ManagementWritesSql } from "../postgres/ManagementWritesSql.ts"
import { PersonalTokensSql } from "../key/TokensSql.ts"
import { Resources } from "./Management.ts"
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
