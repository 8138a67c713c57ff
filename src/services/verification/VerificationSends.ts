import { Clock, Context, Effect, Layer, Option, Result } from "effect"
import {
  type AdmissionError,
  type BlockedPhone,
  type IdempotencyError,
  IdempotencyKeyInProgress,
  type InvalidPhone,
  type RouteError,
  type ServiceUnavailable,
  type SuspectedFraud,
  type TemplateError,
  type TooManyRequestsPhoneHour,
  type ValidationError
} from "../../domain/Errors.ts"
import { parsePhone } from "../../domain/Phone.ts"
import type { Locale } from "../../domain/verification/CodeText.ts"
import { withPrices } from "../../domain/money/Charging.ts"
import type { Admission } from "../../domain/customer/Admission.ts"
import type { Client } from "../../domain/customer/Client.ts"
import type { CustomerConfiguration } from "../../domain/customer/Customer.ts"
import type { ChannelDescriptor } from "../../domain/routing/Channel.ts"
import { spokenIn } from "../../domain/routing/Route.ts"
import type { RouteRequest } from "../../domain/routing/RouteRequest.ts"
import { readReasons, type Risk, riskOf, type RiskReason, storedReasons } from "../../domain/guard/Verdict.ts"
import type { LeasedTimer } from "../../domain/Timer.ts"
import type { SandboxRefusal } from "../../domain/verification/SandboxPhone.ts"
import {
  expiresInSeconds,
  isAnswered,
  sendResponse,
  startVerification,
  type Verification
} from "../../domain/verification/Verification.ts"
import { SubjectIds } from "../Subjects.ts"
import { Workers } from "../concurrency/Workers.ts"
import { Customers, type CustomerSetUp } from "../customer/Customers.ts"
import { type CreatingRequest, Idempotency, type SetUpChanged } from "../customer/Idempotency.ts"
import { Billing, Limits } from "../customer/Limits.ts"
import type { GuardRequest } from "../guard/CodeDecisions.ts"
import { Guard } from "../guard/Guard.ts"
import { Templates } from "../message/Templates.ts"
import { Routing } from "../routing/Routing.ts"
import { Timers } from "../timer/Timers.ts"
import { ClientHashes, Codes, CodeVault } from "./Codes.ts"
import { VerificationSteps } from "./VerificationSteps.ts"
import { type Acceptance, type ClaimedVerification, VerificationStore } from "./VerificationStore.ts"

export interface SendRequest extends RouteRequest, CreatingRequest {
  readonly customerId: number
  readonly phone: string
  /** The language of the default text; absent: the customer's. */
  readonly locale?: Locale | undefined
  /** JSON text of an object. */
  readonly metadata?: string | undefined
  readonly client?: Client | undefined
}

export interface SentCode {
  readonly verificationId: string
  readonly status: "queued" | "failed"
  readonly currentAttemptChannel: ChannelDescriptor
  /** Whole seconds. */
  readonly expiresIn: number
  /** Digits of the code. */
  readonly codeLength: number
  /** How risky the code looks by the customer's own codes; null: the guard is off. */
  readonly risk: Risk | null
  /** An earlier request with the same idempotency key created this verification. */
  readonly replayed: boolean
}

/** Why a request is refused before anything of it is stored. */
export type Refusal =
  | InvalidPhone
  | RouteError
  | TemplateError
  | ValidationError
  | BlockedPhone
  | SuspectedFraud
  | AdmissionError
  | SandboxRefusal

const toResponse = (
  verification: Verification,
  {
    codeLength,
    risk,
    replayed
  }: Pick<SentCode, "codeLength" | "replayed"> & { readonly risk: ReadonlyArray<RiskReason> | null }
): SentCode => {
  const { status, channel } = sendResponse(verification)
  return {
    verificationId: verification.id,
    status,
    currentAttemptChannel: channel,
    expiresIn: expiresInSeconds(verification),
    codeLength,
    risk: risk === null ? null : riskOf(risk),
    replayed
  }
}

