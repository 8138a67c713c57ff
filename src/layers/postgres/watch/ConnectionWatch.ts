import { Context, Effect, Layer } from "effect"
import { counterOf } from "../../../services/system/MetricFamilies.ts"
import { withoutSpans } from "../../../services/system/Spans.ts"
import { makeSilentConnections, TICK_MILLIS } from "./SilentConnections.ts"

/** The connections of this process to PostgreSQL. */
export class ConnectionWatch extends Context.Service<
  ConnectionWatch,
  Pick<ReturnType<typeof makeSilentConnections>, "pool" | "isTroubled">
>()("peyk/layers/postgres/watch/ConnectionWatch") {
  static readonly layer = Layer.effect(
    ConnectionWatch,
    Effect.gen(function* () {
      const { pool, tick, closed, isTroubled } = makeSilentConnections()
      counterOf(yield* Effect.context<never>(), "peyk_database_connections_given_up_total", {
        description: "Connections to PostgreSQL that this process closed because nothing was heard on them.",
        read: closed
      })
      const watch = Effect.gen(function* () {
        yield* Effect.sleep(TICK_MILLIS)
        const count = tick()
        if (count > 0)
          yield* Effect.logWarning(`PostgreSQL has fallen silent: ${count} connections are closed`)
      })
      yield* Effect.forkScoped(Effect.forever(withoutSpans(watch)))
      return ConnectionWatch.of({ pool, isTroubled })
    })
  )
}
