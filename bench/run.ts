/** Peyk and its references, alternating on one PostgreSQL, and their ratios. The README explains what is measured. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Console, Effect } from "effect"
import { writeFileSync } from "node:fs"
import { machine } from "./Machine.ts"
import { measureAll, tablesOf } from "./Measure.ts"
import { readOptions } from "./Options.ts"

const program = Effect.gen(function* () {
  const options = readOptions(process.argv.slice(2))
  const measured = yield* measureAll(options)
  yield* Console.log(tablesOf(measured))
  if (options.json === null) return
  writeFileSync(options.json, `${JSON.stringify({ machine: machine(), ...measured }, null, 2)}\n`)
})

NodeRuntime.runMain(Effect.scoped(program))
