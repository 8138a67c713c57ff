import { Clock, Effect, Struct } from "effect"
import {
  type BlockedPhone,
  InvalidChannel,
  type SuspectedFraud,
  type TooManyRequestsPhoneHour
} from "../../domain/Errors.ts"
import type { Instant } from "../../domain/Instant.ts"
import { accountAt, isCall } from "../../domain/routing/Route.ts"
import { isNextInProgress } from "../../domain/verification/NextChannel.ts"
import { type Verification, wasCalled } from "../../domain/verification/Verification.ts"
import { Customers } from "../customer/Customers.ts"
import type { SetUpChanged } from "../customer/Idempotency.ts"
import type { GuardRequest } from "../guard/CodeDecisions.ts"
import { Guard } from "../guard/Guard.ts"
import { type GiveBack, PhoneCalls } from "./PhoneCalls.ts"

/** Why a channel that is asked for is not tried. */
export type RequestedStepRefusal = BlockedPhone | SuspectedFraud | TooManyRequestsPhoneHour | InvalidChannel

/** Whether a call is being made or waits for its account, or was made. If not, a request gives its count back. */
export const callsPhone = (verification: Verification, now: Instant): boolean =>
  (isNextInProgress(verification, now) &&
    verification.remaining.slice(0, 1).some((step) => isCall(accountAt(verification, step)))) ||
  verification.attempts.some((each) => wasCalled(each) && isCall(accountAt(verification, each.step)))

/**
 * Whether the first remaining step may be tried because somebody asks for it. A call is the dearest, and disturbs most:
 * the deny list, the guard, a bombed phone and the limits of calls are asked again. The call is counted; what gives the
 * count back is returned.
 */
export const makeMayTryRequested = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const customers = yield* Customers
  const guard = yield* Guard
  const phoneCalls = yield* PhoneCalls

  /** Read from the store: a phone that was put on the deny list a moment ago is not called. */
  const currentSetUp = (customerId: number) =>
    Effect.retry(
      Effect.flatMap(customers.configuration(customerId), (known) =>
        Effect.as(customers.confirm(known), known)
      ),
      { times: 2 }
    )

  /** Asks the guard as a send does. Nothing is taken from budgets: the code took from them when it was sent. */
  const askGuard = Effect.fnUntraced(function* (request: GuardRequest, channel: string) {
    const admitted = yield* guard.admit(request)
    yield* Effect.sync(() => guard.giveBack(request, admitted))
    if (!admitted.route.some((step) => step.channel === channel)) {
      return yield* new InvalidChannel({ details: { channel } })
    }
    return admitted.callersLimit
  })

  return Effect.fnUntraced(function* (
    verification: Verification
  ): Effect.fn.Return<GiveBack, RequestedStepRefusal | SetUpChanged> {
    const [step] = verification.remaining
    if (step === undefined || !isCall(accountAt(verification, step))) return Effect.void
    const { customerId, phone, route } = verification
    const customer = yield* currentSetUp(customerId)
    const request: GuardRequest = { customer, phone, client: undefined, hashed: null, route }
    const callersLimit = yield* askGuard(request, accountAt(verification, step).channel)
    const call = Struct.pick(verification, ["id", "customerId", "phone"])
    const count = (limit: number) =>
      phoneCalls.request({ ...call, callersLimit: limit }, clock.currentTimeMillisUnsafe())
    return yield* Effect.catchTag(count(callersLimit), "too_many_requests_phone_hour", (refusal) =>
      refusal.isBombed === true
        ? Effect.flatMap(guard.passesBombed(request, refusal), (passes) =>
            passes ? count(0) : Effect.fail(refusal)
          )
        : Effect.fail(refusal)
    )
  })
})
