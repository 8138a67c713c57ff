import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import type { Actor } from "../../domain/user/Actor.ts"
import { Api } from "../Api.ts"
import { orEnvelope } from "../errors/Envelope.ts"
import type { Me } from "./MeApi.ts"
import { makeActionHandler } from "../wire/ActionHandlers.ts"
import { CurrentActor } from "../wire/ManageAuth.ts"
import { answerResource } from "../wire/ManageWire.ts"
import { changeCustomer } from "../../services/customer/CustomerActions.ts"
import { type CustomerRecord, CustomerRecords } from "../../services/customer/CustomerRecords.ts"

const toMe = (
  { kind, id, name, scope, role = null, customerId }: Actor,
  { brand, locale, webOtpHost }: CustomerRecord
): Me => ({ kind, id, name, scope, role, customer_id: customerId, brand, locale, webotp_host: webOtpHost })

export const MeHandlers = HttpApiBuilder.group(
  Api,
  "me",
  Effect.fnUntraced(function* (handlers) {
    const customers = yield* CustomerRecords
    const handler = yield* makeActionHandler<CustomerRecords>()
    return handlers.handleAll({
      read: () =>
        Effect.gen(function* () {
          const { actor } = yield* CurrentActor
          return answerResource(toMe(actor, yield* customers.find(actor.customerId)))
        }).pipe(orEnvelope),

      update: handler(changeCustomer, { status: 200, body: (customer, _, actor) => toMe(actor, customer) })
    })
  })
)
