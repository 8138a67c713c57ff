import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Effect, Exit, Runtime } from "effect"
import { runCommandLine } from "./cli/CommandLine.ts"
import { loadEnvFile } from "./cli/input/EnvFile.ts"
import { showSourcesInStacks } from "./layers/system/SourceStacks.ts"

/** Why standard output did not take everything; a reader that had enough (`| head`) is no failure. */
const outputError = (): Error | null => {
  const { errored } = process.stdout
  return errored !== null && "code" in errored && errored.code === "EPIPE" ? null : errored
}

/** Being asked to stop is not a failure. Output that could not be written is one: it may have been a secret. */
const teardown: Runtime.Teardown = (exit, onExit) => {
  const end = (code: number) => {
    const error = outputError()
    if (error !== null) console.error(`the output could not be written: ${error.message}`)
    onExit(error === null ? code : 1)
  }
  // Called after everything else was written, or could not be.
  process.stdout.write("", () =>
    Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause) ? end(0) : Runtime.defaultTeardown(exit, end)
  )
}

const program = Effect.andThen(
  loadEnvFile,
  Effect.suspend(() => runCommandLine(process.argv.slice(2)))
).pipe(Effect.provide(NodeServices.layer))

showSourcesInStacks()
NodeRuntime.runMain(program, { teardown, disableErrorReporting: true })
