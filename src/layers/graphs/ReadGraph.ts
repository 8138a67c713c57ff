import { Layer } from "effect"
import { SqlClient } from "effect/sql"
import { AuditLogHandlers } from "../../http/manage/AuditLogApi.ts"
import { ManagedMessagesHandlers } from "../../http/manage/ManagedMessagesApi.ts"
import { UsageHandlers } from "../../http/manage/UsageApi.ts"
import { ManagedVerificationsHandlers } from "../../http/manage/VerificationsApi.ts"
import { ReportingSql } from "../postgres/Pools.ts"
import { ActivityReports } from "../../services/activity/ActivityReports.ts"
import { ActivitySumsSql } from "../activity/ActivitySumsSql.ts"
import { AuditLogSql } from "../activity/AuditLogSql.ts"
import { HealthReportsSql } from "../system/HealthReportsSql.ts"
import { MessageRecordsSql } from "../message/MessageRecordsSql.ts"
import { RequestRecordsSql } from "../activity/RequestRecordsSql.ts"
import { RunHistoriesSql } from "../activity/RunHistoriesSql.ts"
import { VerificationRecordsSql } from "../verification/VerificationRecordsSql.ts"
import { UsageRecordsSql } from "../money/UsageRecordsSql.ts"
import { UsageReports } from "../../services/UsageReports.ts"
import { overReads } from "./Management.ts"

/** Uses separate connections too, to the primary. */
const overReports = Layer.provide(Layer.effect(SqlClient.SqlClient, ReportingSql))

const UsageReportsLive = Layer.provide(UsageReports.layer, [UsageRecordsSql, ActivitySumsSql])

/** The sums of sends that rounds keep up to date. */
export const KeptSums = ActivitySumsSql.pipe(overReports)

/** Further services of the console: figures and the audit log. */
export const Reports = Layer.mergeAll(UsageReportsLive, AuditLogSql, RunHistoriesSql).pipe(
  overReads,
  Layer.merge(
    Layer.mergeAll(
      // Its commits are not awaited, so nobody knows when a replica has them.
      RequestRecordsSql,
      // Sums are written.
      Layer.provide(ActivityReports.layer, ActivitySumsSql),
      // It is about the primary.
      HealthReportsSql
    ).pipe(overReports)
  )
)

/** Resources that can only be read. */
export const ReadHandlers = Layer.mergeAll(
  Layer.provide(ManagedVerificationsHandlers, VerificationRecordsSql),
  Layer.provide(ManagedMessagesHandlers, MessageRecordsSql),
  Layer.provide(UsageHandlers, UsageReportsLive),
  Layer.provide(AuditLogHandlers, AuditLogSql)
).pipe(overReads)
