import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { DEFAULT_LOCALE } from "../../../domain/message/CodeText.ts"
import type { Actor } from "../../../domain/people/Actor.ts"
import { type CustomerRecord, CustomerRecords } from "../../../services/resources/CustomerRecords.ts"
import { auditEntriesOf } from "../../../services/resources/ManagementWrites.ts"
import { Api } from "../../Api.ts"
import { orEnvelope } from "../../errors/Envelope.ts"
import { answerResource, makeWrite } from "../wire/ManageWire.ts"
import { CurrentActor } from "./ManageAuth.ts"
import type { Me } from "./MeApi.ts"

const toMe = (
  { kind, id, name, scope, role = null, customerId }: Actor,
  { brand, locale, webOtpHost }: CustomerRecord
): Me => ({ kind, id, name, scope, role, customer_id: customerId, brand, locale, webotp_host: webOtpHost })

const entry = auditEntriesOf("customer")

export const MeHandlers = HttpApiBuilder.group(
  Api,
  "me",
  Effect.fnUntraced(function* (handlers) {
    const customers = yield* CustomerRecords
    const write = yield* makeWrite
    return handlers.handleAll({
      read: () =>
        Effect.gen(function* () {
          const { actor } = yield* CurrentActor
          return answerResource(toMe(actor, yield* customers.find(actor.customerId)))
        }).pipe(orEnvelope),

      update: ({ payload: { brand, locale: given, webotp_host } }) =>
        Effect.gen(function* () {
          const { actor } = yield* CurrentActor
          const locale = given === null ? DEFAULT_LOCALE : given
          return yield* write(
            { operation: "customer.update", status: 200 },
            Effect.map(
              customers.update(actor.customerId, { brand, locale, webOtpHost: webotp_host }),
              (customer) => ({
                body: toMe(actor, customer),
                audit: entry("update", customer.id, { brand, locale, webotp_host })
              })
            )
          )
        }).pipe(orEnvelope)
    })
  })
)
