import { HttpApi, OpenApi } from "effect/http-api"
import { AccountGroup, ManagedAccountGroup } from "./account/AccountApi.ts"
import { ApiKeysGroup } from "./key/ApiKeysApi.ts"
import { AccountsGroup } from "./account/AccountsApi.ts"
import { RoutingGroup } from "./routing/RoutingApi.ts"
import { TemplatesGroup } from "./message/TemplatesApi.ts"
import { AuthGroup, WellKnownGroup } from "./user/AuthApi.ts"
import { TokensGroup } from "./key/TokensApi.ts"
import { MeGroup } from "./user/MeApi.ts"
import { UsersGroup } from "./user/UsersApi.ts"
import { AuditLogGroup } from "./activity/AuditLogApi.ts"
import { ManagedMessagesGroup } from "./message/ManagedMessagesApi.ts"
import { PhonesGroup } from "./retention/PhonesApi.ts"
import { UsageReportGroup } from "./money/UsageApi.ts"
import { ManagedVerificationsGroup } from "./verification/VerificationsApi.ts"
import { GuardGroup } from "./guard/GuardApi.ts"
import { WalletGroup } from "./money/WalletApi.ts"
import { WebhooksGroup } from "./webhook/WebhooksApi.ts"
import { transformDocument } from "./openapi/DocumentTransform.ts"
import { OtpGroup, SandboxGroup } from "./verification/OtpApi.ts"
import { MessagesGroup, SandboxMessagesGroup } from "./message/MessagesApi.ts"
import { SystemGroup } from "./system/SystemApi.ts"

/** An operation here refuses unknown fields and query parameters: they would have no effect. */
const ManageApi = HttpApi.make("manage")
  .add(ApiKeysGroup)
  .add(AccountsGroup)
  .add(RoutingGroup)
  .add(TemplatesGroup)
  .add(ManagedVerificationsGroup)
  .add(ManagedMessagesGroup)
  .add(PhonesGroup)
  .add(UsageReportGroup)
  .add(ManagedAccountGroup)
  .add(WalletGroup)
  .add(AuditLogGroup)
  .add(WebhooksGroup)
  .add(GuardGroup)
  .add(TokensGroup)
  .add(UsersGroup)
  .add(MeGroup)
  .annotate(HttpApi.PayloadParseOptions, { errors: "all", onExcessProperty: "error" })
  .annotate(HttpApi.QueryParseOptions, { errors: "all", onExcessProperty: "error" })

export class Api extends HttpApi.make("peyk")
  .add(OtpGroup)
  .add(SandboxGroup)
  .add(MessagesGroup)
  .add(SandboxMessagesGroup)
  .add(AccountGroup)
  .addHttpApi(ManageApi)
  .add(AuthGroup)
  .add(WellKnownGroup)
  .add(SystemGroup)
  .annotate(HttpApi.ParseOptions, { errors: "all" })
  .annotateMerge(
    OpenApi.annotations({
      title: "Peyk",
      version: "1",
      license: { name: "MIT", identifier: "MIT" },
      description:
        "Delivers one-time codes and messages to Iranian phones over messengers and SMS, falling back from channel to " +
        "channel until the code is verified. Every error is an envelope: {error: {code, message, details}, request_id}; " +
        "x-error-codes lists the codes.",
      transform: transformDocument
    })
  ) {}
