/** Debian's PgBouncer, where it is installed. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { freePort } from "../../../bench/FreePort.ts"
import { until } from "../../contract/Server.ts"

/** It refuses to run as root. */
const NOBODY = 65_534
const asNobody = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}

export const hasPgBouncer = (): boolean => {
  try {
    execFileSync("pgbouncer", ["--version"], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
}

const listensOn = (port: number) =>
  new Promise<true | undefined>((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy()
      resolve(true)
    }).on("error", () => resolve(undefined))
  })

const stopped = (child: ChildProcess) =>
  new Promise<void>((resolve) => {
    if (child.exitCode !== null) resolve()
    child.once("exit", () => resolve())
    child.kill("SIGINT")
  })

/** In transaction mode, in front of the server of a URL, and with its defaults for all else. */
export const startPgBouncer = async (url: string) => {
  const directory = await mkdtemp(join(tmpdir(), "pgbouncer-"))
  await chmod(directory, 0o711)
  const port = await freePort()
  const { searchParams } = new URL(url)
  const far = `host=${searchParams.get("host")} port=5432 user=${searchParams.get("user")}`
  const settings = [
    "[databases]",
    `* = ${far} password=${searchParams.get("password")}`,
    "[pgbouncer]",
    "listen_addr = 127.0.0.1",
    `listen_port = ${port}`,
    "unix_socket_dir =",
    "pool_mode = transaction",
    "auth_type = any",
    "default_pool_size = 5"
  ]
  const file = join(directory, "pgbouncer.ini")
  await writeFile(file, settings.join("\n"))
  const child = spawn("pgbouncer", ["--quiet", file], { ...asNobody, stdio: "ignore" })
  await until("PgBouncer to listen", () => listensOn(port))
  return {
    port,
    violations: [],
    close: async () => {
      await stopped(child)
      await rm(directory, { recursive: true, force: true })
    }
  }
}
