import { Clock, Effect, Option, Redacted } from "effect"
import type { DueTimer } from "../../domain/Timer.ts"
import type { ProviderOutcome } from "../../domain/ProviderOutcome.ts"
import type { Message } from "../../domain/message/Message.ts"
import {
  awaitSlot,
  beginAttempt,
  type Call,
  type LaneTurn,
  postponeAttempt,
  recordOutcome
} from "../../domain/message/MessageMachine.ts"
import type { MessageTransition } from "../../domain/message/MessageLanes.ts"
import { Settings } from "../Settings.ts"
import { writeTransition } from "../Subjects.ts"
import { AccountSlots, type Start } from "../account/AccountSlots.ts"
import { makeKeyedState } from "../concurrency/KeyedState.ts"
import { MessageMetrics } from "./MessageMetrics.ts"
import { MessageStore } from "./MessageStore.ts"
import { CallLimiters, makeCallStarts, outcomeOf, reportFailure } from "../provider/ProviderCalls.ts"
import { Providers } from "../provider/Providers.ts"
import { TimerStore } from "../timer/TimerStore.ts"
import { Timers } from "../timer/Timers.ts"

/** A step whose account has a slot. */
interface StepSlot {
  readonly step: number
  readonly slot: Start
}

/** No request waits for a message: a step that must wait is due again later. */
const NOT_WAITING = { waitMillis: 0, waiting: <A, E, R>(wait: Effect.Effect<A, E, R>) => wait }

export const accountAt = ({ route }: Message, step: number) => route[step] ?? route[0]

/** The turn of a timer's lane at an instant. */
export const makeLaneTurns = Effect.map(
  Settings,
  ({ messagePatienceMillis }) =>
    (timer: DueTimer, now: number): LaneTurn => ({
      lane: timer.lane,
      dueAt: timer.wasAbandoned ? null : timer.dueAt,
      now,
      patienceMillis: messagePatienceMillis
    })
)

/** Writes the outcome of a call. */
export const makeRecord = ({ write }: MessageWrites) =>
  Effect.fnUntraced(function* (timer: DueTimer, message: Message, call: Call, outcome: ProviderOutcome) {
    const { id, phone } = message
    const { channel } = accountAt(message, call.step)
    yield* reportFailure(outcome, { subject: `message ${id}`, channel, phone })
    const finishedAt = yield* Clock.currentTimeMillis
    yield* write(timer, message, (current) => recordOutcome(current, call, outcome, finishedAt))
  })

/** Calls the provider, and records the outcome. */
const makeCall = Effect.fnUntraced(function* (writes: MessageWrites) {
  const { providerTimeoutMillis } = yield* Settings
  const providers = yield* Providers
  const slots = yield* AccountSlots
  const metrics = yield* MessageMetrics
  const record = makeRecord(writes)

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

  return Effect.fnUntraced(function* (timer: DueTimer, message: Message, call: Call) {
    const attemptedAt = yield* Clock.currentTimeMillis
    const outcome = yield* callProvider(message, call.step)
    const finishedAt = yield* Clock.currentTimeMillis
    const account = accountAt(message, call.step)
    metrics.attempted({ channel: account.channel, outcome, attemptedAt, finishedAt })
    yield* record(timer, message, call, outcome)
    yield* slots.report(account, { kind: "text", outcome, now: yield* Clock.currentTimeMillis })
  })
})

/** Sends a step: waits for a place among the calls to its provider, begins the attempt, and calls. */
export const makeSendStep = Effect.fnUntraced(function* (writes: MessageWrites) {
  const { write } = writes
  const limiters = yield* CallLimiters
  const timers = yield* Timers
  const timerStore = yield* TimerStore
  const startOf = yield* makeCallStarts
  const turnOf = yield* makeLaneTurns
  const call = yield* makeCall(writes)

  /** Sends nothing if the attempt cannot begin: then another process has this lane. */
  const sendInPlace = Effect.fnUntraced(function* (
    timer: DueTimer,
    message: Message,
    { step, slot }: StepSlot
  ) {
    const account = accountAt(message, step)
    const first = yield* startOf(account, slot, NOT_WAITING)
    const turn = turnOf(timer, yield* Clock.currentTimeMillis)
    if (!first.hasStart) {
      yield* write(timer, message, (current) => awaitSlot(current, { step, at: first.at }, turn))
      return
    }
    const begun = yield* write(timer, message, (current) => beginAttempt(current, step, turn))
    if (!begun.written) return
    const tries = begun.state.attempts.find((attempt) => attempt.step === step)?.tries ?? 0
    const start = yield* startOf(account, first, NOT_WAITING)
    // Another process that has leased it since takes this attempt for lost, and goes on with the route.
    if (!timers.isLeased(timer)) return
    if (start.hasStart) return yield* call(timer, begun.state, { step, tries })
    yield* write(timer, begun.state, (current) =>
      postponeAttempt(current, { step, tries }, message, start.at)
    )
  })

  return Effect.fnUntraced(function* (timer: DueTimer, message: Message, chosen: StepSlot) {
    const request = {
      customerId: message.customerId,
      kind: "text" as const,
      account: accountAt(message, chosen.step),
      waitMillis: null,
      waiting: NOT_WAITING.waiting
    }
    const inPlace = yield* limiters.withPlace(request, sendInPlace(timer, message, chosen))
    // This process stops, so another goes on.
    if (Option.isNone(inPlace)) yield* timerStore.release(timer, yield* Clock.currentTimeMillis)
  })
})

export type MessageWrites = Effect.Success<typeof makeMessageWrites>

/** Writes transitions of messages. The lanes of one message run in parallel and share its newest state. */
export const makeMessageWrites = Effect.gen(function* () {
  const store = yield* MessageStore
  const timers = yield* Timers
  const metrics = yield* MessageMetrics
  const shared = makeKeyedState<Message>()

  const write = Effect.fnUntraced(function* (
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

  return { write, sharing: shared.sharing }
})
