import { Layer } from "effect"
import { AccountsHandlers } from "../../http/manage/AccountsHandlers.ts"
import { RoutingHandlers, TemplatesHandlers } from "../../http/manage/SetUpHandlers.ts"
import { CredentialLimits } from "../../services/manage/CredentialLimits.ts"
import { KeyWindowStoreSql } from "../KeyWindowStoreSql.ts"
import { ManagementSql } from "../ManagementSql.ts"
import { ManagedAccountsSql } from "./ManagedAccountsSql.ts"
import { ManagedRoutingSql } from "./ManagedRoutingSql.ts"
import { ManagedTemplatesSql } from "./ManagedTemplatesSql.ts"
import { ApiKeysHandlers } from "../../http/manage/ApiKeysHandlers.ts"
import { ManageAdmission, ManageAuthLive } from "../../http/manage/ManageAuth.ts"
import { OptionalIdempotencyKeyLive, RequireJsonLive } from "../../http/RequestGuards.ts"
import { WebhooksHandlers } from "../../http/manage/WebhooksHandlers.ts"
import { NoUndeclaredBodyLive } from "../../http/manage/UndeclaredBody.ts"
import { ManagedWebhooksSql } from "./ManagedWebhooksSql.ts"
import { CredentialHandlers, SessionsLive } from "./CredentialGraph.ts"
import { ManagedKeysSql } from "./ManagedKeysSql.ts"
import { ManagementCredentialsLive } from "./ManagementCredentialsLive.ts"
import { ManagementWritesSql } from "./ManagementWritesSql.ts"
import { PersonalTokensSql } from "./PersonalTokensSql.ts"
import { ReadHandlers } from "./ReadGraph.ts"

const Credentials = Layer.provide(ManagementCredentialsLive, [PersonalTokensSql, SessionsLive])

const CredentialLimitsLive = Layer.provide(CredentialLimits.layer, KeyWindowStoreSql)

/** Who may manage. */
export const ManageAdmissionLive = Layer.provide(ManageAdmission.layer, [Credentials, CredentialLimitsLive])

/** The handlers of the management API, over the store. */
export const ManagementHandlers = Layer.mergeAll(
  ApiKeysHandlers,
  CredentialHandlers,
  AccountsHandlers,
  RoutingHandlers,
  TemplatesHandlers,
  ReadHandlers,
  WebhooksHandlers
).pipe(
  Layer.provide([
    Layer.provide(ManageAuthLive, ManageAdmissionLive),
    RequireJsonLive,
    NoUndeclaredBodyLive,
    OptionalIdempotencyKeyLive,
    ManagementWritesSql,
    ManagedKeysSql,
    ManagedWebhooksSql,
    ManagedTemplatesSql,
    Layer.provide(Layer.mergeAll(ManagedAccountsSql, ManagedRoutingSql), ManagementSql)
  ])
)