/** The route of a code, with its prices. */
const makeRouteOf = Effect.gen(function* () {
  const routing = yield* Routing
  const billing = yield* Billing

  const resolved = (customer: CustomerConfiguration, request: SendRequest) =>
    Result.map(routing.resolve(customer, request), (route) =>
      withPrices(route, billing.terms(customer).prices)
    )
  /** Along their saved order, which most requests use. */
  const savedRoutes = new WeakMap<CustomerConfiguration, ReturnType<typeof resolved>>()
  return (customer: CustomerConfiguration, request: SendRequest) => {
    const { channels, channelTimeout, templateId } = request
    if (channels !== undefined || channelTimeout !== undefined || templateId !== undefined) {
      return resolved(customer, request)
    }
    const known = savedRoutes.get(customer)
    if (known !== undefined) return known
    const made = resolved(customer, request)
    savedRoutes.set(customer, made)
    return made
  }
})

/** The part of a request that can be refused because of the customer's set-up. */
const makePlan = Effect.gen(function* () {
  const templates = yield* Templates
  const routeOf = yield* makeRouteOf

  return Effect.fnUntraced(function* (customer: CustomerSetUp, request: SendRequest) {
    const phone = yield* Effect.fromResult(parsePhone(request.phone))
    const resolved = yield* Effect.fromResult(routeOf(customer, request))
    const route = spokenIn(resolved, request.locale ?? customer.locale)
    return { phone, route, ...(yield* templates.codeText(customer, request)) }
  })
})

/** Everything that can refuse a request before it is stored. */
const makePrepare = Effect.gen(function* () {
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
    const guardRequest: GuardRequest = {
      customer,
      phone: planned.phone,
      client,
      hashed,
      route: planned.route
    }
    const admitted = yield* Effect.tapError(guard.admit(guardRequest), () => customers.confirm(customer))
    const { flag, callersLimit, taken, risk } = admitted
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
      guardFlag: flag,
      guardRequest,
      taken,
      risk
    }
  })
})

type PreparedSend = Effect.Success<ReturnType<Effect.Success<typeof makePrepare>>>

/** A verification that was accepted, with all that its first attempt and its response need. */
interface Accepted {
  readonly verification: Verification
  readonly timer: LeasedTimer
  readonly code: string
  readonly risk: ReadonlyArray<RiskReason> | null
}

/** Writes a verification. None if the idempotency key was taken. */
const makeWrite = Effect.gen(function* () {
  const idempotency = yield* Idempotency
  const store = yield* VerificationStore
  const codes = yield* Codes
  const vault = yield* CodeVault
  const timers = yield* Timers

  return Effect.fnUntraced(function* (
    {
      verification,
      admission,
      client,
      setUpVersion,
      guardFlag,
      risk
    }: Pick<Acceptance, "verification" | "admission" | "client" | "setUpVersion" | "guardFlag"> & {
      readonly risk: ReadonlyArray<RiskReason> | null
    },
    request: SendRequest
  ) {
    const { id, createdAt } = verification
    const code = yield* codes.next(verification.phone)
    const timer = yield* store.accept({
      verification,
      setUpVersion,
      admission,
      client,
      guardFlag,
      risk: risk === null ? null : storedReasons(risk),
      codeHash: vault.hash(id, code),
      sealedCode: vault.seal(id, code),
      lease: timers.initialLease(),
      idempotency: yield* idempotency.claim(request.idempotency, createdAt)
    })
    return Option.map(timer, (leased): Accepted => ({ verification, timer: leased, code, risk }))
  })
})

