import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { LimitOverrides } from "../domain/Admission.ts"
import { type CustomerConfiguration, Plan, RoutingStep, SendingAccount } from "../domain/Customer.ts"
import { Customers } from "../services/Customers.ts"
import { cachedLookup } from "./CachedLookup.ts"
import { ChangeFeed, endedBy } from "./ChangeFeed.ts"
import { rowsOf } from "./SqlRows.ts"

const ConfigurationRow = Schema.Struct({
  plan: Plan,
  webOtpHost: Schema.NullOr(Schema.String),
  limits: LimitOverrides,
  routing: Schema.NullOr(Schema.Array(RoutingStep)),
  accounts: Schema.Array(SendingAccount)
})

export const CustomersSql = Layer.effect(
  Customers,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const feed = yield* ChangeFeed
    const configurationRows = rowsOf(ConfigurationRow)

    const lookup = Effect.fnUntraced(function* (customerId: number) {
      const [row] = yield* configurationRows(sql`
        select c.plan, c.webotp_host as "webOtpHost", c.limits, nullif(r.steps, '[]') as routing, coalesce((
          select jsonb_agg(jsonb_build_object('id', a.id, 'channel', a.channel, 'provider', a.provider,
            'label', a.label, 'isDefault', a.is_default, 'active', a.disabled_at is null,
            'shared', a.customer_id is null, 'sendsCodes', a.sends_codes, 'sendsTexts', a.sends_texts,
            'deduplicates', a.deduplicates, 'reportsDelivery', a.reports_delivery, 'needsContact', a.needs_contact)
            order by a.id)
          from sending_accounts a where a.customer_id = c.id or a.customer_id is null), '[]') as accounts
        from customers c left join routing_orders r on r.customer_id = c.id
        where c.id = ${customerId}`)
      if (row === undefined) return yield* Effect.die(`no customer ${customerId}`)
      const configuration: CustomerConfiguration = {
        customerId,
        plan: row.plan,
        webOtpHost: row.webOtpHost,
        limits: row.limits,
        routing: row.routing,
        accounts: row.accounts.filter(({ shared }) => !shared),
        sharedAccounts: row.accounts.filter(({ shared }) => shared)
      }
      return configuration
    })

    const cache = yield* cachedLookup(lookup, feed)
    yield* feed.subscribe(
      endedBy(cache, { customer: (id) => (id === null ? cache.invalidateAll : cache.invalidate(id)) })
    )
    return Customers.of({ configuration: (customerId) => cache.get(customerId) })
  })
)
