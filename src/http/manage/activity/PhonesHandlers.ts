import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { parsePhone } from "../../../domain/Phone.ts"
import { auditEntriesOf } from "../../../services/resources/ManagementWrites.ts"
import { PhoneErasures } from "../../../services/retention/PhoneErasures.ts"
import { Api } from "../../Api.ts"
import { orEnvelope } from "../../errors/Envelope.ts"
import { CurrentActor } from "../access/ManageAuth.ts"
import { makeWrite } from "../wire/ManageWire.ts"

const entry = auditEntriesOf("phone")

export const PhonesHandlers = HttpApiBuilder.group(
  Api,
  "phones",
  Effect.fnUntraced(function* (handlers) {
    const erasures = yield* PhoneErasures
    const write = yield* makeWrite
    return handlers.handleAll({
      erase: ({ payload }) =>
        Effect.gen(function* () {
          const { actor } = yield* CurrentActor
          const phone = yield* Effect.fromResult(parsePhone(payload.phone))
          // Before the entry's transaction: a cancellation is a change of its own.
          const erased = yield* erasures.erase(actor.customerId, phone)
          return yield* write(
            { operation: "phone.erase", status: 200 },
            // The log does not keep the phone either.
            Effect.succeed({ body: erased, audit: entry("erase", actor.customerId, { ...erased }) })
          )
        }).pipe(orEnvelope)
    })
  })
)
