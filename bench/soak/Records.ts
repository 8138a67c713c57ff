/** The content of the store after all work has ended. */
import type { StoreQueries } from "./StoreQueries.ts"

export interface AttemptRecord {
  readonly step: number
  readonly status: "pending" | "sending" | "sent" | "failed"
  readonly error_code: string | null
  readonly attempted_at: string | null
}

export interface SubjectRecord {
  readonly kind: "code" | "message"
  readonly id: string
  readonly customerId: number
  readonly phone: string
  readonly status: string
  readonly strategy: string | null
  /** The channel of each step, and its price. */
  readonly route: ReadonlyArray<{ readonly channel: string; readonly price?: number }>
  readonly attempts: ReadonlyArray<AttemptRecord>
  readonly wrongCodes: number
  readonly held: number
  readonly captured: number
  readonly eventsWritten: number
  readonly createdAt: number
}

export interface EventRecord {
  readonly id: string
  readonly customerId: number
  readonly type: string
  readonly subject: string
  readonly sequence: number
  readonly occurredAt: number
}

/** An alarm of the guard. */
export interface AlarmRecord {
  readonly id: string
  readonly isCleared: boolean
  readonly eventsWritten: number
}

export interface TimerRecord {
  readonly kind: string
  readonly subject: string
  readonly isLeased: boolean
}

export interface Records {
  readonly subjects: ReadonlyArray<SubjectRecord>
  readonly events: ReadonlyArray<EventRecord>
  readonly alarms: ReadonlyArray<AlarmRecord>
  readonly timers: ReadonlyArray<TimerRecord>
  readonly keys: ReadonlyArray<{ readonly key: string; readonly subject: string }>
  readonly wallets: ReadonlyArray<{
    readonly customerId: number
    readonly balance: number
    readonly held: number
    readonly ledger: number
  }>
  /** For each subject with captures: their sum. */
  readonly captures: ReadonlyMap<string, number>
  readonly deliveries: ReadonlyArray<{ readonly eventId: string; readonly status: string }>
  /** How many cells there are besides the store's own schema. */
  readonly cells: number
}

const SUBJECTS = `
  select 'code' as kind, id::text, customer_id as "customerId", phone, status, null as strategy, route, attempts,
    wrong_codes as "wrongCodes", held::float8, captured::float8, events_written as "eventsWritten",
    extract(epoch from created_at)::float8 * 1000 as "createdAt"
  from verifications where mode = 'live'
  union all
  select 'message', id::text, customer_id, phone, status, strategy, route, attempts, 0, held::float8, captured::float8,
    events_written, extract(epoch from created_at)::float8 * 1000
  from messages`

const EVENTS = `
  select id::text, customer_id as "customerId", type, subject::text, sequence,
    extract(epoch from occurred_at)::float8 * 1000 as "occurredAt"
  from events order by customer_id, subject, sequence`

const WALLETS = `
  select w.customer_id as "customerId", sum(w.balance)::float8 as balance, sum(w.held)::float8 as held,
    (select sum(l.amount)::float8 from ledger l where l.customer_id = w.customer_id) as ledger
  from wallets w group by w.customer_id`

export const readRecords = async ({ query, queryCells }: StoreQueries): Promise<Records> => ({
  subjects: await queryCells<SubjectRecord>(SUBJECTS),
  events: await queryCells<EventRecord>(EVENTS),
  alarms: await query<AlarmRecord>(
    `select id::text, cleared_at is not null as "isCleared", events_written as "eventsWritten" from guard_alarms`
  ),
  timers: await queryCells<TimerRecord>(
    `select kind, subject::text, lease_token is not null as "isLeased" from timers`
  ),
  keys: await queryCells(`select key, subject::text from idempotency_keys`),
  wallets: await queryCells(WALLETS),
  captures: new Map(
    (
      await queryCells<{ readonly subject: string; readonly sum: number }>(
        `select subject::text, -sum(amount)::float8 as sum from ledger where kind = 'capture' group by subject`
      )
    ).map(({ subject, sum }) => [subject, sum])
  ),
  deliveries: await queryCells(`select event_id::text as "eventId", status from webhook_deliveries`),
  cells: (await query("select 1 from cells")).length
})
