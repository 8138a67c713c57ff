import { Clock, Effect, Option } from "effect"
import type { Instant } from "../../domain/Instant.ts"
import type { DueTimer } from "../../domain/Timer.ts"
import type { Transition } from "../../domain/Transition.ts"
import { type Delivery, settledDelivery } from "../../domain/ProviderOutcome.ts"
import * as MessageMachine from "../../domain/message/MessageMachine.ts"
import * as Step from "../../domain/verification/Step.ts"
import { sandboxReport } from "../../domain/verification/SandboxPhone.ts"
import { writeTransition } from "../Subjects.ts"
import { MessageStore } from "../message/MessageStore.ts"
import { TimerStore } from "../timer/TimerStore.ts"
import { VerificationStore } from "../verification/VerificationStore.ts"

type Phone = Parameters<typeof sandboxReport>[0]

interface Subjects<
  Subject extends { readonly revision: number; readonly phone: Phone },
  T extends Transition<Subject, string, unknown>
> {
  readonly load: (customerId: number, id: string) => Effect.Effect<Option.Option<Subject>>
  readonly record: (subject: Subject, step: number, delivery: Delivery) => T
  readonly write: (before: Subject, transition: T, now: Instant) => Effect.Effect<boolean>
}

/** Records the delivery report that the sandbox simulates for a phone. The timer's lane is the step. */
const makeSimulatedReport = <
  Subject extends { readonly revision: number; readonly phone: Phone },
  T extends Transition<Subject, string, unknown>
>({
  load,
  record,
  write
}: Subjects<Subject, T>) =>
  Effect.map(TimerStore, (timers) =>
    Effect.fnUntraced(function* (timer: DueTimer) {
      const { customerId, subject: id, lane: step } = timer
      const found = Option.getOrUndefined(yield* load(customerId, id))
      const delivery =
        found && settledDelivery(sandboxReport(found.phone, yield* Clock.currentTimeMillis), found)
      if (found !== undefined && delivery !== undefined) {
        const reload = load(customerId, id)
        yield* writeTransition(found, (current) => record(current, step, delivery), { write, reload })
      }
      yield* timers.remove(timer)
    })
  )

export const simulatedCodeReport = Effect.flatMap(VerificationStore, (store) =>
  makeSimulatedReport({
    load: store.load,
    record: Step.recordDelivery,
    write: (before, transition, now) => store.commit(before, transition, now, null)
  })
)

export const simulatedMessageReport = Effect.flatMap(MessageStore, (store) =>
  makeSimulatedReport({
    load: store.load,
    record: MessageMachine.recordDelivery,
    write: (before, transition, now) => store.commit(null, before, transition, now)
  })
)
