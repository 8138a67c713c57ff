import { Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { SlotRequest, StartRequest } from "../../services/account/AccountSlots.ts"
import type { SettingsShape } from "../../services/Settings.ts"
import { InstantColumn, nullableTimestamp, rowsOf, timestamp } from "../postgres/SqlRows.ts"
import { isShared, type PacedAccount, paceOf } from "./PacedAccounts.ts"
import { GAP_MARGIN_MILLIS, SkipReason } from "../../domain/account/Pace.ts"
import { MINUTE_MILLIS } from "../../domain/Instant.ts"

export const SlotRow = Schema.Struct({
  index: Schema.NullOr(Schema.Int),
  at: InstantColumn,
  blocked: Schema.Array(Schema.Int),
  reasons: Schema.Array(SkipReason)
})

const StartRow = Schema.Struct({ hasStart: Schema.Boolean, nextStartAt: Schema.NullOr(InstantColumn) })

const MAX_SHARED_AHEAD = 4

const shareOf = ({ perMinute, gapMillis }: PacedAccount) =>
  perMinute > 0 ? perMinute : Math.ceil(MINUTE_MILLIS / Math.max(1, gapMillis))

/** Notes that a call starts; needed only if the call did not start when its slot was reserved. */
export const startSql = (sql: SqlClient.SqlClient) => {
  const startRows = rowsOf(StartRow)
  return (account: PacedAccount, { now, instead }: StartRequest) => {
    const gap = sql`${paceOf(account)}::int * interval '1 millisecond'`
    const at = sql`${timestamp(now)}::timestamptz`
    return startRows(sql`
      with started as (
        update account_pace set next_start_at = ${at} + ${gap}
        where account_id = ${account.id} and (coalesce(next_start_at <= ${at}, true)
          or next_start_at = ${nullableTimestamp(instead)}::timestamptz + ${gap})
        returning account_id)
      select exists (select from started) as "hasStart", next_start_at as "nextStartAt"
      from account_pace where account_id = ${account.id}`)
  }
}

/**
 * One statement: looks at the accounts under a lock, finds the slot that each could give, and reserves the best. On a
 * shared account a customer has only its share: what the others of this minute, and one more, would leave. A customer also
 * has few slots ahead there, so that the slots of others are near. A deleted account has a slot at once: its call will
 * report that it is gone.
 */
export const slotSql = (sql: SqlClient.SqlClient, { slotWaitMillis }: SettingsShape) => {
  const slotRows = rowsOf(SlotRow)
  return (accounts: ReadonlyArray<PacedAccount>, request: SlotRequest) => {
    const { customerId, kind, waitsForBlocked } = request
    const coolsApart = ({ textCondition }: PacedAccount) => kind === "text" && textCondition !== null
    const now = timestamp(request.now)
    const soon = timestamp(request.now + slotWaitMillis)
    return slotRows(sql`
      with asked as (
        select * from unnest(${accounts.map(({ id }) => id)}::int[], ${accounts.map(paceOf)}::int[],
          ${accounts.map(({ perMinute }) => perMinute)}::int[],
          ${accounts.map((account) => (isShared(account) ? shareOf(account) : 0))}::int[],
          ${accounts.map(coolsApart)}::bool[])
          with ordinality as q (account_id, gap, rate, share, cools_apart, nth)),
      locked as materialized (
        select p.* from account_pace p where p.account_id in (select account_id from asked)
        order by p.account_id for update of p),
      found as (
        select q.nth::int - 1 as index, q.gap, q.rate, q.share, p.account_id, p.slots, p.slot_customers, p.next_start_at,
          case when q.cools_apart then p.texts_cooling_until else p.cooling_until end as cooling_until,
          cardinality(p.slots) as taken
        from asked q left join locked p on p.account_id = q.account_id),
      timed as (
        select l.*,
          greatest(${now}::timestamptz, l.slots[l.taken] + l.gap * interval '1 millisecond',
            case when l.gap > 0 then l.next_start_at end) as by_gap,
          case when l.rate > 0 and l.taken >= l.rate
            then l.slots[l.taken - l.rate + 1] + ${MINUTE_MILLIS + GAP_MARGIN_MILLIS}::int * interval '1 millisecond' end as by_rate,
          l.share > 0 and (
            select count(*) filter (where s.customer = ${customerId}) >=
              ceil(l.share::numeric / (count(distinct s.customer) filter (where s.customer <> ${customerId}) + 2))
            from unnest(l.slots, l.slot_customers) as s (at, customer)
            where s.at > ${now}::timestamptz - interval '1 minute') as has_share_used,
          (select count(*) from unnest(l.slots, l.slot_customers) as s (at, customer)
            where l.share > 0 and s.at > ${now}::timestamptz and s.customer = ${customerId}) as mine_to_come
        from found l),
      slotted as (
        select t.*, greatest(t.by_gap, t.by_rate, t.cooling_until) as at,
          case when t.cooling_until > ${now}::timestamptz then 'cooldown'
            when t.by_rate > t.by_gap or t.has_share_used then 'rate' else 'gap' end as reason
        from timed t),
      chosen as (
        select s.*, s.reason = 'gap' and s.at <= ${soon}::timestamptz as is_soon from slotted s
        where s.at <= ${timestamp(request.until)}::timestamptz and not s.has_share_used
          and (s.reason <> 'cooldown' or ${waitsForBlocked})
          and (s.share = 0 or s.mine_to_come < ${MAX_SHARED_AHEAD}::int)
        order by is_soon desc, s.reason <> 'gap' and not ${waitsForBlocked},
          case when s.reason = 'gap' and s.at <= ${soon}::timestamptz then s.index end, s.at, s.index
        limit 1),
      reserved as (
        update account_pace p set
          next_start_at = case when c.gap > 0 and c.at <= ${now}::timestamptz
            then c.at + c.gap * interval '1 millisecond' else p.next_start_at end,
          slots = (c.slots || c.at)[greatest(1, c.taken + 2 - greatest(1, c.rate, c.share)):],
          slot_customers = (c.slot_customers || ${customerId}::int)[greatest(1, c.taken + 2 - greatest(1, c.rate, c.share)):]
        from chosen c where p.account_id = c.account_id)
      select (select index from chosen) as index,
        coalesce((select at from chosen), min(s.at)) as at,
        coalesce(array_agg(s.index) filter (where s.reason <> 'gap'), '{}') as blocked,
        array_agg(s.reason order by s.index) as reasons
      from slotted s`)
  }
}
