import { Effect } from "effect"
import type { Configuration } from "../../layers/config/Configuration.ts"

const STUCK_MILLIS = 5000

/** A stopping process has ended within this time: it includes the grace time twice. */
export const stopMillis = ({ graceMillis }: Configuration): number => 2 * graceMillis + STUCK_MILLIS

/** A store that hangs must not keep a stopping process alive. */
export const exitWhenStuck = (millis: number) =>
  Effect.sync(() => {
    const exit = Effect.andThen(
      Effect.sleep(millis),
      Effect.sync(() => process.exit(1))
    )
    for (const signal of ["SIGTERM", "SIGINT"]) process.once(signal, () => Effect.runFork(exit))
  })
