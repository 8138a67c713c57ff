import { Effect, Option } from "effect"
import type { TooManyRequestsPhoneHour } from "../../../domain/Errors.ts"
import { Idempotency } from "../../customer/Idempotency.ts"
import { Guard } from "../../guard/Guard.ts"
import { Timers } from "../../timer/Timers.ts"
import { Codes } from "../Codes.ts"
import { CodeVault } from "../CodeVault.ts"
import { VerificationSteps } from "../VerificationSteps.ts"
import { type Acceptance, VerificationStore } from "../VerificationStore.ts"
import type { PreparedSend } from "./PreparedSends.ts"
import { type SendAnswer, type SendRequest, toAnswer } from "./SendRequest.ts"

/** Accepts, and makes the first attempt. None if the idempotency key was taken. */
const makeAcceptAndTry = Effect.gen(function* () {
  const idempotency = yield* Idempotency
  const store = yield* VerificationStore
  const steps = yield* VerificationSteps
  const codes = yield* Codes
  const vault = yield* CodeVault
  const timers = yield* Timers

  return Effect.fnUntraced(function* (
    {
      verification,
      admission,
      client,
      setUpVersion,
      guardMark
    }: Pick<Acceptance, "verification" | "admission" | "client" | "setUpVersion" | "guardMark">,
    request: SendRequest
  ) {
    const { id, createdAt } = verification
    const code = yield* codes.next(verification.phone)
    const timer = yield* store.accept({
      verification,
      setUpVersion,
      admission,
      client,
      guardMark,
      codeHash: vault.hash(id, code),
      sealedCode: vault.seal(id, code),
      lease: timers.leaseAtBirth(),
      idempotency: yield* idempotency.claim(request.idempotency, createdAt)
    })
    if (Option.isNone(timer)) return Option.none<SendAnswer>()
    const tried = yield* steps.tryFirst(timer.value, verification, code)
    return Option.some(toAnswer(tried, false))
  })
})

/** Accepts what was prepared; also for a bombed phone, if the customer knows it. */
export const makeAccept = Effect.gen(function* () {
  const guard = yield* Guard
  const acceptAndTry = yield* makeAcceptAndTry

  /** Many customers send to the phone. A customer that knows it may go on. */
  const tryBombed = Effect.fnUntraced(function* (
    prepared: PreparedSend,
    request: SendRequest,
    refusal: TooManyRequestsPhoneHour
  ) {
    if (!(yield* guard.passesBombed(prepared.asked, refusal))) return yield* refusal
    const { admission } = prepared
    const known = { ...admission, phone: { ...admission.phone, callers: 0 } }
    return yield* acceptAndTry({ ...prepared, admission: known }, request)
  })

  return (prepared: PreparedSend, request: SendRequest) =>
    Effect.catchTag(acceptAndTry(prepared, request), "too_many_requests_phone_hour", (refusal) =>
      refusal.isBombed === true ? tryBombed(prepared, request, refusal) : Effect.fail(refusal)
    )
})
