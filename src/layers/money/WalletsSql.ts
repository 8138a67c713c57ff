import { Clock, Effect, Layer, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { NotFound } from "../../domain/Errors.ts"
import { formatTimePosition, toPage } from "../../domain/Paging.ts"
import type { TimerKind } from "../../domain/Timer.ts"
import { WALLET_STRIPES } from "../../domain/money/Charging.ts"
import { direction, withinIds } from "../postgres/PagesSql.ts"
import { InstantColumn, RialsColumn, rowsOf, timestamp } from "../postgres/SqlRows.ts"
import { ReadSql } from "../postgres/Replica.ts"
import { makeLedgerSums } from "./LedgerSumsSql.ts"
import { Hold, LedgerEntry, Wallets } from "../../services/Wallets.ts"

const BalanceRow = Schema.Struct({ balance: RialsColumn, held: RialsColumn })
const DifferenceRow = Schema.Struct({
  ...BalanceRow.fields,
  customerId: Schema.Int,
  ledger: RialsColumn,
  holds: RialsColumn
})
const HoldRow = Schema.Struct({ ...Hold.fields, amount: RialsColumn, createdAt: InstantColumn })
const EntryRow = Schema.Struct({
  ...LedgerEntry.fields,
  amount: RialsColumn,
  occurredAt: InstantColumn,
  balanceAfter: Schema.NullOr(RialsColumn)
})

const TimeRow = Schema.Struct({ at: InstantColumn })

export const WalletsSql = Layer.effect(
  Wallets,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    /** For lists, which may take long. */
    const reports = yield* ReadSql
    const random = yield* SecureRandom.SecureRandom
    const balanceRows = rowsOf(BalanceRow)
    const differenceRows = rowsOf(DifferenceRow)
    const holdRows = rowsOf(HoldRow)
    const entryRows = rowsOf(EntryRow)
    const timeRows = rowsOf(TimeRow)
    const sums = makeLedgerSums(sql, reports)

    const balance = Effect.fnUntraced(function* (customerId: number) {
      const [row] = yield* balanceRows(sql`
        select coalesce(sum(balance), 0)::bigint as balance, coalesce(sum(held), 0)::bigint as held
        from wallets where customer_id = ${customerId}`)
      return row ?? (yield* Effect.die("a sum returned no row"))
    })

    const topUp = Effect.fnUntraced(function* (customerId: number, amount: number) {
      const now = timestamp(yield* Clock.currentTimeMillis)
      const stripes = yield* Effect.orDie(sql`
        with customer as (select id from customers where id = ${customerId}),
        entry as (
          insert into ledger (customer_id, id, kind, amount, occurred_at)
          select id, ${yield* random.uuidV7()}::uuid, 'top_up', ${amount}::bigint, ${now}::timestamptz
          from customer)
        insert into wallets as w (customer_id, stripe, balance, held)
        select id, stripe, ${amount}::bigint / ${WALLET_STRIPES}::bigint
          + (stripe < ${amount}::bigint % ${WALLET_STRIPES}::bigint)::int, 0
        from customer, generate_series(0, ${WALLET_STRIPES - 1}::int) as stripe
        on conflict (customer_id, stripe) do update set balance = w.balance + excluded.balance
        returning stripe`)
      if (stripes.length === 0) return yield* new NotFound()
      return yield* balance(customerId)
    })

    return Wallets.of({
      balance,

      topUp,

      differences: differenceRows(sql`
        select customer_id as "customerId", sum(balance)::bigint as balance, sum(amount)::bigint as ledger,
          sum(held)::bigint as held, sum(holds)::bigint as holds
        from (
          select customer_id, balance, 0 as amount, held, 0 as holds from wallets
          union all select customer_id, 0, amount, 0, 0 from ledger
          union all select customer_id, 0, 0, 0, held from verifications where held > 0
          union all select customer_id, 0, 0, 0, held from messages where held > 0) parts
        group by customer_id having sum(balance) <> sum(amount) or sum(held) <> sum(holds)
        order by customer_id`),

      holds: Effect.fnUntraced(function* (customerId, { limit, after }) {
        const isActive = (kind: TimerKind) => reports`customer_id = ${customerId} and held > 0
          and id in (select subject from timers where customer_id = ${customerId} and kind = ${kind})`
        const conditionsOf = (kind: TimerKind) =>
          reports.and([isActive(kind), ...withinIds(reports, ["created_at", "id"], { after })])
        const order = reports`order by "subjectId" desc limit ${limit + 1}::int`
        // A record that holds money is active, and an active record has a timer: only few rows do.
        const holdsOf = (table: string, type: "verification" | "message") => reports`
          (select ${type} as "subjectType", id as "subjectId", held as amount, created_at as "createdAt"
          from ${reports(table)} where ${conditionsOf(type)} ${order})`
        const rows = yield* holdRows(reports`
          ${holdsOf("verifications", "verification")} union all ${holdsOf("messages", "message")} ${order}`)
        return toPage(rows, limit, ({ createdAt, subjectId }) =>
          formatTimePosition({ at: createdAt, id: subjectId })
        )
      }),

      ledger: Effect.fnUntraced(function* (customerId, { limit, kind, ...range }) {
        const conditions = reports.and([
          reports`l.customer_id = ${customerId}`,
          ...(kind === undefined ? [] : [reports`l.kind = ${kind}`]),
          ...withinIds(reports, ["l.occurred_at", "l.id"], range)
        ])
        const way = direction(reports, range)
        const rows = yield* entryRows(reports`
          select l.id, l.kind, l.amount, l.subject as "subjectId", l.occurred_at as "occurredAt", l.channel,
            (sum(l.amount) over (order by l.id))::bigint as "balanceAfter",
            case when l.subject is null then null
              when exists (select from messages m where m.customer_id = l.customer_id and m.id = l.subject)
                then 'message' else 'verification' end as "subjectType"
          from (select * from ledger l where ${conditions} order by l.id ${way} limit ${limit + 1}::int) l
          order by l.id ${way}`)
        const oldest = range.order === "oldest" ? rows[0] : rows.at(-1)
        const opening =
          oldest === undefined || kind !== undefined ? null : yield* sums.before(customerId, oldest)
        const entries = rows.map((row) => ({
          ...row,
          balanceAfter: opening === null || row.balanceAfter === null ? null : opening + row.balanceAfter
        }))
        return toPage(entries, limit, ({ occurredAt, id }) => formatTimePosition({ at: occurredAt, id }))
      }),

      entryAt: Effect.fnUntraced(function* (customerId, id) {
        const [row] = yield* timeRows(reports`
          select occurred_at as at from ledger where customer_id = ${customerId} and id = ${id}::uuid`)
        return row?.at ?? (yield* new NotFound())
      }),

      statement: sums.statement
    })
  })
)
