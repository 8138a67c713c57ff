import { Effect, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { PhoneText, Timestamp } from "../../domain/Fields.ts"
import { formatNullableInstant } from "../../domain/Instant.ts"
import { operatorOf } from "../../domain/Operators.ts"
import { parsePhone, type Phone } from "../../domain/Phone.ts"
import { GuardList } from "../../domain/guard/GuardSettings.ts"
import { type PhoneLookup, PhoneRecords } from "../../services/PhoneRecords.ts"
import { RequireJson } from "../RequestGuards.ts"
import { Load } from "../RouteTable.ts"
import { AnyKey, CurrentPrincipal } from "../ServiceKeys.ts"
import { orEnvelope } from "../errors/Envelope.ts"
import { errors } from "../errors/SendErrors.ts"
import { handlersOf } from "../manage/Endpoints.ts"

const LookupBody = Schema.Struct({ phone: PhoneText }).annotate({ identifier: "PhoneLookupRequest" })

const Lookup = Schema.Struct({
  phone: Schema.String,
  operator: Schema.NullOr(Schema.Literals(["mci", "irancell", "rightel"])).annotateKey({
    description: "By the digits of the number; null for others."
  }),
  codes_24h: Schema.Int.annotate({ description: "Your codes of the last 24 hours; 1000 at most." }),
  verified_rate: Schema.NullOr(Schema.Finite).annotateKey({
    description: "Of your codes of the last 90 days that have ended, the share that was verified, 0 to 1."
  }),
  first_seen: Schema.NullOr(Timestamp).annotateKey({
    description: "When you first sent a code or a message to it, as far as Peyk still has it."
  }),
  last_verified_at: Schema.NullOr(Timestamp).annotateKey({
    description: "When a code of the last 90 days was last verified."
  }),
  bombed: Schema.Boolean.annotate({
    description: "In the last 24 hours a code of yours was refused, because many customers sent to the phone."
  }),
  listed: Schema.NullOr(GuardList).annotateKey({
    description: "The list of your guard that has the phone, or a prefix of it."
  })
}).annotate({ identifier: "PhoneLookup" })

/** So exact is a rate. */
const rounded = (rate: number | null) => (rate === null ? null : Math.round(rate * 10_000) / 10_000)

const toLookup = (phone: Phone, lookup: PhoneLookup): typeof Lookup.Type => {
  const operator = operatorOf(phone)
  return {
    phone,
    operator: operator === "other" ? null : operator,
    codes_24h: lookup.codes24h,
    verified_rate: rounded(lookup.verifiedRate),
    first_seen: formatNullableInstant(lookup.firstSeen),
    last_verified_at: formatNullableInstant(lookup.lastVerifiedAt),
    bombed: lookup.isBombed,
    listed: lookup.listed
  }
}

const refusals = errors("invalid_phone", "validation_error")

export class PhoneLookupGroup extends HttpApiGroup.make("lookup")
  .add(
    HttpApiEndpoint.get("read", "/v1/phones/:phone/lookup", {
      params: { phone: PhoneText },
      success: Lookup,
      error: refusals
    }).annotateMerge(OpenApi.annotations({ summary: "Look up a phone in your own records" })),
    HttpApiEndpoint.post("post", "/v1/phones/lookup", {
      payload: LookupBody,
      success: Lookup,
      error: refusals
    })
      .annotateMerge(
        OpenApi.annotations({ summary: "Look up a phone in your own records, with the phone in the body" })
      )
      .middleware(RequireJson)
  )
  .middleware(AnyKey)
  .annotate(Load, "send")
  .annotateMerge(OpenApi.annotations({ title: "Phones" })) {}

const lookUp = Effect.fnUntraced(function* (text: string) {
  const { customerId, mode, confirm } = yield* CurrentPrincipal
  yield* confirm
  const phone = yield* Effect.fromResult(parsePhone(text))
  return toLookup(phone, yield* (yield* PhoneRecords).lookUp(customerId, mode, phone))
}, orEnvelope)

export const PhoneLookupHandlers = handlersOf(PhoneLookupGroup, (handlers) =>
  handlers.handleAll({
    read: ({ params }) => lookUp(params.phone),
    post: ({ payload }) => lookUp(payload.phone)
  })
)
