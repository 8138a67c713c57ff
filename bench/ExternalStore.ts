/** PostgreSQL of one's own for a measurement, over TCP. */
import { Redacted } from "effect"
import { parentPid, programName } from "./ProcessStats.ts"
import { OWN_DATABASE, runAt, type Store } from "./Store.ts"
import { placeOf, requireUnused } from "./UnusedDatabase.ts"

const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"]

/** Its CPU is known only on this machine. */
const NO_PROCESS = 0

const serverPid = async ({ run }: Pick<Store, "run">, hostname: string): Promise<number> => {
  if (!LOOPBACK.includes(hostname)) return NO_PROCESS
  const [[row] = []] = await run(OWN_DATABASE, ["select pg_backend_pid() as pid"])
  const pid = parentPid(Number(row?.["pid"]))
  // In a container, the server counts other processes.
  return pid !== null && programName(pid) === "postgres" ? pid : NO_PROCESS
}

/** @param isNew whether nothing was prepared in it yet */
export const joinStore = async (databaseUrl: string, isNew: boolean): Promise<Store> => {
  const url = new URL(databaseUrl)
  const place = {
    ...placeOf(url),
    username: decodeURIComponent(url.username),
    password: Redacted.make(decodeURIComponent(url.password))
  }
  const own = decodeURIComponent(url.pathname.slice(1))
  const runThere = runAt(place)
  const run: Store["run"] = (name, texts) => runThere(name === OWN_DATABASE ? own : name, texts)
  if (isNew) await requireUnused(async (text) => (await run(OWN_DATABASE, [text]))[0] ?? [])
  return { place, run, pid: await serverPid({ run }, url.hostname) }
}
