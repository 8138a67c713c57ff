import { Layer } from "effect"
import { SqlClient } from "effect/sql"
import { AuditLogHandlers } from "../../http/manage/AuditLogHandlers.ts"
import { ManagedMessagesHandlers } from "../../http/manage/ManagedMessagesHandlers.ts"
import { UsageHandlers } from "../../http/manage/UsageHandlers.ts"
import { ManagedVerificationsHandlers } from "../../http/manage/VerificationsHandlers.ts"
import { ReportingSql } from "../postgres/Store.ts"
import { ActivityReports } from "../../services/resources/ActivityReports.ts"
import { ActivitySumsSql } from "../resources/ActivitySumsSql.ts"
import { AuditLogSql } from "../resources/AuditLogSql.ts"
import { MessageRecordsSql } from "../resources/MessageRecordsSql.ts"
import { RunHistoriesSql } from "../resources/RunHistoriesSql.ts"
import { VerificationRecordsSql } from "../resources/VerificationRecordsSql.ts"
import { UsageReportsSql } from "../resources/UsageReportsSql.ts"

/** Uses separate connections, because searches can take long. */
const overReports = Layer.provide(Layer.effect(SqlClient.SqlClient, ReportingSql))

/** The searches that the command line has too. */
export const Searches = Layer.mergeAll(VerificationRecordsSql, MessageRecordsSql).pipe(overReports)

/** Further services of the console: figures and the audit log. */
export const Reports = Layer.mergeAll(
  UsageReportsSql,
  AuditLogSql,
  RunHistoriesSql,
  Layer.provide(ActivityReports.layer, ActivitySumsSql)
).pipe(overReports)

/** Resources that can only be read. */
export const ReadHandlers = Layer.mergeAll(
  Layer.provide(ManagedVerificationsHandlers, VerificationRecordsSql),
  Layer.provide(ManagedMessagesHandlers, MessageRecordsSql),
  Layer.provide(UsageHandlers, UsageReportsSql),
  Layer.provide(AuditLogHandlers, AuditLogSql)
).pipe(overReports)
