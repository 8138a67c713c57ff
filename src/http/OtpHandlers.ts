import { Effect } from "effect"
import { HttpApiBuilder, HttpApiSchema } from "effect/http-api"
import { Verifications } from "../services/Verifications.ts"
import { Api } from "./Api.ts"
import { orEnvelope } from "./Envelope.ts"
import {
  sendRequestOf,
  toSandboxStatus,
  toSendResponse,
  toStatus,
  toSteps,
  type VerifyBody
} from "./OtpSchemas.ts"
import { CurrentIdempotencyKey } from "./RequestGuards.ts"
import { CurrentPrincipal } from "./ServiceKeys.ts"

const verifyWith = (verifications: Verifications["Service"]) =>
  Effect.fnUntraced(function* ({ payload }: { readonly payload: typeof VerifyBody.Type }) {
    const { customerId } = yield* CurrentPrincipal
    const { verification_id: id, code } = payload
    return yield* orEnvelope(verifications.verify({ customerId, id, code }))
  })

export const OtpHandlers = HttpApiBuilder.group(
  Api,
  "otp",
  Effect.fnUntraced(function* (handlers) {
    const verifications = yield* Verifications
    return handlers.handleAll({
      send: Effect.fnUntraced(function* ({ payload }) {
        const { customerId } = yield* CurrentPrincipal
        const key = yield* CurrentIdempotencyKey
        const answer = verifications.send(sendRequestOf(customerId, key, payload))
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
        const { customerId } = yield* CurrentPrincipal
        return yield* orEnvelope(
          Effect.map(verifications.status({ customerId, id: params.verification_id }), toStatus)
        )
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
        const { customerId } = yield* CurrentPrincipal
        const answer = verifications.send({
          customerId,
          phone: payload.phone,
          channels: toSteps(payload.channels)
        })
        return yield* orEnvelope(Effect.map(answer, toSendResponse))
      }),
      verify: verifyWith(verifications),
      status: Effect.fnUntraced(function* ({ params }) {
        const { customerId } = yield* CurrentPrincipal
        return yield* orEnvelope(
          Effect.map(verifications.status({ customerId, id: params.verification_id }), toSandboxStatus)
        )
      })
    })
  })
)
