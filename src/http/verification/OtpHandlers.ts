import { Clock, Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiBuilder, HttpApiSchema } from "effect/http-api"
import type { Instant } from "../../domain/Instant.ts"
import type { KeyMode } from "../../domain/customer/Customer.ts"
import type {
  Verification,
  VerificationStatus,
  VerificationView
} from "../../domain/verification/Verification.ts"
import { Api } from "../Api.ts"
import { respondWithJson, CurrentIdempotencyKey, pageJson } from "../RequestGuards.ts"
import { CurrentPrincipal } from "../ServiceKeys.ts"
import { orEnvelope } from "../errors/Envelope.ts"
import type { NextBody, SendBody, VerifyBody } from "./OtpSchemas.ts"
import {
  listedJson,
  sandboxListedJson,
  sandboxStatusJson,
  sendRequestOf,
  statusJson,
  toPreviewResponse,
  toSendResponse,
  toVerifyResponse
} from "./OtpWire.ts"
import { pageRequest, toWirePage } from "../manage/ManageWire.ts"
import { searchedPhone } from "../manage/SearchFields.ts"
import { createdWithin, metadataFilters } from "../manage/SentQuery.ts"
import { CodePreviews } from "../../services/verification/CodePreviews.ts"
import { VerificationRecords } from "../../services/verification/VerificationRecords.ts"
import { Verifications } from "../../services/verification/Verifications.ts"

/** The text of a body that was decoded already. */
const bodyText = Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ text }) => Effect.orDie(text))

const sendWith = (verifications: Verifications["Service"]) =>
  Effect.fnUntraced(function* ({ payload }: { readonly payload: typeof SendBody.Type }) {
    const { perform, notes } = yield* CurrentPrincipal
    notes.phone(payload.phone)
    notes.body(payload)
    const key = yield* CurrentIdempotencyKey
    const text = yield* bodyText
    return yield* perform((principal) =>
      Effect.flatMap(Effect.fromResult(sendRequestOf(principal, key, { payload, text })), verifications.send)
    ).pipe(
      Effect.tap(({ verificationId }) => Effect.sync(() => notes.subject(verificationId))),
      Effect.map((sent) =>
        HttpApiSchema.withHeaders({
          body: toSendResponse(sent),
          headers: sent.replayed ? { "idempotency-replayed": "true" as const } : {}
        })
      ),
      orEnvelope
    )
  })

const previewWith = (previews: CodePreviews["Service"]) =>
  Effect.fnUntraced(function* ({ payload }: { readonly payload: typeof SendBody.Type }) {
    const { perform, notes } = yield* CurrentPrincipal
    notes.phone(payload.phone)
    const text = yield* bodyText
    return yield* orEnvelope(
      perform((principal) =>
        Effect.flatMap(Effect.fromResult(sendRequestOf(principal, null, { payload, text })), previews.preview)
      ).pipe(Effect.map(toPreviewResponse))
    )
  })

const verifyWith = (verifications: Verifications["Service"]) =>
  Effect.fnUntraced(function* ({ payload }: { readonly payload: typeof VerifyBody.Type }) {
    const { perform, notes } = yield* CurrentPrincipal
    const { verification_id: id, code } = payload
    notes.subject(id)
    return yield* orEnvelope(
      perform(({ customerId, setUpVersion }) =>
        Effect.map(verifications.verify({ customerId, id, code, setUpVersion }), toVerifyResponse)
      )
    )
  })

interface OneRequest {
  readonly params: { readonly verification_id: string }
}

/** The operations on one verification, which all answer its status. */
const onOne = (verifications: Verifications["Service"], toJson: (view: VerificationView) => string) => {
  const responded = <E, R>(view: Effect.Effect<VerificationView, E, R>) =>
    Effect.map(view, (found) => respondWithJson(toJson(found)))
  const subject = ({ params }: OneRequest) => params.verification_id
  return {
    status: Effect.fnUntraced(function* (request: OneRequest) {
      const { perform } = yield* CurrentPrincipal
      const view = perform(({ customerId, setUpVersion }) =>
        verifications.status({ customerId, id: subject(request), setUpVersion })
      )
      return yield* orEnvelope(responded(view))
    }),
    cancel: Effect.fnUntraced(function* (request: OneRequest) {
      const { perform } = yield* CurrentPrincipal
      const view = perform(({ customerId, setUpVersion }) =>
        verifications.cancel({ customerId, id: subject(request), setUpVersion })
      )
      return yield* orEnvelope(responded(view))
    }),
    next: Effect.fnUntraced(function* (request: OneRequest & { readonly payload: NextBody }) {
      const { perform } = yield* CurrentPrincipal
      const asked = {
        fromSequence: request.payload?.from_sequence ?? undefined,
        channel: request.payload?.channel ?? undefined
      }
      const view = perform(({ customerId, setUpVersion }) =>
        verifications.next({ customerId, id: subject(request), setUpVersion, ...asked })
      )
      return yield* orEnvelope(responded(view))
    })
  }
}

interface ListQuery {
  readonly limit?: number
  readonly cursor?: string
  readonly phone?: string
  readonly status?: VerificationStatus
  readonly created_after?: number
  readonly created_before?: number
}

/** A page of the verifications of one mode. */
const listWith = (
  verifications: VerificationRecords["Service"],
  {
    name,
    mode,
    toJson
  }: {
    readonly name: "otp" | "sandbox_otp"
    readonly mode: KeyMode
    readonly toJson: (verification: Verification, now: Instant) => string
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
      status: query.status,
      metadata: yield* metadataFilters
    })
    const now = yield* Clock.currentTimeMillis
    return respondWithJson(pageJson(toWirePage(name, page, (verification) => toJson(verification, now))))
  }, orEnvelope)

export const OtpHandlers = HttpApiBuilder.group(
  Api,
  "otp",
  Effect.fnUntraced(function* (handlers) {
    const verifications = yield* Verifications
    const searches = yield* VerificationRecords
    return handlers.handleAll({
      ...onOne(verifications, statusJson),
      list: listWith(searches, { name: "otp", mode: "live", toJson: listedJson }),
      verify: verifyWith(verifications),
      preview: previewWith(yield* CodePreviews),
      send: sendWith(verifications)
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
      ...onOne(verifications, sandboxStatusJson),
      list: listWith(searches, { name: "sandbox_otp", mode: "test", toJson: sandboxListedJson }),
      verify: verifyWith(verifications),
      send: sendWith(verifications)
    })
  })
)
