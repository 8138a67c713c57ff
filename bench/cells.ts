/**
 * Peyk on a Citus cluster and on one PostgreSQL, alternating in one run, and whether the cluster reaches its aims. Both
 * databases are empty at first; the workers have to run on this machine, or their processor time is not known.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Console, Effect } from "effect"
import { execFile } from "node:child_process"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { type Aim, reportAims } from "./Aims.ts"
import { storeEnv } from "./Customer.ts"
import { joinStore } from "./ExternalStore.ts"
import { readFlags } from "./Flags.ts"
import { type LoadGenerator, loadGenerator } from "./Load.ts"
import { machine } from "./Machine.ts"
import { type Options, readOptions } from "./Options.ts"
import { prepare } from "./Prepare.ts"
import { type Figure, p99, ratiosOf, type Run, tableOf, throughput } from "./Report.ts"
import { median } from "./Statistics.ts"
import { analyze, checkpoint, OWN_DATABASE, type Store, verifyCodes } from "./Store.ts"
import type { Subject } from "./Subject.ts"
import { startOne } from "./Subjects.ts"
import { temporaryDirectory } from "./TemporaryDirectory.ts"
import { makeTurn } from "./Turn.ts"

const OPERATIONS = ["send", "verify wrong", "verify right", "status"]
/** Several for each cell: a process shares its statements among the customers of a cell. */
const CUSTOMERS = "32"
const USUAL = ["--subjects", "peyk", "--measures", "send,verify,status", "--customers", CUSTOMERS]

const root = fileURLToPath(new URL("../", import.meta.url))

interface Side {
  readonly store: Store
  readonly subject: Subject
  readonly turn: (subject: Subject, seconds: number) => Promise<ReadonlyArray<Run>>
  readonly runs: Array<Run>
}

/** The workers' databases have the names and the users of the coordinator's. */
const workersOf = async (store: Store, databaseUrl: string): Promise<ReadonlyArray<number>> => {
  const [nodes = []] = await store.run(OWN_DATABASE, [
    "select nodename as host, nodeport as port from pg_dist_node where groupid <> 0 and isactive order by nodeid"
  ])
  const pids: Array<number> = []
  for (const { host, port } of nodes) {
    const url = new URL(databaseUrl)
    url.host = `${String(host)}:${String(port)}`
    pids.push((await joinStore(url.href, false)).pid)
  }
  return pids
}

const spread = (databaseUrl: string, cells: string | null) =>
  promisify(execFile)(
    process.execPath,
    [join(root, "bin/peyk.js"), "migrate", "--citus", ...(cells === null ? [] : ["--cells", cells])],
    { env: { ...process.env, ...storeEnv("", databaseUrl) } }
  )

interface SideOptions {
  readonly options: Options
  readonly directory: string
  /** Null: one PostgreSQL. */
  readonly spreads: ((databaseUrl: string) => Promise<unknown>) | null
  readonly load: LoadGenerator
  readonly takePhones: (count: number) => number
}

const openSide = Effect.fnUntraced(function* ({
  options,
  directory,
  spreads,
  load,
  takePhones
}: SideOptions) {
  const { customers, databaseUrl, measures, processes, providerMillis, settlingSeconds } = options
  if (databaseUrl === null) return yield* Effect.die("there is no database")
  const { peykKeys } = yield* prepare(directory, options)
  const joined = yield* Effect.promise(() => joinStore(databaseUrl, false))
  const store = yield* Effect.promise(async (): Promise<Store> => {
    if (spreads === null) return joined
    await spreads(databaseUrl)
    return { ...joined, workers: await workersOf(joined, databaseUrl) }
  })
  const context = { databaseUrl, directory, store, customers, processes, providerMillis, peykKeys }
  const subject = yield* Effect.acquireRelease(
    Effect.promise(() => startOne("peyk", context)),
    ({ stop }) => Effect.promise(stop)
  )
  subject.suspend()
  const turn = makeTurn({ measures, load, store, takePhones, settlingSeconds })
  return { store, subject, turn, runs: [] } satisfies Side
})

const measureSide = async ({ store, subject, turn, runs }: Side, seconds: number, isCounted: boolean) => {
  if (isCounted) {
    await verifyCodes(store)
    await checkpoint(store)
  }
  subject.resume()
  const measured = await turn(subject, seconds)
  subject.suspend()
  if (isCounted) runs.push(...measured)
}

const of = ({ runs }: Side, operation: string) => runs.filter((run) => run.operation === operation)

const sumOf = (values: ReadonlyArray<number | null>) =>
  values.reduce<number>((sum, value) => sum + (value ?? Number.NaN), 0)

const secondShare: Figure = ({ workerCpu = [] }) => ((workerCpu[1] ?? Number.NaN) / sumOf(workerCpu)) * 100

