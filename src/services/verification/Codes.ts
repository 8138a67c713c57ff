import { Context, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import type { Phone } from "../../domain/Phone.ts"
import type { Client, HashedClient } from "../../domain/customer/Client.ts"
import { sandboxOutcome } from "../../domain/verification/SandboxPhone.ts"
import { Settings } from "../Settings.ts"

const SANDBOX_CODE = "123456"
/** Nobody can enter it: only digits are compared. */
const NO_CODE = "none"

/** How codes are created, and how many wrong ones are allowed. */
export class Codes extends Context.Service<
  Codes,
  {
    /** A new code: ASCII digits, leading zeros kept. */
    readonly next: (phone: Phone) => Effect.Effect<string>
    /** Digits of a code. */
    readonly length: number
    /** Wrong codes before the verification locks; null: it never does. */
    readonly maxWrongCodes: number | null
    /** Codes that a user may enter, as responses count them down. */
    readonly tries: number
  }
>()("peyk/services/verification/Codes") {
  /** Codes are uniformly random, from a CSPRNG. */
  static readonly layerRandom = Layer.effect(
    Codes,
    Effect.gen(function* () {
      const random = yield* SecureRandom.SecureRandom
      const { codeLength, maxWrongCodes } = yield* Settings
      const next = Effect.map(random.intBetween(0, 10 ** codeLength, { halfOpen: true }), (number) =>
        String(number).padStart(codeLength, "0")
      )
      return Codes.of({ next: () => next, length: codeLength, maxWrongCodes, tries: maxWrongCodes })
    })
  )

  /** The sandbox's codes: always the same one, and no lock: the last try never ends. For one phone no code is right. */
  static readonly layerSandbox = Layer.effect(
    Codes,
    Effect.map(Settings, ({ maxWrongCodes }) =>
      Codes.of({
        next: (phone) => Effect.succeed(sandboxOutcome(phone) === "never_right" ? NO_CODE : SANDBOX_CODE),
        length: SANDBOX_CODE.length,
        maxWrongCodes: null,
        tries: maxWrongCodes
      })
    )
  )
}

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
>()("peyk/services/verification/Codes/CodeVault") {}

/** Turns what a customer says about a device into what may be stored. */
export class ClientHashes extends Context.Service<
  ClientHashes,
  {
    /** Keyed hashes, which are the same for all customers. Null if nothing was said. */
    readonly of: (client: Client) => HashedClient | null
  }
>()("peyk/services/verification/Codes/ClientHashes") {}
