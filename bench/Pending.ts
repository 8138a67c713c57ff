/** The memory of a process with very many pending timers: it should only depend on the few that it works on at once. */
import { setTimeout as pause } from "node:timers/promises"
import { peakMegabytes } from "./ProcessStats.ts"
import { OWN_DATABASE, type Store } from "./Store.ts"
import type { Subject } from "./Subject.ts"

export interface PendingResult {
  readonly pending: number
  /** The part of them that is due when the process starts: verifications that have expired. */
  readonly due: number
  /** Seconds until none was due. */
  readonly seconds: number
  /** Its maximum. */
  readonly megabytes: number | null
}

const PENDING = 1_000_000
const DUE = 20_000
const LONGEST_SECONDS = 120
const CHUNK = 250_000

/** Verifications that were sent, and end so far from now. */
const insert = (count: number, fromNow: string) => `
with n as materialized (select i, uuidv7(interval '${fromNow}' - interval '5 minutes') as id,
    now() + interval '${fromNow}' as ends_at, '+98936' || lpad(i::text, 7, '0') as phone
  from generate_series(1, ${count}) i),
verification as (
  insert into verifications (customer_id, id, mode, phone, status, revision, route, attempts, remaining, code_hash,
    events_written, created_at, expires_at)
  select 1, id, 'live', phone, 'queued', 1,
    '[{"channel":"bale","account_id":1,"descriptor":{"type":"messenger","provider":"bale","credential_id":1,"label":"bale"},"wait":60}]',
    '[{"step":0,"status":"sent","error_code":null,"provider_error":null,"provider_message_id":null,"attempted_at":1790000000000}]',
    '{}', sha256(id::text::bytea), 2, ends_at - interval '5 minutes', ends_at
  from n)
insert into timers (customer_id, kind, subject, claimable_at) select 1, 'verification', id, ends_at from n`

/** In the form of the index: reading all timers would slow down the measurement. */
const countDue = `select count(*)::int as due from timers
  where kind collate "C" = 'verification' and claimable_at <= now()`

const work = async (store: Store, start: () => Promise<Subject>, pending: number): Promise<PendingResult> => {
  await store.run(OWN_DATABASE, [insert(DUE, "-1 minute"), "vacuum (analyze)"])
  const subject = await start()
  try {
    const from = performance.now()
    for (let due = DUE; due > 0;) {
      if (performance.now() - from > LONGEST_SECONDS * 1000) throw new Error(`${due} timers are still due`)
      await pause(250)
      const [rows = []] = await store.run(OWN_DATABASE, [countDue])
      due = Number(rows[0]?.["due"])
    }
    const seconds = (performance.now() - from) / 1000
    return { pending: pending + DUE, due: DUE, seconds, megabytes: peakMegabytes(subject.pids[0] ?? 0) }
  } finally {
    await subject.stop()
  }
}

/** @param start a fresh process each time */
export const measurePending = async (store: Store, start: () => Promise<Subject>) => {
  const none = await work(store, start, 0)
  for (let made = 0; made < PENDING; made += CHUNK) {
    await store.run(OWN_DATABASE, [insert(CHUNK, "1 hour")])
    process.stderr.write(`\rtimers: ${made + CHUNK} of ${PENDING}`)
  }
  process.stderr.write("\n")
  return [none, await work(store, start, PENDING)]
}
