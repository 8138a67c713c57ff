import { type ChildProcess, spawn } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { Data, Effect } from "effect"
import { serverEnvironment, type ServerUser } from "./EmbeddedPostgresAccess.ts"
import { directoryError, withFiles } from "./EmbeddedPostgresError.ts"
import { readPostmaster } from "./EmbeddedPostgresPostmaster.ts"

export interface Cluster {
  readonly directory: string
  readonly user: ServerUser | undefined
  readonly postgres: string
  readonly flags: ReadonlyArray<string>
}

/** Another process is just starting or stopping the server; trying again helps. */
export class NotYet extends Data.TaggedError("NotYet")<{ readonly reason: string }> {}

const maximumLogSize = 10 * 1024 * 1024
const maximumTail = 4000

const logFile = ({ directory }: Cluster) => path.join(directory, "server.log")

/** Opened by us, not piped through us: the server can outlive the process that started it. */
const openLog = (cluster: Cluster) => {
  const file = logFile(cluster)
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = fs.constants
  if ((fs.lstatSync(file, { throwIfNoEntry: false })?.size ?? 0) > maximumLogSize) {
    fs.renameSync(file, `${file}.old`)
  }
  // the directory's owner can have fewer rights than we do: never follow a link that somebody put there
  const descriptor = fs.openSync(file, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600)
  if (cluster.user !== undefined) fs.fchownSync(descriptor, cluster.user.uid, cluster.user.gid)
  return { descriptor, end: fs.fstatSync(descriptor).size }
}

const readLogFrom = (cluster: Cluster, start: number) => {
  const text = fs.readFileSync(logFile(cluster)).subarray(start).toString("utf8").trim()
  return text.length > maximumTail ? `…${text.slice(-maximumTail)}` : text
}

// A list of quoted names: this way a comma or a quote in the path means itself.
const quoteDirectory = (directory: string) => `"${directory.replaceAll('"', '""')}"`

const serverArguments = ({ directory, flags }: Cluster) => [
  "-D",
  directory,
  "-k",
  quoteDirectory(directory),
  "-p",
  "5432",
  "-c",
  "listen_addresses=",
  "-c",
  "unix_socket_permissions=0700",
  // the details of an error are the values of a row
  "-c",
  "log_error_verbosity=terse",
  ...flags
]

interface Spawned {
  readonly child: ChildProcess
  readonly logStart: number
  failure: string | undefined
}

const spawnServer = (cluster: Cluster): Spawned => {
  fs.chmodSync(cluster.directory, 0o700)
  const log = openLog(cluster)
  try {
    const child = spawn(cluster.postgres, serverArguments(cluster), {
      ...cluster.user,
      cwd: "/",
      env: serverEnvironment,
      // a separate session: Ctrl-C in our terminal must not reach it
      detached: true,
      stdio: ["ignore", "ignore", log.descriptor]
    })
    const spawned: Spawned = { child, logStart: log.end, failure: undefined }
    child.once("error", (error) => (spawned.failure = error.message))
    child.once("exit", (code, signal) => (spawned.failure ??= `it exited with ${signal ?? code}`))
    child.unref()
    return spawned
  } finally {
    fs.closeSync(log.descriptor)
  }
}

/** Another process was faster, or the last server's remains are still disappearing. */
const lostRace = /lock file ".+" (already exists|is empty)|pre-existing shared memory block/

const explainExit = (cluster: Cluster, { failure, logStart }: Spawned) => {
  const log = readLogFrom(cluster, logStart)
  return lostRace.test(log)
    ? new NotYet({ reason: `another server has the directory\n${log}\n` })
    : directoryError(cluster.directory, `has a PostgreSQL that did not start: ${failure}\n${log}\n`)
}

const isReady = (cluster: Cluster, { child }: Spawned) => {
  const postmaster = readPostmaster(cluster.directory)
  return postmaster?.pid === child.pid && postmaster?.status === "ready"
}

const waitUntilReady = Effect.fnUntraced(function* (cluster: Cluster, spawned: Spawned) {
  while (!(yield* withFiles(cluster.directory, () => isReady(cluster, spawned)))) {
    if (spawned.failure !== undefined) return yield* explainExit(cluster, spawned)
    yield* Effect.sleep("10 millis")
  }
})

/** Starts the server and returns when it accepts connections, which can take a while after a crash. */
export const startServer = (cluster: Cluster) =>
  Effect.flatMap(
    withFiles(cluster.directory, () => spawnServer(cluster)),
    (spawned) =>
      waitUntilReady(cluster, spawned).pipe(
        Effect.timeoutOrElse({
          duration: "2 minutes",
          orElse: () => {
            const problem = `is still being recovered from a crash; try again later, or see ${logFile(cluster)}`
            return Effect.fail(directoryError(cluster.directory, problem))
          }
        }),
        // no process uses a server yet that we were only waiting for
        Effect.onInterrupt(() => Effect.sync(() => spawned.child.kill("SIGINT")))
      )
  )
