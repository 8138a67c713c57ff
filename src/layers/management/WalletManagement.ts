import { Clock, Effect, Schema } from "effect"
import type { SecureRandom } from "effect/crypto"
import type { SqlClient } from "effect/sql"
import { WALLET_STRIPES } from "../../domain/money/Charging.ts"
import type { Management } from "../../services/resources/Management.ts"
import { RialsColumn, rowsOf, timestamp } from "../postgres/SqlRows.ts"
import { noCustomer } from "./RequireCustomer.ts"

const WalletRow = Schema.Struct({ balance: RialsColumn, held: RialsColumn })
const DifferenceRow = Schema.Struct({
  customerId: Schema.Int,
  balance: RialsColumn,
  ledger: RialsColumn,
  held: RialsColumn,
  holds: RialsColumn
})

type WalletMethods = Pick<Management["Service"], "topUp" | "wallet" | "walletDifferences">

export const walletManagement = (
  sql: SqlClient.SqlClient,
  random: SecureRandom.SecureRandom["Service"]
): WalletMethods => {
  const walletRows = rowsOf(WalletRow)
  const differenceRows = rowsOf(DifferenceRow)

  const wallet: WalletMethods["wallet"] = Effect.fnUntraced(function* (customerId) {
    const [row] = yield* walletRows(sql`
      select coalesce(sum(w.balance), 0)::bigint as balance, coalesce(sum(w.held), 0)::bigint as held
      from customers c left join wallets w on w.customer_id = c.id where c.id = ${customerId} group by c.id`)
    return row === undefined ? yield* noCustomer(customerId) : row
  })

  return {
    wallet,

    topUp: Effect.fnUntraced(function* (customerId, amount) {
      const now = timestamp(yield* Clock.currentTimeMillis)
      yield* Effect.orDie(sql`
        with customer as (select id from customers where id = ${customerId}),
        entry as (
          insert into ledger (customer_id, id, kind, amount, occurred_at)
          select id, ${yield* random.uuidV7()}::uuid, 'top_up', ${amount}::bigint, ${now}::timestamptz from customer)
        insert into wallets as w (customer_id, stripe, balance, held)
        select id, stripe, ${amount}::bigint / ${WALLET_STRIPES}::bigint
          + (stripe < ${amount}::bigint % ${WALLET_STRIPES}::bigint)::int, 0
        from customer, generate_series(0, ${WALLET_STRIPES - 1}::int) as stripe
        on conflict (customer_id, stripe) do update set balance = w.balance + excluded.balance`)
      return yield* wallet(customerId)
    }),

    walletDifferences: differenceRows(sql`
      select * from (
        select c.id as "customerId",
          (select coalesce(sum(balance), 0)::bigint from wallets where customer_id = c.id) as balance,
          (select coalesce(sum(amount), 0)::bigint from ledger where customer_id = c.id) as ledger,
          (select coalesce(sum(held), 0)::bigint from wallets where customer_id = c.id) as held,
          (select coalesce(sum(held), 0)::bigint from verifications where customer_id = c.id and held > 0)
            + (select coalesce(sum(held), 0)::bigint from messages where customer_id = c.id and held > 0) as holds
        from customers c) sums
      where balance <> ledger or held <> holds order by "customerId"`)
  }
}
