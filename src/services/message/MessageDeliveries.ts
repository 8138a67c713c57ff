import { Clock, Context, Effect, Layer, Option, Redacted } from "effect"
import type { DueTimer } from "../../domain/Timer.ts"
import type { Message, Reservation } from "../../domain/message/Message.ts"
import {
  awaitAccount,
  awaitSlot,
  beginAttempt,
  type Call,
  decideMessage,
  type LaneTurn,
  type MessageAction,
  patienceEnd,
  postponeAttempt
} from "../../domain/message/MessageMachine.ts"
import { candidatesOf } from "../../domain/message/MessageLanes.ts"
import { accountAt } from "../../domain/routing/Route.ts"
import { Settings } from "../Settings.ts"
import { AccountSlots, isSlotReady, type Start } from "../account/AccountSlots.ts"
import { CallLimiters, neverRecorded, ProviderCalls, type Waiting } from "../provider/ProviderCalls.ts"
import { Providers } from "../provider/Providers.ts"
import { TimerStore } from "../timer/TimerStore.ts"
import { Timers } from "../timer/Timers.ts"
import { MessageStore } from "./MessageStore.ts"
import { MessageMetrics, MessageWrites } from "./MessageWrites.ts"

/** A lane of a message, under a lease of its timer. */
interface Due {
  readonly timer: DueTimer
  readonly message: Message
}

/** A step whose account has a slot. */
interface ChosenStep {
  readonly step: number
  readonly slot: Start
}

/** A call that is written as begun, in the message's newest state. */
interface BegunCall extends Due {
  readonly call: Call
}

/** No request waits for a message: a step that must wait is due again later. */
const waiting: Waiting = (wait) => wait
const NOT_WAITING = { waitMillis: 0, waiting }

const makeLaneTurns = Effect.map(
  Settings,
  ({ messagePatienceMillis }) =>
    (timer: DueTimer, now: number): LaneTurn => ({
      lane: timer.lane,
      dueAt: timer.wasAbandoned ? null : timer.dueAt,
      now,
      patienceMillis: messagePatienceMillis
    })
)

/** Chooses the step to call: the first one whose account may send now. None: the lane waits for a slot, or has ended. */
const makeChoose = Effect.gen(function* () {
  const { slotWaitMillis } = yield* Settings
  const slots = yield* AccountSlots
  const turnOf = yield* makeLaneTurns
  const { write } = yield* MessageWrites

  const takeSlot = Effect.fnUntraced(function* ({ timer, message }: Due, candidates: ReadonlyArray<number>) {
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
      yield* write(timer, message, (current) => awaitAccount(current, slot.at, turn))
      return Option.none<ChosenStep>()
    }
    const step = candidates[slot.index]
    if (step === undefined) return yield* Effect.die("a slot was taken of an account not asked for")
    if (slot.at <= turn.now) return Option.some<ChosenStep>({ step, slot })
    yield* write(timer, message, (current) => awaitSlot(current, { step, at: slot.at }, turn))
    return Option.none<ChosenStep>()
  })

  const takeReserved = Effect.fnUntraced(function* (
    due: Due,
    candidates: ReadonlyArray<number>,
    { step, at }: Reservation
  ) {
    const now = yield* Clock.currentTimeMillis
    const isReady = yield* isSlotReady(slots, accountAt(due.message, step), { kind: "text", at, now })
    return isReady
      ? Option.some<ChosenStep>({ step, slot: { at, hasStart: false } })
      : yield* takeSlot(due, candidates)
  })

  return (due: Due, candidates: ReadonlyArray<number>, reservation: Reservation | null) =>
    reservation === null ? takeSlot(due, candidates) : takeReserved(due, candidates, reservation)
})

/**
 * Waits for the account's start, and writes that the call begins. None: the start is too late, or another process has
 * this lane.
 */
const makeBegin = Effect.gen(function* () {
  const calls = yield* ProviderCalls
  const timers = yield* Timers
  const turnOf = yield* makeLaneTurns
  const { write } = yield* MessageWrites

  return Effect.fnUntraced(function* ({ timer, message }: Due, { step, slot }: ChosenStep) {
    const account = accountAt(message, step)
    const first = yield* calls.awaitStart(account, slot, NOT_WAITING)
    const turn = turnOf(timer, yield* Clock.currentTimeMillis)
    if (!first.hasStart) {
      yield* write(timer, message, (current) => awaitSlot(current, { step, at: first.at }, turn))
      return Option.none<BegunCall>()
    }
    const begun = yield* write(timer, message, (current) => beginAttempt(current, step, turn))
    if (!begun.written) return Option.none<BegunCall>()
    const tries = begun.state.attempts.find((attempt) => attempt.step === step)?.tries ?? 0
    const call = { step, tries }
    const start = yield* calls.awaitStart(account, first, NOT_WAITING)
    // Another process that has leased it since takes this attempt for lost, and goes on with the route.
    if (!timers.isLeased(timer)) return Option.none<BegunCall>()
    if (start.hasStart) return Option.some<BegunCall>({ timer, message: begun.state, call })
    yield* write(timer, begun.state, (current) => postponeAttempt(current, call, message, start.at))
    return Option.none<BegunCall>()
  })
})

