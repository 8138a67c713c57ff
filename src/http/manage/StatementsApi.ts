import { Effect, Schema } from "effect"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import { calendars } from "../../domain/Calendar.ts"
import { statementMonth } from "../../domain/money/Statement.ts"
import { TEHRAN } from "../../domain/TimeZones.ts"
import { orEnvelope } from "../errors/Envelope.ts"
import { Wallets } from "../../services/Wallets.ts"
import { handlersOf, invalid, manageGroup } from "./Endpoints.ts"
import { CurrentActor } from "./ManageAuth.ts"
import { Rials, TimeZoneName } from "./SearchFields.ts"

const StatementResource = Schema.Struct({
  month: Schema.String.annotateKey({ description: "As in the path." }),
  opening: Rials.annotateKey({ description: "The balance when the month began." }),
  top_ups: Rials.annotateKey({ description: "What was paid in." }),
  captures: Schema.Record(Schema.String, Rials).annotateKey({
    description: "What was spent on each channel; a channel without a charge is left out."
  }),
  closing: Rials.annotateKey({ description: "opening + top_ups - all captures." }),
  currency: Schema.Literal("IRR")
}).annotate({ identifier: "Statement" })

export class StatementsGroup extends manageGroup(
  "statements",
  "/v1/manage/statements",
  { title: "Management: statements" },
  HttpApiEndpoint.get("read", "/:month", {
    params: {
      month: Schema.String.annotate({ description: "2026-11; with calendar=jalali 1405-09." })
    },
    query: {
      timezone: Schema.optionalKey(TimeZoneName).annotateKey({
        description: `Where the month begins at midnight, such as ${TEHRAN}; UTC if absent.`
      }),
      calendar: Schema.optionalKey(Schema.Literals(calendars)).annotateKey({
        description: "The calendar of the month; gregorian if absent."
      })
    },
    success: StatementResource,
    error: invalid
  }).annotateMerge(
    OpenApi.annotations({
      summary: "Read the statement of a month",
      description:
        "The sums of the ledger in that month. A charge counts when it was taken, not when its code or message was accepted."
    })
  )
) {}

export const StatementsHandlers = handlersOf(StatementsGroup, (handlers) =>
  handlers.handleAll({
    read: ({ params, query }) =>
      Effect.gen(function* () {
        const { actor } = yield* CurrentActor
        const { calendar = "gregorian", timezone = "UTC" } = query
        const month = yield* Effect.fromResult(statementMonth(params.month, { calendar, zone: timezone }))
        const { opening, topUps, captures, closing } = yield* (yield* Wallets).statement(
          actor.customerId,
          month
        )
        return { month: month.id, opening, top_ups: topUps, captures, closing, currency: "IRR" as const }
      }).pipe(orEnvelope)
  })
)
