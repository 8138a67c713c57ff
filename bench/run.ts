/** Peyk and its references by turns, on one PostgreSQL, and their ratios. What is measured, and how fairly: README. */
import { NodeRuntime } from "@effect/platform-node"
import { Console, Effect } from "effect"
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { loadGenerator } from "./Load.ts"
import { type Options, readOptions } from "./Options.ts"
import { report, type Run } from "./Report.ts"
import { machine } from "./Machine.ts"
import { analyze, checkpoint, startStore, type Store } from "./Store.ts"
import type { Subject } from "./Subject.ts"
import { databaseOf, startSubjects } from "./Subjects.ts"
import { makeTurn } from "./Turn.ts"

/** Before anything is counted, so that code is compiled and statements are prepared. */
const WARM_UP_SECONDS = 3

const temporaryDirectory = Effect.acquireRelease(
  Effect.sync(() => {
    const made = mkdtempSync(join(tmpdir(), "peyk-bench-"))
    // PostgreSQL does not run as root, and has to get there
    chmodSync(made, 0o755)
    return made
  }),
  (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
)

type Turn = ReturnType<typeof makeTurn>

const inTurn = async (subject: Subject, turn: () => Promise<ReadonlyArray<Run>>) => {
  subject.resume()
  const runs = await turn()
  subject.suspend()
  return runs
}

const compare = async (subjects: ReadonlyArray<Subject>, turn: Turn, store: Store, options: Options) => {
  for (const subject of subjects) subject.suspend()
  process.stderr.write("warming up\n")
  for (const subject of subjects) await inTurn(subject, () => turn(subject, WARM_UP_SECONDS))
  await analyze(store)
  const runs: Array<Run> = []
  for (let round = 0; round < options.rounds; round += 1) {
    process.stderr.write(`round ${round + 1} of ${options.rounds}\n`)
    for (const subject of round % 2 === 0 ? subjects : subjects.toReversed()) {
      await checkpoint(store)
      runs.push(...(await inTurn(subject, () => turn(subject, options.seconds))))
    }
  }
  return runs
}

const program = Effect.gen(function* () {
  const options = readOptions(process.argv.slice(2))
  const directory = yield* temporaryDirectory
  const load = loadGenerator(options.load, { connections: options.connections, directory })
  const store = yield* startStore(
    directory,
    options.subjects.flatMap((name) => databaseOf[name] ?? [])
  )
  const subjects = yield* Effect.acquireRelease(
    Effect.promise(() => startSubjects(options.subjects, { ...store, directory })),
    (started) => Effect.sync(() => started.forEach((subject) => subject.stop()))
  )
  const turn = makeTurn(options, load, store.pid)
  const runs = yield* Effect.promise(() => compare(subjects, turn, store, options))
  const { connections, rounds, seconds } = options
  yield* Console.log(
    `${machine()}, ${load.name} with ${connections} connections, ${rounds} rounds of ${seconds} s; medians, ratios ` +
      `paired by round.\n\n${report(runs)}`
  )
  if (options.json !== null) {
    writeFileSync(
      options.json,
      JSON.stringify({ machine: machine(), load: load.name, options, runs }, null, 2)
    )
  }
})

NodeRuntime.runMain(Effect.scoped(program))
