import { Clock, Context, Effect, Layer, Option, Redacted } from "effect"
import type { Message, Reservation } from "../../domain/message/Message.ts"
import {
  awaitAccount,
  awaitSlot,
  beginAttempt,
  type Call,
  candidatesOf,
  decideMessage,
  type LaneTurn,
  type MessageAction,
  type MessageTransition,
  patienceEnd,
  postponeAttempt,
  recordOutcome
} from "../../domain/message/MessageMachine.ts"
import { isSlotUsable } from "../../domain/account/Pace.ts"
import type { ProviderOutcome } from "../../domain/account/ProviderOutcome.ts"
import { AccountSlots, type Start } from "../account/AccountSlots.ts"
import { CallRooms } from "../provider/CallRooms.ts"
import { makeCallStarts } from "../provider/CallStarts.ts"
import { MessageMetrics } from "./MessageMetrics.ts"
import { MessageStore } from "./MessageStore.ts"
import { neverRecorded, outcomeOf, reportFailure } from "../provider/ProviderCalls.ts"
import { Providers } from "../provider/Providers.ts"
import { Settings } from "../Settings.ts"
import { makeKeyedState } from "../concurrency/KeyedState.ts"
import type { DueTimer } from "../../domain/Timer.ts"
import { Timers } from "../timer/Timers.ts"
import { TimerStore } from "../timer/TimerStore.ts"
import { writeTransition } from "../Transitions.ts"

interface StepSlot {
  readonly step: number
  readonly slot: Start
}

/** Waiting work is due again then. */
const NOT_WAITING = { waitMillis: 0, waiting: <A, E, R>(wait: Effect.Effect<A, E, R>) => wait }

/** Carries messages along their routes: attempts, retries, failover, patience. */
export class MessageDeliveries extends Context.Service<
  MessageDeliveries,
  {
    /** Does the due work in a lane of this message, under a lease of its timer. */
    readonly runLane: (timer: DueTimer, message: Message) => Effect.Effect<void>
    /** The same for a timer alone. */
    readonly runTimer: (timer: DueTimer) => Effect.Effect<void>
  }
