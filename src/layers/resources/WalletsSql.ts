import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { toPage } from "../../domain/Paging.ts"
import { formatTimePosition } from "../../domain/TimePosition.ts"
import type { TimerKind } from "../../domain/Timer.ts"
import { Wallets, Hold, LedgerEntry } from "../../services/resources/Wallets.ts"
import { InstantColumn, RialsColumn, rowsOf } from "../postgres/SqlRows.ts"
import { withinIds } from "./TimePages.ts"

const BalanceRow = Schema.Struct({ balance: RialsColumn, held: RialsColumn })
const HoldRow = Schema.Struct({ ...Hold.fields, amount: RialsColumn, createdAt: InstantColumn })
const EntryRow = Schema.Struct({ ...LedgerEntry.fields, amount: RialsColumn, occurredAt: InstantColumn })

export const WalletsSql = Layer.effect(
  Wallets,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const balanceRows = rowsOf(BalanceRow)
    const holdRows = rowsOf(HoldRow)
    const entryRows = rowsOf(EntryRow)

    return Wallets.of({
      balance: Effect.fnUntraced(function* (customerId) {
        const [row] = yield* balanceRows(sql`
          select coalesce(sum(balance), 0)::bigint as balance, coalesce(sum(held), 0)::bigint as held
          from wallets where customer_id = ${customerId}`)
        return row ?? (yield* Effect.die("a sum returned no row"))
      }),

      holds: Effect.fnUntraced(function* (customerId, { limit, after }) {
        const isActive = (kind: TimerKind) => sql`customer_id = ${customerId} and held > 0
          and id in (select subject from timers where customer_id = ${customerId} and kind = ${kind})`
        const conditionsOf = (kind: TimerKind) =>
          sql.and([isActive(kind), ...withinIds(sql, ["created_at", "id"], { after })])
        const order = sql`order by "subjectId" desc limit ${limit + 1}::int`
        // A record that holds money is active, and an active record has a timer: only few rows do.
        const holdsOf = (table: string, type: "verification" | "message") => sql`
          (select ${type} as "subjectType", id as "subjectId", held as amount, created_at as "createdAt"
          from ${sql(table)} where ${conditionsOf(type)} ${order})`
        const rows = yield* holdRows(sql`
          ${holdsOf("verifications", "verification")} union all ${holdsOf("messages", "message")} ${order}`)
        return toPage(rows, limit, ({ createdAt, subjectId }) =>
          formatTimePosition({ at: createdAt, id: subjectId })
        )
      }),

      ledger: Effect.fnUntraced(function* (customerId, { limit, kind, ...range }) {
        const conditions = sql.and([
          sql`l.customer_id = ${customerId}`,
          ...(kind === undefined ? [] : [sql`l.kind = ${kind}`]),
          ...withinIds(sql, ["l.occurred_at", "l.id"], range)
        ])
        const rows = yield* entryRows(sql`
          select l.id, l.kind, l.amount, l.subject as "subjectId", l.occurred_at as "occurredAt",
            case when l.subject is null then null
              when exists (select from messages m where m.customer_id = l.customer_id and m.id = l.subject)
                then 'message' else 'verification' end as "subjectType"
          from ledger l where ${conditions} order by l.id desc limit ${limit + 1}::int`)
        return toPage(rows, limit, ({ occurredAt, id }) => formatTimePosition({ at: occurredAt, id }))
      })
    })
  })
)
