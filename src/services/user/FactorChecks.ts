import { Clock, Context, Effect, Layer, Option } from "effect"
import type { TooManySignIns } from "../../domain/Errors.ts"
import { type FactorKind, hasFactor, readFactor } from "../../domain/user/SecondFactor.ts"
import { matchingStep } from "../../domain/user/Totp.ts"
import { AppCodeLimits, Passkeys, SecondFactors } from "./SecondFactors.ts"

/** Checks the second factor of a user who has given the first one. */
export class FactorChecks extends Context.Service<
  FactorChecks,
  {
    /** `given`: they sign in with theirs. `missing`: they must have one, and have none yet. `none`: without. */
    readonly needOf: (userId: string) => Effect.Effect<"given" | "missing" | "none">
    /**
     * By what it was right, and uses it up; null: it is wrong. Only codes of the app are refused after too many wrong
     * ones: recovery codes cannot be guessed, and let somebody in whom an attacker keeps out.
     */
    readonly checkCode: (userId: string, text: string) => Effect.Effect<FactorKind | null, TooManySignIns>
    /** A passkey's signature of this challenge. */
    readonly checkPasskey: (
      userId: string,
      response: string,
      challenge: string
    ) => Effect.Effect<FactorKind | null>
  }
>()("peyk/services/user/FactorChecks") {
  static readonly layer = Layer.effect(
    FactorChecks,
    Effect.gen(function* () {
      const factors = yield* SecondFactors
      const passkeys = yield* Passkeys
      const limits = yield* AppCodeLimits

      const checkAppCode = Effect.fnUntraced(function* (userId: string, code: string) {
        const app = yield* factors.app(userId)
        if (Option.isNone(app)) return null
        const now = yield* Clock.currentTimeMillis
        yield* limits.take(userId, now)
        const step = matchingStep(app.value.codeAt, code, now, app.value.lastStep)
        if (step === null || !(yield* factors.useStep(userId, app.value, step))) return null
        yield* limits.refund(userId)
        return "app" as const
      })

      return FactorChecks.of({
        needOf: (userId) =>
          Effect.map(factors.stateOf(userId), (state) => {
            if (hasFactor(state)) return "given"
            return state.isRequired ? "missing" : "none"
          }),

        checkCode: Effect.fnUntraced(function* (userId, text) {
          const given = readFactor(text)
          if (given === null) return null
          if (given.kind === "app") return yield* checkAppCode(userId, given.code)
          return (yield* factors.useRecoveryCode(userId, given.code)) ? given.kind : null
        }),

        checkPasskey: Effect.fnUntraced(function* (userId, response, challenge) {
          const found = yield* passkeys.signed(response, yield* factors.passkeys(userId), challenge)
          if (Option.isNone(found)) return null
          const { passkey, counter } = found.value
          const now = yield* Clock.currentTimeMillis
          return (yield* factors.usePasskey(userId, passkey, counter, now)) ? "passkey" : null
        })
      })
    })
  )
}
