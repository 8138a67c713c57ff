/** After the load: until nothing is due any more, now or later. */
import { setTimeout as pause } from "node:timers/promises"
import type { StoreQueries } from "./StoreQueries.ts"
import type { Server } from "./Servers.ts"
import { now } from "./Time.ts"

const PATIENCE_MILLIS = 60_000
const LOOK_EVERY_MILLIS = 200
/** How often in a row nothing must be due: finished work makes other work due. */
const QUIET_LOOKS = 4

/** Work that is due or in progress, or a webhook that waits for its turn at its endpoint. */
const countDue = async ({ queryCells }: StoreQueries, instant: number): Promise<number> => {
  const at = `to_timestamp(${instant / 1000})`
  const counts = await queryCells<{ readonly count: number }>(
    `select count(*)::int as count from timers t
     where lease_token is not null or claimable_at <= ${at} or kind = 'webhook' and exists (
       select from webhook_deliveries d where d.customer_id = t.customer_id and d.event_id = t.subject
         and d.status = 'pending' and d.next_try_at <= ${at})`
  )
  return counts.reduce((sum, { count }) => sum + count, 0)
}

/** Returns what is wrong, if the work does not end in time. */
export const untilNothingIsDue = async (
  postgres: StoreQueries,
  aheadMillis: number,
  patienceMillis = PATIENCE_MILLIS
): Promise<string | null> => {
  const deadline = now() + patienceMillis
  let quiet = 0
  let due = 0
  while (now() < deadline) {
    due = await countDue(postgres, now() + aheadMillis)
    quiet = due === 0 ? quiet + 1 : 0
    if (quiet >= QUIET_LOOKS) return null
    await pause(LOOK_EVERY_MILLIS)
  }
  return `${due} timers were still due after ${patienceMillis} ms of rest`
}

/**
 * How far the clocks are ahead: past the waits of a route, one after the other, past validity, and past the fourth try
 * of a webhook delivery (30 minutes and a tenth), which long runs reach. All processes are restarted with such a clock,
 * so that the run does not wait.
 */
const JUMPS_MILLIS = [50_000, 100_000, 800_000, 2_100_000]

export const comeToTheEnd = async (
  servers: ReadonlyArray<Server>,
  postgres: StoreQueries
): Promise<ReadonlyArray<string>> => {
  const problems: Array<string | null> = []
  for (const ahead of JUMPS_MILLIS) {
    problems.push(...(await Promise.all(servers.map((server) => server.terminate()))))
    await Promise.all(servers.map((server) => server.start(ahead)))
    problems.push(await untilNothingIsDue(postgres, ahead))
  }
  return problems.flatMap((problem) => problem ?? [])
}
