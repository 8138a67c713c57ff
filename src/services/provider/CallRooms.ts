import { Context, Effect, Layer, type Option } from "effect"
import type { SendKind } from "../../domain/account/Pace.ts"
import type { RouteAccount } from "../../domain/routing/RouteAccount.ts"
import { AccountConnections } from "../account/AccountConnections.ts"
import { CallRoom } from "./CallRoom.ts"
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
export class CallRooms extends Context.Service<
  CallRooms,
  {
    /** None if there was no place in time, or if this process begins to stop. */
    readonly withPlace: <A>(request: PlaceRequest, call: Effect.Effect<A>) => Effect.Effect<Option.Option<A>>
  }
>()("peyk/services/provider/CallRooms") {
  static readonly layer = Layer.effect(
    CallRooms,
    Effect.gen(function* () {
      const { codeConnections, messageConnections } = yield* Settings
      const connections = yield* AccountConnections
      const workers = yield* Workers
      const rooms = { code: new Map<string, CallRoom>(), text: new Map<string, CallRoom>() }
      const placesOf = { code: codeConnections, text: messageConnections }

      const roomAt = (farEnd: string, kind: SendKind) => {
        const room = rooms[kind].get(farEnd) ?? new CallRoom(placesOf[kind])
        rooms[kind].set(farEnd, room)
        return room
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
        const room = roomAt(farEnd, kind)
        const entry = room.begin(customerId)
        const called = Effect.suspend(() => (entry.hasPlace ? Effect.asSome(call) : Effect.succeedNone))
        const work = entry.hasPlace
          ? called
          : Effect.andThen(workers.untilStop(waiting(room.wait(entry, waitMillis))), called)
        return Effect.onExitPrimitive(work, () => {
          room.end(entry)
          if (room.isEmpty) rooms[kind].delete(farEnd)
          return undefined
        })
      }

      return CallRooms.of({
        withPlace: (request, call) =>
          Effect.flatMap(farEndOf(request.account), (farEnd) =>
            farEnd === null ? Effect.asSome(call) : withPlaceAt(farEnd, request, call)
          )
      })
    })
  )

  /** Has a place for every call. */
  static readonly layerUnlimited = Layer.succeed(
    CallRooms,
    CallRooms.of({ withPlace: (_request, call) => Effect.asSome(call) })
  )
}
