import { Cause, Clock, Effect, Exit } from "effect"
import type { Instant } from "../../domain/Instant.ts"
import { maskPhone, type Phone } from "../../domain/Phone.ts"
import { isStartInTime } from "../../domain/account/Pace.ts"
import { attemptErrorCode, keptText, ProviderOutcome } from "../../domain/provider/ProviderOutcome.ts"
import type { Channel } from "../../domain/routing/Channel.ts"
import type { RouteAccount } from "../../domain/routing/RouteAccount.ts"
import { AccountSlots, type Start } from "../account/AccountSlots.ts"
import { logFailure } from "../system/LoggedCause.ts"
import { inSpan, reportSpan } from "../system/Spans.ts"

interface StartWait {
  /** The longest wait in total, even if other calls start first several times. */
  readonly waitMillis: number
  readonly waiting: <A, E, R>(wait: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/** Recording a start can take long itself. The start is then recorded ahead of time, by at most this. */
const MAX_LEAD_MILLIS = 1000

/** Decides when a call starts once its slot has come: at the slot, or a gap after the account's last start. */
export const makeCallStarts = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const slots = yield* AccountSlots

  const awaitStart = Effect.fnUntraced(function* (
    account: RouteAccount,
    slot: Start,
    { waitMillis, waiting }: StartWait
  ) {
    const until = clock.currentTimeMillisUnsafe() + waitMillis
    let { at, hasStart } = slot
    let lead = 0
    for (let isNoted = false; ; isNoted = true) {
      const before = clock.currentTimeMillisUnsafe()
      if (at > Math.max(until, before + lead)) return { hasStart: false, at }
      if (at > before) yield* waiting(Effect.sleep(at - before))
      const now = clock.currentTimeMillisUnsafe()
      if (hasStart && isStartInTime(at, now)) return { hasStart: true, at }
      if (isNoted && hasStart) lead = Math.min(Math.max(2 * lead, now - at), MAX_LEAD_MILLIS)
      const instead: Instant | null = hasStart ? at : null
      const start: Start = yield* slots.start(account, { now: now + lead, instead })
      at = start.at
      hasStart = start.hasStart
    }
  })

  /** With `hasStart`, call at once. Otherwise `at` is when the account can start the call, after the longest wait. */
  return (account: RouteAccount, slot: Start, wait: StartWait): Effect.Effect<Start> =>
    Effect.suspend(() =>
      slot.hasStart && isStartInTime(slot.at, clock.currentTimeMillisUnsafe())
        ? Effect.succeed(slot)
        : awaitStart(account, slot, wait)
    )
})

const NO_ANSWER = "no answer within the time-out"
const BROKEN_CALL = "the call to the provider broke"

/** The outcome of a step that a process began and never recorded. */
export const neverRecorded = ProviderOutcome.Unknown({
  providerError: "the step was begun and its outcome never recorded"
})

/** The last part of a time-out has its own timer: a process that was paused first reads the responses that arrived. */
const LAST_MILLIS = 100

const timeOut = (millis: number) => {
  const last = Math.min(LAST_MILLIS, millis)
  return Effect.andThen(Effect.sleep(millis - last), Effect.sleep(last))
}

const inTime = (call: Effect.Effect<ProviderOutcome>, timeoutMillis: number) =>
  Effect.raceFirst(
    call,
    Effect.as(timeOut(timeoutMillis), ProviderOutcome.Unknown({ providerError: NO_ANSWER }))
  )

/** The outcome of a call. It is unknown if the call takes too long, or if its adapter fails. */
export const outcomeOf = (
  call: Effect.Effect<ProviderOutcome>,
  options: { readonly channel: Channel; readonly timeoutMillis: number }
): Effect.Effect<ProviderOutcome> =>
  (Exit.isExit(call) ? call : inTime(call, options.timeoutMillis)).pipe(
    Effect.catchCauseIf(
      (cause) => !Cause.hasInterrupts(cause),
      (cause) =>
        Effect.as(
          logFailure(`the adapter of ${options.channel} broke`, cause),
          ProviderOutcome.Unknown({ providerError: BROKEN_CALL })
        )
    ),
    reportSpan((outcome) => ({ "peyk.outcome": attemptErrorCode(outcome) ?? "accepted" })),
    inSpan("call provider", { kind: "client", attributes: { "peyk.channel": options.channel } })
  )

/** Logs that a send failed, and why. */
export const reportFailure = (
  outcome: ProviderOutcome,
  send: { readonly subject: string; readonly channel: Channel | undefined; readonly phone: Phone }
): Effect.Effect<void> =>
  outcome._tag === "Accepted"
    ? Effect.void
    : Effect.logInfo(
        `${send.subject}: ${send.channel} to ${maskPhone(send.phone)}: ${outcome._tag}, ${keptText(outcome.providerError)}`
      )
