/** The console of the benchmark's first customer, on a store with old sends: for the programs in this directory. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect } from "effect"
import { join } from "node:path"
import { commandsWith, neutralEnvironment } from "../../test/contract/Server.ts"
import { newOperator, signedIn } from "../../test/console/Visitor.ts"
import { type Options, readOptions } from "../Options.ts"
import { prepare } from "../Prepare.ts"
import { startStore, type Store } from "../Store.ts"
import type { Subject } from "../Subject.ts"
import { startOne } from "../Subjects.ts"
import { temporaryDirectory } from "../TemporaryDirectory.ts"
import { fillForConsole } from "./Filling.ts"

const CUSTOMER = "1"
const UNLIMITED = "0"

export interface Ground {
  readonly options: Options
  readonly store: Store
  readonly peyk: Subject
  readonly dataDir: string
  /** For files that are not kept. */
  readonly temporary: string
  readonly newOwner: () => ReturnType<typeof signedIn>
  readonly newOperator: () => ReturnType<typeof newOperator>
}

const start = Effect.fnUntraced(function* (args: ReadonlyArray<string>) {
  const options = readOptions([...args, "--subjects", "peyk"])
  const temporary = yield* temporaryDirectory
  const directory = options.data ?? temporary
  const { peykKeys } = yield* prepare(directory, options)
  const store = yield* startStore(join(directory, "postgres"))
  yield* Effect.promise(() => fillForConsole(store, options.stored))
  process.env["PEYK_LIMIT_MANAGE_MINUTE"] = UNLIMITED
  const { customers, processes } = options
  const peyk = yield* Effect.acquireRelease(
    Effect.promise(() =>
      startOne("peyk", {
        databaseUrl: null,
        directory,
        store,
        customers,
        processes,
        peykKeys,
        providerMillis: 0
      })
    ),
    (started) => Effect.promise(() => started.stop())
  )
  const server = { url: peyk.url, ...commandsWith({ ...neutralEnvironment(), PEYK_DATA_DIR: directory }) }
  const ground: Ground = {
    options,
    store,
    peyk,
    dataDir: directory,
    temporary,
    newOwner: () => signedIn(server, CUSTOMER, "owner"),
    newOperator: () => newOperator(server, `operator-${process.pid}@example.ir`)
  }
  return ground
})

/** Runs a measurement, with the options of the benchmark. */
export const withConsole = (measure: (ground: Ground) => Promise<void>): void =>
  NodeRuntime.runMain(
    Effect.scoped(
      Effect.flatMap(start(process.argv.slice(2)), (ground) => Effect.promise(() => measure(ground)))
    )
  )
