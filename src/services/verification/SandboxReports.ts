import { Context, Effect, Layer } from "effect"
import { recordDelivery } from "../../domain/verification/Step.ts"
import type { DueTimer } from "../../domain/Timer.ts"
import { makeSimulatedReport } from "../provider/SimulatedReport.ts"
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
      const report = yield* makeSimulatedReport({
        load: store.load,
        record: recordDelivery,
        write: (before, transition, now) => store.commit(before, transition, now, null)
      })
      return SandboxReports.of({ report })
    })
  )
}
