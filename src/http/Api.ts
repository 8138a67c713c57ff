import { Context } from "effect"
import { HttpApi, OpenApi } from "effect/http-api"
import { type ServedRoute, type SubjectKind, templateOf, traitsIn } from "./RouteTable.ts"
import { AccountGroup, ManagedAccountGroup } from "./manage/AccountApi.ts"
import { ApiKeysGroup } from "./manage/ApiKeysApi.ts"
import { AccountsGroup } from "./manage/AccountsApi.ts"
import { RoutingGroup } from "./manage/RoutingApi.ts"
import { TemplatesGroup } from "./manage/TemplatesApi.ts"
import { AuthGroup, WellKnownGroup } from "./manage/AuthApi.ts"
import { TokensGroup } from "./manage/TokensApi.ts"
import { MeGroup } from "./manage/MeApi.ts"
import { UsersGroup } from "./manage/UsersApi.ts"
import { AuditLogGroup } from "./manage/AuditLogApi.ts"
import { ManagedMessagesGroup } from "./manage/ManagedMessagesApi.ts"
import { PhonesGroup } from "./manage/PhonesApi.ts"
import { InsightsGroup } from "./manage/InsightsApi.ts"
import { UsageReportGroup } from "./manage/UsageApi.ts"
import { ManagedVerificationsGroup } from "./manage/VerificationsApi.ts"
import { GuardGroup } from "./manage/GuardApi.ts"
import { StatementsGroup } from "./manage/StatementsApi.ts"
import { WalletGroup } from "./manage/WalletApi.ts"
import { AlertsGroup } from "./manage/AlertsApi.ts"
import { WebhooksGroup } from "./manage/WebhooksApi.ts"
import { transformDocument } from "./openapi/DocumentTransform.ts"
import { OtpGroup, SandboxGroup } from "./verification/OtpApi.ts"
import { PhoneLookupGroup } from "./verification/PhoneLookupApi.ts"
import { MessagesGroup, SandboxMessagesGroup } from "./message/MessagesApi.ts"
import { SystemGroup } from "./system/SystemApi.ts"

export class Api extends HttpApi.make("peyk")
  .add(OtpGroup)
  .add(SandboxGroup)
  .add(MessagesGroup)
  .add(SandboxMessagesGroup)
  .add(PhoneLookupGroup)
  .add(AccountGroup)
  .add(ApiKeysGroup)
  .add(AccountsGroup)
  .add(RoutingGroup)
  .add(TemplatesGroup)
  .add(ManagedVerificationsGroup)
  .add(ManagedMessagesGroup)
  .add(PhonesGroup)
  .add(UsageReportGroup)
  .add(InsightsGroup)
  .add(ManagedAccountGroup)
  .add(WalletGroup)
  .add(StatementsGroup)
  .add(AuditLogGroup)
  .add(WebhooksGroup)
  .add(AlertsGroup)
  .add(GuardGroup)
  .add(TokensGroup)
  .add(UsersGroup)
  .add(MeGroup)
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

/** The routes of the API, with what the annotations of their endpoints and groups say. */
export const apiRoutes: ReadonlyArray<ServedRoute> = Object.values(Api.groups).flatMap((group) =>
  Object.values(group.endpoints).map(({ method, path, annotations }) => ({
    method,
    path,
    ...traitsIn(Context.merge(group.annotations, annotations))
  }))
)

const subjects = new Map(apiRoutes.map(({ path, subject = null }) => [templateOf(path), subject]))

/** What requests of a route are about, by its template: `/v1/otp/{verification_id}`. */
export const subjectKindOf = (template: string): SubjectKind | null => subjects.get(template) ?? null
