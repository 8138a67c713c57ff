import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Effect, Exit, Runtime } from "effect"
import { runCommandLine } from "./cli/CommandLine.ts"
import { loadEnvFile } from "./cli/input/EnvFile.ts"

/** Being asked to stop is not a failure. */
const teardown: Runtime.Teardown = (exit, onExit) =>
  Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)
    ? onExit(0)
    : Runtime.defaultTeardown(exit, onExit)

const program = Effect.andThen(
  loadEnvFile,
  Effect.suspend(() => runCommandLine(process.argv.slice(2)))
).pipe(Effect.provide(NodeServices.layer))

NodeRuntime.runMain(program, { teardown, disableErrorReporting: true })
