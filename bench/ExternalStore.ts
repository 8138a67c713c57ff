/** PostgreSQL of one's own for a measurement, over TCP. */
import { Redacted } from "effect"
import { parentPid, programName } from "./ProcessStats.ts"
import { OWN_DATABASE, runAt, type Store } from "./Store.ts"

const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"]
const POSTGRES_PORT = 5432

/** Its CPU is known only on this machine. */
const NO_PROCESS = 0

const serverPid = async ({ run }: Pick<Store, "run">, hostname: string): Promise<number> => {
  if (!LOOPBACK.includes(hostname)) return NO_PROCESS
  const [[row] = []] = await run(OWN_DATABASE, ["select pg_backend_pid() as pid"])
  const pid = parentPid(Number(row?.["pid"]))
  // In a container, the server counts other processes.
  return pid !== null && programName(pid) === "postgres" ? pid : NO_PROCESS
}

const checkEmpty = async ({ run }: Pick<Store, "run">) => {
  const [[table] = []] = await run(OWN_DATABASE, ["select to_regclass('customers') is not null as exists"])
  if (table?.["exists"] !== true) return
  const [[row] = []] = await run(OWN_DATABASE, ["select exists (select from customers) as used"])
  if (row?.["used"] === true)
    throw new Error("the database of --database-url has customers: use an empty one")
}

/** @param isNew whether nothing was prepared in it yet */
export const joinStore = async (databaseUrl: string, isNew: boolean): Promise<Store> => {
  const url = new URL(databaseUrl)
  const place = {
    host: url.hostname,
    port: url.port === "" ? POSTGRES_PORT : Number(url.port),
    username: decodeURIComponent(url.username),
    password: Redacted.make(decodeURIComponent(url.password))
  }
  const own = decodeURIComponent(url.pathname.slice(1))
  const runThere = runAt(place)
  const run: Store["run"] = (name, texts) => runThere(name === OWN_DATABASE ? own : name, texts)
  if (isNew) await checkEmpty({ run })
  return { place, run, pid: await serverPid({ run }, url.hostname) }
}
