import { Console, ConfigProvider, Effect, Exit, Semaphore } from "effect"
import { Console as NodeConsole } from "node:console"
import { PassThrough } from "node:stream"
import { text } from "node:stream/consumers"
import { runCommandLine } from "../../src/cli/CommandLine.ts"

/** Each command listens on the process's standard input, on which Node warns above 10 listeners. */
const running = Semaphore.makeUnsafe(8)

/**
 * Runs a command of the program without a process of its own, which would load every module again (a second of CPU time).
 * Tests prepare with it what they need; tests of the command line start the real program.
 */
export const runInProcess = async (env: Readonly<Record<string, string>>, words: ReadonlyArray<string>) => {
  const out = new PassThrough()
  const err = new PassThrough()
  const written = Promise.all([text(out), text(err)])
  const exit = await runCommandLine(words).pipe(
    Effect.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env }))),
    Effect.provideService(Console.Console, new NodeConsole(out, err)),
    running.withPermit,
    Effect.runPromiseExit
  )
  out.end()
  err.end()
  const [stdout, stderr] = await written
  return { code: Exit.isSuccess(exit) ? 0 : 1, out: stdout, err: stderr }
}
