/** A PostgreSQL or Citus cluster that runs already: the soak reaches it over TCP, and does not restart it. */
import { Redacted } from "effect"
import { placeOf, requireUnused } from "../UnusedDatabase.ts"
import { openStore, type StoreQueries } from "./StoreQueries.ts"

export interface ExternalStore extends StoreQueries {
  /** Where it listens. */
  readonly place: { readonly host: string; readonly port: number }
  /** The `DATABASE_URL` of a process that reaches it through this port of the machine. */
  readonly urlAt: (port: number) => string
  readonly close: () => Promise<void>
}

/** Fails if the database is in use: its rows would count as the soak's. */
export const joinExternalStore = async (databaseUrl: string): Promise<ExternalStore> => {
  // The error of URL repeats the password.
  if (!URL.canParse(databaseUrl)) throw new Error("--database-url is not a URL")
  const url = new URL(databaseUrl)
  const store = openStore({ url: Redacted.make(databaseUrl) })
  await requireUnused(store.query).catch(async (error: unknown) => {
    await store.close()
    throw error
  })
  return {
    ...store,
    place: placeOf(url),
    urlAt: (port) => {
      const through = new URL(databaseUrl)
      through.hostname = "127.0.0.1"
      through.port = String(port)
      return through.href
    }
  }
}
