import { Context, type Effect } from "effect"

/** What of a code may be kept: a keyed hash to compare with, and a copy sealed under the master secret. */
export class CodeVault extends Context.Service<
  CodeVault,
  {
    /** Keyed hash of a code, bound to its verification: it tells nothing without the key. */
    readonly hash: (verificationId: string, code: string) => Uint8Array
    readonly seal: (verificationId: string, code: string) => Uint8Array
    /** Dies when the sealed bytes were changed, or belong to another verification. */
    readonly open: (verificationId: string, sealed: Uint8Array) => Effect.Effect<string>
  }
>()("peyk/services/verification/CodeVault") {}
