import { Schema } from "effect"
import { Timestamp } from "../../domain/Fields.ts"
import { formatInstant, type Instant } from "../../domain/Instant.ts"
import { Channel } from "../../domain/routing/Channel.ts"
import type { Route } from "../../domain/routing/Route.ts"
import {
  type Verification,
  VerificationStatus,
  viewVerification
} from "../../domain/verification/Verification.ts"
import { withMetadata } from "../Metadata.ts"
import { attemptDetails, deliverySearch, PathUuid, Rials, toAttemptDetails } from "./SearchFields.ts"
import { StatusResponse } from "../verification/OtpSchemas.ts"
import { toStatus } from "../verification/OtpWire.ts"
import { VerificationRecords } from "../../services/verification/VerificationRecords.ts"
import { handlersOf, manageGroup, reading } from "./Endpoints.ts"
import { foundJson, searched } from "./Handlers.ts"

const AttemptResource = Schema.Struct({
  ...StatusResponse.fields.attempts.value.fields,
  provider_error: Schema.NullOr(Schema.String),
  ...attemptDetails
})

const MeasuredRouting = Schema.Struct({
  explored: Schema.Boolean.annotateKey({
    description: "The first channel was tried only to see how it does, as with one code in 25."
  }),
  steps: Schema.Array(
    Schema.Struct({
      channel: Channel,
      conversion: Schema.Number.annotateKey({
        description:
          "The share of codes to this operator that are verified on the channel if it is tried first."
      }),
      codes: Schema.Int.annotateKey({
        description: "Your codes behind it; older ones count less, so it is no plain count."
      }),
      verified: Schema.Int
    })
  )
})

/** Contains neither its code nor the text that contained it. */
const VerificationResource = Schema.Struct({
  ...StatusResponse.fields,
  attempts: Schema.Array(AttemptResource),
  created_at: Timestamp,
  cost: Rials,
  measured_routing: Schema.optionalKey(MeasuredRouting).annotateKey({
    description:
      "Why the channels had this order; absent where they were tried as saved or as the request says."
  })
}).annotate({ identifier: "Verification" })

const toMeasuredRouting = (route: Route): { readonly measured_routing?: typeof MeasuredRouting.Type } => {
  const steps = route.flatMap(({ channel, measured }) =>
    measured === undefined
      ? []
      : [{ channel, conversion: measured.conversion, codes: measured.codes, verified: measured.verified }]
  )
  const explored = route[0].measured?.explored === true
  return steps.length === 0 ? {} : { measured_routing: { explored, steps } }
}

/** Everything except the metadata, which is JSON text already. */
export const toVerification = (
  verification: Verification,
  now: Instant
): Omit<typeof VerificationResource.Type, "metadata"> => {
  const status = toStatus(viewVerification(verification, now))
  const attempts = status.attempts.map((attempt) => {
    const kept = verification.attempts.find(({ step }) => step + 1 === attempt.sequence)
    return {
      ...attempt,
      provider_error: kept?.provider_error ?? null,
      ...toAttemptDetails(kept)
    }
  })
  return {
    ...status,
    attempts,
    created_at: formatInstant(verification.createdAt),
    cost: verification.captured,
    ...toMeasuredRouting(verification.route)
  }
}

/** As JSON text that contains the metadata exactly as it came. */
export const verificationJson = (verification: Verification, now: Instant): string =>
  withMetadata(toVerification(verification, now), verification.metadata)

export class ManagedVerificationsGroup extends manageGroup(
  "verifications",
  "/v1/manage/verifications",
  { title: "Management: verifications" },
  deliverySearch("verifications", { status: Schema.optionalKey(VerificationStatus) }, VerificationResource),
  reading(PathUuid, VerificationResource, "Read a verification with the outcomes of its attempts")
) {}

export const ManagedVerificationsHandlers = handlersOf(ManagedVerificationsGroup, (handlers) =>
  handlers.handleAll({
    list: searched("verifications", VerificationRecords, ({ status }) => ({ status }), verificationJson),
    read: foundJson(VerificationRecords, verificationJson)
  })
)
