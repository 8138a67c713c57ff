import { Effect } from "effect"
import { HttpApiBuilder, HttpApiSchema } from "effect/http-api"
import { Verifications } from "../services/Verifications.ts"
import { Api } from "./Api.ts"
import { orEnvelope } from "./Envelope.ts"
import { toSandboxStatus, toSendResponse, toStatus, toSteps, type VerifyBody } from "./OtpSchemas.ts"
import { CurrentIdempotencyKey } from "./RequestGuards.ts"
import { CurrentPrincipal } from "./ServiceKeys.ts"

const templateIdOf = (id: number | string | null | undefined): number | undefined =>
  id == null ? undefined : Number(id)

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
        // In the words of the contract: it is kept as a fingerprint, and other versions of us have to come to the same.
        const body = {
          phone: payload.phone,
          channels: toSteps(payload.channels),
          channel_timeout: payload.channel_timeout ?? undefined,
          template_id: templateIdOf(payload.template_id)
        }
        const answer = verifications.send({
          customerId,
          phone: body.phone,
          channels: body.channels,
          channelTimeout: body.channel_timeout,
          templateId: body.template_id,
          idempotency: key === null ? undefined : { key, body }
        })
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
