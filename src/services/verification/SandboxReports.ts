import { Clock, Context, Effect, Layer, Option } from "effect"
import { settledDelivery } from "../../domain/account/DeliveryReport.ts"
import { sandboxReport } from "../../domain/verification/SandboxPhone.ts"
import { recordDelivery } from "../../domain/verification/StepCalls.ts"
import type { DueTimer } from "../../domain/Timer.ts"
import { TimerStore } from "../timer/TimerStore.ts"
import { writeTransition } from "../Transitions.ts"
import { VerificationStore } from "./VerificationStore.ts"

/** The delivery reports that the sandbox simulates. */
export class SandboxReports extends Context.Service<
  SandboxReports,
  {
    /** The timer's lane is the step that is reported about. */
    readonly report: (timer: DueTimer) => Effect.Effect<void>
  }
>()("peyk/services/verification/SandboxReports") {
  static readonly layer = Layer.effect(
    SandboxReports,
    Effect.gen(function* () {
      const store = yield* VerificationStore
      const timers = yield* TimerStore
      return SandboxReports.of({
        report: Effect.fnUntraced(function* (timer) {
          const { customerId, subject: id, lane: step } = timer
          const found = Option.getOrUndefined(yield* store.load(customerId, id))
          const delivery =
            found && settledDelivery(sandboxReport(found.phone, yield* Clock.currentTimeMillis))
          if (found !== undefined && delivery !== undefined) {
            yield* writeTransition(found, (current) => recordDelivery(current, step, delivery), {
              write: (before, transition, now) => store.commit(before, transition, now, null),
              reload: store.load(customerId, id)
            })
          }
          yield* timers.remove(timer)
        })
      })
    })
  )
}
