import { Context, Effect, Layer, type Option } from "effect"
import type { SendKind } from "../../domain/account/Pace.ts"
import type { RouteAccount } from "../../domain/routing/RouteAccount.ts"
import { AccountConnections } from "../account/AccountConnections.ts"
import { CallLimiter } from "./CallLimiter.ts"
import { Settings } from "../Settings.ts"
import { Workers } from "../concurrency/Workers.ts"

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

      const limiterAt = (farEnd: string, kind: SendKind) => {
        const limiter = limiters[kind].get(farEnd) ?? new CallLimiter(placesOf[kind])
        limiters[kind].set(farEnd, limiter)
        return limiter
      }

      /** Null: the call uses no network, or it cannot be made, as it will report itself. */
      const farEndOf = ({ account_id: id }: RouteAccount) =>
        id === null
          ? Effect.succeed(null)
          : Effect.matchCause(connections.of(id), {
              onFailure: () => null,
              onSuccess: ({ farEnd }) => farEnd ?? null
            })

      const withPlaceAt = <A>(farEnd: string, request: PlaceRequest, call: Effect.Effect<A>) => {
        const { kind, customerId, waitMillis, waiting } = request
        const limiter = limiterAt(farEnd, kind)
        const entry = limiter.begin(customerId)
        const called = Effect.suspend(() => (entry.hasPlace ? Effect.asSome(call) : Effect.succeedNone))
        const work = entry.hasPlace
          ? called
          : Effect.andThen(workers.untilStop(waiting(limiter.wait(entry, waitMillis))), called)
        return Effect.onExitPrimitive(work, () => {
          limiter.end(entry)
          if (limiter.isEmpty) limiters[kind].delete(farEnd)
          return undefined
        })
      }

      return CallLimiters.of({
        withPlace: (request, call) =>
          Effect.flatMap(farEndOf(request.account), (farEnd) =>
            farEnd === null ? Effect.asSome(call) : withPlaceAt(farEnd, request, call)
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
