import { Clock, DateTime, Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { DAY_MILLIS, HOUR_MILLIS, type Instant } from "../../domain/Instant.ts"
import { lowestIdFrom, type TimeSpan } from "../../domain/Paging.ts"
import { withinIds } from "../postgres/PagesSql.ts"
import { InstantColumn, RialsColumn, rowsOf, timestamp } from "../postgres/SqlRows.ts"
import type { Statement } from "../../services/Wallets.ts"

/** Entries are written seconds after the time that they have: a day is final so long after its end. */
const LATE_MILLIS = HOUR_MILLIS
/** Days that one statement sums up. */
const MAX_DAYS = 31

const ReachRow = Schema.Struct({ first: Schema.NullOr(InstantColumn), next: Schema.NullOr(InstantColumn) })
const SumRow = Schema.Struct({ amount: RialsColumn })
const PartRow = Schema.Struct({
  isAfter: Schema.Boolean,
  kind: Schema.String,
  channel: Schema.String,
  amount: RialsColumn
})

const dayOf = (at: Instant): Instant => Math.floor(at / DAY_MILLIS) * DAY_MILLIS
const dateText = (day: Instant): string => DateTime.formatIsoDateUtc(DateTime.makeUnsafe(day))

/**
 * Sums of the ledger up to any time. Days that are over are summed up once, when somebody looks: what is read afterwards
 * is a row for each day, and the entries of less than two days.
 */
export const makeLedgerSums = (sql: SqlClient.SqlClient, reports: SqlClient.SqlClient) => {
  const reachRows = rowsOf(ReachRow)
  const sumRows = rowsOf(SumRow)
  const partRows = rowsOf(PartRow)

  /**
   * The first day that is not summed up; null: the ledger is empty. The entry of the lowest id may be a little younger
   * than another one, of the day before.
   */
  const nextDay = (client: SqlClient.SqlClient, customerId: number) =>
    Effect.map(
      reachRows(client`
        select (select occurred_at from ledger where customer_id = ${customerId} order by id limit 1) as first,
          (select (max(day) + 1)::timestamp at time zone 'UTC' from ledger_days
            where customer_id = ${customerId}) as next`),
      ([row]) => row?.next ?? (row?.first == null ? null : dayOf(row.first - LATE_MILLIS))
    )

  /** Two processes can sum up the same days: their sums are the same. */
  const sumUpDays = (customerId: number, { from, to }: TimeSpan) =>
    Effect.orDie(sql`
      insert into ledger_days (customer_id, day, kind, channel, amount)
      select customer_id, (occurred_at at time zone 'UTC')::date, kind, coalesce(channel, ''), sum(amount)
      from ledger
      where customer_id = ${customerId}
        and ${sql.and(withinIds(sql, ["occurred_at", "id"], { from, to, after: null }))}
      group by 1, 2, 3, 4
      on conflict do nothing`)

  const sumUp = Effect.fnUntraced(function* (customerId: number) {
    const end = dayOf((yield* Clock.currentTimeMillis) - LATE_MILLIS)
    let from = (yield* nextDay(sql, customerId)) ?? end
    while (from < end) {
      const to = Math.min(end, from + MAX_DAYS * DAY_MILLIS)
      yield* sumUpDays(customerId, { from, to })
      from = to
    }
  })

  /** The day from which entries are read one by one, for a sum up to this time. */
  const cutFor = (customerId: number, at: Instant) =>
    Effect.map(nextDay(reports, customerId), (next) => Math.min(next ?? 0, dayOf(at)))

  /** All that was written before an entry. */
  const before = Effect.fnUntraced(function* (
    customerId: number,
    { id, occurredAt }: { readonly id: string; readonly occurredAt: Instant }
  ) {
    yield* sumUp(customerId)
    const cut = yield* cutFor(customerId, occurredAt - LATE_MILLIS)
    const [row] = yield* sumRows(reports`
      select (coalesce((select sum(amount) from ledger_days
          where customer_id = ${customerId} and day < ${dateText(cut)}::date), 0)
        + coalesce((select sum(amount) from ledger
          where customer_id = ${customerId} and occurred_at >= ${timestamp(cut)}::timestamptz
            and id >= ${lowestIdFrom(cut)}::uuid and id < ${id}::uuid), 0))::bigint as amount`)
    return row?.amount ?? 0
  })

  const partsOf = (customerId: number, { from, to }: TimeSpan, cuts: TimeSpan) => {
    const entries = (span: TimeSpan) =>
      reports.and(withinIds(reports, ["occurred_at", "id"], { ...span, after: null }))
    /** The sums before a time, by kind and channel. */
    const until = (isAfter: boolean, at: Instant, cut: Instant) => reports`
      select ${isAfter}::boolean as "isAfter", kind, channel, amount from ledger_days
      where customer_id = ${customerId} and day < ${dateText(cut)}::date
      union all
      select ${isAfter}::boolean, kind, coalesce(channel, ''), amount from ledger
      where customer_id = ${customerId} and ${entries({ from: cut, to: at })}`
    return partRows(reports`
      select "isAfter", kind, channel, sum(amount)::bigint as amount
      from (${until(false, from, cuts.from)} union all ${until(true, to, cuts.to)}) parts
      group by 1, 2, 3 order by 1, 2, 3`)
  }

  const statement = Effect.fnUntraced(function* (customerId: number, span: TimeSpan) {
    yield* sumUp(customerId)
    const cuts = {
      from: yield* cutFor(customerId, span.from),
      to: yield* cutFor(customerId, span.to)
    }
    const parts = yield* partsOf(customerId, span, cuts)
    const sumOf = (chosen: (part: typeof PartRow.Type) => boolean) =>
      parts.filter(chosen).reduce((sum, { amount }) => sum + amount, 0)
    /** What changed between both times. */
    const within = (chosen: (part: typeof PartRow.Type) => boolean) =>
      sumOf((part) => part.isAfter && chosen(part)) - sumOf((part) => !part.isAfter && chosen(part))
    const channels = [...new Set(parts.flatMap(({ channel }) => (channel === "" ? [] : [channel])))]
    const captures = channels.map((name) => [name, -within(({ channel }) => channel === name)] as const)
    return {
      opening: sumOf(({ isAfter }) => !isAfter),
      topUps: within(({ kind }) => kind === "top_up"),
      captures: Object.fromEntries(captures.filter(([, amount]) => amount !== 0)),
      closing: sumOf(({ isAfter }) => isAfter)
    } satisfies Statement
  })

  return { before, statement }
}
