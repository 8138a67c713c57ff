import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Latch, Layer, Queue } from "effect"

/** Something that processes cache has changed in the store. */
export type Change =
  /** A customer's set-up; null: the platform's own, so everybody's. */
  | { readonly _tag: "CustomerChanged"; readonly customerId: number | null }
  | { readonly _tag: "KeyChanged"; readonly secretHash: string }
  /** Changes may have been missed. */
  | { readonly _tag: "Unknown" }

type Listener = (change: Change) => Effect.Effect<void>

const NOTIFICATION_CHANNEL = "peyk_changed"
const RECONNECT_PAUSE = "1 second"

/** `customer:7`, `customer:` (everybody's), `key:<hash in hex>`; the triggers of the schema write them. */
const toChange = (payload: string): Change => {
  const [kind, subject = ""] = payload.split(":")
  if (kind === "key") return { _tag: "KeyChanged", secretHash: subject }
  if (kind === "customer")
    return { _tag: "CustomerChanged", customerId: subject === "" ? null : Number(subject) }
  return { _tag: "Unknown" }
}

/**
 * Tells caches what changed in the store, whichever process (or hand) changed it: triggers NOTIFY, this listens.
 * Listening is a help, not a promise: whoever caches also lets entries lapse within seconds.
 */
export class ChangeFeed extends Context.Service<
  ChangeFeed,
  {
    readonly subscribe: (listener: Listener) => Effect.Effect<void>
    /** Returns once changes are listened to, and those that were missed before have been told of. */
    readonly listening: Effect.Effect<void>
  }
>()("peyk/layers/ChangeFeed") {
  static readonly layer = Layer.effect(
    ChangeFeed,
    Effect.gen(function* () {
      const client = yield* PgClient.PgClient
      const listeners: Array<Listener> = []
      const isListening = Latch.makeUnsafe(false)
      const tell = (change: Change) =>
        Effect.forEach(listeners, (listener) => listener(change), { discard: true })

      yield* Effect.scoped(
        Effect.gen(function* () {
          const notifications = yield* client.listen(NOTIFICATION_CHANNEL)
          yield* tell({ _tag: "Unknown" })
          yield* isListening.open
          while (true) yield* tell(toChange((yield* Queue.take(notifications)).payload))
        })
      ).pipe(
        Effect.catch(() => Effect.sleep(RECONNECT_PAUSE)),
        Effect.forever,
        Effect.forkScoped
      )
      return ChangeFeed.of({
        subscribe: (listener) => Effect.sync(() => void listeners.push(listener)),
        listening: isListening.await
      })
    })
  )
}
