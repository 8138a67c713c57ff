import { type Cause, Clock, Context, Effect, Layer, Option, Redacted } from "effect"
import type { Instant } from "../../domain/Instant.ts"
import { isSlotUsable } from "../../domain/account/Pace.ts"
import type { ProviderOutcome } from "../../domain/account/ProviderOutcome.ts"
import { DEFAULT_CODE_TEXT, renderCodeText } from "../../domain/message/Template.ts"
import { expiresInSeconds, type Verification } from "../../domain/verification/Verification.ts"
import {
  type Action,
  awaitSlot,
  type Choice,
  chooseStep,
  decide,
  expire,
  releaseStep,
  isStepDue,
  nextDueAt,
  recordAttempt,
  skipRemaining,
  type VerificationTransition
} from "../../domain/verification/VerificationMachine.ts"
import { AccountSlots, type Slot, type Start } from "../account/AccountSlots.ts"
import { CallRooms } from "../provider/CallRooms.ts"
import { makeCallStarts } from "../provider/CallStarts.ts"
import { CodeVault } from "./CodeVault.ts"
import { neverRecorded, outcomeOf, reportFailure } from "../provider/ProviderCalls.ts"
import { Providers } from "../provider/Providers.ts"
import { Settings } from "../Settings.ts"
import type { DueTimer, LeasedTimer } from "../../domain/Timer.ts"
import { Timers } from "../timer/Timers.ts"
import { TimerStore } from "../timer/TimerStore.ts"
import { writeTransition } from "../Transitions.ts"
import { VerificationMetrics } from "./VerificationMetrics.ts"
import { type StoredVerification, VerificationStore } from "./VerificationStore.ts"
import { Workers } from "../concurrency/Workers.ts"

/** Something due, with all that doing it needs: from here on a step may have been sent. */
interface Plan {
  readonly verification: Verification
  readonly action: Action
  /** Empty where nothing is sent. */
  readonly code: string
}

interface Attempting {
  readonly timer: LeasedTimer
  /** The steps that can still be tried. */
  readonly left: ReadonlyArray<number>
  /** For how long this may wait for a slot itself, and for a place among the calls to a provider. */
  readonly waitMillis: number
  readonly placeMillis: number
  /** Steps that are skipped for good, and those that found no place within the request. */
  readonly passedOver: ReadonlyArray<number>
  readonly crowded: ReadonlyArray<number>
  /** Whether this is a request's own attempt, which leaves what has to wait to the background. */
  readonly isFirst: boolean
  /** For a failure before anything was sent. */
  readonly releaseForRetry: (cause: Cause.Cause<never>) => Effect.Effect<never>
  /** Around what waits for others: the account's slot, a place among the calls to the provider, the provider. */
  readonly waiting: Waiting
}

type Waiting = Workers["Service"]["waitOutside"]

interface StepCall {
  readonly timer: LeasedTimer
  readonly step: number
  readonly slot: Start
  readonly code: string
  readonly waiting: Waiting
}

/** A code that waited longer than this before its call may have been verified, or have expired, meanwhile. */
const MAX_UNSEEN_MILLIS = 1000

/** Nobody waits for what timers do. */
const unheeded: Waiting = (wait) => wait

const atOnce = {
  waitMillis: 0,
  passedOver: [],
  crowded: [],
  isFirst: false,
  waiting: unheeded
} as const

/** Carries verifications along their routes: attempts, fallback, expiry. */
export class VerificationSteps extends Context.Service<
  VerificationSteps,
  {
    /**
     * The first attempt of a verification that was just accepted, under the lease it was born with. Where that has run out
     * before the call, nothing is sent, and it is due at once for whoever has a lease.
     */
    readonly tryFirst: (
      timer: LeasedTimer,
      verification: Verification,
      code: string
    ) => Effect.Effect<Verification>
    /** Whatever is due for the verification of a timer that this process has leased. */
    readonly runTimer: (timer: DueTimer) => Effect.Effect<void>
  }
