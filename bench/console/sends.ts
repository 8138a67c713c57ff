/**
 * Measures what open consoles cost sends: pairs of rounds, without and with them.
 *
 *     npm run bench:consoles -- --stored 1000000 --data /var/tmp/console --rounds 16 --seconds 5 --settle 1
 *
 * First it measures how much processor time the consoles take while nothing is sent.
 */
import { availableParallelism } from "node:os"
import { setTimeout as pause } from "node:timers/promises"
import { loadGenerator } from "../Load.ts"
import { machine } from "../Machine.ts"
import { cpuSeconds, familyCpuSeconds, sumOver } from "../ProcessStats.ts"
import { median } from "../Statistics.ts"
import { toPhones } from "../Requests.ts"
import { analyze, OWN_DATABASE } from "../Store.ts"
import { type Ground, withConsole } from "./Console.ts"
import { openConsoles, watchConsoles } from "./OpenConsoles.ts"

const CONSOLES = 10
/** Twice as long as the page that asks the least often waits. */
const IDLE_SECONDS = 30
const STATISTICS_MILLIS = 1500
/** More than any machine sends. */
const MAX_PER_SECOND = 20_000

interface Round {
  readonly perSecond: number
  readonly p99: number
  /** Microseconds of CPU for each send, of the service and PostgreSQL together. */
  readonly cpu: number
  /** Of the consoles. */
  readonly pages: number
}

const makeRounds = ({ options, peyk, store, temporary }: Ground) => {
  const load = loadGenerator(options.load, { connections: options.connections, directory: temporary })
  let used = 0
  const send = (seconds: number) => {
    const count = MAX_PER_SECOND * seconds
    used += count
    const requests = toPhones(used - count, count, peyk.dialect.send)
    return load.run({ url: peyk.url, seconds, requests, cycles: false })
  }
  const cpuNow = () => (sumOver(peyk.pids, cpuSeconds) ?? Number.NaN) + (familyCpuSeconds(store.pid) ?? 0)
  const measure = async (): Promise<Omit<Round, "pages">> => {
    const before = cpuNow()
    const { failed, p99, perSecond, requests } = await send(options.seconds)
    if (failed > 0) throw new Error(`${failed} sends failed`)
    // codes that this program was sent are of no use here
    await peyk.targets()
    return { perSecond, p99, cpu: ((cpuNow() - before) * 1e6) / requests }
  }
  /** Statements, counted as transactions: each page's are one by one. PostgreSQL knows them a second later. */
  const statementsNow = async () => {
    await pause(STATISTICS_MILLIS)
    const [[row] = []] = await store.run(OWN_DATABASE, [
      "select xact_commit::int as count from pg_stat_database where datname = current_database()"
    ])
    return Number(row?.["count"])
  }
  const idle = async () => {
    const [statements, cpu] = [await statementsNow(), cpuNow()]
    await pause(IDLE_SECONDS * 1000)
    return {
      cpu: (cpuNow() - cpu) / IDLE_SECONDS,
      statements: ((await statementsNow()) - statements) / IDLE_SECONDS
    }
  }
  return { send, measure, idle }
}

const ratios = (pairs: ReadonlyArray<readonly [Round, Round]>, figure: (round: Round) => number): string => {
  const each = pairs.map(([without, open]) => figure(open) / figure(without)).toSorted((a, b) => a - b)
  return `${median(each).toFixed(3)} (${each[0]?.toFixed(3)}–${each.at(-1)?.toFixed(3)})`
}

withConsole(async (ground) => {
  const { options, store } = ground
  const { rounds, seconds, settlingSeconds, warmUpSeconds } = options
  const visitors = []
  while (visitors.length < CONSOLES) visitors.push(await ground.newOwner())
  const { idle, measure, send } = makeRounds(ground)
  const consoles = await openConsoles(visitors)
  const round = async (isOpen: boolean): Promise<Round> => {
    const stop = watchConsoles(isOpen ? consoles : [])
    if (settlingSeconds > 0) await send(settlingSeconds)
    const measured = await measure()
    return { ...measured, pages: (await stop()).requests }
  }
  await send(warmUpSeconds)
  await analyze(store, [OWN_DATABASE])
  const idleAlone = await idle()
  const stopIdle = watchConsoles(consoles)
  const idleOpen = await idle()
  const idlePages = await stopIdle()
  const cpu = idleOpen.cpu - idleAlone.cpu
  const share = cpu / availableParallelism()
  const perMinute = 60 / CONSOLES
  const minute = [
    `${((idleOpen.statements - idleAlone.statements) * perMinute).toFixed(0)} statements`,
    `${(cpu * 1000 * perMinute).toFixed(0)} ms of processor`,
    `${((idlePages.bytes / 1024 / (IDLE_SECONDS + STATISTICS_MILLIS / 500)) * perMinute).toFixed(0)} KB`
  ]
  const pairs: Array<readonly [Round, Round]> = []
  for (let n = 0; n < rounds; n += 1) {
    const first = await round(n % 2 === 1)
    const second = await round(n % 2 === 0)
    const [without, open] = n % 2 === 1 ? [second, first] : [first, second]
    pairs.push([without, open])
    process.stderr.write(
      `${without.perSecond.toFixed(0)}/s without, ${open.perSecond.toFixed(0)}/s with, ${open.pages} pages\n`
    )
  }
  console.log(
    `${machine()}, ${options.stored} stored verifications, ${rounds} pairs of ${seconds} s, ${CONSOLES} consoles`
  )
  console.log(
    `consoles alone, of the processors: ${(share * 100).toFixed(2)} % for ${idlePages.requests} pages`
  )
  console.log(`a minute of one console, nothing sent: ${minute.join(", ")}`)
  console.log(`sends a second: ${ratios(pairs, ({ perSecond }) => perSecond)}`)
  console.log(`p99: ${ratios(pairs, ({ p99 }) => p99)}`)
  console.log(`CPU of a send: ${ratios(pairs, ({ cpu }) => cpu)}`)
})
