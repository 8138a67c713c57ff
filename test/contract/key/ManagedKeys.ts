import { type HeaderSet, request, unknownId } from "../Client.ts"
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

/** A request with the key, passed on for this address. */
export const callFrom = (target: Pick<Server, "url">, secret: string, forwarded?: string) =>
  request(target, "GET", `/v1/otp/${unknownId}`, {
    headers: { "x-api-key": secret, "x-forwarded-for": forwarded } satisfies HeaderSet
  })
