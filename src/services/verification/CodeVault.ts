import { Context, type Effect } from "effect"

/** The stored forms of a code: a keyed hash to compare with, and a copy sealed under the master secret. */
export class CodeVault extends Context.Service<
  CodeVault,
  {
    /** A keyed hash of a code, bound to its verification: it reveals nothing without the key. */
    readonly hash: (verificationId: string, code: string) => Uint8Array
    readonly seal: (verificationId: string, code: string) => Uint8Array
    /** A defect if the sealed bytes were changed, or belong to another verification. */
    readonly open: (verificationId: string, sealed: Uint8Array) => Effect.Effect<string>
  }
>()("peyk/services/verification/CodeVault") {}
