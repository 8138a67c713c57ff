import { Effect } from "effect"
import { start } from "../../../../src/layers/postgres/embedded/EmbeddedPostgres.ts"

// A process of its own for EmbeddedPostgres.slow.test.ts: joins the server, says so, and leaves when its stdin ends.
const [directory = ""] = process.argv.slice(2)

const stdinEnd = Effect.callback<void>((resume) => {
  process.stdin.resume()
  process.stdin.once("end", () => resume(Effect.void))
})

const program = Effect.gen(function* () {
  const { socketPath } = yield* start(directory, { initFlags: ["--no-sync"] })
  process.stdout.write(`joined ${socketPath}\n`)
  yield* stdinEnd
})

await Effect.runPromise(Effect.scoped(program))
