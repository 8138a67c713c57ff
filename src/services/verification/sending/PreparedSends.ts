import { Clock, Effect } from "effect"
import type { Admission } from "../../../domain/people/Admission.ts"
import { parsePhone } from "../../../domain/Phone.ts"
import { startVerification } from "../../../domain/verification/Verification.ts"
import { Billing } from "../../customer/Billing.ts"
import { Customers, type CustomerSetUp } from "../../customer/Customers.ts"
import { Limits } from "../../customer/limits/Limits.ts"
import { Routing } from "../../customer/Routing.ts"
import { Templates } from "../../customer/Templates.ts"
import type { GuardRequest } from "../../guard/admission/GuardRequest.ts"
import { Guard } from "../../guard/Guard.ts"
import { SubjectIds } from "../../SubjectIds.ts"
import { ClientHashes } from "../ClientHashes.ts"
import { makeRouteOf } from "./CodeRoutes.ts"
import type { SendRequest } from "./SendRequest.ts"

/** The part of a request that can be refused because of the customer's set-up. */
const makePlan = Effect.gen(function* () {
  const templates = yield* Templates
  const routeOf = yield* makeRouteOf

  return Effect.fnUntraced(function* (customer: CustomerSetUp, request: SendRequest) {
    const phone = yield* Effect.fromResult(parsePhone(request.phone))
    const route = yield* Effect.fromResult(routeOf(customer, request))
    return { phone, route, ...(yield* templates.codeText(customer, request)) }
  })
})

/** Everything that can refuse a request before it is stored. */
export const makePrepare = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const ids = yield* SubjectIds
  const routing = yield* Routing
  const limits = yield* Limits
  const billing = yield* Billing
  const customers = yield* Customers
  const hashes = yield* ClientHashes
  const guard = yield* Guard
  const plan = yield* makePlan

  return Effect.fnUntraced(function* (request: SendRequest) {
    const { customerId } = request
    const customer = yield* customers.configuration(customerId, request.setUpVersion)
    const planned = yield* Effect.tapError(plan(customer, request), () => customers.confirm(customer))
    const refusal = limits.simulatedRefusal(planned.phone)
    if (refusal !== undefined) return yield* refusal
    const { metadata = null, client } = request
    const hashed = client === undefined ? null : hashes.of(client)
    const asked: GuardRequest = { customer, phone: planned.phone, client, hashed, route: planned.route }
    const admitted = yield* Effect.tapError(guard.admit(asked), () => customers.confirm(customer))
    const { mark, callersLimit, taken } = admitted
    const id = yield* ids.next
    const route = routing.ofCode(customer, admitted.route, { phone: planned.phone, id })
    const now = clock.currentTimeMillisUnsafe()
    const verification = startVerification({ id, customerId, metadata, ...planned, route }, now)
    const admission: Admission = {
      phone: { ...limits.ofCodes(customer), callers: callersLimit },
      monthlyQuota: billing.terms(customer).monthlyQuota,
      hold: verification.held
    }
    return {
      verification,
      admission,
      client: hashed,
      setUpVersion: customer.setUpVersion,
      guardMark: mark,
      asked,
      taken
    }
  })
})

export type PreparedSend = Effect.Success<ReturnType<Effect.Success<typeof makePrepare>>>
