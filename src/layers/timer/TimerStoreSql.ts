import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { LeasedTimer, TimerKind } from "../../domain/Timer.ts"
import { NIL_UUID } from "../../domain/Uuid.ts"
import { PLATFORM } from "../../domain/customer/Customer.ts"
import { InstantColumn, rowsOf, timestamp } from "../postgres/SqlRows.ts"
import {
  ClaimedTimer,
  claimFairlySql,
  FairlyClaimedRow,
  parkedCustomers,
  toFairClaim
} from "./TimerClaimSql.ts"
import { PlatformTimers, TimerStore } from "../../services/timer/TimerStore.ts"

const RenewedRow = Schema.Struct({ place: Schema.Int })
const ParkedRow = Schema.Struct({ kind: ClaimedTimer.fields.kind })
const NextRow = Schema.Struct({ at: Schema.NullOr(InstantColumn) })

export const TimerStoreSql = Layer.effect(
  TimerStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const claimedRows = rowsOf(ClaimedTimer)
    const fairlyClaimedRows = rowsOf(FairlyClaimedRow)
    const parkedRows = rowsOf(ParkedRow)
    const nextRows = rowsOf(NextRow)
    const renewedRows = rowsOf(RenewedRow)
    const isLeased = ({ customerId, kind, subject, lane, leaseToken }: LeasedTimer) =>
      sql`customer_id = ${customerId} and kind = ${kind} and subject = ${subject}::uuid and lane = ${lane}
        and lease_token = ${leaseToken}::uuid`

    const firstInOrder = (kinds: ReadonlyArray<TimerKind>) => sql`
      select min(t.claimable_at) from unnest(${kinds}::text[]) as k, lateral (
        select claimable_at from timers where kind collate "C" = k and not parked order by claimable_at limit 1) t`
    const firstParked = (kinds: ReadonlyArray<TimerKind>) => sql`
      select min(t.claimable_at) from (${parkedCustomers(sql, kinds)}) as c, lateral (
        select claimable_at from timers
        where kind collate "C" = c.kind and customer_id::bigint = c.customer_id and parked
        order by claimable_at limit 1) t`

    return TimerStore.of({
      claim: ({ groups, lease, now }) => {
        const kinds = groups.flatMap((group, nth) => group.kinds.map((kind) => ({ ...group, kind, nth })))
        return claimedRows(sql`
          with due as (
            select d.*, k.most, row_number() over (partition by k.nth order by d.claimable_at) as place
            from unnest(${kinds.map(({ kind }) => kind)}::text[], ${kinds.map(({ nth }) => nth)}::int[],
              ${kinds.map(({ limit }) => limit)}::int[]) as k (kind, nth, most), lateral (
              select customer_id, kind, subject, lane, claimable_at, lease_token from timers
              where kind collate "C" = k.kind and not parked and claimable_at <= ${timestamp(now)}
              order by claimable_at limit k.most for update skip locked) d)
          update timers t set claimable_at = ${timestamp(lease.until)}, lease_token = ${lease.token}::uuid
          from due d
          where d.place <= d.most and t.customer_id = d.customer_id and t.kind = d.kind
            and t.subject = d.subject and t.lane = d.lane
          returning t.kind, t.customer_id as "customerId", t.subject, t.lane, d.claimable_at as "dueAt", t.lease_token as "leaseToken",
            t.claimable_at as "leasedUntil", d.lease_token is not null as "wasAbandoned"`)
      },
      claimFairly: (request) =>
        Effect.map(fairlyClaimedRows(claimFairlySql(sql, request)), (rows) =>
          toFairClaim(request.free, rows)
        ),
      parkedKinds: (kinds) =>
        Effect.map(
          parkedRows(sql`
            select k as kind from unnest(${kinds}::text[]) as k, lateral (
              select from timers where kind collate "C" = k and parked limit 1) t`),
          (rows) => rows.map(({ kind }) => kind)
        ),
      nextClaimAt: (kinds, withParked) =>
        Effect.map(
          nextRows(
            withParked.length === 0
              ? sql`select (${firstInOrder(kinds)}) as at`
              : sql`select least((${firstInOrder(kinds)}), (${firstParked(withParked)})) as at`
          ),
          ([row]) => row?.at ?? null
        ),
      // Without waiting for a locked row: meanwhile it would lock the others, and nobody could claim them if this
      // process froze. The next renewal comes in time.
      renew: (timers, until) =>
        Effect.map(
          renewedRows(sql`
            with held as (
              select * from unnest(${timers.map(({ customerId }) => customerId)}::int[],
                ${timers.map(({ kind }) => kind)}::text[], ${timers.map(({ subject }) => subject)}::uuid[],
                ${timers.map(({ lane }) => lane)}::int[], ${timers.map(({ leaseToken }) => leaseToken)}::uuid[])
                with ordinality as h (customer_id, kind, subject, lane, lease_token, place)),
            free as materialized (
              select held.* from held join timers t on t.customer_id = held.customer_id and t.kind = held.kind
                and t.subject = held.subject and t.lane = held.lane and t.lease_token = held.lease_token
              for update of t skip locked)
            update timers t set claimable_at = ${timestamp(until)}, parked = false
            from free
            where t.customer_id = free.customer_id and t.kind = free.kind and t.subject = free.subject
              and t.lane = free.lane
            returning free.place::int`),
          (rows) => rows.flatMap(({ place }) => timers[place - 1] ?? [])
        ),
      release: (timer, dueAt) =>
        Effect.orDie(
          Effect.asVoid(sql`
            update timers set claimable_at = ${timestamp(dueAt)}, lease_token = null, parked = false
            where ${isLeased(timer)}`)
        ),
      remove: (timer) => Effect.orDie(Effect.asVoid(sql`delete from timers where ${isLeased(timer)}`))
    })
  })
)

export const PlatformTimersSql = Layer.effect(
  PlatformTimers,
  Effect.map(SqlClient.SqlClient, (sql) =>
    PlatformTimers.of({
      schedule: (round, now) =>
        Effect.orDie(
          Effect.asVoid(sql`
            insert into timers (customer_id, kind, subject, claimable_at)
            values (${PLATFORM}, ${round}, ${NIL_UUID}::uuid, ${timestamp(now)}) on conflict do nothing`)
        )
    })
  )
)
