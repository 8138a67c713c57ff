import { Layer } from "effect"
import { SqlClient } from "effect/sql"
import { AuditLogHandlers } from "../../http/manage/AuditLogApi.ts"
import { ManagedMessagesHandlers } from "../../http/manage/ManagedMessagesApi.ts"
import { InsightsHandlers } from "../../http/manage/InsightsApi.ts"
import { UsageHandlers } from "../../http/manage/UsageApi.ts"
import { ManagedVerificationsHandlers } from "../../http/manage/VerificationsApi.ts"
import { ReportingSql } from "../postgres/Pools.ts"
import { AccountSummaries } from "../../services/activity/AccountSummaries.ts"
import { Billing, Limits } from "../../services/customer/Limits.ts"
import { CustomerStandingsSql } from "../customer/CustomersSql.ts"
import { ActivityReports } from "../../services/activity/ActivityReports.ts"
import { ActivitySumsLive, CodeSumsLive, RequestRecordsLive } from "./LiveStores.ts"
import { Insights } from "../../services/activity/Insights.ts"
import { PhoneRecordsSql } from "../activity/PhoneRecordsSql.ts"
import { AccountHistories } from "../../services/account/AccountHistories.ts"
import { AccountHistoriesSql } from "../account/AccountHistoriesSql.ts"
import { AuditLogSql } from "../activity/AuditLogSql.ts"
import { HealthReportsSql } from "../system/HealthReportsSql.ts"
import { InstallationReportsSql } from "../system/InstallationReportsSql.ts"
import { MessageRecordsSql } from "../message/MessageRecordsSql.ts"
import { RunHistoriesSql } from "../activity/RunHistoriesSql.ts"
import { VerificationRecordsSql } from "../verification/VerificationRecordsSql.ts"
import { UsageRecordsSql } from "../money/UsageRecordsSql.ts"
import { TemplatesSql } from "../message/TemplateRecordsSql.ts"
import { AccountStatesSql } from "../account/PacedAccounts.ts"
import { CodePreviews } from "../../services/verification/CodePreviews.ts"
import { Routing } from "../../services/routing/Routing.ts"
import { UsageReports } from "../../services/UsageReports.ts"
import { overReads } from "./Management.ts"

/** Uses separate connections too, to the primary. */
const overReports = Layer.provide(Layer.effect(SqlClient.SqlClient, ReportingSql))

export const AccountSummariesLive = Layer.provide(AccountSummaries.layer, [
  Billing.layer,
  Limits.layer,
  CustomerStandingsSql
])

/** For service keys. */
export const PhoneLookupsLive = PhoneRecordsSql.pipe(overReads)

/** What a send would do: over what sends read, and what counts them. */
export const CodePreviewsLive = Layer.provide(CodePreviews.layer, [
  Routing.layer,
  TemplatesSql,
  Billing.layer,
  AccountStatesSql,
  AccountSummariesLive,
  PhoneLookupsLive
])

const UsageReportsLive = Layer.provide(UsageReports.layer, [UsageRecordsSql, ActivitySumsLive])

const ActivityReportsLive = Layer.provide(ActivityReports.layer, ActivitySumsLive).pipe(overReports)

/** Sums are read where they are written. */
export const InsightsLive = Layer.provide(Insights.layer, [
  ActivityReportsLive,
  CodeSumsLive.pipe(overReports)
])

/** The sums of sends that rounds keep up to date. */
export const KeptSums = ActivitySumsLive.pipe(overReports)

/** Further services of the console: figures and the audit log. */
export const Reports = Layer.mergeAll(
  UsageReportsLive,
  AuditLogSql,
  RunHistoriesSql,
  PhoneRecordsSql,
  Layer.provide(AccountHistories.layer, AccountHistoriesSql)
).pipe(
  overReads,
  Layer.merge(
    Layer.mergeAll(
      // Its commits are not awaited, so nobody knows when a replica has them.
      RequestRecordsLive,
      // It is about the primary.
      HealthReportsSql,
      InstallationReportsSql
    ).pipe(overReports)
  ),
  Layer.merge(Layer.merge(ActivityReportsLive, InsightsLive))
)

/** Resources that can only be read. */
export const ReadHandlers = Layer.mergeAll(
  Layer.provide(ManagedVerificationsHandlers, VerificationRecordsSql),
  Layer.provide(ManagedMessagesHandlers, MessageRecordsSql),
  Layer.provide(UsageHandlers, UsageReportsLive),
  Layer.provide(InsightsHandlers, InsightsLive),
  Layer.provide(AuditLogHandlers, AuditLogSql)
).pipe(overReads)
