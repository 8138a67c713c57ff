import { Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Alarm } from "../../domain/guard/Alarm.ts"
import { defaultGuard, GuardEntry, GuardSettings } from "../../domain/guard/GuardSettings.ts"
import { Template } from "../../domain/message/Template.ts"
import { Locale } from "../../domain/verification/CodeText.ts"
import { monthOf } from "../../domain/money/Quota.ts"
import { LimitOverrides } from "../../domain/customer/Limits.ts"
import { Plan, RoutingStep, SendingAccount, StepOrder } from "../../domain/customer/Customer.ts"
import { RialsColumn, rowsOf } from "../postgres/SqlRows.ts"
import { makeLookupBatch } from "../postgres/batching/LoadBatchSql.ts"
import { cachedLookup, setUpColumns, SetUpFields, SetUpVersions } from "../postgres/SetUpCache.ts"
import { ChangeFeed, endedBy } from "../postgres/ChangeFeed.ts"
import { CustomerStandings } from "../../services/activity/AccountSummaries.ts"
import { Customers, type CustomerSetUp } from "../../services/customer/Customers.ts"
import { SetUpChanged } from "../../services/customer/Idempotency.ts"

const { kind, key, reason, action, startedAt, until } = Alarm.fields
const OpenAlarmColumn = Schema.Struct({ kind, key, reason, action, startedAt, until })

/** Selects the guard of a customer `c`: its settings, lists and open alarms. */
const guardColumns = `(
          select jsonb_build_object('mode', g.mode, 'unverifiedHour', g.unverified_hour, 'smsPrice', g.sms_price)
          from guard_settings g where g.customer_id = c.id) as guard, coalesce((
          select jsonb_agg(jsonb_build_object('list', e.list, 'type', e.type, 'value', e.value))
          from guard_entries e where e.customer_id = c.id), '[]') as "guardEntries", coalesce((
          select jsonb_agg(jsonb_build_object('kind', a.kind, 'key', a.key, 'reason', a.reason, 'action', a.action,
            'startedAt', (extract(epoch from a.started_at) * 1000)::bigint,
            'until', (extract(epoch from a.until) * 1000)::bigint))
          from guard_alarms a where a.customer_id = c.id and a.cleared_at is null
            and (a.reason in ('unverified', 'outage') or a.reason = 'budget' and a.kind <> 'customer' and exists (
              select from guard_alarms o where o.customer_id = c.id and o.cleared_at is null
                and o.reason = 'outage'))), '[]') as "guardAlarms"`

const ConfigurationRow = Schema.Struct({
  plan: Plan,
  webOtpHost: Schema.NullOr(Schema.String),
  webOtpOrigins: Schema.Array(Schema.String),
  appHash: Schema.NullOr(Schema.String),
  brand: Schema.NullOr(Schema.String),
  locale: Locale,
  limits: LimitOverrides,
  routing: Schema.NullOr(Schema.Array(RoutingStep)),
  stepOrder: StepOrder,
  accounts: Schema.Array(SendingAccount),
  routingTemplates: Schema.Array(Template),
  guard: Schema.NullOr(GuardSettings),
  guardEntries: Schema.Array(GuardEntry),
  guardAlarms: Schema.Array(OpenAlarmColumn),
  ...SetUpFields
})

