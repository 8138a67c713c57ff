/** A soak as a program: what it needs around it, the verdict, and the end of everything that it started. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect } from "effect"
import { rmSync } from "node:fs"
import { cpus } from "node:os"
import { makeTemporaryDirectory } from "../TemporaryDirectory.ts"
import type { Evidence } from "./Evidence.ts"
import { findings, show, verdictOn } from "./Invariants.ts"
import { type Providers, startProviders } from "./Providers.ts"
import { now } from "./Time.ts"
import { startWebhookReceiver, type WebhookReceiver } from "./WebhookReceiver.ts"

export interface Surroundings {
  readonly directory: string
  readonly providers: Providers
  readonly webhooks: WebhookReceiver
  /** Registers what to stop at the end, also after a failure. The last is stopped first. */
  readonly onEnd: (stop: () => Promise<unknown>) => void
}

const began = now()
export const log = (text: string) =>
  process.stdout.write(`${((now() - began) / 1000).toFixed(1).padStart(6)} s  ${text}\n`)

export interface ProgramOptions {
  readonly name: string
  readonly seed: string
  /** The settings of this run, in words. */
  readonly settings: string
  readonly perform: (surroundings: Surroundings) => Promise<Evidence>
}

const program = Effect.fnUntraced(function* ({ name, seed, settings, perform }: ProgramOptions) {
  const directory = makeTemporaryDirectory(name)
  const stops: Array<() => Promise<unknown>> = []
  const stopAll = Effect.promise(async () => {
    for (const stop of stops.splice(0).toReversed()) {
      await stop().catch((error) => log(`not stopped: ${error}`))
    }
  })
  yield* Effect.addFinalizer(() => stopAll)
  log(`seed ${seed}, ${settings}, Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}`)
  const providers = yield* startProviders(seed)
  const webhooks = yield* startWebhookReceiver(seed)
  const onEnd: Surroundings["onEnd"] = (stop) => void stops.push(stop)
  const evidence = yield* Effect.promise(() => perform({ directory, providers, webhooks, onEnd }))
  const found = findings(evidence)
  const broken = found.filter((each) => each.broken.length > 0)
  process.stdout.write(`\n${found.map(show).join("\n\n")}\n\n`)
  log(verdictOn(found, seed))
  if (broken.length > 0) process.exitCode = 1
  yield* stopAll
  if (broken.length === 0) rmSync(directory, { recursive: true, force: true })
  else log(`what the processes said is in ${directory}`)
})

export const runProgram = (options: ProgramOptions) => NodeRuntime.runMain(Effect.scoped(program(options)))
