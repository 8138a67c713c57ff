/** Watches the timers table while everything happens: how long after its time a timer is still not taken up. */
import { setTimeout as pause } from "node:timers/promises"
import type { Disturbances, Span } from "./Disturbances.ts"
import type { StoreQueries } from "./StoreQueries.ts"
import { now } from "./Time.ts"

const LOOK_EVERY_MILLIS = 200
/** A timer that is due this moment is not late. */
const NOTED_FROM_MILLIS = 500
const MAX_ROWS = 200

interface Overdue {
  readonly timer: string
  /** When it was due; or the last look that did not find it, if it was due by then: it was not committed yet. */
  readonly since: number
  seenAt: number
}

export interface Lateness {
  /** How late each timer was that was late at all, in milliseconds that somebody could have worked. */
  readonly timers: ReadonlyArray<Span & { readonly timer: string; readonly millis: number }>
  /** The longest delay of the machine itself: how late it woke a sleeping timer. */
  readonly ofMachine: number
  /** How often all that was late was found. */
  readonly looks: number
}

export interface LatenessWatch {
  readonly stop: () => Promise<Lateness>
}

interface OverdueRow {
  readonly timer: string
  readonly at: number
}

/** The messages of the customer that floods are to wait: only those of others are looked at. */
const OVERDUE = (instant: number, flooding: number) => `
  select kind || ' ' || subject || '/' || lane as timer, extract(epoch from claimable_at)::float8 * 1000 as at
  from timers where kind in ('verification', 'message') and customer_id <> ${flooding}
    and claimable_at < to_timestamp(${(instant - NOTED_FROM_MILLIS) / 1000}) limit ${MAX_ROWS}`

export const watchLateness = (
  postgres: StoreQueries,
  disturbances: Disturbances,
  servers: number,
  flooding: number
): LatenessWatch => {
  const overdue = new Map<string, Overdue>()
  const state = { isStopped: false }
  /** The last look that found all there was. */
  let wholeLookAt = Number.NEGATIVE_INFINITY
  let looks = 0

  const look = async () => {
    const askedAt = now()
    const rows = await postgres.queryCells<OverdueRow>(OVERDUE(askedAt, flooding)).catch(() => null)
    if (rows === null) return
    const seenAt = now()
    for (const { timer, at } of rows) {
      const key = `${timer} due ${at}`
      const known = overdue.get(key)
      const wasNotThere = at < wholeLookAt - NOTED_FROM_MILLIS
      if (known === undefined) overdue.set(key, { timer: key, since: wasNotThere ? wholeLookAt : at, seenAt })
      else known.seenAt = seenAt
    }
    if (rows.length >= MAX_ROWS) return
    wholeLookAt = askedAt
    looks += 1
  }

  let ofMachine = 0
  const watching = (async () => {
    while (!state.isStopped) {
      await look()
      const planned = now() + LOOK_EVERY_MILLIS
      await pause(LOOK_EVERY_MILLIS)
      ofMachine = Math.max(ofMachine, now() - planned)
    }
  })()

  /** While nobody could work, nothing is late. */
  const latenessOf = ({ since, seenAt }: Overdue) => {
    const couldWorkFrom = disturbances
      .outages(servers)
      .filter(({ from, to }) => from <= seenAt && to >= since)
      .reduce((latest, { to }) => Math.max(latest, to), since)
    return Math.max(0, seenAt - couldWorkFrom)
  }

  return {
    stop: async () => {
      state.isStopped = true
      await watching
      const timers = [...overdue.values()].map((each) => ({
        timer: each.timer,
        from: each.since,
        to: each.seenAt,
        millis: latenessOf(each)
      }))
      return { timers, ofMachine, looks }
    }
  }
}