export const CustomersSql = Layer.effect(
  Customers,
  Effect.gen(function* () {
    const feed = yield* ChangeFeed
    const versions = yield* SetUpVersions
    const rowOf = yield* makeLookupBatch<number, typeof ConfigurationRow>({
      name: "customer",
      key: { name: "customer_id", type: "int4", of: (customerId) => customerId },
      row: ConfigurationRow,
      statement: (keys) => `
        select r.nth, c.plan, c.webotp_host as "webOtpHost", c.webotp_origins as "webOtpOrigins",
          c.app_hash as "appHash", c.brand, c.locale, c.limits, nullif(o.steps, '[]') as routing,
          coalesce(o.step_order, 'saved') as "stepOrder", coalesce((
          select jsonb_agg(jsonb_build_object('id', a.id, 'channel', a.channel, 'provider', a.provider,
            'label', a.label, 'isDefault', a.is_default, 'active', a.disabled_at is null,
            'shared', a.customer_id is null, 'sendsCodes', a.sends_codes, 'sendsTexts', a.sends_texts,
            'deduplicatesCodes', a.deduplicates, 'deduplicatesTexts', a.deduplicates_texts,
            'reportsDelivery', a.reports_delivery, 'needsContact', a.needs_contact, 'standby', a.standby)
            order by a.id)
          from sending_accounts a where a.customer_id = c.id or a.customer_id is null), '[]') as accounts, coalesce((
          select jsonb_agg(jsonb_build_object('id', t.id, 'name', t.name, 'body', t.body,
            'active', t.disabled_at is null))
          from templates t where t.customer_id = c.id
            and t.id in (select (s ->> 'template_id')::int from jsonb_array_elements(o.steps) s)), '[]') as "routingTemplates",
          ${guardColumns},
          ${setUpColumns("c.id")}
        from ${keys} join customers c on c.id = r.customer_id left join routing_orders o on o.customer_id = c.id`
    })

    const lookup = Effect.fnUntraced(function* (customerId: number) {
      const found = yield* rowOf(customerId)
      if (Option.isNone(found)) return yield* Effect.die(`no customer ${customerId}`)
      const row = found.value
      versions.note(customerId, row)
      const configuration: CustomerSetUp = {
        customerId,
        plan: row.plan,
        webOtpHost: row.webOtpHost,
        webOtpOrigins: row.webOtpOrigins,
        appHash: row.appHash,
        brand: row.brand,
        locale: row.locale,
        limits: row.limits,
        routing: row.routing,
        stepOrder: row.stepOrder,
        routingTemplates: row.routingTemplates,
        accounts: row.accounts.filter(({ shared }) => !shared),
        sharedAccounts: row.accounts.filter(({ shared }) => shared),
        guard: { ...(row.guard ?? defaultGuard), entries: row.guardEntries, alarms: row.guardAlarms },
        setUpVersion: row.setUpVersion
      }
      return configuration
    })

    const cache = yield* cachedLookup(lookup, { isUpToDate: feed.isUpToDate, isCurrent: versions.isCurrent })
    yield* feed.subscribe(
      endedBy(cache, { customer: (id) => (id === null ? cache.invalidateAll : cache.invalidate(id)) })
    )
    return Customers.of({
      configuration: (customerId, setUpVersion) =>
        Effect.filterOrFail(
          cache.get(customerId),
          (setUp) => setUpVersion === undefined || setUpVersion === setUp.setUpVersion,
          () => new SetUpChanged()
        ),
      confirm: ({ customerId, setUpVersion }) =>
        Effect.flatMap(cache.refresh(customerId), (current) =>
          current.setUpVersion === setUpVersion ? Effect.void : new SetUpChanged()
        )
    })
  })
)

const StandingRow = Schema.Struct({
  id: Schema.Int,
  name: Schema.String,
  plan: Plan,
  limits: LimitOverrides,
  usedThisMonth: Schema.Int,
  balance: RialsColumn,
  held: RialsColumn
})

export const CustomerStandingsSql = Layer.effect(
  CustomerStandings,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const standingRows = rowsOf(StandingRow)
    return CustomerStandings.of({
      read: Effect.fnUntraced(function* (customerId, now) {
        const { start, end } = monthOf(now)
        // Each part by the customer's number: Citus does not join rows of the coordinator with those of workers.
        const [row] = yield* standingRows(sql`
          select c.id, c.name, c.plan, c.limits, m.used as "usedThisMonth", w.balance, w.held
          from customers c, (
            select coalesce(sum(used), 0)::int as used from monthly_counters
            where customer_id = ${customerId} and month = ${start}::date) m, (
            select coalesce(sum(balance), 0)::bigint as balance, coalesce(sum(held), 0)::bigint as held
            from wallets where customer_id = ${customerId}) w
          where c.id = ${customerId}`)
        return row === undefined
          ? yield* Effect.die(`no customer ${customerId}`)
          : { ...row, monthEndsAt: end }
      })
    })
  })
)
