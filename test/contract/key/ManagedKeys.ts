import { useKey } from "../ManagedSetUp.ts"
import { type Server, until } from "../Server.ts"

/** The time in so many seconds. */
export const later = (seconds: number) =>
  Temporal.Now.instant().add({ seconds }).toString({ smallestUnit: "millisecond" })

/** Waits until the key is refused: changes reach them within seconds. */
export const untilRefused = (server: Pick<Server, "url">, secret: string) =>
  until(
    "the key to be refused",
    async () => ((await useKey(server, secret)).status === 401 ? true : undefined),
    10_000
  )
