/** Peyk and its references, alternating on one PostgreSQL, and their ratios. The README explains what is measured. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Console, Effect } from "effect"
import { writeFileSync } from "node:fs"
import { compare } from "./Compare.ts"
import { loadGenerator } from "./Load.ts"
import { machine } from "./Machine.ts"
import { type Options, readOptions } from "./Options.ts"
import { measurePending } from "./Pending.ts"
import { hasPgbench, pgbenchTurn } from "./Pgbench.ts"
import { openStore, prepare } from "./Prepare.ts"
import { report, reportFallbacks, reportPending, reportWebhooks } from "./Report.ts"
import { makeSlowPostgres } from "./SlowFlush.ts"
import type { Store } from "./Store.ts"
import { databaseOf, startOne, startSubjects } from "./Subjects.ts"
import { temporaryDirectory } from "./TemporaryDirectory.ts"
import { startReceiver } from "./Webhooks.ts"

const choosePgbench = Effect.fnUntraced(function* (options: Options, directory: string, store: Store) {
  const { measures, pgbench: path, subjects } = options
  if (!subjects.includes("pgbench")) return null
  if (!hasPgbench(path)) {
    yield* Console.error(
      `There is no ${path} here: what the database does by itself is not measured (--pgbench PATH).`
    )
    return null
  }
  const database = databaseOf.pgbench?.name ?? ""
  return pgbenchTurn({ path, database, directory, store, measures })
})

const receiverFor = ({ measures }: Options) =>
  measures.includes("webhook")
    ? Effect.acquireRelease(Effect.promise(startReceiver), (receiver) => Effect.sync(() => receiver.stop()))
    : Effect.succeed(null)

const program = Effect.gen(function* () {
  const options = readOptions(process.argv.slice(2))
  const { connections, customers, databaseUrl, flushMillis, processes, rounds, seconds, stored } = options
  const temporary = yield* temporaryDirectory
  const directory = options.data ?? temporary
  const { peykKeys } = yield* prepare(directory, options)
  const load = loadGenerator(options.load, { connections, directory: temporary })
  const postgres = flushMillis === 0 ? {} : { packageRoot: makeSlowPostgres(temporary, flushMillis) }
  const store = yield* openStore(directory, databaseUrl, false, postgres)
  const ground = { databaseUrl, directory, store, customers, processes, peykKeys }
  const subjects = yield* Effect.acquireRelease(
    Effect.promise(() => startSubjects(options.subjects, ground)),
    (started) => Effect.sync(() => started.forEach((subject) => subject.stop()))
  )
  const pgbench = yield* choosePgbench(options, temporary, store)
  const receiver = yield* receiverFor(options)
  const { fallbacks, runs, webhooks } = yield* Effect.promise(() =>
    compare({ subjects, pgbench, load, store, receiver, options })
  )
  const hasPending = options.measures.includes("pending") && options.subjects.includes("peyk")
  // alone: the others are paused by now
  const pending = hasPending
    ? yield* Effect.promise(() => measurePending(store, () => startOne("peyk", { ...ground, processes: 1 })))
    : []
  const flush = flushMillis === 0 ? "" : `, each flush ${flushMillis} ms slower`
  const external = databaseUrl === null ? "" : ", its own PostgreSQL over TCP"
  const several = processes === 1 ? "" : `, ${processes} processes of Peyk`
  const tables = stored === 0 ? "" : `, ${stored} stored verifications`
  const owners = customers === 1 ? "" : `, ${customers} customers`
  yield* Console.log(
    `${machine()}${several}${external}${flush}${tables}${owners}, ${load.name} with ${connections} connections, ${rounds} rounds of ${seconds} s; medians, ` +
      "ratios paired by round."
  )
  if (runs.length > 0) yield* Console.log(`\n${report(runs)}`)
  if (fallbacks.length > 0) yield* Console.log(`\n${reportFallbacks(fallbacks)}`)
  if (webhooks.length > 0) yield* Console.log(`\n${reportWebhooks(webhooks)}`)
  if (pending.length > 0) yield* Console.log(`\n${reportPending(pending)}`)
  if (options.json === null) return
  const results = { machine: machine(), load: load.name, options, runs, fallbacks, webhooks, pending }
  writeFileSync(options.json, `${JSON.stringify(results, null, 2)}\n`)
})

NodeRuntime.runMain(Effect.scoped(program))
