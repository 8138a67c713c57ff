import { Cause, Clock, Context, Effect, Latch, Layer, type Option } from "effect"
import type { Instant } from "../../domain/Instant.ts"
import { maskPhone, type Phone } from "../../domain/Phone.ts"
import { attemptErrorCode, keptText, ProviderOutcome } from "../../domain/ProviderOutcome.ts"
import { isStartInTime, type SendKind } from "../../domain/account/Pace.ts"
import type { Channel } from "../../domain/routing/Channel.ts"
import type { RouteAccount } from "../../domain/routing/Route.ts"
import { type InTime, makeInTime } from "./CallTimeouts.ts"
import type { ProviderConnection } from "./ProviderAdapter.ts"
import { Settings } from "../Settings.ts"
import { AccountConnections, AccountSlots, type Start } from "../account/AccountSlots.ts"
import { FairShares } from "../concurrency/FairQueue.ts"
import { Workers } from "../concurrency/Workers.ts"
import { type CountAttempt, inReportedSpan, logFailure } from "../system/Observability.ts"

/** Wraps a wait, so that its fiber counts as waiting. */
export type Waiting = <A, E, R>(wait: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

interface StartWait {
  /** The longest wait in total, even if other calls start first several times. */
  readonly waitMillis: number
  readonly waiting: Waiting
}

/** Recording a start can take long itself. The start is then recorded ahead of time, by at most this. */
const MAX_LEAD_MILLIS = 1000

/** Decides when a call starts once its slot has come: at the slot, or a gap after the account's last start. */
const awaitStart = Effect.fnUntraced(function* (
  clock: Clock.Clock,
  slots: AccountSlots["Service"],
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

const BROKEN_CALL = "the call to the provider broke"

/** The outcome of a step that a process began and never recorded. */
export const neverRecorded = ProviderOutcome.Unknown({
  providerError: "the step was begun and its outcome never recorded"
})

const brokenCall = (channel: Channel, cause: Cause.Cause<never>) =>
  Effect.as(
    logFailure(`the adapter of ${channel} broke`, cause),
    ProviderOutcome.Unknown({ providerError: BROKEN_CALL })
  )

const reportedOutcome = (outcome: ProviderOutcome) => ({
  "peyk.outcome": attemptErrorCode(outcome) ?? "accepted"
})

/** The outcome of a call. It is unknown if the call takes too long, or if its adapter fails. */
export const outcomeOf = (
  call: Effect.Effect<ProviderOutcome>,
  { channel, inTime }: { readonly channel: Channel; readonly inTime: InTime }
): Effect.Effect<ProviderOutcome> =>
  inReportedSpan(
    Effect.catchCause(inTime(call), (cause) =>
      Cause.hasInterrupts(cause) ? Effect.failCause(cause) : brokenCall(channel, cause)
    ),
    "call provider",
    () => ({ kind: "client", attributes: { "peyk.channel": channel } }),
    reportedOutcome
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

/** The result of one call to a provider. */
export interface CallResult {
  readonly outcome: ProviderOutcome
  readonly attemptedAt: Instant
  readonly finishedAt: Instant
}

/** One call to a provider about a step of a code or a message. */
interface ProviderCall<A> {
  readonly kind: SendKind
  readonly account: RouteAccount
  readonly call: Effect.Effect<ProviderOutcome>
  /** Wraps the wait for the provider's response. */
  readonly waiting: Waiting
  readonly count: CountAttempt
  /** Writes the result. */
  readonly record: (result: CallResult) => Effect.Effect<A>
}

/** Calls a provider for a code or a message whose account has a slot: waits for its start, calls, and records the outcome. */
export class ProviderCalls extends Context.Service<
  ProviderCalls,
  {
    /** With `hasStart`, call at once. Otherwise `at` is when the account can start the call, after the longest wait. */
    readonly awaitStart: (account: RouteAccount, slot: Start, wait: StartWait) => Effect.Effect<Start>
    /** Calls, counts, records; then the account's cooldown follows from the outcome. */
    readonly callAndRecord: <A>(call: ProviderCall<A>) => Effect.Effect<A>
  }
>()("peyk/services/provider/ProviderCalls") {
  static readonly layer = Layer.effect(
    ProviderCalls,
    Effect.gen(function* () {
      const inTime = yield* makeInTime((yield* Settings).providerTimeoutMillis)
      const clock = yield* Clock.Clock
      const slots = yield* AccountSlots

      return ProviderCalls.of({
        awaitStart: (account, slot, wait) =>
          slot.hasStart && isStartInTime(slot.at, clock.currentTimeMillisUnsafe())
            ? Effect.succeed(slot)
            : awaitStart(clock, slots, account, slot, wait),
        callAndRecord: ({ kind, account, call, waiting, count, record }) =>
          Effect.suspend(() => {
            const { channel } = account
            const attemptedAt = clock.currentTimeMillisUnsafe()
            return Effect.flatMap(waiting(outcomeOf(call, { channel, inTime })), (outcome) => {
              const now = clock.currentTimeMillisUnsafe()
              count({ channel, outcome, attemptedAt, finishedAt: now })
              return Effect.tap(record({ outcome, attemptedAt, finishedAt: now }), () =>
                slots.report(account, { kind, outcome, now })
              )
            })
          })
      })
    })
  )
}

const toOrigin = {
  onFailure: () => null,
  onSuccess: ({ origin }: ProviderConnection) => origin ?? null
}

/** One call that has a permit, or waits for one. */
interface Entry {
  readonly customerId: number
  hasPermit: boolean
  /** Opened with the permit; null if nobody waited for it. */
  granted: Latch.Latch | null
}

/**
 * Permits for calls to one host, which customers share. A customer's calls wait in its own queue. The next permit goes to
 * the customer that has the fewest, so that a long queue delays no other customer.
 */
class CallLimiter {
  readonly #shares: FairShares
  readonly #queues = new Map<number, Set<Entry>>()

  /** @param mostOfOne how many calls one customer makes at once while no other customer makes any */
  constructor(mostOfOne: number) {
    this.#shares = new FairShares(mostOfOne)
  }

  get isEmpty(): boolean {
    return this.#shares.isEmpty && this.#queues.size === 0
  }

  /** Takes a permit at once if there is one. */
  begin(customerId: number): Entry {
    const mayEnter = !this.#queues.has(customerId) && this.#shares.mayEnter(customerId)
    if (mayEnter) this.#shares.enter(customerId)
    const entry: Entry = {
      customerId,
      hasPermit: mayEnter,
      granted: mayEnter ? null : Latch.makeUnsafe(false)
    }
    if (!mayEnter) this.#queueOf(customerId).add(entry)
    return entry
  }

  /** Waits for its permit, for at most this time; null: however long that takes. */
  wait({ granted }: Entry, millis: number | null): Effect.Effect<unknown> {
    if (granted === null || millis === 0) return Effect.void
    return millis === null ? granted.await : Effect.timeoutOption(granted.await, millis)
  }

  /** The call is over, or has stopped waiting. */
  end(entry: Entry): void {
    if (entry.hasPermit) this.#shares.leave(entry.customerId)
    else this.#leaveQueue(entry)
    this.#admit()
  }

  #queueOf(customerId: number): Set<Entry> {
    const queue = this.#queues.get(customerId) ?? new Set()
    this.#queues.set(customerId, queue)
    return queue
  }

  #leaveQueue(entry: Entry): void {
    const queue = this.#queues.get(entry.customerId)
    queue?.delete(entry)
    if (queue?.size === 0) this.#queues.delete(entry.customerId)
  }

  #admit(): void {
    for (;;) {
      const fewest = [...this.#queues.keys()]
        .filter((customerId) => this.#shares.mayEnter(customerId))
        .toSorted((a, b) => this.#shares.permitsOf(a) - this.#shares.permitsOf(b))
      const [next] = this.#queues.get(fewest[0] ?? Number.NaN) ?? []
      if (next === undefined) return
      this.#leaveQueue(next)
      this.#shares.enter(next.customerId)
      next.hasPermit = true
      next.granted?.openUnsafe()
    }
  }
}

export interface PermitRequest {
  readonly customerId: number
  readonly kind: SendKind
  readonly account: RouteAccount
  /** Null: without a limit. */
  readonly waitMillis: number | null
  /** Wraps the wait for a permit. */
  readonly waiting: Waiting
}

/**
 * Room for calls to providers, before the connections: codes and messages have separate permits for each host, and
 * customers share them. Waiting here counts as no failure, because nothing was called yet.
 */
export class CallLimiters extends Context.Service<
  CallLimiters,
  {
    /** None if there was no permit in time, or if this process begins to stop. */
    readonly withPermit: <A>(
      request: PermitRequest,
      call: Effect.Effect<A>
    ) => Effect.Effect<Option.Option<A>>
  }
>()("peyk/services/provider/ProviderCalls/CallLimiters") {
  static readonly layer = Layer.effect(
    CallLimiters,
    Effect.gen(function* () {
      const { codeConnections, messageConnections } = yield* Settings
      const connections = yield* AccountConnections
      const workers = yield* Workers
      const limiters = { code: new Map<string, CallLimiter>(), text: new Map<string, CallLimiter>() }
      const permitsOf = { code: codeConnections, text: messageConnections }

      const limiterAt = (origin: string, kind: SendKind) => {
        const limiter = limiters[kind].get(origin) ?? new CallLimiter(permitsOf[kind])
        limiters[kind].set(origin, limiter)
        return limiter
      }

      /** Null: the call uses no network, or it cannot be made, as it will report itself. */
      const originOf = ({ account_id: id }: RouteAccount) =>
        id === null ? Effect.succeed(null) : Effect.matchCause(connections.of(id), toOrigin)

      const withPermitAt = <A>(origin: string, request: PermitRequest, call: Effect.Effect<A>) => {
        const { kind, customerId, waitMillis, waiting } = request
        const limiter = limiterAt(origin, kind)
        const entry = limiter.begin(customerId)
        const called = Effect.suspend(() => (entry.hasPermit ? Effect.asSome(call) : Effect.succeedNone))
        const work = entry.hasPermit
          ? called
          : Effect.andThen(workers.untilStop(waiting(limiter.wait(entry, waitMillis))), called)
        return Effect.onExitPrimitive(work, () => {
          limiter.end(entry)
          if (limiter.isEmpty) limiters[kind].delete(origin)
          return undefined
        })
      }

      return CallLimiters.of({
        withPermit: (request, call) =>
          Effect.flatMap(originOf(request.account), (origin) =>
            origin === null ? Effect.asSome(call) : withPermitAt(origin, request, call)
          )
      })
    })
  )

  /** Has a permit for every call. */
  static readonly layerUnlimited = Layer.succeed(
    CallLimiters,
    CallLimiters.of({ withPermit: (_request, call) => Effect.asSome(call) })
  )
}
