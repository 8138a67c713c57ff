import { Clock, Context, Effect, Layer, Option } from "effect"
import { settledDelivery } from "../../domain/account/DeliveryReport.ts"
import { recordDelivery } from "../../domain/message/MessageMachine.ts"
import type { DueTimer } from "../../domain/Timer.ts"
import { sandboxReport } from "../../domain/verification/SandboxPhone.ts"
import { TimerStore } from "../timer/TimerStore.ts"
import { writeTransition } from "../Transitions.ts"
import { MessageStore } from "./MessageStore.ts"

/** The delivery reports of messages that the sandbox simulates. */
export class SandboxMessageReports extends Context.Service<
  SandboxMessageReports,
  {
    /** The timer's lane is the step that is reported about. */
    readonly report: (timer: DueTimer) => Effect.Effect<void>
  }
>()("peyk/services/message/SandboxMessageReports") {
  static readonly layer = Layer.effect(
    SandboxMessageReports,
    Effect.gen(function* () {
      const store = yield* MessageStore
      const timers = yield* TimerStore
      return SandboxMessageReports.of({
        report: Effect.fnUntraced(function* (timer) {
          const { customerId, subject: id, lane: step } = timer
          const found = Option.getOrUndefined(yield* store.load(customerId, id))
          const delivery =
            found && settledDelivery(sandboxReport(found.phone, yield* Clock.currentTimeMillis))
          if (found !== undefined && delivery !== undefined) {
            yield* writeTransition(found, (current) => recordDelivery(current, step, delivery), {
              write: (before, transition, now) => store.commit(null, before, transition, now),
              reload: store.load(customerId, id)
            })
          }
          yield* timers.remove(timer)
        })
      })
    })
  )
}
