import { Context, Effect, Layer } from "effect"
import { recordDelivery } from "../../domain/message/MessageMachine.ts"
import type { DueTimer } from "../../domain/Timer.ts"
import { makeSimulatedReport } from "../provider/SimulatedReport.ts"
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
      const report = yield* makeSimulatedReport({
        load: store.load,
        record: recordDelivery,
        write: (before, transition, now) => store.commit(null, before, transition, now)
      })
      return SandboxMessageReports.of({ report })
    })
  )
}
