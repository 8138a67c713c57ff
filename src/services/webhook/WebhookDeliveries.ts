import { Clock, Context, Effect, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import type { Instant } from "../../domain/Instant.ts"
import { judge, type WebhookExchange, type WebhookResponse } from "../../domain/Webhook.ts"
import type { DueTimer } from "../../domain/Timer.ts"
import { Timers } from "../timer/Timers.ts"
import { TimerStore } from "../timer/TimerStore.ts"
import { WebhookMetrics } from "./WebhookMetrics.ts"
import { type Admission, makeWebhookQueues } from "./WebhookQueues.ts"
import { type DueDelivery, WebhookSender, WebhookStore } from "./WebhookStore.ts"

const RANDOM_STEPS = 1_000_000

/** A request that was made. */
interface Made {
  readonly response: WebhookResponse
  readonly at: Instant
  readonly finishedAt: Instant
}

const exchangeOf = ({ body, signature }: WebhookResponse, at: Instant): WebhookExchange => ({
  at,
  signature: signature ?? null,
  body: body ?? null
})

/**
 * Delivers events to the endpoints that want them, at least once. A try is made under the timer's lease and recorded
 * after it. If the process dies in between, the try is repeated with the same id.
 */
export class WebhookDeliveries extends Context.Service<
  WebhookDeliveries,
  {
    /** The timer's subject is the event, its lane the endpoint's. */
    readonly runTimer: (timer: DueTimer) => Effect.Effect<void>
  }
>()("peyk/services/webhook/WebhookDeliveries") {
  static readonly layer = Layer.effect(
    WebhookDeliveries,
    Effect.gen(function* () {
      const store = yield* WebhookStore
      const sender = yield* WebhookSender
      const timers = yield* Timers
      const timerStore = yield* TimerStore
      const random = yield* SecureRandom.SecureRandom
      const metrics = yield* WebhookMetrics
      const queues = makeWebhookQueues(yield* Clock.Clock)

      const report = ({ endpointId, eventId }: DueDelivery, reason: string) =>
        Effect.logInfo(`webhook ${endpointId}: event ${eventId} was not delivered: ${reason}`)

      /** Nothing is posted after the lease has ended: another process may have posted it by now. */
      const post = ({ url, eventId: id, body, secrets }: DueDelivery, timer: DueTimer) =>
        Effect.gen(function* () {
          if (!timers.isLeased(timer)) return null
          const at = yield* Clock.currentTimeMillis
          const response = yield* sender.post({ url, id, body, secrets, sentAt: at })
          return { response, at, finishedAt: yield* Clock.currentTimeMillis }
        })

      const record = Effect.fnUntraced(function* (
        timer: DueTimer,
        due: DueDelivery,
        { response, at, finishedAt }: Made,
        admission: Admission
      ) {
        const jitter = (yield* random.intBetween(0, RANDOM_STEPS, { halfOpen: true })) / RANDOM_STEPS
        const judgement = judge(due, response, { at, finishedAt }, jitter)
        if (judgement.disables !== null) admission.turnOthersAway()
        const recorded = yield* store.record(timer, due, judgement, exchangeOf(response, at), finishedAt)
        metrics.tried({ duration_ms: finishedAt - at }, judgement)
        if (recorded === "restarted") timers.wakeAt(finishedAt)
        if (recorded === "lost" || judgement.status === "delivered") return
        yield* report(due, response.error ?? `HTTP ${response.status}`)
        if (judgement.disables !== null) {
          yield* Effect.logWarning(`webhook ${due.endpointId} was disabled: ${judgement.disables}`)
          yield* store.wakeOthers(timer, finishedAt)
        }
        if (judgement.nextTryAt !== null) timers.wakeAt(judgement.nextTryAt)
      })

      const comeAgain = (timer: DueTimer, at: number) =>
        Effect.map(store.putBack(timer, at), () => timers.wakeAt(at))

      const tryInTurn = Effect.fnUntraced(function* (
        timer: DueTimer,
        due: DueDelivery,
        admission: Admission
      ) {
        const made = yield* admission.withPermit(post(due, timer))
        if (Option.isSome(made) && made.value !== null)
          return yield* record(timer, due, made.value, admission)
        yield* comeAgain(timer, admission.comeBackAt(yield* Clock.currentTimeMillis))
      })

      const deliver = (timer: DueTimer, admission: Admission, now: Instant) =>
        store.loadLeased(timer, now).pipe(
          Effect.catchCause(timers.releaseForRetry(timer)),
          Effect.flatMap(
            Option.match({
              onNone: () => timerStore.remove(timer),
              onSome: (due) =>
                due.accepts ? tryInTurn(timer, due, admission) : store.giveUp(timer, due.endpointId, now)
            })
          )
        )

      /** A delivery that has to come back is not even loaded. */
      const runTimer = Effect.fnUntraced(function* (timer: DueTimer) {
        const now = yield* Clock.currentTimeMillis
        const admission = queues.enter(timer.customerId, timer.lane, now)
        if (typeof admission === "number") return yield* comeAgain(timer, admission)
        yield* Effect.ensuring(deliver(timer, admission, now), Effect.sync(admission.leave))
      })

      return WebhookDeliveries.of({ runTimer })
    })
  )
}
