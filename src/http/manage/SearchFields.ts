import { Effect, Schema, SchemaTransformation } from "effect"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import { DateTimeText, PhoneText, Timestamp } from "../../domain/Fields.ts"
import { formatNullableInstant, LAST_INSTANT } from "../../domain/Instant.ts"
import { parseContactPhone } from "../../domain/Phone.ts"
import { problem } from "../../domain/Problem.ts"
import { check, refusing } from "../../domain/SchemaProblems.ts"
import { isTimeZone, TEHRAN } from "../../domain/TimeZones.ts"
import { isUuid, NIL_UUID } from "../../domain/Uuid.ts"
import type { Delivery } from "../../domain/ProviderOutcome.ts"
import { Channel } from "../../domain/routing/Channel.ts"
import { pasted } from "../../domain/text/PastedText.ts"
import { isStorable } from "../../domain/text/VisibleText.ts"
import { documentedError } from "../errors/Envelope.ts"
import { invalid } from "./Endpoints.ts"
import { type ListName, pageOf, pageQuery } from "./ManageWire.ts"

/** Times that the store can compare: the years 1970 to 9999. */
export const SearchInstant = DateTimeText.check(
  Schema.isBetween(
    { minimum: 0, maximum: LAST_INSTANT },
    refusing(problem("not_a_year", { first: 1970, last: 9999 }))
  )
)

/** The query of every list by time. */
export const timeQuery = {
  from: Schema.optionalKey(SearchInstant).annotateKey({
    description: "ISO 8601 date-time, included; without an offset it is Tehran time. Write + as %2B."
  }),
  to: Schema.optionalKey(SearchInstant).annotateKey({ description: "ISO 8601 date-time, not included." })
}

/** `Asia/Tehran` */
export const TimeZoneName = Schema.String.check(
  check(isTimeZone, problem("not_time_zone", { example: TEHRAN }))
)

const MAX_FILTER_LENGTH = 200
export const FILTER_LENGTH = { minimum: 1, maximum: MAX_FILTER_LENGTH }

/** A text to compare with that the store can hold. */
export const FilterText = Schema.String.check(
  check(
    (text: string) => text !== "" && text.length <= MAX_FILTER_LENGTH && isStorable(text),
    problem("wrong_length", FILTER_LENGTH)
  )
)

/** A UUID in a path; an invalid one matches nothing. */
export const PathUuid = Schema.String.pipe(
  Schema.decodeTo(
    Schema.String,
    SchemaTransformation.transform({
      decode: (text: string) => {
        const id = pasted(text).toLowerCase()
        return isUuid(id) ? id : NIL_UUID
      },
      encode: (id: string) => id
    })
  )
)

const DeliveryResource = Schema.Struct({
  status: Schema.Literals(["delivered", "undelivered"]),
  at: Schema.NullOr(Timestamp),
  provider_error: Schema.NullOr(Schema.String)
}).annotate({ identifier: "AttemptDelivery" })

/** The fields of an attempt that only searches return. */
export const attemptDetails = {
  provider_message_id: Schema.NullOr(Schema.String),
  delivery: Schema.NullOr(DeliveryResource).annotateKey({
    description: "The provider's delivery report; null without one."
  })
}

export const toAttemptDetails = (
  attempt: { readonly provider_message_id: string | null; readonly delivery?: Delivery } | undefined
) => ({
  provider_message_id: attempt?.provider_message_id ?? null,
  delivery:
    attempt?.delivery === undefined
      ? null
      : { ...attempt.delivery, at: formatNullableInstant(attempt.delivery.at) }
})

export const Rials = Schema.Int.annotate({ description: "Rials" })

/** Fails with `invalid_phone`. */
export const searchedPhone = (text: string | undefined) =>
  text === undefined ? Effect.undefined : Effect.fromResult(parseContactPhone(text))

/** Searches sends to phones, with the filters of all and its own. */
export const deliverySearch = <Filters extends Schema.Struct.Fields, Resource extends Schema.Top>(
  list: ListName,
  filters: Filters,
  resource: Resource
) =>
  HttpApiEndpoint.get("list", "/", {
    query: {
      ...pageQuery(list),
      ...timeQuery,
      phone: Schema.optionalKey(PhoneText),
      ...filters,
      channel: Schema.optionalKey(Channel).annotateKey({ description: "A channel that was tried." })
    },
    success: pageOf(resource),
    error: [invalid, documentedError("invalid_phone")]
  }).annotateMerge(
    OpenApi.annotations({
      summary: `Search ${list}, the newest first`,
      description: "A filtered part may be shorter than limit: the list is complete when next_cursor is null."
    })
  )
