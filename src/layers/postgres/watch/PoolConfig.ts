import type { PgClient, PgPool } from "@effect/sql-pg"
import type { NetConnectOpts } from "node:net"
import { Redacted } from "effect"
import type { StorePlace } from "../hosts/Primary.ts"
import { isPooled } from "../hosts/Pooler.ts"
import { sessionSettings } from "../StoreSettings.ts"
import type { WatchedPool } from "./PoolWatch.ts"

const DEFAULT_PORT = 5432

/** The address to which the driver itself would connect. */
const addressOf = (config: PgClient.PgPoolConfig): NetConnectOpts => {
  if (config.path !== undefined) return { path: config.path }
  const {
    hostname,
    port: ownPort,
    searchParams
  } = new URL(config.url === undefined ? "postgres:///" : Redacted.value(config.url))
  const named = decodeURIComponent(hostname.replace(/^\[(.*)\]$/, "$1"))
  const host = config.host ?? searchParams.get("host") ?? (named === "" ? "localhost" : named)
  const port = config.port ?? Number(searchParams.get("port") ?? (ownPort === "" ? DEFAULT_PORT : ownPort))
  return host.startsWith("/") ? { path: `${host}/.s.PGSQL.${port}` } : { host, port }
}

/** A pooler refuses settings that it does not know, and gives sessions to others. */
const withSession = (config: StorePlace): StorePlace =>
  isPooled(config)
    ? config
    : { ...config, startupParameters: { ...sessionSettings, ...config.startupParameters } }

/** The driver reads the URL for each connection that it opens: with several hosts it is the primary's at that time. */
export const poolConfig = (place: StorePlace, { open }: WatchedPool): PgPool.Config => {
  const config = withSession(place)
  const { primary } = config
  if (primary === undefined) return { ...config, stream: () => open(addressOf(config)) }
  const stream = () => {
    const socket = open(addressOf({ ...config, url: primary.url() }))
    primary.opened(socket)
    return socket
  }
  return Object.defineProperty({ ...config, stream }, "url", { get: primary.url, enumerable: true })
}
