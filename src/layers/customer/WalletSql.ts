import { Effect, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { stripeOf } from "../../domain/money/Charging.ts"
import { rowsOf } from "../postgres/SqlRows.ts"

const CoverRow = Schema.Struct({ covers: Schema.Boolean })

/** Whether all stripes of a wallet together cover a hold, as far as a read without locks shows. */
export const covers = (sql: SqlClient.SqlClient, hold: number, customerId: number): Effect.Effect<boolean> =>
  Effect.map(
    rowsOf(CoverRow)(sql`
      select coalesce(sum(balance - held), 0) >= ${hold}::bigint as covers from wallets
      where customer_id = ${customerId}`),
    ([row]) => row?.covers === true
  )

/**
 * A wallet's stripe did not cover a hold: locks the whole wallet and spreads it over its stripes again. A small amount
 * goes entirely to this stripe. Does nothing if the wallet does not cover the hold either.
 */
export const gatherInto = (
  sql: SqlClient.SqlClient,
  hold: number,
  subject: { readonly customerId: number; readonly id: string }
): Effect.Effect<void, SqlError.SqlError> => {
  const { customerId, id } = subject
  return Effect.asVoid(sql`
    with locked as materialized (
      select stripe, balance - held as available from wallets where customer_id = ${customerId}
      order by stripe for update),
    total as materialized (
      select coalesce(sum(available), 0)::bigint as amount, greatest(1, count(*)) as stripes from locked)
    update wallets w set balance = w.held + case
        when t.amount / t.stripes >= ${hold}::bigint
          then t.amount / t.stripes + (w.stripe < t.amount % t.stripes)::int
        when w.stripe = ${stripeOf(id)}::smallint then t.amount
        else 0 end
    from total t where w.customer_id = ${customerId} and t.amount >= ${hold}::bigint`)
}