/** Accepts what was prepared; also for a bombed phone, if the customer knows it. */
const makeAccept = Effect.gen(function* () {
  const guard = yield* Guard
  const write = yield* makeWrite

  /** Many customers send to the phone. A customer that knows it may go on. */
  const acceptBombed = Effect.fnUntraced(function* (
    prepared: PreparedSend,
    request: SendRequest,
    refusal: TooManyRequestsPhoneHour
  ) {
    if (!(yield* guard.passesBombed(prepared.guardRequest, refusal))) return yield* refusal
    const { admission } = prepared
    const known = { ...admission, phone: { ...admission.phone, callers: 0 } }
    return yield* write({ ...prepared, admission: known }, request)
  })

  return (prepared: PreparedSend, request: SendRequest) => {
    const giveBack = Effect.sync(() => guard.giveBack(prepared.guardRequest, prepared))
    return Effect.catchTag(write(prepared, request), "too_many_requests_phone_hour", (refusal) =>
      refusal.isBombed === true ? acceptBombed(prepared, request, refusal) : Effect.fail(refusal)
    ).pipe(
      Effect.tapError(() => giveBack),
      Effect.tap((accepted) => (Option.isNone(accepted) ? giveBack : Effect.void))
    )
  }
})

/** Creates verifications: accepted in one write, the first channel tried before the response. */
export class VerificationSends extends Context.Service<
  VerificationSends,
  {
    readonly send: (
      request: SendRequest
    ) => Effect.Effect<SentCode, Refusal | IdempotencyError | SetUpChanged | ServiceUnavailable>
  }
>()("peyk/services/verification/VerificationSends") {
  static readonly layer = Layer.effect(
    VerificationSends,
    Effect.gen(function* () {
      const idempotency = yield* Idempotency
      const store = yield* VerificationStore
      const steps = yield* VerificationSteps
      const hashes = yield* ClientHashes
      const codes = yield* Codes
      const workers = yield* Workers
      const guard = yield* Guard
      const customers = yield* Customers
      const prepare = yield* makePrepare
      const accept = yield* makeAccept

      /** During the first attempt there is no response yet. */
      const replay = Effect.fnUntraced(function* ({ verification, risk }: ClaimedVerification) {
        if (!isAnswered(verification)) return yield* new IdempotencyKeyInProgress()
        const customer = yield* Effect.orDie(customers.configuration(verification.customerId))
        const reasons = guard.isOn(customer) ? readReasons(risk) : null
        return toResponse(verification, { codeLength: codes.length, risk: reasons, replayed: true })
      })

      /** Details of the client distinguish requests too, by the hashes that may be stored. */
      const comparedByHashes = (request: SendRequest): SendRequest => {
        const { client, idempotency: given } = request
        if (client === undefined || given === undefined) return request
        const { origin } = client
        const body = {
          request: given.body,
          client: hashes.of(client),
          ...(origin === undefined ? {} : { origin })
        }
        return { ...request, idempotency: { key: given.key, body } }
      }

      const acceptOrReplay = (
        request: SendRequest
      ): Effect.Effect<Accepted | SentCode, Refusal | IdempotencyError | SetUpChanged | ServiceUnavailable> =>
        idempotency.respondOnce<Accepted | SentCode, Refusal, ClaimedVerification>(request, {
          make: Effect.flatMap(prepare(request), (prepared) => accept(prepared, request)),
          find: (key, now) => store.findClaimedKey(request.customerId, key, now),
          replay
        })

      const tryAccepted = (made: Accepted | SentCode): Effect.Effect<SentCode> =>
        "timer" in made
          ? Effect.map(steps.tryFirst(made.timer, made.verification, made.code), (tried) =>
              toResponse(tried, { codeLength: codes.length, risk: made.risk, replayed: false })
            )
          : Effect.succeed(made)

      // The request is known only until it is accepted: one that waits for its provider holds no more than it must.
      const send = (request: SendRequest) =>
        workers.runToEnd(Effect.suspend(() => Effect.flatMap(acceptOrReplay(request), tryAccepted)))

      return VerificationSends.of({ send: (request) => send(comparedByHashes(request)) })
    })
  )
}
