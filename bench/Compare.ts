import { type FallbackResult, measureFallbacks } from "./Fallbacks.ts"
import type { LoadGenerator } from "./Load.ts"
import type { Options } from "./Options.ts"
import type { Run } from "./Report.ts"
import { analyze, checkpoint, type Store, verifyCodes } from "./Store.ts"
import type { Subject } from "./Subject.ts"
import { databasesOf } from "./Subjects.ts"
import { makeTurn } from "./Turn.ts"
import { measureWebhooks, type Receiver, type WebhookResult } from "./Webhooks.ts"

export interface Comparison {
  readonly subjects: ReadonlyArray<Subject>
  /** A turn of pgbench, if it takes part. */
  readonly pgbench: ((seconds: number) => Promise<ReadonlyArray<Run>>) | null
  readonly load: LoadGenerator
  readonly store: Store
  /** Of webhooks, if they are measured. */
  readonly receiver: Receiver | null
  readonly options: Options
  /** The number of the first of so many phones that no other run uses. */
  readonly takePhones: (count: number) => number
}

const report = (text: string) => void process.stderr.write(`${text}\n`)

const reportFallback = ({ pace, perSecond, p99 }: FallbackResult) =>
  report(`fallback, ${pace}: ${perSecond.toFixed(0)}/s, late p99 ${p99.toFixed(0)} ms`)

const reportWebhooks = ({ duringSends, sendsWith, sendsWithout }: WebhookResult) =>
  report(
    `webhooks: ${duringSends.toFixed(0)}/s; sends ${sendsWithout.toFixed(0)}/s, with ${sendsWith.toFixed(0)}/s`
  )

/** Nobody verifies a code during a turn: in a longer one the guard would see an attack on every customer. */
const LONGEST_TURN_SECONDS = 10

/** The subjects alternate, forwards and backwards; the others are paused. */
export const compare = async ({
  subjects,
  pgbench,
  load,
  store,
  receiver,
  options,
  takePhones
}: Comparison) => {
  const { inARow, measures, rounds, settlingSeconds } = options
  const turn = makeTurn({ measures, load, store, takePhones, settlingSeconds })
  const measure = async (subject: Subject, seconds: number) => {
    subject.resume()
    const runs = await turn(subject, seconds)
    const hasFallback = measures.includes("fallback") && subject.dialect.fallback !== null
    const fallbacks = hasFallback ? await measureFallbacks({ subject, load, store, seconds, takePhones }) : []
    fallbacks.forEach(reportFallback)
    const hasWebhooks = receiver !== null && subject.name.startsWith("peyk")
    const webhooks = hasWebhooks
      ? [await measureWebhooks({ subject, load, store, receiver, seconds, takePhones })]
      : []
    webhooks.forEach(reportWebhooks)
    subject.suspend()
    return { runs, fallbacks, webhooks }
  }

  const contestants = [
    ...subjects.map((subject) => (seconds: number) => measure(subject, seconds)),
    ...(pgbench === null
      ? []
      : [async (seconds: number) => ({ runs: await pgbench(seconds), fallbacks: [], webhooks: [] })])
  ]
  const runs: Array<Run> = []
  const fallbacks: Array<FallbackResult> = []
  const webhooks: Array<WebhookResult> = []
  for (const subject of subjects) subject.suspend()
  report("warming up")
  for (const contestant of contestants) {
    for (let left = options.warmUpSeconds; left > 0; left -= LONGEST_TURN_SECONDS) {
      await contestant(Math.min(left, LONGEST_TURN_SECONDS))
      await verifyCodes(store)
    }
  }
  await analyze(store, databasesOf(options.subjects))
  for (let round = 0; round < rounds; round += 1) {
    report(`round ${round + 1} of ${rounds}`)
    for (const contestant of round % 2 === 0 ? contestants : contestants.toReversed()) {
      // The first of several makes up for what fell due while the others had their turns, and writes pages for the
      // first time after the checkpoint, as happens every quarter of an hour.
      const first = inARow > 1 ? -1 : 0
      for (let nth = first; nth < inARow; nth += 1) {
        await verifyCodes(store)
        if (nth === first) await checkpoint(store)
        const measured = await contestant(options.seconds)
        if (nth < 0) continue
        runs.push(...measured.runs)
        fallbacks.push(...measured.fallbacks)
        webhooks.push(...measured.webhooks)
      }
    }
  }
  return { runs, fallbacks, webhooks }
}