>()("peyk/services/message/MessageDeliveries") {
  static readonly layer = Layer.effect(
    MessageDeliveries,
    Effect.gen(function* () {
      const { providerTimeoutMillis, messagePatienceMillis, slotWaitMillis } = yield* Settings
      const store = yield* MessageStore
      const providers = yield* Providers
      const slots = yield* AccountSlots
      const rooms = yield* CallRooms
      const startOf = yield* makeCallStarts
      const timers = yield* Timers
      const timerStore = yield* TimerStore
      const metrics = yield* MessageMetrics
      /** Lanes of one message run in parallel. */
      const shared = makeKeyedState<Message>()

      const accountAt = ({ route }: Message, step: number) => route[step] ?? route[0]

      const callProvider = (message: Message, step: number) => {
        const { id, customerId, phone, text } = message
        const account = accountAt(message, step)
        const call = providers.sendText({
          attemptId: `${id}-${step + 1}`,
          customerId,
          step: account,
          phone,
          text: Redacted.make(text)
        })
        return outcomeOf(call, { channel: account.channel, timeoutMillis: providerTimeoutMillis })
      }

      const commit = Effect.fnUntraced(function* (
        timer: DueTimer,
        message: Message,
        transition: (current: Message) => MessageTransition
      ) {
        const result = yield* shared.change(message, (newest) =>
          writeTransition(newest, transition, {
            write: (before, next, now) =>
              Effect.tap(store.commit(timer, before, next, now), (written) =>
                Effect.sync(() => written && metrics.changed(before.status, next.next.status))
              ),
            reload: store.load(message.customerId, message.id)
          })
        )
        const { dueAt } = result.transition
        if (result.written && typeof dueAt === "number") timers.wakeAt(dueAt)
        return result
      })

      const record = Effect.fnUntraced(function* (
        timer: DueTimer,
        message: Message,
        call: Call,
        outcome: ProviderOutcome
      ) {
        const { id, phone } = message
        const { channel } = accountAt(message, call.step)
        yield* reportFailure(outcome, { subject: `message ${id}`, channel, phone })
        const finishedAt = yield* Clock.currentTimeMillis
        yield* commit(timer, message, (current) => recordOutcome(current, call, outcome, finishedAt))
      })

      const turnOf = (timer: DueTimer, now: number): LaneTurn => ({
        lane: timer.lane,
        dueAt: timer.wasAbandoned ? null : timer.dueAt,
        now,
        patienceMillis: messagePatienceMillis
      })

      const call = Effect.fnUntraced(function* (
        timer: DueTimer,
        message: Message,
        step: number,
        tries: number
      ) {
        const attemptedAt = yield* Clock.currentTimeMillis
        const outcome = yield* callProvider(message, step)
        const finishedAt = yield* Clock.currentTimeMillis
        const account = accountAt(message, step)
        metrics.attempted({ channel: account.channel, outcome, attemptedAt, finishedAt })
        yield* record(timer, message, { step, tries }, outcome)
        yield* slots.report(account, { kind: "text", outcome, now: yield* Clock.currentTimeMillis })
      })

      /** If the attempt cannot be begun, nothing is sent: another process has this lane. */
      const sendInPlace = Effect.fnUntraced(function* (
        timer: DueTimer,
        message: Message,
        { step, slot }: StepSlot
      ) {
        const account = accountAt(message, step)
        const first = yield* startOf(account, slot, NOT_WAITING)
        const turn = turnOf(timer, yield* Clock.currentTimeMillis)
        if (!first.hasStart) {
          yield* commit(timer, message, (current) => awaitSlot(current, { step, at: first.at }, turn))
          return
        }
        const begun = yield* commit(timer, message, (current) => beginAttempt(current, step, turn))
        if (!begun.written) return
        const tries = begun.state.attempts.find((attempt) => attempt.step === step)?.tries ?? 0
        const start = yield* startOf(account, first, NOT_WAITING)
        // The process that has leased it since takes this attempt for lost, and continues the route.
        if (!timers.isLeased(timer)) return
        if (start.hasStart) return yield* call(timer, begun.state, step, tries)
        yield* commit(timer, begun.state, (current) => postponeAttempt(current, { step, tries }, start.at))
      })

      /** Waits for a place among the calls to the provider; if this process stops, another continues. */
      const sendStep = Effect.fnUntraced(function* (timer: DueTimer, message: Message, chosen: StepSlot) {
        const request = {
          customerId: message.customerId,
          kind: "text" as const,
          account: accountAt(message, chosen.step),
          waitMillis: null,
          waiting: NOT_WAITING.waiting
        }
        const inPlace = yield* rooms.withPlace(request, sendInPlace(timer, message, chosen))
        if (Option.isNone(inPlace)) yield* timerStore.release(timer, yield* Clock.currentTimeMillis)
      })

      const send = Effect.fnUntraced(function* (
        timer: DueTimer,
        message: Message,
        candidates: ReadonlyArray<number>
      ) {
        const turn = turnOf(timer, yield* Clock.currentTimeMillis)
        const slot = yield* slots.take({
          customerId: message.customerId,
          kind: "text",
          accounts: candidates.map((step) => accountAt(message, step)),
          now: turn.now,
          // Not far ahead: otherwise codes over the same account would wait behind the whole backlog.
          until: Math.max(turn.now, Math.min(patienceEnd(message, turn), turn.now + slotWaitMillis)),
          waitsForBlocked: true
        })
        if (slot._tag === "FreeAt") {
          yield* commit(timer, message, (current) => awaitAccount(current, slot.at, turn))
          return
        }
        const step = candidates[slot.index]
        if (step === undefined) return yield* Effect.die("a slot was taken of an account not asked for")
        if (slot.at <= turn.now) return yield* sendStep(timer, message, { step, slot })
        yield* commit(timer, message, (current) => awaitSlot(current, { step, at: slot.at }, turn))
      })

      /** An account in cooldown does not send, even with a reserved slot. */
      const sendReserved = Effect.fnUntraced(function* (
        timer: DueTimer,
        message: Message,
        { step, at }: Reservation
      ) {
        const now = yield* Clock.currentTimeMillis
        const isReady =
          isSlotUsable(at, now) && !(yield* slots.isCooling(accountAt(message, step), "text", now))
        yield* isReady
          ? sendStep(timer, message, { step, slot: { at, hasStart: false } })
          : send(timer, message, candidatesOf(message, timer.lane))
      })

      const carryOut = (action: MessageAction, timer: DueTimer, message: Message): Effect.Effect<void> => {
        switch (action._tag) {
          case "Send":
            return send(timer, message, action.candidates)
          case "SendReserved":
            return sendReserved(timer, message, action.reservation)
          case "Abandon":
            return record(timer, message, action.call, neverRecorded)
          case "Sleep":
            return timerStore.release(timer, action.until)
          case "Nothing":
            return timerStore.remove(timer)
        }
      }

      const runLane = Effect.fnUntraced(function* (timer: DueTimer, message: Message) {
        const now = yield* Clock.currentTimeMillis
        const action = decideMessage(message, timer.lane, now)
        yield* shared.sharing(message, carryOut(action, timer, message))
      })

      return MessageDeliveries.of({
        runLane,
        runTimer: (timer) =>
          store.loadLeased(timer).pipe(
            Effect.catchCause(timers.releaseForRetry(timer)),
            Effect.flatMap(
              Option.match({
                onNone: () => timerStore.remove(timer),
                onSome: (message) => runLane(timer, message)
              })
            )
          )
      })
    })
  )
}
