/** One PostgreSQL of the cluster under its Patroni, and the proxies through which the others reach it. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { startProxy, type Proxy } from "../soak/Proxy.ts"
import { freePort } from "../FreePort.ts"
import { programs } from "./Packages.ts"
import { isAlive, makeProgram, ownDirectory, ownFile, type Program } from "./Programs.ts"

/** By its own Patroni, asked directly. Null: there is no answer. */
export type Role = "primary" | "synchronous standby" | "standby" | "not running" | null

export interface Member {
  readonly name: string
  /** Where HAProxy and processes reach its PostgreSQL. */
  readonly port: number
  /** Where HAProxy reaches its Patroni. */
  readonly restPort: number
  readonly patroni: Program
  readonly role: () => Promise<Role>
  readonly isPrimary: () => Promise<boolean>
  /** A call of Patroni's REST API; returns its answer. */
  readonly post: (path: string, body: object) => Promise<string>
  /** The process id of its PostgreSQL; null: it has none. */
  readonly postmaster: () => number | null
  /** Between it and everything else, in both directions. */
  readonly sever: (isSevered: boolean) => void
  readonly stop: () => Promise<void>
}

export interface MemberOptions {
  readonly name: string
  readonly directory: string
  readonly etcdPort: number
  readonly passwords: { readonly superuser: string; readonly replication: string }
  /** Where its programs are. */
  readonly bin: string
  /** Settings beside the usual ones. */
  readonly parameters: Readonly<Record<string, string>>
  /** Lines of pg_hba.conf before the usual ones. */
  readonly access: ReadonlyArray<string>
}

const LOOPBACK = "127.0.0.1"
const ANSWER_MILLIS = 1000

/** For all members: Patroni keeps these in etcd. Its defaults are three times as long. */
const clusterSettings = {
  ttl: 10,
  loop_wait: 2,
  retry_timeout: 3,
  maximum_lag_on_failover: 1_048_576,
  primary_start_timeout: 0,
  synchronous_mode: true,
  synchronous_mode_strict: true,
  postgresql: {
    use_pg_rewind: true,
    use_slots: true,
    parameters: {
      max_connections: 200,
      wal_sender_timeout: "5s",
      wal_receiver_timeout: "5s",
      wal_keep_size: "256MB",
      log_checkpoints: "off"
    }
  }
}

interface Ports {
  readonly postgres: number
  readonly rest: number
}

const configuration = (
  { name, directory, passwords, bin, parameters, access }: MemberOptions,
  own: Ports,
  shown: Ports,
  etcdProxy: number
) => ({
  scope: "peyk",
  name,
  restapi: { listen: `${LOOPBACK}:${own.rest}`, connect_address: `${LOOPBACK}:${shown.rest}` },
  etcd3: { hosts: [`${LOOPBACK}:${etcdProxy}`], use_proxies: true },
  bootstrap: {
    dcs: clusterSettings,
    initdb: [{ encoding: "UTF8" }, { locale: "C.UTF-8" }, "data-checksums"]
  },
  postgresql: {
    listen: `${LOOPBACK}:${own.postgres}`,
    connect_address: `${LOOPBACK}:${shown.postgres}`,
    data_dir: join(directory, "data"),
    bin_dir: bin,
    pgpass: join(directory, "pgpass"),
    authentication: {
      superuser: { username: "postgres", password: passwords.superuser },
      replication: { username: "replicator", password: passwords.replication }
    },
    parameters: { ...parameters, unix_socket_directories: directory },
    pg_hba: [
      ...access,
      "local all all scram-sha-256",
      `host replication replicator ${LOOPBACK}/32 scram-sha-256`,
      `host all all ${LOOPBACK}/32 scram-sha-256`
    ],
    basebackup: [{ checkpoint: "fast" }],
    remove_data_directory_on_rewind_failure: true,
    remove_data_directory_on_diverged_timelines: true
  }
})

const answers = async (url: string): Promise<number | null> => {
  const answer = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MILLIS) }).catch(() => null)
  await answer?.arrayBuffer().catch(() => null)
  return answer?.status ?? null
}

const roleAt = async (url: string): Promise<Role> => {
  const asPrimary = await answers(`${url}/primary`)
  if (asPrimary === null) return null
  if (asPrimary === 200) return "primary"
  if ((await answers(`${url}/synchronous`)) === 200) return "synchronous standby"
  return (await answers(`${url}/replica`)) === 200 ? "standby" : "not running"
}

const proxyTo = (port: number): Promise<Proxy> => startProxy(0, { host: LOOPBACK, port })

export const startMember = async (options: MemberOptions): Promise<Member> => {
  const directory = ownDirectory(options.directory)
  const own = { postgres: await freePort(), rest: await freePort() }
  const postgres = await proxyTo(own.postgres)
  const rest = await proxyTo(own.rest)
  const etcd = await proxyTo(options.etcdPort)
  const proxies = [postgres, rest, etcd]
  const shown = { postgres: Number(postgres.address), rest: Number(rest.address) }
  const settings = configuration(options, own, shown, Number(etcd.address))
  const file = ownFile(join(directory, "patroni.json"), JSON.stringify(settings, null, 2))
  const patroni = makeProgram(programs.patroni, [file], join(directory, "patroni.log"))
  patroni.start()
  const url = `http://${LOOPBACK}:${own.rest}`

  const postmaster = () => {
    try {
      return Number.parseInt(readFileSync(join(directory, "data", "postmaster.pid"), "utf8"), 10)
    } catch {
      return null
    }
  }
  return {
    name: options.name,
    port: shown.postgres,
    restPort: shown.rest,
    patroni,
    role: () => roleAt(url),
    isPrimary: async () => (await answers(`${url}/primary`)) === 200,
    post: async (path, body) => {
      const answer = await fetch(`${url}${path}`, { method: "POST", body: JSON.stringify(body) })
      return `${answer.status} ${await answer.text()}`
    },
    postmaster,
    sever: (isSevered) => {
      for (const proxy of proxies) proxy.sever(isSevered)
    },
    stop: async () => {
      await patroni.signal("SIGKILL")
      const pid = postmaster()
      if (pid !== null && isAlive(pid)) {
        process.kill(pid, "SIGQUIT")
        while (isAlive(pid)) await pause(50)
      }
      for (const proxy of proxies) await proxy.close()
    }
  }
}
