import { Clock, Effect } from "effect"
import { HttpApiBuilder, HttpApiSchema } from "effect/http-api"
import type { Instant } from "../../domain/Instant.ts"
import type { KeyMode } from "../../domain/people/Customer.ts"
import type {
  Verification,
  VerificationStatus,
  VerificationView
} from "../../domain/verification/Verification.ts"
import { VerificationRecords } from "../../services/resources/VerificationRecords.ts"
import { Verifications } from "../../services/verification/Verifications.ts"
import { Api } from "../Api.ts"
import { orEnvelope } from "../Envelope.ts"
import {
  type NextBody,
  sendRequestOf,
  toListed,
  toListedSandbox,
  toSandboxStatus,
  toSendResponse,
  toStatus,
  toSteps,
  type VerifyBody
} from "./OtpSchemas.ts"
import { createdWithin } from "../lists/SentQuery.ts"
import { pageRequest, toWirePage } from "../manage/wire/ManageWire.ts"
import { searchedPhone } from "../manage/wire/SearchFields.ts"
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

const cancelWith = <Wire>(
  verifications: Verifications["Service"],
  toWire: (view: VerificationView) => Wire
) =>
  Effect.fnUntraced(function* ({ params }: { readonly params: { readonly verification_id: string } }) {
    const { perform } = yield* CurrentPrincipal
    const view = perform(({ customerId, setUpVersion }) =>
      verifications.cancel({ customerId, id: params.verification_id, setUpVersion })
    )
    return yield* orEnvelope(Effect.map(view, toWire))
  })

const nextWith = <Wire>(verifications: Verifications["Service"], toWire: (view: VerificationView) => Wire) =>
  Effect.fnUntraced(function* ({
    params,
    payload
  }: {
    readonly params: { readonly verification_id: string }
    readonly payload: NextBody
  }) {
    const { perform } = yield* CurrentPrincipal
    const fromSequence = payload?.from_sequence ?? undefined
    const view = perform(({ customerId, setUpVersion }) =>
      verifications.next({ customerId, id: params.verification_id, setUpVersion, fromSequence })
    )
    return yield* orEnvelope(Effect.map(view, toWire))
  })

interface ListQuery {
  readonly limit?: number
  readonly cursor?: string
  readonly phone?: string
  readonly status?: VerificationStatus
  readonly created_after?: number
  readonly created_before?: number
}

/** A page of the verifications of one mode. */
const listWith = <Listed>(
  verifications: VerificationRecords["Service"],
  {
    name,
    mode,
    toWire
  }: {
    readonly name: "otp" | "sandbox_otp"
    readonly mode: KeyMode
    readonly toWire: (verification: Verification, now: Instant) => Listed
  }
) =>
  Effect.fnUntraced(function* ({ query }: { readonly query: ListQuery }) {
    const { customerId, confirm } = yield* CurrentPrincipal
    yield* confirm
    const page = yield* verifications.list(customerId, {
      ...pageRequest(name, query),
      ...createdWithin(query),
      mode,
      phone: yield* searchedPhone(query.phone),
      status: query.status
    })
    const now = yield* Clock.currentTimeMillis
    return toWirePage(name, page, (verification) => toWire(verification, now))
  }, orEnvelope)

export const OtpHandlers = HttpApiBuilder.group(
  Api,
  "otp",
  Effect.fnUntraced(function* (handlers) {
    const verifications = yield* Verifications
    const searches = yield* VerificationRecords
    return handlers.handleAll({
      list: listWith(searches, { name: "otp", mode: "live", toWire: toListed }),
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
      }),
      next: nextWith(verifications, toStatus),
      cancel: cancelWith(verifications, toStatus)
    })
  })
)

export const SandboxHandlers = HttpApiBuilder.group(
  Api,
  "sandbox",
  Effect.fnUntraced(function* (handlers) {
    const verifications = yield* Verifications
    const searches = yield* VerificationRecords
    return handlers.handleAll({
      list: listWith(searches, { name: "sandbox_otp", mode: "test", toWire: toListedSandbox }),
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
      }),
      next: nextWith(verifications, toSandboxStatus),
      cancel: cancelWith(verifications, toSandboxStatus)
    })
  })
)
