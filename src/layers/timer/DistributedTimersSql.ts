import { PgTypes } from "@effect/sql-pg"
import { Effect, Result, Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { Instant } from "../../domain/Instant.ts"
import type { Lease, TimerKind } from "../../domain/Timer.ts"
import type { TimerStore } from "../../services/timer/TimerStore.ts"
import { InstantColumn, rowsOf, timestamp } from "../postgres/SqlRows.ts"
import { ClaimedTimer, MAX_PARKED, windowOf } from "./TimerClaimSql.ts"

/**
 * A timer as it was read. Its time stays text, exact to the microsecond: a claim takes only timers that did not change
 * meanwhile.
 */
const SeenTimer = Schema.Struct({
  customerId: Schema.Int,
  kind: Schema.String,
  subject: Schema.String,
  lane: Schema.Int,
  claimableAt: Schema.String,
  leaseToken: Schema.NullOr(Schema.String)
})
type SeenTimer = typeof SeenTimer.Type

const RankedTimer = Schema.Struct({
  ...SeenTimer.fields,
  isParked: Schema.Boolean,
  isFirst: Schema.Boolean,
  isTaken: Schema.Boolean
})
const NextRow = Schema.Struct({ at: Schema.NullOr(InstantColumn) })
const RenewedRow = Schema.Struct({ place: Schema.Int })

const COLUMNS = `customer_id as "customerId", kind, subject, lane, claimable_at::text as "claimableAt",
  lease_token as "leaseToken"`

/** The driver finds no type for an array of nulls. */
const uuids = (values: ReadonlyArray<string | null>) =>
  Result.getOrThrow(PgTypes.array(values, PgTypes.OID.uuid))

type DistributedTimers = Pick<TimerStore["Service"], "claim" | "claimFairly" | "nextClaimAt" | "renew">

/**
 * For tables that are distributed over several nodes, where rows of several shards cannot be locked. Timers are read, and
 * those that did not change since are claimed, only on the shards of their customers.
 */
export const distributedTimers = (sql: SqlClient.SqlClient): DistributedTimers => {
  const nextRows = rowsOf(NextRow)
  const renewedRows = rowsOf(RenewedRow)
  const seenRows = rowsOf(SeenTimer)
  const rankedRows = rowsOf(RankedTimer)
  const claimedRows = rowsOf(ClaimedTimer)

  /** The first due timers of each kind, which each shard finds in the order of its index. */
  const inOrder = (
    kinds: ReadonlyArray<TimerKind>,
    limit: number,
    until: Statement.Fragment
  ): Statement.Fragment =>
    sql.join(
      " union all ",
      false
    )(
      kinds.map(
        (kind) => sql`(
          select customer_id, kind, subject, lane, claimable_at, lease_token from timers
          where kind collate "C" = ${kind} and not parked ${until}
          order by claimable_at limit ${limit})`
      )
    )

  const dueAt = (now: Instant) => sql`and claimable_at <= ${timestamp(now)}`
  const customersOf = (timers: ReadonlyArray<{ readonly customerId: number }>) => [
    ...new Set(timers.map(({ customerId }) => customerId))
  ]

  /** As a part of its own: Citus casts the times there. */
  const seen = (timers: ReadonlyArray<SeenTimer>) => sql`d as materialized (
      select customer_id, kind, subject, lane, due_at::timestamptz, token
      from unnest(${timers.map(({ customerId }) => customerId)}::int[], ${timers.map(({ kind }) => kind)}::text[],
        ${timers.map(({ subject }) => subject)}::uuid[], ${timers.map(({ lane }) => lane)}::int[],
        ${timers.map(({ claimableAt }) => claimableAt)}::text[],
        ${uuids(timers.map(({ leaseToken }) => leaseToken))}) as u (customer_id, kind, subject, lane, due_at, token))`

  const isUnchanged = (timers: ReadonlyArray<SeenTimer>) => sql`
    t.customer_id = d.customer_id and t.kind = d.kind and t.subject = d.subject and t.lane = d.lane
      and t.claimable_at = d.due_at and t.lease_token is not distinct from d.token
      and t.customer_id = any(${customersOf(timers)}::int[])`

  const take = (timers: ReadonlyArray<SeenTimer>, lease: Lease) =>
    timers.length === 0
      ? Effect.succeed([])
      : claimedRows(sql`
          with ${seen(timers)}
          update timers t set claimable_at = ${timestamp(lease.until)}, lease_token = ${lease.token}::uuid,
            parked = false
          from d where ${isUnchanged(timers)}
          returning t.kind, t.customer_id as "customerId", t.subject, t.lane, d.due_at as "dueAt",
            t.lease_token as "leaseToken", t.claimable_at as "leasedUntil", d.token is not null as "wasAbandoned"`)

  const park = (timers: ReadonlyArray<SeenTimer>) =>
    timers.length === 0
      ? Effect.void
      : Effect.orDie(
          Effect.asVoid(
            sql`with ${seen(timers)} update timers t set parked = true from d where ${isUnchanged(timers)}`
          )
        )

  return {
    claim: ({ groups, lease, now }) => {
      const first = groups.map(
        ({ kinds, limit }) => sql`(
          select ${sql.literal(COLUMNS)} from (${inOrder(kinds, limit, dueAt(now))}) d
          order by claimable_at limit ${limit})`
      )
      return Effect.flatMap(seenRows(sql`${sql.join(" union all ", false)(first)}`), (timers) =>
        take(timers, lease)
      )
    },

    claimFairly: Effect.fnUntraced(function* ({ kinds, free, holders, lease, now }) {
      const timers = yield* rankedRows(sql`
        with held as (
          select * from unnest(${holders.map(([customerId]) => customerId)}::int[],
            ${holders.map(([, places]) => places)}::int[]) as h (customer_id, places)),
        due as (
          select d.*, false as parked from (${inOrder(kinds, windowOf(free), dueAt(now))}) d
          union all
          select customer_id, kind, subject, lane, claimable_at, lease_token, true from (
            select *, row_number() over (partition by customer_id, kind order by claimable_at) as nth from timers
            where kind collate "C" = any(${kinds}::text[]) and parked ${dueAt(now)}) p
          where nth <= ${MAX_PARKED}),
        ranked as (
          select d.*, coalesce(h.places, 0)
            + row_number() over (partition by d.customer_id order by d.claimable_at) as level
          from due d left join held h using (customer_id))
        select ${sql.literal(COLUMNS)}, parked as "isParked", level = 1 as "isFirst",
          level + row_number() over (order by level, claimable_at) <= ${free}::int + 1 as "isTaken"
        from ranked`)
      const taken = timers.filter(({ isTaken }) => isTaken)
      const left = timers.filter(({ isTaken }) => !isTaken)
      const due = yield* take(taken, lease)
      yield* park(left.filter(({ isParked, isFirst }) => !isParked && !isFirst))
      const seen = timers.filter(({ isParked }) => !isParked).length
      return {
        due,
        someAreLeft: left.length > 0,
        mayBeMore: seen >= windowOf(free) || taken.length >= MAX_PARKED
      }
    }),

    nextClaimAt: (kinds, withParked) =>
      Effect.map(
        nextRows(sql`
          select least(
            (select min(claimable_at) from (${inOrder(kinds, 1, sql``)}) d),
            (select min(claimable_at) from timers where kind collate "C" = any(${withParked}::text[]) and parked)) as at`),
        ([row]) => row?.at ?? null
      ),

    // It waits for a row that another process has locked, which is for one statement at most.
    renew: (timers, until) =>
      Effect.map(
        renewedRows(sql`
          update timers t set claimable_at = ${timestamp(until)}, parked = false
          from (
            select unnest(${timers.map(({ customerId }) => customerId)}::int[]) as customer_id,
              unnest(${timers.map(({ kind }) => kind)}::text[]) as kind,
              unnest(${timers.map(({ subject }) => subject)}::uuid[]) as subject,
              unnest(${timers.map(({ lane }) => lane)}::int[]) as lane,
              unnest(${timers.map(({ leaseToken }) => leaseToken)}::uuid[]) as lease_token,
              unnest(${timers.map((_, index) => index)}::int[]) as place) h
          where t.customer_id = h.customer_id and t.kind = h.kind and t.subject = h.subject and t.lane = h.lane
            and t.lease_token = h.lease_token and t.customer_id = any(${customersOf(timers)}::int[])
          returning h.place`),
        (rows) => rows.flatMap(({ place }) => timers[place] ?? [])
      )
  }
}
