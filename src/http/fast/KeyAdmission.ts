import { Effect, type Redacted } from "effect"
import type { KeyMode, Principal } from "../../domain/customer/Customer.ts"
import {
  IpNotAllowed,
  LiveKeyNotAllowed,
  TestKeyNotAllowed,
  type TooManyRequestsApiKey,
  type Unauthenticated
} from "../../domain/Errors.ts"
import { ApiKeys } from "../../services/key/ApiKeys.ts"
import { type Allowance, KeyLimits } from "../../services/key/RequestWindows.ts"
import { isSetUpChanged, MAX_SET_UP_CHANGES, type SetUpChanged } from "../../services/customer/Idempotency.ts"
import { isInNetworks } from "../server/ClientAddress.ts"

/** Why a key does not admit a request. */
export type KeyRefusal =
  | Unauthenticated
  | TestKeyNotAllowed
  | LiveKeyNotAllowed
  | IpNotAllowed
  | TooManyRequestsApiKey

export interface KeyUse {
  readonly secret: Redacted.Redacted
  /** Where it is used from; null where that is not known. */
  readonly address: () => string | null
  /** Called with the key's owner as soon as it is known, whether or not the key is admitted. */
  readonly recognized: (principal: Principal) => void
}

interface AdmittedKey {
  readonly principal: Principal
  readonly allowance: Allowance | null
}

export interface StillChanging {
  readonly _tag: "service_unavailable"
}

/** The work of a request, given its key. */
export type KeyWork<A, E, R> = (principal: Principal) => Effect.Effect<A, E | SetUpChanged, R>

const STILL_CHANGING: StillChanging = { _tag: "service_unavailable" }

/** Refusals that a change of the key may lift. */
const isChangeable = ({ _tag }: KeyRefusal): boolean =>
  _tag === "ip_not_allowed" || _tag === "too_many_requests_api_key"

/** Admits keys of one mode, or of any. */
export const makeKeyAdmission = Effect.fnUntraced(function* (mode: KeyMode | "any") {
  const apiKeys = yield* ApiKeys
  const limits = yield* KeyLimits

  const check = ({ address }: KeyUse, { mode: given, allowedIps }: Principal): KeyRefusal | undefined => {
    if (mode !== "any" && given !== mode)
      return mode === "live" ? new TestKeyNotAllowed() : new LiveKeyNotAllowed()
    return allowedIps === null || isInNetworks(address(), allowedIps) ? undefined : new IpNotAllowed()
  }

  const count = (use: KeyUse, principal: Principal): Effect.Effect<AdmittedKey, KeyRefusal> => {
    use.recognized(principal)
    const refusal = check(use, principal)
    return refusal === undefined
      ? Effect.map(limits.admit(principal), (allowance) => ({ principal, allowance }))
      : Effect.fail(refusal)
  }

  /** Confirms a refusal with the key as the store has it. */
  const admitKnown = (use: KeyUse, principal: Principal): Effect.Effect<AdmittedKey, KeyRefusal> =>
    Effect.catchIf(count(use, principal), isChangeable, () =>
      Effect.flatMap(apiKeys.confirm(use.secret), (current) => count(use, current))
    )

  /** Reads and checks the key again. Counts the request again only if the key's limit has changed. */
  const renew = Effect.fnUntraced(function* (use: KeyUse, before: Principal) {
    const principal = yield* apiKeys.authenticate(use.secret)
    if (principal.requestsPerMinute !== before.requestsPerMinute) {
      return (yield* count(use, principal)).principal
    }
    const refusal = check(use, principal)
    return refusal === undefined ? principal : yield* refusal
  })

  /** Succeeds if the key, as the store has it, still admits requests from there. */
  const confirm = Effect.fnUntraced(function* (use: KeyUse) {
    const refusal = check(use, yield* apiKeys.confirm(use.secret))
    if (refusal !== undefined) return yield* refusal
  })

  const perform = <A, E, R>(
    use: KeyUse,
    principal: Principal,
    work: KeyWork<A, E, R>,
    triesLeft = MAX_SET_UP_CHANGES
  ): Effect.Effect<A, E | KeyRefusal | StillChanging, R> =>
    Effect.catch(work(principal), (error): Effect.Effect<A, E | KeyRefusal | StillChanging, R> => {
      if (!isSetUpChanged(error)) return Effect.fail(error)
      if (triesLeft === 0) return Effect.fail(STILL_CHANGING)
      return Effect.flatMap(renew(use, principal), (current) => perform(use, current, work, triesLeft - 1))
    })

  return {
    admit: (use: KeyUse) =>
      Effect.flatMap(apiKeys.authenticate(use.secret), (principal) => admitKnown(use, principal)),
    /** Admits a request whose key was recalled. */
    admitKnown,
    confirm,
    /** Does the work of an admitted request. Repeats it with the key read again while the customer's set-up changes. */
    perform
  }
})
