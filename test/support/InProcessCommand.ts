import * as NodeServices from "@effect/platform-node/NodeServices"
import { Console, ConfigProvider, Effect, Exit, Layer, Semaphore, Stdio, Stream } from "effect"
import { Console as NodeConsole } from "node:console"
import { PassThrough } from "node:stream"
import { text } from "node:stream/consumers"
import { runCommandLine } from "../../src/cli/CommandLine.ts"

/** Each command listens on the process's standard input, on which Node warns above 10 listeners. */
const running = Semaphore.makeUnsafe(8)

const standardInput = (input: string) =>
  Stdio.layerTest({ stdin: Stream.make(new TextEncoder().encode(input)) })

/**
 * Runs a command of the program without a process of its own, which would load every module again (a second of CPU time).
 * `test/process/cli` has tests of the real program: its exit codes, its standard input and its signals.
 */
export const runInProcess = async (
  env: Readonly<Record<string, string>>,
  words: ReadonlyArray<string>,
  input = ""
) => {
  const out = new PassThrough()
  const err = new PassThrough()
  const written = Promise.all([text(out), text(err)])
  const services = Layer.mergeAll(
    NodeServices.layer,
    standardInput(input),
    ConfigProvider.layer(ConfigProvider.fromEnv({ env }))
  )
  const exit = await runCommandLine(words).pipe(
    Effect.provide(services),
    Effect.provideService(Console.Console, new NodeConsole(out, err)),
    running.withPermit,
    Effect.runPromiseExit
  )
  out.end()
  err.end()
  const [stdout, stderr] = await written
  return { code: Exit.isSuccess(exit) ? 0 : 1, out: stdout, err: stderr }
}
