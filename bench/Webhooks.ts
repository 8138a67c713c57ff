/**
 * Measures webhooks: sends without an endpoint, then sends with one that wants an event of each, and then the backlog
 * of deliveries that is left. The receiver counts.
 */
import { fork } from "node:child_process"
import { once } from "node:events"
import { setTimeout as pause } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import type { MeasurementSetup } from "./MeasurementSetup.ts"
import { cpuSeconds, familyCpuSeconds, perRequest, sumOver } from "./ProcessStats.ts"
import { toPhones } from "./Requests.ts"
import { checkpoint, OWN_DATABASE } from "./Store.ts"

export interface Receiver {
  readonly url: string
  /** How many requests it has answered. */
  readonly count: () => Promise<number>
  readonly stop: () => void
}

/** In each round of one subject. */
export interface WebhookResult {
  readonly subject: string
  readonly sendsWithout: number
  readonly sendsWith: number
  /** Deliveries per second while sends are made. */
  readonly duringSends: number
  /** Deliveries per second after the sends; null, like the rest about them, if none was left. */
  readonly afterSends: number | null
  /** Microseconds for each of those. */
  readonly programCpu: number | null
  readonly storeCpu: number | null
  /** Bytes of WAL for each of those. */
  readonly wal: number | null
  /** Requests beyond one for each delivery. */
  readonly repeated: number
}

interface WebhookSetup extends MeasurementSetup {
  readonly receiver: Receiver
}

const MAX_PER_SECOND = 20_000
const LONGEST_MILLIS = 300_000
const POLL_MILLIS = 20

export const startReceiver = async (): Promise<Receiver> => {
  const child = fork(fileURLToPath(new URL("receiver.mjs", import.meta.url)), [])
  const [port] = await once(child, "message")
  return {
    url: `http://127.0.0.1:${port}/`,
    count: async () => {
      child.send("count")
      const [count] = await once(child, "message")
      return count
    },
    stop: () => void child.kill()
  }
}

export const measureWebhooks = async ({
  subject,
  load,
  store,
  receiver,
  seconds,
  takePhones
}: WebhookSetup): Promise<WebhookResult> => {
  const ask = async (text: string) => {
    const [[row] = []] = await store.run(OWN_DATABASE, [text])
    return row
  }
  const send = async () => {
    const most = MAX_PER_SECOND * seconds
    const requests = toPhones(takePhones(most), most, subject.dialect.send)
    const receivedBefore = await receiver.count()
    const { perSecond, requests: made } = await load.run({
      url: subject.url,
      seconds,
      requests,
      cycles: false
    })
    const received = (await receiver.count()) - receivedBefore
    return { perSecond, delivered: (received * perSecond) / made }
  }
  const countOf = async (text: string) => Number((await ask(`select (${text})::float8 as count`))?.["count"])
  const deliveries = "select count(*) from webhook_deliveries"
  /** The receiver is asked first: a question to the store reads through what was just removed. */
  const allDelivered = async (expected: number) => {
    for (let waited = 0; waited < LONGEST_MILLIS; waited += POLL_MILLIS) {
      if ((await receiver.count()) < expected) {
        await pause(POLL_MILLIS)
        continue
      }
      const left = await ask(`select from timers where kind collate "C" = 'webhook' limit 1`)
      if (left === undefined) return
      await pause(POLL_MILLIS)
    }
    throw new Error("webhooks were not delivered in time")
  }
  const written = "select pg_current_wal_lsn() - '0/0'::pg_lsn"
  const usage = async () => ({
    at: performance.now(),
    received: await receiver.count(),
    program: sumOver(subject.pids, cpuSeconds),
    store: familyCpuSeconds(store.pid),
    wal: await countOf(written)
  })

  const measureBacklog = async (expected: number) => {
    const before = await usage()
    await allDelivered(expected)
    const after = await usage()
    const received = after.received - before.received
    return {
      afterSends: received === 0 ? null : (received * 1000) / (after.at - before.at),
      programCpu: perRequest(before.program, after.program, received),
      storeCpu: perRequest(before.store, after.store, received),
      wal: received === 0 ? null : (after.wal - before.wal) / received
    }
  }

  await store.run(OWN_DATABASE, ["update webhook_endpoints set disabled_at = now()"])
  const without = await send()
  await store.run(OWN_DATABASE, [`update webhook_endpoints set disabled_at = null, url = '${receiver.url}'`])
  const before = { received: await receiver.count(), stored: await countOf(deliveries) }
  await checkpoint(store)
  const withWebhook = await send()
  const backlog = await measureBacklog(before.received + (await countOf(deliveries)) - before.stored)
  const received = (await receiver.count()) - before.received
  const stored = (await countOf(deliveries)) - before.stored
  await store.run(OWN_DATABASE, ["update webhook_endpoints set disabled_at = now()"])
  return {
    subject: subject.name,
    sendsWithout: without.perSecond,
    sendsWith: withWebhook.perSecond,
    duringSends: withWebhook.delivered,
    ...backlog,
    repeated: received - stored
  }
}
