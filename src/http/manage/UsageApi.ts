import { Clock, Effect, Schema } from "effect"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import { Timestamp } from "../../domain/Fields.ts"
import { formatInstant } from "../../domain/Instant.ts"
import type { TimeSpan } from "../../domain/Paging.ts"
import {
  type CodeUsage,
  conversion,
  MAX_USAGE_DAYS,
  type SendUsage,
  type UsageGroup,
  USAGE_ZONE,
  type UsageGrouping,
  usagePeriod
} from "../../domain/money/Usage.ts"
import { TEHRAN } from "../../domain/TimeZones.ts"
import { orEnvelope } from "../errors/Envelope.ts"
import { CurrentActor } from "./ManageAuth.ts"
import { Rials, TimeZoneName, timeQuery } from "./SearchFields.ts"
import { UsageReports } from "../../services/UsageReports.ts"
import { handlersOf, invalid, manageGroup } from "./Endpoints.ts"

const sendFields = {
  accepted: Schema.Int,
  sent: Schema.Int.annotateKey({ description: "Attempts that a provider accepted." }),
  failed: Schema.Int.annotateKey({ description: "Attempts that failed." }),
  errors: Schema.Record(Schema.String, Schema.Int).annotateKey({
    description: "Failed attempts by error_code."
  }),
  delivered: Schema.Int.annotateKey({ description: "Attempts with a report that they arrived." }),
  undelivered: Schema.Int,
  cost: Rials
}

const CodeUsageResource = Schema.Struct({
  ...sendFields,
  verified: Schema.Int,
  conversion: Schema.NullOr(Schema.Finite).annotateKey({
    description: "verified divided by accepted, 0 to 1; null if none was accepted."
  }),
  median_seconds: Schema.NullOr(Schema.Finite).annotateKey({
    description: "From creation to the right code; null without one."
  })
}).annotate({ identifier: "CodeUsage" })

const MessageUsageResource = Schema.Struct(sendFields).annotate({ identifier: "MessageUsage" })

const GroupBy = Schema.Literals(["day", "channel", "day,channel"])

const UsageResource = Schema.Struct({
  from: Timestamp,
  to: Timestamp,
  group_by: GroupBy,
  data: Schema.Array(
    Schema.Struct({
      day: Schema.optionalKey(Schema.String).annotateKey({
        description: "A day of timezone, e.g. 2026-03-21."
      }),
      channel: Schema.optionalKey(Schema.String),
      codes: CodeUsageResource,
      messages: MessageUsageResource
    })
  )
}).annotate({ identifier: "Usage" })

const groupings: Readonly<Record<typeof GroupBy.Type, UsageGrouping>> = {
  day: { byDay: true, byChannel: false },
  channel: { byDay: false, byChannel: true },
  "day,channel": { byDay: true, byChannel: true }
}

const toSends = ({ accepted, sent, failed, errors, delivered, undelivered, cost }: SendUsage) => ({
  accepted,
  sent,
  failed,
  errors,
  delivered,
  undelivered,
  cost
})

const toCodes = (usage: CodeUsage): typeof CodeUsageResource.Type => ({
  ...toSends(usage),
  verified: usage.verified,
  conversion: conversion(usage),
  median_seconds: usage.medianSeconds
})

const toUsage = (
  { from, to }: TimeSpan,
  groupBy: typeof GroupBy.Type,
  groups: ReadonlyArray<UsageGroup>
): typeof UsageResource.Type => ({
  from: formatInstant(from),
  to: formatInstant(to),
  group_by: groupBy,
  data: groups.map(({ day, channel, codes, messages }) => ({
    ...(day === null ? {} : { day }),
    ...(channel === null ? {} : { channel }),
    codes: toCodes(codes),
    messages: toSends(messages)
  }))
})

export class UsageReportGroup extends manageGroup(
  "usage",
  "/v1/manage/usage",
  { title: "Management: usage" },
  HttpApiEndpoint.get("report", "/", {
    query: {
      ...timeQuery,
      group_by: Schema.optionalKey(GroupBy).annotateKey({ description: "day if absent." }),
      timezone: Schema.optionalKey(TimeZoneName).annotateKey({
        description: `Of the days, such as ${TEHRAN}; UTC if absent.`
      })
    },
    success: UsageResource,
    error: invalid
  }).annotateMerge(
    OpenApi.annotations({
      summary: "Read the outcomes of codes and messages, by day and channel",
      description:
        `The last 30 days, or at most ${MAX_USAGE_DAYS} given ones. A send counts on the day it was accepted. By ` +
        "channel, a send that was tried over several channels counts as accepted for each of them, and as verified for the " +
        "last. Of more than 20,000 sends, the median is rounded, and what was delivered in the last day can be some hours old."
    })
  )
) {}

export const UsageHandlers = handlersOf(UsageReportGroup, (handlers) =>
  handlers.handleAll({
    report: ({ query }) =>
      Effect.gen(function* () {
        const { actor } = yield* CurrentActor
        const groupBy = query.group_by ?? "day"
        const zone = query.timezone ?? USAGE_ZONE
        const period = yield* Effect.fromResult(usagePeriod(query, yield* Clock.currentTimeMillis, zone))
        const usage = yield* UsageReports
        const grouping = { ...groupings[groupBy], zone }
        return toUsage(period, groupBy, yield* usage.report(actor.customerId, period, grouping))
      }).pipe(orEnvelope)
  })
)
