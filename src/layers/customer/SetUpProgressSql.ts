import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { instantOf } from "../../domain/Paging.ts"
import { KeyMode } from "../../domain/customer/Customer.ts"
import { rowsOf } from "../postgres/SqlRows.ts"
import { SetUpProgresses } from "../../services/customer/SetUpProgress.ts"

const SetUpRow = Schema.Struct({
  hasChannel: Schema.Boolean,
  hasOrder: Schema.Boolean,
  keyMode: Schema.NullOr(KeyMode),
  hasWebhook: Schema.Boolean
})
const SendRow = Schema.Struct({ id: Schema.String })

/** Each part reads one row, by a key that begins with the customer. */
export const SetUpProgressSql = Layer.effect(
  SetUpProgresses,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const setUpRows = rowsOf(SetUpRow)
    const sendRows = rowsOf(SendRow)

    const setUpOf = (customerId: number) =>
      setUpRows(sql`
        select exists (select from sending_accounts a where a.customer_id = ${customerId} and a.disabled_at is null
            and (a.sends_codes or a.sends_texts))
          or exists (select from routing_orders o where o.customer_id = ${customerId}
            and o.steps @> '[{"sender": "shared"}]') as "hasChannel",
          exists (select from routing_orders o where o.customer_id = ${customerId} and o.steps <> '[]') as "hasOrder",
          (select min(k.mode) from api_keys k where k.customer_id = ${customerId} and k.revoked_at is null)
            as "keyMode",
          exists (select from webhook_endpoints w where w.customer_id = ${customerId}) as "hasWebhook"`)

    const firstSendsOf = (customerId: number) =>
      sendRows(sql`
        (select v.id from verifications v where v.customer_id = ${customerId} order by v.id limit 1)
        union all
        (select m.id from messages m where m.customer_id = ${customerId} order by m.id limit 1)`)

    return SetUpProgresses.of({
      read: Effect.fnUntraced(function* (customerId) {
        const [[setUp], sends] = yield* Effect.all([setUpOf(customerId), firstSendsOf(customerId)], {
          concurrency: "unbounded"
        })
        if (setUp === undefined) return yield* Effect.die("a select without a table returned no row")
        return {
          ...setUp,
          firstSendAt: sends.length === 0 ? null : Math.min(...sends.map(({ id }) => instantOf(id)))
        }
      })
    })
  })
)
