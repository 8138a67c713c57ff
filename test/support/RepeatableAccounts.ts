import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Channel } from "../../src/domain/routing/Channel.ts"
import { makeCustomer } from "./TestGraph.ts"

/** Says of the accounts of these channels what their providers can do; before anything has read the customer's set-up. */
const markAccounts = Effect.fnUntraced(function* (
  customerId: number,
  trait: "deduplicates" | "deduplicates_texts" | "reports_delivery",
  channels: ReadonlyArray<Channel>
) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`update sending_accounts set ${sql(trait)} = true
    where customer_id = ${customerId} and channel = any(${channels}::text[])`
})

export const CHANNELS = ["bale", "eitaa", "sms"] as const

/** A customer whose accounts of these channels de-duplicate. */
export const customerWithRepeats = Effect.fnUntraced(function* (
  repeatable: ReadonlyArray<Channel>,
  channels: ReadonlyArray<Channel> = CHANNELS
) {
  const customerId = yield* makeCustomer(channels)
  yield* markAccounts(customerId, "deduplicates", repeatable)
  yield* markAccounts(customerId, "deduplicates_texts", repeatable)
  return customerId
})

/** A customer whose accounts of these channels report the delivery of a send. */
export const customerWithReports = Effect.fnUntraced(function* (
  reporting: ReadonlyArray<Channel>,
  channels: ReadonlyArray<Channel> = CHANNELS
) {
  const customerId = yield* makeCustomer(channels)
  yield* markAccounts(customerId, "reports_delivery", reporting)
  return customerId
})

/** The ids of a customer's accounts, by channel. */
export const accountsOf = Effect.fnUntraced(function* (customerId: number) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly id: number; readonly channel: Channel }>`
    select id, channel from sending_accounts where customer_id = ${customerId}`
  return (channel: Channel) => rows.find((row) => row.channel === channel)?.id ?? 0
})

/** Somebody claimed the subject's timer and died: its lease ends in 30 seconds. */
export const leaseToTheDead = Effect.fnUntraced(function* (subject: string, now: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`update timers set lease_token = gen_random_uuid(), claimable_at = ${new Date(now + 30_000)}
    where subject = ${subject}::uuid`
})

export const eventsOf = Effect.fnUntraced(function* (subject: string) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<{ readonly type: string; readonly sequence: number; readonly data: unknown }>`
    select type, sequence, data from events where subject = ${subject}::uuid order by sequence`
})

export const timersOf = Effect.fnUntraced(function* (subject: string) {
  const sql = yield* SqlClient.SqlClient
  return (yield* sql`select 1 from timers where subject = ${subject}::uuid`).length
})

export const UNKNOWN = "provider_outcome_unknown"
