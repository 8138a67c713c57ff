import { Cause, Clock, Context, Effect, Layer, Option } from "effect"
import type { Instant } from "../../domain/Instant.ts"
import type { DueTimer } from "../../domain/Timer.ts"
import type { Transition } from "../../domain/Transition.ts"
import {
  attemptToReport,
  type Delivery,
  DeliveryReport,
  nextReportAt,
  type ReportSubject,
  settledDelivery
} from "../../domain/ProviderOutcome.ts"
import { recordDelivery as recordForMessage } from "../../domain/message/MessageMachine.ts"
import type { RouteAccount } from "../../domain/routing/Route.ts"
import { recordDelivery as recordForVerification } from "../../domain/verification/Step.ts"
import { writeTransition } from "../Subjects.ts"
import { AccountConnections } from "../account/AccountSlots.ts"
import { MessageStore } from "../message/MessageStore.ts"
import { logFailure } from "../system/Observability.ts"
import { TimerStore } from "../timer/TimerStore.ts"
import { Timers } from "../timer/Timers.ts"
import { VerificationStore } from "../verification/VerificationStore.ts"

/** The subject of a report, of either kind. */
interface Reported extends ReportSubject {
  readonly revision: number
  readonly route: ReadonlyArray<RouteAccount>
  readonly attempts: ReadonlyArray<{
    readonly step: number
    readonly provider_message_id: string | null
    readonly delivery?: Delivery
    readonly attempted_at: Instant | null
  }>
}

interface Subjects<Subject extends Reported, T extends Transition<Subject, string, unknown>> {
  readonly load: (customerId: number, id: string) => Effect.Effect<Option.Option<Subject>>
  readonly record: (subject: Subject, step: number, delivery: Delivery) => T
  readonly write: (before: Subject, transition: T, now: Instant) => Effect.Effect<boolean>
}

/** Asks providers for the delivery of messages that they accepted. */
export class DeliveryReports extends Context.Service<
  DeliveryReports,
  {
    /** The timer's lane is the step of the report. */
    readonly pollVerification: (timer: DueTimer) => Effect.Effect<void>
    readonly pollMessage: (timer: DueTimer) => Effect.Effect<void>
  }
>()("peyk/services/provider/DeliveryReports") {
  static readonly layer = Layer.effect(
    DeliveryReports,
    Effect.gen(function* () {
      const connections = yield* AccountConnections
      const timers = yield* Timers
      const timerStore = yield* TimerStore
      const verifications = yield* VerificationStore
      const messages = yield* MessageStore

      const queryReport = Effect.fnUntraced(function* (
        accountId: number | null | undefined,
        messageId: string
      ) {
        if (typeof accountId !== "number") return DeliveryReport.NotKnown({ reason: "no account" })
        const { deliveryReport } = yield* connections.of(accountId)
        return deliveryReport === null
          ? DeliveryReport.NotKnown({ reason: "the provider does not report it" })
          : yield* deliveryReport(messageId)
      })

      const askAgain = Effect.fnUntraced(function* (timer: DueTimer, attemptedAt: Instant) {
        const nextAt = nextReportAt(attemptedAt, yield* Clock.currentTimeMillis)
        if (nextAt === null) return yield* timerStore.remove(timer)
        yield* timers.releaseUntil(timer, nextAt)
      })

      const poll = <Subject extends Reported, T extends Transition<Subject, string, unknown>>({
        load,
        record,
        write
      }: Subjects<Subject, T>) =>
        Effect.fnUntraced(function* (timer: DueTimer) {
          const { customerId, subject: id, lane: step } = timer
          const found = yield* load(customerId, id)
          const attempt = Option.map(found, ({ attempts }) => attemptToReport(attempts, step))
          if (Option.isNone(found) || Option.isNone(attempt) || attempt.value === undefined) {
            return yield* timerStore.remove(timer)
          }
          const { provider_message_id: messageId, attempted_at: attemptedAt } = attempt.value
          const report = yield* queryReport(found.value.route[step]?.account_id, messageId ?? "").pipe(
            Effect.catchTag("AccountUnusable", ({ message }) =>
              Effect.succeed(DeliveryReport.NotKnown({ reason: message }))
            ),
            // A request that breaks is repeated like any other, and not forever.
            Effect.catchDefect((defect) =>
              Effect.as(
                logFailure("an adapter broke when asked for a report", Cause.die(defect)),
                DeliveryReport.NotKnown({ reason: "the question broke" })
              )
            )
          )
          const delivery = settledDelivery(report, found.value)
          if (delivery === undefined) return yield* askAgain(timer, attemptedAt ?? timer.dueAt)
          yield* writeTransition(found.value, (current) => record(current, step, delivery), {
            write,
            reload: load(customerId, id)
          })
          yield* timerStore.remove(timer)
        })

      return DeliveryReports.of({
        pollVerification: poll({
          load: verifications.load,
          record: recordForVerification,
          write: (before, transition, now) => verifications.commit(before, transition, now, null)
        }),
        pollMessage: poll({
          load: messages.load,
          record: recordForMessage,
          write: (before, transition, now) => messages.commit(null, before, transition, now)
        })
      })
    })
  )
}
