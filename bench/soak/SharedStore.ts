/** What the processes share: a PostgreSQL, which each of them reaches through a proxy of its own. */
import { mkdirSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { joinExternalStore } from "./ExternalStore.ts"
import { type Postgres, startPostgres } from "./Postgres.ts"
import type { Surroundings } from "./Program.ts"
import { type Proxy, startProxy } from "./Proxy.ts"
import type { StoreQueries } from "./StoreQueries.ts"

export interface SharedStore {
  readonly queries: StoreQueries
  readonly postgres: Postgres | null
  readonly proxies: ReadonlyArray<Proxy>
  readonly urlAt: (proxy: Proxy) => string
  /** Ports of this machine at which processes reach it; none: they use sockets. */
  readonly ports: ReadonlyArray<number>
}

const startProxies = async (
  count: number,
  startOne: (index: number) => Promise<Proxy>,
  { onEnd }: Surroundings
): Promise<ReadonlyArray<Proxy>> => {
  const proxies: Array<Proxy> = []
  for (let index = 0; index < count; index += 1) {
    const proxy = await startOne(index)
    onEnd(proxy.close)
    proxies.push(proxy)
  }
  return proxies
}

/** Starts a PostgreSQL for these processes. */
export const startOwnStore = async (processes: number, surroundings: Surroundings): Promise<SharedStore> => {
  const { directory, onEnd } = surroundings
  const postgres = await startPostgres(directory)
  onEnd(postgres.stop)
  // each a folder with a socket of the name that clients look for
  const proxies = await startProxies(
    processes,
    (index) => {
      const folder = join(directory, `store-${index}`)
      mkdirSync(folder)
      return startProxy(join(folder, basename(postgres.socketPath)), { path: postgres.socketPath })
    },
    surroundings
  )
  const urlAt = ({ address }: Proxy) => postgres.urlAt(dirname(String(address)))
  return { queries: postgres, postgres, proxies, urlAt, ports: [] }
}

/** Uses one that runs already. */
export const joinStore = async (
  databaseUrl: string,
  processes: number,
  surroundings: Surroundings
): Promise<SharedStore> => {
  const store = await joinExternalStore(databaseUrl)
  surroundings.onEnd(store.close)
  const proxies = await startProxies(processes, () => startProxy(0, store.place), surroundings)
  const ports = proxies.map(({ address }) => Number(address))
  return {
    queries: store,
    postgres: null,
    proxies,
    urlAt: ({ address }) => store.urlAt(Number(address)),
    ports
  }
}