>()("peyk/services/verification/VerificationSteps") {
  static readonly layer = Layer.effect(
    VerificationSteps,
    Effect.gen(function* () {
      const { providerTimeoutMillis, slotWaitMillis, slotHorizonMillis } = yield* Settings
      const clock = yield* Clock.Clock
      const store = yield* VerificationStore
      const providers = yield* Providers
      const slots = yield* AccountSlots
      const startOf = yield* makeCallStarts
      const rooms = yield* CallRooms
      const vault = yield* CodeVault
      const timers = yield* Timers
      const timerStore = yield* TimerStore
      const workers = yield* Workers
      const metrics = yield* VerificationMetrics

      const callProvider = (verification: Verification, step: number, code: string) => {
        const { id, customerId, phone, route, textBody, expiresAt } = verification
        const routeStep = route[step] ?? route[0]
        const body = routeStep.textBody ?? textBody ?? DEFAULT_CODE_TEXT
        const text = renderCodeText(body, code, expiresInSeconds(verification))
        const call = providers.sendCode({
          attemptId: `${id}-${step + 1}`,
          customerId,
          step: routeStep,
          phone,
          code: Redacted.make(code),
          text: Redacted.make(text),
          expiresAt
        })
        return outcomeOf(call, { channel: routeStep.channel, timeoutMillis: providerTimeoutMillis })
      }

      const report = ({ id, phone, route }: Verification, step: number, outcome: ProviderOutcome) =>
        reportFailure(outcome, { subject: `verification ${id}`, channel: route[step]?.channel, phone })

      const commit = (
        verification: Verification,
        transition: (current: Verification) => VerificationTransition,
        timer: LeasedTimer | null = null
      ) => {
        const { customerId, id } = verification
        return writeTransition(verification, transition, {
          write: (before, next, now) =>
            Effect.map(store.commit(before, next, now, timer), (written) => {
              if (written && before.status !== next.next.status) metrics.ended(id, next.next.status, now)
              if (written && typeof next.dueAt === "number") timers.wakeAt(next.dueAt)
              return written
            }),
          reload: Effect.suspend(() => store.load(customerId, id))
        })
      }

      /** Calls the provider, and writes down what came of it. */
      const callLeased = (
        verification: Verification,
        { step, slot, code, waiting }: StepCall
      ): Effect.Effect<Verification> => {
        const attemptedAt = clock.currentTimeMillisUnsafe()
        const account = accountAt(verification, step)
        return Effect.flatMap(waiting(callProvider(verification, step, code)), (outcome) => {
          const finishedAt = clock.currentTimeMillisUnsafe()
          metrics.attempted({ channel: account.channel, outcome, attemptedAt, finishedAt })
          const call = {
            step,
            outcome,
            attemptedAt,
            finishedAt,
            slotAt: slot.at,
            isRepeat: verification.repeating
          }
          const record = commit(verification, (current) => recordAttempt(current, call))
          const told =
            outcome._tag === "Accepted" ? record : Effect.andThen(report(verification, step, outcome), record)
          return Effect.flatMap(told, ({ state }) =>
            Effect.as(slots.report(account, { kind: "code", outcome, now: finishedAt }), state)
          )
        })
      }

      /** For the next process that leases it, unless one has already. */
      const releaseUncalled = (verification: Verification, { timer, step }: StepCall) =>
        Effect.suspend(() => {
          const now = clock.currentTimeMillisUnsafe()
          const given = commit(verification, (current) => releaseStep(current, step, now), timer)
          return Effect.map(given, ({ state }) => state)
        })

      /** Only under a lease: who has it now may have made the call over, and been refused what this one would deliver. */
      const callStep = (verification: Verification, call: StepCall): Effect.Effect<Verification> =>
        timers.isLeased(call.timer) ? callLeased(verification, call) : releaseUncalled(verification, call)

      const accountAt = ({ route }: Verification, step: number) => route[step] ?? route[0]

      /** The step that a slot was taken for, and which before it were passed over; null where there was none. */
      const choiceOf = (slot: Slot, steps: ReadonlyArray<number>) => {
        if (slot._tag === "FreeAt") return null
        const step = steps[slot.index]
        if (step === undefined) throw new Error("a slot was taken of an account not asked for")
        const skipped = slot.blocked
          .filter((index) => index < slot.index)
          .flatMap((index) => steps[index] ?? [])
        return { step, skipped, at: slot.at, hasStart: slot.hasStart }
      }

      const takeSlot = (verification: Verification, steps: ReadonlyArray<number>) =>
        Effect.suspend(() => {
          const now = clock.currentTimeMillisUnsafe()
          const taken = slots.take({
            customerId: verification.customerId,
            kind: "code",
            accounts: steps.map((step) => accountAt(verification, step)),
            now,
            until: Math.min(now + slotHorizonMillis, verification.expiresAt - 1),
            waitsForBlocked: false
          })
          return Effect.map(taken, (slot) => ({ now, choice: choiceOf(slot, steps) }))
        })

      /** The step is tried in the background, at a slot of its account. */
      const inBackground = (verification: Verification, choice: Choice & { readonly at: Instant }) =>
        Effect.map(
          commit(verification, (current) => awaitSlot(current, choice)),
          ({ state }) => state
        )

      /** When its account may start a call, as far as that can be waited for. */
      const callAtStart = Effect.fnUntraced(function* (
        verification: Verification,
        call: StepCall,
        attempting: Attempting
      ) {
        const { step, slot } = call
        const starting = startOf(accountAt(verification, step), slot, attempting)
        const start = yield* Effect.catchCause(starting, attempting.releaseForRetry)
        return start.hasStart
          ? yield* callStep(verification, { ...call, slot: start })
          : yield* inBackground(verification, { step, skipped: [], at: start.at })
      })

      /** After a wait: the verification may have ended meanwhile. */
      const callIfStillDue = Effect.fnUntraced(function* (
        verification: Verification,
        call: StepCall,
        attempting: Attempting
      ) {
        const loaded = yield* Effect.catchCause(store.loadLeased(call.timer), attempting.releaseForRetry)
        const now = clock.currentTimeMillisUnsafe()
        const due = Option.filter(loaded, ({ verification: current }) => isStepDue(current, call.step, now))
        return Option.isSome(due)
          ? yield* callAtStart(due.value.verification, call, attempting)
          : yield* releaseUncalled(verification, call)
      })

      /** In a place for calls to its provider. */
      const callInPlace = Effect.fnUntraced(function* (
        verification: Verification,
        call: StepCall,
        attempting: Attempting
      ): Effect.fn.Return<Verification> {
        const { placeMillis, left, waiting } = attempting
        const begunAt = clock.currentTimeMillisUnsafe()
        const request = {
          customerId: verification.customerId,
          kind: "code" as const,
          account: accountAt(verification, call.step),
          waitMillis: placeMillis,
          waiting
        }
        const called = Effect.suspend(() =>
          clock.currentTimeMillisUnsafe() - begunAt > MAX_UNSEEN_MILLIS
            ? callIfStillDue(verification, call, attempting)
            : callAtStart(verification, call, attempting)
        )
        const inPlace = yield* rooms.withPlace(request, called)
        if (Option.isSome(inPlace)) return inPlace.value
        const now = clock.currentTimeMillisUnsafe()
        const isStopping = now < begunAt + placeMillis
        if (isStopping || now >= verification.expiresAt) return yield* releaseUncalled(verification, call)
        const { isFirst, passedOver, crowded } = attempting
        const others = left.filter((step) => step !== call.step)
        return yield* tryNext(verification, others, call.code, {
          ...attempting,
          placeMillis: 0,
          passedOver: isFirst ? passedOver : [...passedOver, call.step],
          crowded: isFirst ? [...crowded, call.step] : crowded
        })
      })

      /** Nothing can be called now. A step that found no place in time of the request is tried in the background. */
      const callNothing = (verification: Verification, { crowded, passedOver }: Attempting, now: number) => {
        const [step] = crowded
        return step === undefined
          ? Effect.map(
              commit(verification, (current) => skipRemaining(current, now)),
              ({ state }) => state
            )
          : inBackground(verification, { step, skipped: passedOver, at: now })
      }

      /**
       * Over the first step whose account may send now, or within its gap; at a later slot in the background, with the
       * timer that the step is due by; or over none.
       */
      const tryNext = Effect.fnUntraced(function* (
        verification: Verification,
        steps: ReadonlyArray<number>,
        code: string,
        attempting: Attempting
      ): Effect.fn.Return<Verification> {
        const { timer, waitMillis, releaseForRetry, waiting, passedOver } = attempting
        if (steps.length === 0)
          return yield* callNothing(verification, attempting, clock.currentTimeMillisUnsafe())
        const { now, choice } = yield* Effect.catchCause(takeSlot(verification, steps), releaseForRetry)
        if (choice === null) return yield* callNothing(verification, attempting, now)
        const { step, at } = choice
        const chosenStep = { ...choice, skipped: [...passedOver, ...choice.skipped] }
        if (at > now + waitMillis) return yield* inBackground(verification, chosenStep)
        if (at > now) yield* waiting(Effect.sleep(at - now))
        const call = { timer, step, slot: choice, code, waiting }
        const left = steps.filter((other) => !choice.skipped.includes(other))
        const next = { ...attempting, left }
        if (step === verification.remaining[0]) return yield* callInPlace(verification, call, next)
        const chosen = yield* commit(verification, (current) => chooseStep(current, chosenStep), timer)
        return chosen.written ? yield* callInPlace(chosen.state, call, next) : chosen.state
      })

      const tryStep = Effect.fnUntraced(function* (
        verification: Verification,
        { steps, hasSlot }: Extract<Action, { readonly _tag: "TryStep" }>,
        code: string,
        timer: DueTimer
      ) {
        const [step] = steps
        const now = yield* Clock.currentTimeMillis
        const slotAt = verification.nextStepAt ?? now
        const attempting: Attempting = {
          ...atOnce,
          timer,
          left: steps,
          placeMillis: slotHorizonMillis,
          releaseForRetry: timers.releaseForRetry(timer)
        }
        const isUsable = hasSlot && isSlotUsable(slotAt, now)
        const isResting = slots.isResting(accountAt(verification, step), "code", now)
        const isReady = isUsable && !(yield* Effect.catchCause(isResting, attempting.releaseForRetry))
        return isReady
          ? yield* callInPlace(
              verification,
              { timer, step, slot: { at: slotAt, hasStart: false }, code, waiting: unheeded },
              attempting
            )
          : yield* tryNext(verification, steps, code, attempting)
      })

      const abandonStep = Effect.fnUntraced(function* (verification: Verification, step: number) {
        const now = yield* Clock.currentTimeMillis
        const outcome = neverRecorded
        yield* report(verification, step, outcome)
        yield* commit(verification, (current) =>
          recordAttempt(current, { step, outcome, attemptedAt: nextDueAt(current) ?? now, finishedAt: now })
        )
      })

      const openCode = ({ verification, sealedCode }: StoredVerification) =>
        sealedCode === null
          ? Effect.die(`verification ${verification.id} has a step left and no code`)
          : vault.open(verification.id, sealedCode)

      const makePlan = Effect.fnUntraced(function* (timer: DueTimer) {
        const found = yield* store.loadLeased(timer)
        if (Option.isNone(found)) return Option.none<Plan>()
        const { verification } = found.value
        const action = decide(verification, yield* Clock.currentTimeMillis, timer.wasAbandoned)
        const code = action._tag === "TryStep" ? yield* openCode(found.value) : ""
        return Option.some<Plan>({ verification, action, code })
      })

      const carryOut = ({ verification, action, code }: Plan, timer: DueTimer): Effect.Effect<unknown> => {
        switch (action._tag) {
          case "TryStep":
            return tryStep(verification, action, code, timer)
          case "AbandonStep":
            return abandonStep(verification, action.step)
          case "Expire":
            return commit(verification, expire)
          case "Sleep":
            return timerStore.release(timer, action.until)
          case "Nothing":
            return timerStore.remove(timer)
        }
      }

      return VerificationSteps.of({
        tryFirst: (timer, verification, code) => {
          const attempting: Attempting = {
            ...atOnce,
            timer,
            left: verification.remaining,
            waitMillis: slotWaitMillis,
            placeMillis: slotWaitMillis,
            releaseForRetry: Effect.failCause,
            waiting: workers.waitOutside,
            isFirst: true
          }
          return timers.holding(timer, tryNext(verification, verification.remaining, code, attempting))
        },
        runTimer: (timer) =>
          makePlan(timer).pipe(
            Effect.catchCause(timers.releaseForRetry(timer)),
            Effect.flatMap(
              Option.match({
                onNone: () => timerStore.remove(timer),
                onSome: (plan) => Effect.asVoid(carryOut(plan, timer))
              })
            )
          )
      })
    })
  )
}
