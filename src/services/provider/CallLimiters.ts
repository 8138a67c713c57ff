import { Context, Effect, Latch, Layer, type Option } from "effect"
import type { SendKind } from "../../domain/account/Pace.ts"
import type { RouteAccount } from "../../domain/routing/RouteAccount.ts"
import { Settings } from "../Settings.ts"
import { AccountConnections } from "../account/AccountSlots.ts"
import { FairShares } from "../concurrency/FairQueue.ts"
import { Workers } from "../concurrency/Workers.ts"

/** One call that has a place, or waits for one. */
interface Entry {
  readonly customerId: number
  hasPlace: boolean
  /** Opened with the place; null if nobody waited for it. */
  granted: Latch.Latch | null
}

/**
 * Places for calls to one host, which customers share. A customer's calls wait in its own queue. The next place goes to
 * the customer that holds the fewest, so that a long queue delays no other customer.
 */
class CallLimiter {
  readonly #shares: FairShares
  readonly #lines = new Map<number, Set<Entry>>()

  /** @param mostOfOne how many calls one customer makes at once while no other customer makes any */
  constructor(mostOfOne: number) {
    this.#shares = new FairShares(mostOfOne)
  }

  get isEmpty(): boolean {
    return this.#shares.isEmpty && this.#lines.size === 0
  }

  /** Takes a place at once if there is one. */
  begin(customerId: number): Entry {
    const mayEnter = !this.#lines.has(customerId) && this.#shares.mayEnter(customerId)
    if (mayEnter) this.#shares.enter(customerId)
    const entry: Entry = {
      customerId,
      hasPlace: mayEnter,
      granted: mayEnter ? null : Latch.makeUnsafe(false)
    }
    if (!mayEnter) this.#lineOf(customerId).add(entry)
    return entry
  }

  /** Whether it gets a place within this time; null: however long that takes. */
  wait({ granted }: Entry, millis: number | null): Effect.Effect<unknown> {
    if (granted === null || millis === 0) return Effect.void
    return millis === null ? granted.await : Effect.timeoutOption(granted.await, millis)
  }

  /** The call is over, or has stopped waiting. */
  end(entry: Entry): void {
    if (entry.hasPlace) this.#shares.leave(entry.customerId)
    else this.#leaveLine(entry)
    this.#admit()
  }

  #lineOf(customerId: number): Set<Entry> {
    const line = this.#lines.get(customerId) ?? new Set()
    this.#lines.set(customerId, line)
    return line
  }

  #leaveLine(entry: Entry): void {
    const line = this.#lines.get(entry.customerId)
    line?.delete(entry)
    if (line?.size === 0) this.#lines.delete(entry.customerId)
  }

  #admit(): void {
    for (;;) {
      const fewest = [...this.#lines.keys()]
        .filter((customerId) => this.#shares.mayEnter(customerId))
        .toSorted((a, b) => this.#shares.heldBy(a) - this.#shares.heldBy(b))
      const [next] = this.#lines.get(fewest[0] ?? Number.NaN) ?? []
      if (next === undefined) return
      this.#leaveLine(next)
      this.#shares.enter(next.customerId)
      next.hasPlace = true
      next.granted?.openUnsafe()
    }
  }
}

export interface PlaceRequest {
  readonly customerId: number
  readonly kind: SendKind
  readonly account: RouteAccount
  /** Null: without a limit. */
  readonly waitMillis: number | null
  /** Wraps the wait for a place. */
  readonly waiting: <A, E, R>(wait: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/**
 * Room for calls to providers, before the connections: codes and messages have separate places at each host, and
 * customers share them. Waiting here counts as no failure, because nothing was called yet.
 */
export class CallLimiters extends Context.Service<
  CallLimiters,
  {
    /** None if there was no place in time, or if this process begins to stop. */
    readonly withPlace: <A>(request: PlaceRequest, call: Effect.Effect<A>) => Effect.Effect<Option.Option<A>>
  }
>()("peyk/services/provider/CallLimiters") {
  static readonly layer = Layer.effect(
    CallLimiters,
    Effect.gen(function* () {
      const { codeConnections, messageConnections } = yield* Settings
      const connections = yield* AccountConnections
      const workers = yield* Workers
      const limiters = { code: new Map<string, CallLimiter>(), text: new Map<string, CallLimiter>() }
      const placesOf = { code: codeConnections, text: messageConnections }

      const limiterAt = (origin: string, kind: SendKind) => {
        const limiter = limiters[kind].get(origin) ?? new CallLimiter(placesOf[kind])
        limiters[kind].set(origin, limiter)
        return limiter
      }

      /** Null: the call uses no network, or it cannot be made, as it will report itself. */
      const originOf = ({ account_id: id }: RouteAccount) =>
        id === null
          ? Effect.succeed(null)
          : Effect.matchCause(connections.of(id), {
              onFailure: () => null,
              onSuccess: ({ origin }) => origin ?? null
            })

      const withPlaceAt = <A>(origin: string, request: PlaceRequest, call: Effect.Effect<A>) => {
        const { kind, customerId, waitMillis, waiting } = request
        const limiter = limiterAt(origin, kind)
        const entry = limiter.begin(customerId)
        const called = Effect.suspend(() => (entry.hasPlace ? Effect.asSome(call) : Effect.succeedNone))
        const work = entry.hasPlace
          ? called
          : Effect.andThen(workers.untilStop(waiting(limiter.wait(entry, waitMillis))), called)
        return Effect.onExitPrimitive(work, () => {
          limiter.end(entry)
          if (limiter.isEmpty) limiters[kind].delete(origin)
          return undefined
        })
      }

      return CallLimiters.of({
        withPlace: (request, call) =>
          Effect.flatMap(originOf(request.account), (origin) =>
            origin === null ? Effect.asSome(call) : withPlaceAt(origin, request, call)
          )
      })
    })
  )

  /** Has a place for every call. */
  static readonly layerUnlimited = Layer.succeed(
    CallLimiters,
    CallLimiters.of({ withPlace: (_request, call) => Effect.asSome(call) })
  )
}
