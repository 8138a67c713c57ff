import { Context, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { Settings } from "../Settings.ts"

/** How codes are created, and how many wrong ones are allowed. */
export class Codes extends Context.Service<
  Codes,
  {
    /** A new code: ASCII digits, leading zeros kept. */
    readonly next: Effect.Effect<string>
    /** Wrong codes before the verification locks; null: it never does. */
    readonly maxWrongCodes: number | null
  }
>()("peyk/services/verification/Codes") {
  /** Uniform from a CSPRNG. */
  static readonly layerRandom = Layer.effect(
    Codes,
    Effect.gen(function* () {
      const random = yield* SecureRandom.SecureRandom
      const { codeLength, maxWrongCodes } = yield* Settings
      const next = Effect.map(random.intBetween(0, 10 ** codeLength, { halfOpen: true }), (number) =>
        String(number).padStart(codeLength, "0")
      )
      return Codes.of({ next, maxWrongCodes })
    })
  )

  /** The sandbox's: always the same code, and no lock. */
  static readonly layerConstant = (code: string) =>
    Layer.succeed(Codes, Codes.of({ next: Effect.succeed(code), maxWrongCodes: null }))
}
