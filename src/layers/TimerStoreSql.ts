import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { TimerRef } from "../services/Timers.ts"
import { TimerStore } from "../services/TimerStore.ts"
import { InstantColumn, rowsOf, timestamp } from "./SqlRows.ts"

const DueRow = Schema.Struct({
  kind: Schema.Literals(["verification", "sandbox_verification"]),
  customerId: Schema.Int,
  subject: Schema.String,
  wasAbandoned: Schema.Boolean
})
const NextRow = Schema.Struct({ at: Schema.NullOr(InstantColumn) })

export const TimerStoreSql = Layer.effect(
  TimerStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const dueRows = rowsOf(DueRow)
    const nextRows = rowsOf(NextRow)
    const isTimer = ({ customerId, kind, subject }: TimerRef) =>
      sql`customer_id = ${customerId} and kind = ${kind} and subject = ${subject}::uuid`

    return TimerStore.of({
      claim: (limit, lease, now) =>
        dueRows(sql`
          with due as (
            select customer_id, kind, subject, lease_owner from timers
            where claimable_at <= ${timestamp(now)}
            order by claimable_at limit ${limit} for update skip locked
          )
          update timers t set claimable_at = ${timestamp(lease.until)}, lease_owner = ${lease.owner}::uuid
          from due d
          where t.customer_id = d.customer_id and t.kind = d.kind and t.subject = d.subject
          returning t.kind, t.customer_id as "customerId", t.subject, d.lease_owner is not null as "wasAbandoned"`),
      nextClaimAt: Effect.map(
        nextRows(sql`select min(claimable_at) as at from timers`),
        ([row]) => row?.at ?? null
      ),
      renew: (timers, lease) =>
        Effect.orDie(
          Effect.asVoid(sql`
            update timers t set claimable_at = ${timestamp(lease.until)}
            from unnest(${timers.map(({ customerId }) => customerId)}::int[], ${timers.map(({ kind }) => kind)}::text[],
              ${timers.map(({ subject }) => subject)}::uuid[]) as held (customer_id, kind, subject)
            where t.customer_id = held.customer_id and t.kind = held.kind and t.subject = held.subject
              and t.lease_owner = ${lease.owner}::uuid`)
        ),
      release: (timer, lease, dueAt) =>
        Effect.orDie(
          Effect.asVoid(sql`
            update timers set due_at = ${timestamp(dueAt)}, claimable_at = ${timestamp(dueAt)}, lease_owner = null
            where ${isTimer(timer)} and lease_owner = ${lease.owner}::uuid`)
        ),
      remove: (timer) => Effect.orDie(Effect.asVoid(sql`delete from timers where ${isTimer(timer)}`))
    })
  })
)
