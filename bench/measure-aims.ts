/** Measures each section of `Aims.ts`, prints its tables, and says which aims are reached. The README explains how. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Clock, Console, DateTime, Effect } from "effect"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"
import { AIM_SUBJECTS, reportAims, type Section, sections } from "./Aims.ts"
import { machine } from "./Machine.ts"
import { type Measured, measureAll, tablesOf } from "./Measure.ts"
import { readOptions } from "./Options.ts"

const USUAL = ["--subjects", AIM_SUBJECTS, "--rounds", "5", "--seconds", "8", "--warm-up", "12"]

const resultsFile = Effect.map(Clock.currentTimeMillis, (now) => {
  const name = DateTime.formatIso(DateTime.makeUnsafe(now)).replaceAll(/[:.]/g, "-")
  return fileURLToPath(new URL(`results/${name}.json`, import.meta.url))
})

const program = Effect.gen(function* () {
  const given = process.argv.slice(2)
  const file = readOptions(given).json ?? (yield* resultsFile)
  yield* Effect.sync(() => mkdirSync(dirname(file), { recursive: true }))
  const measured: Array<{ readonly section: Section; readonly results: Measured }> = []
  for (const section of sections) {
    // What is given on the command line comes last, and wins.
    const options = readOptions([...USUAL, ...section.args, ...given])
    const results = yield* Effect.scoped(measureAll(options))
    measured.push({ section, results })
    yield* Console.log(`\n## ${section.title}\n\n${tablesOf(results)}`)
    // After each section: the last one may be hours later.
    const saved = {
      machine: machine(),
      sections: measured.map((each) => ({ title: each.section.title, ...each.results }))
    }
    yield* Effect.sync(() => writeFileSync(file, `${JSON.stringify(saved, null, 2)}\n`))
  }
  yield* Console.log(`\n## Aims\n\n${reportAims(measured)}\n\nRaw results: ${file}`)
})

NodeRuntime.runMain(program)
