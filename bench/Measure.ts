/** All measures of some options, alternating between the subjects on one PostgreSQL. */
import { Console, Effect } from "effect"
import { type ColdResult, measureCold } from "./Cold.ts"
import { compare } from "./Compare.ts"
import { type LoadGenerator, loadGenerator } from "./Load.ts"
import { machine } from "./Machine.ts"
import type { Options } from "./Options.ts"
import { measurePending } from "./Pending.ts"
import { hasPgbench, pgbenchTurn } from "./Pgbench.ts"
import { openStore, prepare } from "./Prepare.ts"
import { meanDelay, mostPerSecond } from "./ProviderDelay.ts"
import { report, reportCold, reportFallbacks, reportPending, reportWebhooks } from "./Report.ts"
import { makeSlowPostgres } from "./SlowFlush.ts"
import { checkpoint, type Store } from "./Store.ts"
import { type BenchContext, databaseOf, startOne, startSubjects } from "./Subjects.ts"
import { temporaryDirectory } from "./TemporaryDirectory.ts"
import { startReceiver } from "./Webhooks.ts"

const choosePgbench = Effect.fnUntraced(function* (options: Options, directory: string, store: Store) {
  const { measures, pgbench: path, subjects } = options
  if (!subjects.includes("pgbench")) return null
  if (!hasPgbench(path)) {
    yield* Console.error(
      `There is no ${path} here: what the database does by itself is not measured (--pgbench PATH).`
    )
    return null
  }
  const database = databaseOf.pgbench?.name ?? ""
  return pgbenchTurn({ path, database, directory, store, measures })
})

const receiverFor = ({ measures }: Options) =>
  measures.includes("webhook")
    ? Effect.acquireRelease(Effect.promise(startReceiver), (receiver) => Effect.sync(() => receiver.stop()))
    : Effect.succeed(null)

const makeTakePhones = () => {
  let next = 0
  return (count: number) => {
    next += count
    return next - count
  }
}

/** Fresh processes of each subject, alternating; all others are paused by now. */
const measureColds = async (
  { measures, rounds, subjects }: Options,
  context: BenchContext,
  load: LoadGenerator,
  takePhones: (count: number) => number
): Promise<ReadonlyArray<ColdResult>> => {
  if (!measures.includes("cold")) return []
  const results: Array<ColdResult> = []
  const names = subjects.flatMap((name) => (name === "pgbench" ? [] : [name]))
  for (let round = 0; round < rounds; round += 1) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      await checkpoint(context.store)
      results.push(await measureCold(() => startOne(name, context), load, takePhones))
    }
  }
  return results
}

/** With what it lets any subject reach, as long as connections wait for their responses. */
const describeProvider = ({ connections, openLoop, providerMillis }: Options): string => {
  if (providerMillis === 0) return ""
  const mean = `, a provider of ${providerMillis} ms (on average ${meanDelay(providerMillis).toFixed(0)} ms`
  const most = mostPerSecond(connections, providerMillis).toFixed(0)
  return openLoop === null ? `${mean}: no subject can send more than ${most}/s)` : `${mean})`
}

/** What was measured with what, in a line. */
const describe = (options: Options, load: LoadGenerator): string => {
  const { connections, customers, databaseUrl, flushMillis, inARow, processes } = options
  const provider = describeProvider(options)
  const flush = flushMillis === 0 ? "" : `, each flush ${flushMillis} ms slower`
  const external = databaseUrl === null ? "" : ", its own PostgreSQL over TCP"
  const several = processes === 1 ? "" : `, ${processes} processes of Peyk`
  const tables = options.stored === 0 ? "" : `, ${options.stored} stored verifications`
  const owners = customers === 1 ? "" : `, ${customers} customers`
  const turns = inARow === 1 ? "" : ` with ${inARow} turns in a row`
  return (
    `${machine()}${several}${external}${provider}${flush}${tables}${owners}, ${load.name} with ${connections} ` +
    `connections, ${options.rounds} rounds of ${options.seconds} s${turns}; medians, ratios paired by round.`
  )
}

export const measureAll = Effect.fnUntraced(function* (options: Options) {
  const { connections, customers, databaseUrl, flushMillis, measures, processes, providerMillis } = options
  const temporary = yield* temporaryDirectory
  const directory = options.data ?? temporary
  const { peykKeys } = yield* prepare(directory, options)
  const load = loadGenerator(options.load, { connections, directory: temporary }, options.openLoop)
  const postgres = flushMillis === 0 ? {} : { packageRoot: makeSlowPostgres(temporary, flushMillis) }
  const store = yield* openStore(directory, databaseUrl, false, postgres)
  const context = { databaseUrl, directory, store, customers, processes, providerMillis, peykKeys }
  const takePhones = makeTakePhones()
  const subjects = yield* Effect.acquireRelease(
    Effect.promise(() => startSubjects(options.subjects, context)),
    (started) => Effect.promise(() => Promise.all(started.map((subject) => subject.stop())))
  )
  const pgbench = yield* choosePgbench(options, temporary, store)
  const receiver = yield* receiverFor(options)
  const compared = yield* Effect.promise(() =>
    compare({ subjects, pgbench, load, store, receiver, options, takePhones })
  )
  const cold = yield* Effect.promise(() => measureColds(options, context, load, takePhones))
  const hasPending = measures.includes("pending") && options.subjects.includes("peyk")
  // alone: the others are paused by now
  const pending = hasPending
    ? yield* Effect.promise(() => measurePending(store, () => startOne("peyk", { ...context, processes: 1 })))
    : []
  return { description: describe(options, load), options, ...compared, cold, pending }
})

export type Measured = Effect.Success<ReturnType<typeof measureAll>>

/** What was measured, as tables in Markdown. */
export const tablesOf = ({ description, runs, cold, fallbacks, webhooks, pending }: Measured): string =>
  [
    description,
    ...(runs.length > 0 ? [report(runs)] : []),
    ...(cold.length > 0 ? [reportCold(cold)] : []),
    ...(fallbacks.length > 0 ? [reportFallbacks(fallbacks)] : []),
    ...(webhooks.length > 0 ? [reportWebhooks(webhooks)] : []),
    ...(pending.length > 0 ? [reportPending(pending)] : [])
  ].join("\n\n")