/** Calls the provider, and records the outcome. */
const makeCallStep = Effect.gen(function* () {
  const providers = yield* Providers
  const calls = yield* ProviderCalls
  const metrics = yield* MessageMetrics
  const { record } = yield* MessageWrites

  return ({ timer, message, call }: BegunCall) => {
    const { id, customerId, phone, text } = message
    const account = accountAt(message, call.step)
    return calls.callAndRecord({
      kind: "text",
      account,
      call: providers.sendText({
        attemptId: `${id}-${call.step + 1}`,
        customerId,
        step: account,
        phone,
        text: Redacted.make(text)
      }),
      waiting,
      count: metrics.attempted,
      record: (result) => record(timer, message, call, result)
    })
  }
})

/** Tries a step of a lane: chooses one whose account may send, waits for its turn, calls, records. */
const makeTryStep = Effect.gen(function* () {
  const limiters = yield* CallLimiters
  const timerStore = yield* TimerStore
  const choose = yield* makeChoose
  const begin = yield* makeBegin
  const callStep = yield* makeCallStep

  const beginAndCall = (due: Due, chosen: ChosenStep): Effect.Effect<void> =>
    Effect.flatMap(begin(due, chosen), (begun) =>
      Option.isSome(begun) ? callStep(begun.value) : Effect.void
    )

  const callWithPermit = (due: Due, chosen: ChosenStep): Effect.Effect<void> => {
    const { customerId } = due.message
    const account = accountAt(due.message, chosen.step)
    const called = limiters.withPermit(
      { customerId, kind: "text", account, waitMillis: null, waiting },
      beginAndCall(due, chosen)
    )
    // None: this process stops, so another goes on.
    return Effect.flatMap(called, (done) =>
      Option.isSome(done)
        ? Effect.void
        : Effect.flatMap(Clock.currentTimeMillis, (now) => timerStore.release(due.timer, now))
    )
  }

  return (due: Due, candidates: ReadonlyArray<number>, reservation: Reservation | null = null) =>
    Effect.flatMap(choose(due, candidates, reservation), (chosen) =>
      Option.isSome(chosen) ? callWithPermit(due, chosen.value) : Effect.void
    )
})

/** Carries messages along their routes: attempts, retries, failover, patience. */
export class MessageDeliveries extends Context.Service<
  MessageDeliveries,
  {
    /** Carries out what is due in a lane of this message, under a lease of its timer. */
    readonly runLane: (timer: DueTimer, message: Message) => Effect.Effect<void>
    /** Reads the message of a timer and runs its lane; removes a timer whose message is gone. */
    readonly runTimer: (timer: DueTimer) => Effect.Effect<void>
  }
>()("peyk/services/message/MessageDeliveries") {
  static readonly layer = Layer.effect(
    MessageDeliveries,
    Effect.gen(function* () {
      const store = yield* MessageStore
      const timers = yield* Timers
      const timerStore = yield* TimerStore
      const { record, sharing } = yield* MessageWrites
      const tryStep = yield* makeTryStep

      const carryOut = (action: MessageAction, due: Due, now: number): Effect.Effect<void> => {
        const { timer, message } = due
        switch (action._tag) {
          case "Send":
            return tryStep(due, action.candidates)
          case "SendReserved":
            return tryStep(due, candidatesOf(message, timer.lane), action.reservation)
          case "Abandon":
            return record(timer, message, action.call, { outcome: neverRecorded, finishedAt: now })
          case "Sleep":
            return timerStore.release(timer, action.until)
          case "Nothing":
            return timerStore.remove(timer)
        }
      }

      const runLane = (timer: DueTimer, message: Message) =>
        Effect.clockWith((clock) => {
          const now = clock.currentTimeMillisUnsafe()
          const action = decideMessage(message, timer.lane, now)
          return sharing(message, carryOut(action, { timer, message }, now))
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
