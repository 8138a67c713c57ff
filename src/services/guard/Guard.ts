import { Clock, Context, Effect, Layer } from "effect"
import type { GuardMode } from "../../domain/guard/GuardSettings.ts"
import type { BlockedPhone, SuspectedFraud, TooManyRequestsPhoneHour } from "../../domain/Errors.ts"
import { makePassesBombed } from "./admission/BombedPhones.ts"
import { makeAdmit } from "./admission/CodeAdmission.ts"
import { CodeBudgets } from "./CodeBudgets.ts"
import type { Admitted, GuardRequest } from "./admission/GuardRequest.ts"

/** The most that the operator allows: `enforcing` leaves it to each customer. */
export const GuardCeiling = Context.Reference<GuardMode>("peyk/services/guard/Guard/GuardCeiling", {
  defaultValue: () => "enforcing"
})

/** Decides whether a code may be sent, to stop pumping, bombing and guessing. */
export class Guard extends Context.Service<
  Guard,
  {
    readonly admit: (request: GuardRequest) => Effect.Effect<Admitted, BlockedPhone | SuspectedFraud>
    /** Too many customers send to this phone. True if this customer may send all the same. */
    readonly passesBombed: (
      request: GuardRequest,
      refusal: TooManyRequestsPhoneHour
    ) => Effect.Effect<boolean>
    /**
     * The code that took this is not sent after all, and uses no budget: else requests that limits refuse would use up a
     * customer's.
     */
    readonly giveBack: (taken: Admitted["taken"]) => void
  }
>()("peyk/services/guard/Guard") {
  /** Lets everything pass and counts nothing. */
  static readonly layerOff = Layer.succeed(
    Guard,
    Guard.of({
      admit: ({ route }) => Effect.succeed({ route, mark: null, callersLimit: 0, taken: null }),
      passesBombed: () => Effect.succeed(true),
      giveBack: () => {}
    })
  )

  /** As each customer has set it. */
  static readonly layer = Layer.effect(
    Guard,
    Effect.suspend(() => makeGuard((mode) => mode))
  )

  /** As the operator has set it. */
  static readonly layerConfigured = Layer.unwrap(
    Effect.map(GuardCeiling, (ceiling) => {
      if (ceiling === "off") return Guard.layerOff
      return ceiling === "record" ? Guard.layerRecord : Guard.layer
    })
  )

  /** Refuses nobody but who is on a deny list, whatever customers have set. */
  static readonly layerRecord = Layer.effect(
    Guard,
    Effect.suspend(() => makeGuard((mode) => (mode === "enforcing" ? "record" : mode)))
  )
}

const makeGuard = Effect.fnUntraced(function* (modeOf: (set: GuardMode) => GuardMode) {
  const clock = yield* Clock.Clock
  const budgets = yield* CodeBudgets
  return Guard.of({
    admit: yield* makeAdmit(modeOf),
    passesBombed: yield* makePassesBombed,
    giveBack: (taken) => {
      if (taken !== null) budgets.giveBack(taken, clock.currentTimeMillisUnsafe())
    }
  })
})
