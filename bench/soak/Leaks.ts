/** What the processes hold on to: measured at rest, once after they were warm and once at the end. */
import { setTimeout as pause } from "node:timers/promises"
import type { Client } from "./Client.ts"
import type { Postgres } from "./Postgres.ts"
import type { Memory, Server } from "./Servers.ts"

export interface Holdings {
  /** By server. */
  readonly servers: ReadonlyArray<Memory & { readonly life: number }>
  /** As PostgreSQL counts them. */
  readonly connections: number
}

/** Longer than idle connections are kept: ours to the servers, theirs to the providers. */
export const SETTLE_MILLIS = 6000

/** Nothing may be under way. */
export const takeStock = async (
  servers: ReadonlyArray<Server>,
  postgres: Postgres,
  client: Client
): Promise<Holdings> => {
  client.forgetIdle()
  await pause(SETTLE_MILLIS)
  return {
    servers: await Promise.all(
      servers.map(async (server) => ({ ...(await server.memory()), life: server.life() }))
    ),
    connections: await postgres.connections()
  }
}
