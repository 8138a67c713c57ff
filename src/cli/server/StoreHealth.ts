import { Effect } from "effect"
import { isNotNow, withReason } from "../../layers/postgres/StoreAvailability.ts"
import { compareClocks } from "../../layers/postgres/StoreClock.ts"
import { tryToWrite } from "../../layers/postgres/StoreWrites.ts"
import { Unhealthy } from "./Unhealthy.ts"

/** Whether PostgreSQL takes writes: reading works on a full disk and on a standby too. */
export const writes = tryToWrite.pipe(
  Effect.as("are accepted"),
  Effect.catchTag("SqlError", (error) =>
    isNotNow(error)
      ? Effect.fail(new Unhealthy({ message: `are refused: ${withReason(error)}` }))
      : Effect.succeed(`were not tried: ${withReason(error)}`)
  )
)

/** Whether this machine's clock agrees with PostgreSQL's. A server does nothing while they are apart. */
export const clock = Effect.flatMap(compareClocks, ({ agreement, description }) => {
  if (agreement === "agrees") return Effect.succeed("agrees with PostgreSQL's")
  const advice = `${description}; set it right (NTP, for example)`
  return agreement === "warned" ? Effect.succeed(`advice: ${advice}`) : new Unhealthy({ message: advice })
})
