import { Clock, Effect, Schema } from "effect"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import { Timestamp } from "../../domain/Fields.ts"
import {
  conversionOfSums,
  insightsPeriod,
  type KeyedSums,
  secondsOfSums,
  spanBefore
} from "../../domain/Insights.ts"
import { formatInstant } from "../../domain/Instant.ts"
import { MAX_USAGE_DAYS } from "../../domain/money/Usage.ts"
import { TEHRAN } from "../../domain/TimeZones.ts"
import { documentedError, orEnvelope } from "../errors/Envelope.ts"
import { CurrentActor } from "./ManageAuth.ts"
import { Rials, timeQuery, TimeZoneName } from "./SearchFields.ts"
import { insightGroupings, Insights } from "../../services/activity/Insights.ts"
import { handlersOf, invalid, manageGroup } from "./Endpoints.ts"

const GroupBy = Schema.Literals(insightGroupings)

const InsightRow = Schema.Struct({
  key: Schema.String.annotateKey({
    description:
      "The channel; the account's id, `shared:bale` or `sandbox`; `mci`, `irancell`, `rightel` or `other`; the hour, `00` " +
      "to `23`; the template's id, or `none`."
  }),
  codes: Schema.Int,
  verified: Schema.Int,
  conversion: Schema.NullOr(Schema.Finite).annotateKey({
    description: "verified divided by codes, 0 to 1; null without codes."
  }),
  median_seconds: Schema.NullOr(Schema.Finite).annotateKey({
    description: "From creation to the right code, rounded as in usage; null without a verified code."
  }),
  p95_seconds: Schema.NullOr(Schema.Finite).annotateKey({
    description: "The time within which 95 of 100 verified codes were verified, rounded likewise."
  }),
  fallbacks: Schema.Int.annotateKey({
    description: "Codes verified after another channel than the first was tried."
  }),
  cost: Rials
}).annotate({ identifier: "InsightRow" })

const InsightsResource = Schema.Struct({
  from: Timestamp,
  to: Timestamp,
  by: GroupBy.annotateKey({ description: "What each row is of." }),
  data: Schema.Array(InsightRow),
  previous: Schema.Array(InsightRow).annotateKey({
    description: "The same of the time before, which is as long."
  })
}).annotate({ identifier: "Insights" })

const rounded = (share: number | null): number | null =>
  share === null ? null : Math.round(share * 10_000) / 10_000

export const toInsightRow = (sums: KeyedSums): typeof InsightRow.Type => ({
  key: sums.key,
  codes: sums.codes,
  verified: sums.verified,
  conversion: rounded(conversionOfSums(sums)),
  median_seconds: secondsOfSums(sums, 0.5),
  p95_seconds: secondsOfSums(sums, 0.95),
  fallbacks: sums.fallbacks,
  cost: sums.cost
})

export class InsightsGroup extends manageGroup(
  "insights",
  "/v1/manage/insights",
  { title: "Management: insights" },
  HttpApiEndpoint.get("report", "/", {
    query: {
      ...timeQuery,
      by: Schema.optionalKey(GroupBy).annotateKey({ description: "channel if absent." }),
      mode: Schema.optionalKey(Schema.Literals(["live", "test"])).annotateKey({
        description: "live if absent."
      }),
      timezone: Schema.optionalKey(TimeZoneName).annotateKey({
        description: `Of by=hour, and of the day on which the default time begins; ${TEHRAN} if absent.`
      })
    },
    success: InsightsResource,
    error: [invalid, documentedError("service_unavailable")]
  }).annotateMerge(
    OpenApi.annotations({
      summary: "Read how codes were verified, by channel, account, operator, hour or template",
      description:
        `The last 30 days, or at most ${MAX_USAGE_DAYS} given ones, in whole half hours, and the time before. A code counts ` +
        "at the time it was sent, at most 15 seconds later. By channel, account and template, a code counts for each " +
        "that was tried, and as verified for the last. While older codes are still being summed up, it is " +
        "service_unavailable."
    })
  )
) {}

export const InsightsHandlers = handlersOf(InsightsGroup, (handlers) =>
  handlers.handleAll({
    report: ({ query }) =>
      Effect.gen(function* () {
        const { actor } = yield* CurrentActor
        const { by = "channel", mode = "live", timezone = TEHRAN } = query
        const period = yield* Effect.fromResult(
          insightsPeriod(query, timezone, yield* Clock.currentTimeMillis)
        )
        const spans = { data: period, previous: spanBefore(period) }
        const insights = yield* Insights
        const filter = { customerId: actor.customerId, mode }
        const { data, previous } = yield* insights.report(filter, by, spans, timezone)
        return {
          from: formatInstant(period.from),
          to: formatInstant(period.to),
          by,
          data: data.map(toInsightRow),
          previous: previous.map(toInsightRow)
        }
      }).pipe(orEnvelope)
  })
)
