/**
 * Measures timers: verifications whose second channel is due, as a backlog (how many are done in a second) and at a
 * steady rate (how late each is). They are accepted over HTTP; then SQL moves their due times forward.
 */
import { Clock, Effect } from "effect"
import { setTimeout as pause } from "node:timers/promises"
import type { MeasurementSetup } from "./MeasurementSetup.ts"
import { cpuSeconds, familyCpuSeconds, sumOver } from "./ProcessStats.ts"
import { quantile } from "./Statistics.ts"
import { toPhones } from "./Requests.ts"
import { checkpoint, OWN_DATABASE } from "./Store.ts"
import type { Subject } from "./Subject.ts"

export interface FallbackResult {
  readonly pace: "backlog" | "steady"
  readonly count: number
  readonly perSecond: number
  /** Milliseconds from when it was due to when its provider was called. */
  readonly p50: number
  readonly p99: number
  readonly programCpu: number | null
  readonly storeCpu: number | null
}

const MAX_PER_SECOND = 4000
/** From the change in the tables to the first due time: enough to resume the process and to wake its loop. */
const HEAD_START_MILLIS = 1500
const LONGEST_MILLIS = 120_000

/** The newest verifications that wait for their second channel, in the order of their due times. */
const waiting = `select v.customer_id, v.id, row_number() over (order by v.id) - 1 as nth from verifications v
  where v.mode = 'live' and v.created_at >= to_timestamp($1 / 1000.0) and jsonb_array_length(v.route) = 2`

const countWaiting = `select count(*)::int as count from (${waiting}) w`

const bringForward = `with due as (
    update verifications v set next_step_at = to_timestamp($2 / 1000.0) + w.nth * $3 * interval '1 millisecond'
    from (${waiting}) w where v.customer_id = w.customer_id and v.id = w.id returning v.customer_id, v.id, v.next_step_at)
  update timers t set claimable_at = d.next_step_at from due d
  where t.customer_id = d.customer_id and t.kind = 'verification' and t.subject = d.id`

const attempted = `select (v.attempts -> 1 ->> 'attempted_at')::float8 as at, w.nth::float8 as nth
  from verifications v join (${waiting}) w on w.customer_id = v.customer_id and w.id = v.id`

/** With numbers for its parameters. */
const filled = (text: string, ...values: ReadonlyArray<number>) =>
  values.reduce((all, value, n) => all.replaceAll(`$${n + 1}`, `${value}::float8`), text)

const awaitSent = async (subject: Subject, count: number) => {
  for (let sent = 0, waited = 0; sent < count; waited += 100) {
    if (waited > LONGEST_MILLIS) throw new Error(`only ${sent} of ${count} fallbacks were sent`)
    await pause(100)
    sent += (await subject.targets()).length
  }
  // the last are called before they are written
  await pause(500)
}

const perFallback = (before: number | null, after: number | null, count: number) =>
  before === null || after === null ? null : ((after - before) * 1e6) / count

/** @param gapMillis from one due time to the next */
const run = async (
  { subject, load, store, seconds, takePhones }: MeasurementSetup,
  pace: FallbackResult["pace"],
  gapMillis: number,
  most: number
): Promise<FallbackResult> => {
  const { fallback, scheduled } = subject.dialect
  if (fallback === null || scheduled === null) throw new Error(`${subject.name} has no fallback`)
  const acceptedFrom = Effect.runSync(Clock.currentTimeMillis)
  const requests = toPhones(takePhones(most), most, fallback)
  await load.run({ url: subject.url, requests, cycles: false, seconds })
  // requests in progress when the load ended; every later send is a fallback
  await pause(500)
  await subject.targets()
  subject.suspend()
  await checkpoint(store)
  const [[counted] = []] = await store.run(OWN_DATABASE, [filled(countWaiting, acceptedFrom)])
  const count = Number(counted?.["count"])
  const start = Effect.runSync(Clock.currentTimeMillis) + HEAD_START_MILLIS
  await store.run(OWN_DATABASE, [filled(bringForward, acceptedFrom, start, gapMillis)])
  subject.resume()
  // its loop sleeps until the next timer that it knows
  const [wake] = toPhones(takePhones(1), 1, scheduled)
  await fetch(`${subject.url}${wake?.path}`, wake)
  const before = [sumOver(subject.pids, cpuSeconds), familyCpuSeconds(store.pid)] as const
  await awaitSent(subject, count)
  const after = [sumOver(subject.pids, cpuSeconds), familyCpuSeconds(store.pid)] as const
  const [rows = []] = await store.run(OWN_DATABASE, [filled(attempted, acceptedFrom)])
  const calls = rows.map(({ at, nth }) => ({ at: Number(at), dueAt: start + Number(nth) * gapMillis }))
  const lateness = calls.map(({ at, dueAt }) => at - dueAt)
  return {
    pace,
    count: rows.length,
    perSecond: (rows.length * 1000) / (Math.max(...calls.map(({ at }) => at)) - start),
    p50: quantile(lateness, 0.5),
    p99: quantile(lateness, 0.99),
    programCpu: perFallback(before[0], after[0], rows.length),
    storeCpu: perFallback(before[1], after[1], rows.length)
  }
}

/** First all that were accepted in that time at once, and then half as many per second as it did of these. */
export const measureFallbacks = async (setup: MeasurementSetup): Promise<ReadonlyArray<FallbackResult>> => {
  const backlog = await run(setup, "backlog", 0, MAX_PER_SECOND * setup.seconds)
  const perSecond = Math.max(1, Math.floor(backlog.perSecond / 2))
  const steady = await run(setup, "steady", 1000 / perSecond, perSecond * setup.seconds)
  return [backlog, steady]
}