const aimsOf = (cluster: Side, one: Side): ReadonlyArray<Aim> => {
  const ratios = (operation: string, figure: Figure) => () =>
    ratiosOf(of(cluster, operation), of(one, operation), figure)
  const sends = (figure: Figure) => () => of(cluster, "send").flatMap((run) => figure(run) ?? [])
  const rate = (operation: string, atLeast: number): Aim => ({
    figure: `${operation}: rate, × one PostgreSQL`,
    atLeast,
    valuesIn: ratios(operation, throughput)
  })
  return [
    rate("send", 0.4),
    ...OPERATIONS.filter((operation) => operation !== "send").map((operation) => rate(operation, 0.5)),
    { figure: "send: coordinator's CPU µs", atMost: 150, valuesIn: sends(({ storeCpu }) => storeCpu) },
    {
      figure: "send: second worker's % of the workers' CPU",
      atLeast: 45,
      atMost: 55,
      valuesIn: sends(secondShare)
    },
    { figure: "send: p99, × one PostgreSQL", atMost: 3, valuesIn: ratios("send", p99) }
  ]
}

const medianOf = (runs: ReadonlyArray<Run>, figure: Figure, digits: number) => {
  const value = median(runs.map((run) => figure(run) ?? Number.NaN))
  return Number.isNaN(value) ? "–" : value.toFixed(digits)
}

const figuresOf = (title: string, side: Side) =>
  OPERATIONS.map((operation) => {
    const runs = of(side, operation)
    const workers = (side.store.workers ?? []).map((_, nth) =>
      medianOf(runs, ({ workerCpu }) => workerCpu?.[nth] ?? null, 0)
    )
    return [
      title,
      operation,
      medianOf(runs, throughput, 0),
      medianOf(runs, ({ p50 }) => p50, 1),
      medianOf(runs, p99, 1),
      medianOf(runs, ({ programCpu }) => programCpu, 0),
      medianOf(runs, ({ storeCpu }) => storeCpu, 0),
      workers.length === 0 ? "–" : workers.join(" / "),
      String(runs.reduce((sum, { failed }) => sum + failed, 0))
    ]
  })

const HEAD = [
  "",
  "",
  "per second",
  "p50 ms",
  "p99 ms",
  "Peyk's CPU µs",
  "PostgreSQL's or coordinator's",
  "each worker's",
  "failed"
]

const readSides = () => {
  const given = process.argv.slice(2)
  const at = given.indexOf("--")
  const own = at === -1 ? given : given.slice(0, at)
  const { cluster, one, cells } = readFlags(
    { cluster: { type: "string" }, one: { type: "string" }, cells: { type: "string" } },
    own
  )
  if (cluster === undefined || one === undefined) {
    throw new Error(
      "--cluster URL and --one URL are needed: an empty database of each (then -- and options of bench)"
    )
  }
  return { cluster, one, cells: cells ?? null, others: at === -1 ? [] : given.slice(at + 1) }
}

const makeTakePhones = () => {
  let next = 0
  return (count: number) => {
    next += count
    return next - count
  }
}

const program = Effect.gen(function* () {
  const { cluster, one, cells, others } = readSides()
  const optionsAt = (url: string) => readOptions([...USUAL, ...others, "--database-url", url])
  const options = optionsAt(one)
  const directory = yield* temporaryDirectory
  const load = loadGenerator(options.load, { connections: options.connections, directory }, options.openLoop)
  const takePhones = makeTakePhones()
  const common = { load, takePhones }
  const sides = [
    yield* openSide({
      ...common,
      options: optionsAt(cluster),
      directory: yield* temporaryDirectory,
      spreads: (url) => spread(url, cells)
    }),
    yield* openSide({ ...common, options, directory: yield* temporaryDirectory, spreads: null })
  ] as const
  yield* Effect.promise(async () => {
    for (const side of sides) await measureSide(side, options.warmUpSeconds, false)
    for (const { store } of sides) await analyze(store, [OWN_DATABASE])
    for (let round = 0; round < options.rounds; round += 1) {
      process.stderr.write(`round ${round + 1} of ${options.rounds}\n`)
      for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
        await measureSide(side, options.seconds, true)
      }
    }
  })
  const [ofCluster, ofOne] = sides
  const { connections, customers, processes, rounds, seconds } = options
  const aims = aimsOf(ofCluster, ofOne)
  const results = { options, runs: [], cold: [], fallbacks: [] }
  yield* Console.log(
    [
      `${machine()}, ${processes} processes of Peyk, ${customers} customers, ${load.name} with ${connections} connections,` +
        ` ${rounds} rounds of ${seconds} s; medians, ratios paired by round.`,
      tableOf(HEAD, [...figuresOf("cluster", ofCluster), ...figuresOf("one PostgreSQL", ofOne)]),
      reportAims([{ section: { title: "cells on Citus", args: [], aims }, results }])
    ].join("\n\n")
  )
})

NodeRuntime.runMain(Effect.scoped(program))
