/** A PostgreSQL or Citus cluster that runs already: the soak reaches it over TCP, and does not restart it. */
import { Redacted } from "effect"
import { openStore, type StoreQueries } from "./StoreQueries.ts"

export interface ExternalStore extends StoreQueries {
  /** Where it listens. */
  readonly place: { readonly host: string; readonly port: number }
  /** The `DATABASE_URL` of a process that reaches it through this port of the machine. */
  readonly urlAt: (port: number) => string
  readonly close: () => Promise<void>
}

const POSTGRES_PORT = 5432

const hasCustomers = async ({ query }: StoreQueries): Promise<boolean> => {
  const [table] = await query<{ readonly exists: boolean }>(
    "select to_regclass('customers') is not null as exists"
  )
  if (table?.exists !== true) return false
  const [row] = await query<{ readonly used: boolean }>("select exists (select from customers) as used")
  return row?.used === true
}

/** Fails if the database is in use: its rows would count as the soak's. */
export const joinExternalStore = async (databaseUrl: string): Promise<ExternalStore> => {
  // The error of URL repeats the password.
  if (!URL.canParse(databaseUrl)) throw new Error("--database-url is not a URL")
  const url = new URL(databaseUrl)
  const store = openStore({ url: Redacted.make(databaseUrl) })
  if (await hasCustomers(store)) {
    await store.close()
    throw new Error("the database of --database-url has customers: use an empty one")
  }
  return {
    ...store,
    place: { host: url.hostname, port: url.port === "" ? POSTGRES_PORT : Number(url.port) },
    urlAt: (port) => {
      const through = new URL(databaseUrl)
      through.hostname = "127.0.0.1"
      through.port = String(port)
      return through.href
    }
  }
}
