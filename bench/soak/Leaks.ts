/** The resources that processes hold: measured while idle, once when warm and once at the end. */
import { setTimeout as pause } from "node:timers/promises"
import type { Client } from "./Client.ts"
import type { StoreQueries } from "./StoreQueries.ts"
import type { Memory, Server } from "./Servers.ts"

export interface Holdings {
  /** By server. */
  readonly servers: ReadonlyArray<Memory & { readonly life: number }>
  /** As PostgreSQL counts them. */
  readonly connections: number
}

/** Longer than idle connections are kept: ours to the servers, theirs to the providers. */
export const SETTLE_MILLIS = 6000

/** One is sometimes opened or closed between two counts; a forgotten one stays. */
const COUNTS = 10

const countAll = async (servers: ReadonlyArray<Server>, postgres: StoreQueries): Promise<Holdings> => ({
  servers: await Promise.all(
    servers.map(async (server) => ({ ...(await server.memory()), life: server.life() }))
  ),
  connections: await postgres.connections()
})

export const knownConnections = ({ servers }: Holdings): number =>
  servers.reduce((sum, { connections }) => sum + connections, 0)

/** Nothing may be in progress. */
export const takeStock = async (
  servers: ReadonlyArray<Server>,
  postgres: StoreQueries,
  client: Client
): Promise<Holdings> => {
  client.forgetIdle()
  await pause(SETTLE_MILLIS)
  let counted = await countAll(servers, postgres)
  for (let nth = 1; nth < COUNTS && counted.connections > knownConnections(counted); nth += 1) {
    await pause(1000)
    counted = await countAll(servers, postgres)
  }
  return counted
}
