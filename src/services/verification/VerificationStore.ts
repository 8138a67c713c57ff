import { Context, type Effect, type Option } from "effect"
import type { Admission } from "../../domain/customer/Admission.ts"
import type { HashedClient } from "../../domain/customer/Client.ts"
import type { AdmissionError, InsufficientBalance } from "../../domain/Errors.ts"
import type { Instant } from "../../domain/Instant.ts"
import type { Verification, VerificationStatus } from "../../domain/verification/Verification.ts"
import type { VerificationTransition } from "../../domain/verification/VerificationMachine.ts"
import type { ClaimedKey, IdempotencyClaim, SetUpChanged } from "../customer/Idempotency.ts"
import type { Flag } from "../../domain/guard/Segments.ts"
import type { Lease, LeasedTimer } from "../../domain/Timer.ts"

/** The versions that a request was prepared with; null: it used nothing that can change. */
export type KnownSetUp = number | null

export interface Acceptance {
  readonly verification: Verification
  readonly setUpVersion: KnownSetUp
  readonly admission: Admission
  /** Null if the customer said nothing about it. */
  readonly client: HashedClient | null
  readonly codeHash: Uint8Array
  readonly sealedCode: Uint8Array
  /** The first step is leased by this process from the start. */
  readonly lease: Lease
  readonly idempotency: IdempotencyClaim | null
  /** The hashes and flags of the request that the guard keeps. */
  readonly guardFlag: Flag | null
  /** Why it looks risky, as it is stored for replays; null: it does not. */
  readonly risk: string | null
}

/** The verification that an idempotency key made, with its stored risk. */
export interface ClaimedVerification {
  readonly verification: Verification
  readonly risk: string | null
}

export interface StoredVerification {
  readonly verification: Verification
  readonly sealedCode: Uint8Array | null
}

/** A code that was entered, to compare with the verification's. */
export interface EnteredCode {
  readonly customerId: number
  readonly id: string
  readonly codeHash: Uint8Array
  readonly maxWrongCodes: number | null
  readonly now: Instant
  readonly setUpVersion: KnownSetUp
}

/** The verification after a code was compared; `matched`: it was the right one. */
interface Comparison {
  readonly matched: boolean
  readonly status: VerificationStatus
  /** All wrong codes so far; null if the verification has ended. */
  readonly wrongCodes: number | null
}

/**
 * Each method is one atomic statement. With a version of the customer's set-up, it does nothing unless that is
 * current.
 */
export class VerificationStore extends Context.Service<
  VerificationStore,
  {
    /** The timer of the first step; none, and nothing is stored or counted, if it is refused or the key is taken. */
    readonly accept: (
      acceptance: Acceptance
    ) => Effect.Effect<Option.Option<LeasedTimer>, AdmissionError | SetUpChanged>
    readonly findClaimedKey: (
      customerId: number,
      key: string,
      now: Instant
    ) => Effect.Effect<Option.Option<ClaimedKey<ClaimedVerification>>>
    readonly load: (customerId: number, id: string) => Effect.Effect<Option.Option<Verification>>
    /** Reads it for a request, with the key's set-up where that has changed. */
    readonly read: (request: {
      readonly customerId: number
      readonly id: string
      readonly setUpVersion: KnownSetUp
    }) => Effect.Effect<Option.Option<Verification>, SetUpChanged>
    /** The verification of a timer, while the timer is still leased with this token. */
    readonly loadLeased: (timer: LeasedTimer) => Effect.Effect<Option.Option<StoredVerification>>
    /**
     * Writes the transition if the verification is still as it was `before`: state, next timer, events, wallet. With
     * `timer`, it is refused if that timer's lease was lost.
     */
    readonly commit: (
      before: Verification,
      transition: VerificationTransition,
      now: Instant,
      timer: LeasedTimer | null
    ) => Effect.Effect<boolean>
    /** Commits by a statement of its own, which is a part of the caller's transaction, if there is one. */
    readonly commitSingle: (
      before: Verification,
      transition: VerificationTransition,
      now: Instant
    ) => Effect.Effect<boolean>
    /**
     * Writes the transition, and leases the timer with it, if the verification is still as it was `before` and nobody
     * works on it. Otherwise none. What it holds above the hold of `before` is taken from the wallet with it: where
     * that does not cover it, nothing changes.
     */
    readonly commitLeased: (
      before: Verification,
      transition: VerificationTransition,
      lease: Lease
    ) => Effect.Effect<
      Option.Option<{ readonly timer: LeasedTimer; readonly sealedCode: Uint8Array }>,
      InsufficientBalance
    >
    /**
     * Compares a code with an active, unexpired verification, and writes what follows: verified, one wrong code more,
     * or locked. None when there is no such verification, active at `now`.
     */
    readonly compareCode: (entered: EnteredCode) => Effect.Effect<Option.Option<Comparison>, SetUpChanged>
  }
>()("peyk/services/verification/VerificationStore") {}
