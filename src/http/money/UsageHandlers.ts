import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { usagePeriod } from "../../domain/money/Usage.ts"
import { Api } from "../Api.ts"
import { orEnvelope } from "../errors/Envelope.ts"
import { groupings, toUsage } from "./UsageApi.ts"
import { CurrentActor } from "../wire/ManageAuth.ts"
import { UsageReports } from "../../services/money/UsageReports.ts"

export const UsageHandlers = HttpApiBuilder.group(
  Api,
  "usage",
  Effect.fnUntraced(function* (handlers) {
    const usage = yield* UsageReports
    return handlers.handleAll({
      report: ({ query }) =>
        Effect.gen(function* () {
          const { actor } = yield* CurrentActor
          const groupBy = query.group_by ?? "day"
          const now = yield* Clock.currentTimeMillis
          const period = yield* Effect.fromResult(usagePeriod(query, now))
          return toUsage(period, groupBy, yield* usage.report(actor.customerId, period, groupings[groupBy]))
        }).pipe(orEnvelope)
    })
  })
)
