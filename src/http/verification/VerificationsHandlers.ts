import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../Api.ts"
import { answerManagedJson, pageJson } from "../RequestGuards.ts"
import { orEnvelope } from "../errors/Envelope.ts"
import { verificationJson } from "./VerificationsApi.ts"
import { CurrentActor } from "../wire/ManageAuth.ts"
import { pageRequest, toWirePage } from "../wire/ManageWire.ts"
import { searchedPhone } from "../wire/SearchFields.ts"
import { VerificationRecords } from "../../services/verification/VerificationRecords.ts"

export const ManagedVerificationsHandlers = HttpApiBuilder.group(
  Api,
  "verifications",
  Effect.fnUntraced(function* (handlers) {
    const verifications = yield* VerificationRecords
    return handlers.handleAll({
      list: ({ query }) =>
        Effect.gen(function* () {
          const { actor } = yield* CurrentActor
          const { status, channel, from, to } = query
          const page = yield* verifications.list(actor.customerId, {
            ...pageRequest("verifications", query),
            phone: yield* searchedPhone(query.phone),
            status,
            channel,
            from,
            to
          })
          const now = yield* Clock.currentTimeMillis
          return answerManagedJson(
            pageJson(toWirePage("verifications", page, (found) => verificationJson(found, now)))
          )
        }).pipe(orEnvelope),

      read: ({ params }) =>
        Effect.gen(function* () {
          const { actor } = yield* CurrentActor
          const verification = yield* verifications.find(actor.customerId, params.id)
          return answerManagedJson(verificationJson(verification, yield* Clock.currentTimeMillis))
        }).pipe(orEnvelope)
    })
  })
)
