import { Effect } from "effect"
import { HttpApiBuilder, HttpApiSchema } from "effect/http-api"
import { Verifications } from "../../services/verification/Verifications.ts"
import { Api } from "../Api.ts"
import { orEnvelope } from "../Envelope.ts"
import {
  sendRequestOf,
  toSandboxStatus,
  toSendResponse,
  toStatus,
  toSteps,
  type VerifyBody
} from "./OtpSchemas.ts"
import { CurrentIdempotencyKey } from "../RequestGuards.ts"
import { CurrentPrincipal } from "../ServiceKeys.ts"

const verifyWith = (verifications: Verifications["Service"]) =>
  Effect.fnUntraced(function* ({ payload }: { readonly payload: typeof VerifyBody.Type }) {
    const { perform } = yield* CurrentPrincipal
    const { verification_id: id, code } = payload
    return yield* orEnvelope(
      perform(({ customerId, setUpVersion }) => verifications.verify({ customerId, id, code, setUpVersion }))
    )
  })

export const OtpHandlers = HttpApiBuilder.group(
  Api,
  "otp",
  Effect.fnUntraced(function* (handlers) {
    const verifications = yield* Verifications
    return handlers.handleAll({
      send: Effect.fnUntraced(function* ({ payload }) {
        const { perform } = yield* CurrentPrincipal
        const key = yield* CurrentIdempotencyKey
        const answer = perform((principal) => verifications.send(sendRequestOf(principal, key, payload)))
        return yield* answer.pipe(
          Effect.map((sent) =>
            HttpApiSchema.withHeaders({
              body: toSendResponse(sent),
              headers: sent.replayed ? { "idempotency-replayed": "true" as const } : {}
            })
          ),
          orEnvelope
        )
      }),
      verify: verifyWith(verifications),
      status: Effect.fnUntraced(function* ({ params }) {
        const { perform } = yield* CurrentPrincipal
        const view = perform(({ customerId, setUpVersion }) =>
          verifications.status({ customerId, id: params.verification_id, setUpVersion })
        )
        return yield* orEnvelope(Effect.map(view, toStatus))
      })
    })
  })
)

export const SandboxHandlers = HttpApiBuilder.group(
  Api,
  "sandbox",
  Effect.fnUntraced(function* (handlers) {
    const verifications = yield* Verifications
    return handlers.handleAll({
      send: Effect.fnUntraced(function* ({ payload }) {
        const { perform } = yield* CurrentPrincipal
        const { phone } = payload
        const channels = toSteps(payload.channels)
        const answer = perform(({ customerId, setUpVersion }) =>
          verifications.send({ customerId, phone, channels, setUpVersion })
        )
        return yield* orEnvelope(Effect.map(answer, toSendResponse))
      }),
      verify: verifyWith(verifications),
      status: Effect.fnUntraced(function* ({ params }) {
        const { perform } = yield* CurrentPrincipal
        const view = perform(({ customerId, setUpVersion }) =>
          verifications.status({ customerId, id: params.verification_id, setUpVersion })
        )
        return yield* orEnvelope(Effect.map(view, toSandboxStatus))
      })
    })
  })
)
