import { Effect } from "effect"
import type { Configuration } from "../../layers/config/Configuration.ts"

const STUCK_MILLIS = 5000

/** Within this a process that was told to stop has ended: it had its grace time twice over. */
export const stopMillis = ({ graceMillis }: Configuration): number => 2 * graceMillis + STUCK_MILLIS

/** A store that hangs must not keep a process that was told to stop. */
export const exitWhenStuck = (millis: number) =>
  Effect.sync(() => {
    const exit = Effect.andThen(
      Effect.sleep(millis),
      Effect.sync(() => process.exit(1))
    )
    for (const signal of ["SIGTERM", "SIGINT"]) process.once(signal, () => Effect.runFork(exit))
  })
