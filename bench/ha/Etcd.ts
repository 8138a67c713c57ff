/** The one etcd in which Patroni keeps who is the primary. */
import { join } from "node:path"
import { freePort } from "../FreePort.ts"
import { programs } from "./Packages.ts"
import { makeProgram, ownDirectory, until } from "./Programs.ts"

const START_MILLIS = 30_000

/** Patroni 3.0 ends if it asks before the version of the cluster is decided. */
const isDecided = async (clients: string): Promise<boolean> => {
  const answer = await fetch(`${clients}/version`).catch(() => null)
  const { etcdcluster } = Object((await answer?.json()) ?? {})
  return /^\d/.test(String(etcdcluster))
}

export const startEtcd = async (directory: string) => {
  ownDirectory(directory)
  const port = await freePort()
  const clients = `http://127.0.0.1:${port}`
  const peers = `http://127.0.0.1:${await freePort()}`
  const options = {
    "--name": "etcd",
    "--data-dir": join(directory, "data"),
    "--listen-client-urls": clients,
    "--advertise-client-urls": clients,
    "--listen-peer-urls": peers,
    "--initial-advertise-peer-urls": peers,
    "--initial-cluster": `etcd=${peers}`,
    "--log-level": "warn"
  }
  const program = makeProgram(programs.etcd, Object.entries(options).flat(), join(directory, "etcd.log"))
  program.start()
  await until("an etcd", START_MILLIS, () => isDecided(clients))
  return { port, program }
}
