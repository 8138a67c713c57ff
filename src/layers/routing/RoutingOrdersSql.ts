import { Clock, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import {
  fieldError,
  InvalidChannel,
  NotFound,
  PreconditionFailed,
  SharedSenderNotAllowed,
  SharedSenderUnavailable,
  TemplateNotFound
} from "../../domain/Errors.ts"
import { toPage } from "../../domain/Paging.ts"
import { problem } from "../../domain/Problem.ts"
import { RoutingStep, StepOrder } from "../../domain/customer/Customer.ts"
import { checkCodeTemplate, Template } from "../../domain/message/Template.ts"
import { carries, noCarrier } from "../../domain/routing/AccountSelection.ts"
import type { Actor } from "../../domain/user/Actor.ts"
import { InstantColumn, lockCustomer, rowsOf, timestamp } from "../postgres/SqlRows.ts"
import { AuditActor } from "../../services/activity/AuditLog.ts"
import { RoutingOrders } from "../../services/routing/RoutingOrders.ts"

const RoutingRow = Schema.Struct({ order: StepOrder, steps: Schema.Array(RoutingStep), version: Schema.Int })
const AccountChannelRow = Schema.Struct({
  id: Schema.Int,
  channel: Schema.String,
  provider: Schema.String,
  shared: Schema.Boolean,
  active: Schema.Boolean
})
const PlanRow = Schema.Struct({ plan: Schema.String })

const VersionRow = Schema.Struct({
  ...RoutingRow.fields,
  savedAt: InstantColumn,
  savedBy: Schema.NullOr(AuditActor)
})

/** What is older is deleted with the next save. */
const KEPT_VERSIONS = 100

const NOTHING_SAVED = { order: "saved", steps: [], version: 0 } as const

export const RoutingOrdersSql = Layer.effect(
  RoutingOrders,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const routingRows = rowsOf(RoutingRow)
    const accountRows = rowsOf(AccountChannelRow)
    const planRows = rowsOf(PlanRow)
    const versionRows = rowsOf(VersionRow)
    const templateRows = rowsOf(Template)

    const find = (customerId: number) =>
      Effect.map(
        routingRows(
          sql`select step_order as "order", steps, version from routing_orders where customer_id = ${customerId}`
        ),
        ([row]) => row ?? NOTHING_SAVED
      )

    /** The customer's accounts, and those that all share, as steps name them. */
    const accountsOf = (customerId: number) =>
      accountRows(sql`
        select id, channel, provider, customer_id is null as shared, disabled_at is null as active
        from sending_accounts where customer_id = ${customerId} or customer_id is null`)

    /** Checks a step as a send does: an account that it names is one of this customer's, on the step's channel. */
    const checkAccounts = Effect.fnUntraced(function* (
      customerId: number,
      steps: ReadonlyArray<RoutingStep>,
      all: ReadonlyArray<typeof AccountChannelRow.Type>
    ) {
      for (const { account_id, channel, sender } of steps) {
        const onChannel = all.filter((account) => account.channel === channel)
        // The contract lists neither telegram nor voice: an account opens it.
        if ((channel === "telegram" || channel === "voice") && onChannel.length === 0) {
          return yield* new InvalidChannel({ details: { channel } })
        }
        const own = onChannel.filter(({ shared }) => !shared)
        const named = account_id === undefined ? own : own.filter(({ id }) => id === account_id)
        if (account_id !== undefined && named.length === 0) {
          return yield* fieldError(
            "steps",
            problem("step_account_unknown", { customer: customerId, channel, account: account_id })
          )
        }
        if (channel === "voice" && sender === undefined && !named.some(({ active }) => active)) {
          return yield* noCarrier(channel, "code")
        }
        // An account can still be connected, but over telegram a bot never carries a code.
        if (
          channel === "telegram" &&
          sender === undefined &&
          !named.some((account) => carries("code", account))
        ) {
          return yield* noCarrier(channel, "code")
        }
      }
    })

    const checkSenders = Effect.fnUntraced(function* (
      customerId: number,
      steps: ReadonlyArray<RoutingStep>,
      all: ReadonlyArray<typeof AccountChannelRow.Type>
    ) {
      const shared = steps.filter(({ sender }) => sender === "shared")
      if (shared.length === 0) return
      const [customer] = yield* planRows(sql`select plan from customers where id = ${customerId}`)
      if (customer?.plan !== "start") return yield* new SharedSenderNotAllowed()
      const missing = shared.find(
        ({ channel }) =>
          !all.some(
            (account) =>
              account.shared && account.active && account.channel === channel && carries("code", account)
          )
      )
      if (missing !== undefined) {
        return yield* new SharedSenderUnavailable({ details: { channel: missing.channel } })
      }
    })

    const checkTemplates = Effect.fnUntraced(function* (
      customerId: number,
      steps: ReadonlyArray<RoutingStep>
    ) {
      for (const { template_id } of steps) {
        if (template_id === undefined) continue
        const [template] = yield* templateRows(sql`
          select id, name, body, disabled_at is null as active from templates
          where customer_id = ${customerId} and id = ${template_id}::bigint`)
        if (template === undefined) return yield* new TemplateNotFound({ details: { template_id } })
        yield* Effect.fromResult(checkCodeTemplate(template))
      }
    })

    const versionColumns =
      sql.literal(`step_order as "order", steps, version, saved_at as "savedAt", case when saved_by is not null then
        jsonb_build_object('kind', saved_by_kind, 'id', saved_by_id, 'name', saved_by) end as "savedBy"`)

    /** An order that was saved with its customer has no version yet: it gets one before it is replaced. */
    const keepVersion = Effect.fnUntraced(function* (
      customerId: number,
      savedBy: Pick<Actor, "kind" | "id" | "name"> | null
    ) {
      yield* Effect.orDie(sql`
        insert into routing_versions
          (customer_id, version, steps, step_order, saved_at, saved_by, saved_by_kind, saved_by_id)
        select customer_id, version, steps, step_order, updated_at, ${savedBy?.name ?? null}::text,
          ${savedBy?.kind ?? null}::text, ${savedBy?.id ?? null}::text
        from routing_orders where customer_id = ${customerId}
        on conflict (customer_id, version) do nothing`)
    })

    const dropOldVersions = (customerId: number, version: number) =>
      Effect.orDie(sql`
        delete from routing_versions
        where customer_id = ${customerId} and version <= ${version - KEPT_VERSIONS}::int`)

    return RoutingOrders.of({
      find,

      versions: Effect.fnUntraced(function* (customerId, { limit, after }) {
        const older = after === null ? sql`true` : sql`version < ${Number(after)}::int`
        const rows = yield* versionRows(sql`
          select ${versionColumns} from routing_versions where customer_id = ${customerId} and ${older}
          order by version desc limit ${limit + 1}::int`)
        return toPage(rows, limit, ({ version }) => String(version))
      }),

      version: Effect.fnUntraced(function* (customerId, version) {
        const [row] = yield* versionRows(sql`
          select ${versionColumns} from routing_versions
          where customer_id = ${customerId} and version = ${version}::int`)
        return row ?? (yield* new NotFound())
      }),

      // Within the transaction of the write, concurrent saves wait here.
      save: Effect.fnUntraced(function* (customerId, steps, version, order = "saved", savedBy) {
        yield* lockCustomer(sql, customerId)
        const saved = yield* find(customerId)
        if (version !== null && saved.version !== version) {
          return yield* new PreconditionFailed({ details: { version: saved.version } })
        }
        const accounts = yield* accountsOf(customerId)
        yield* checkAccounts(customerId, steps, accounts)
        yield* checkSenders(customerId, steps, accounts)
        yield* checkTemplates(customerId, steps)
        const now = timestamp(yield* Clock.currentTimeMillis)
        yield* keepVersion(customerId, null)
        yield* Effect.orDie(sql`
          insert into routing_orders (customer_id, steps, step_order, updated_at)
          values (${customerId}, ${JSON.stringify(steps)}::jsonb, ${order}, ${now})
          on conflict (customer_id) do update set steps = excluded.steps, step_order = excluded.step_order,
            updated_at = excluded.updated_at`)
        yield* keepVersion(customerId, savedBy ?? null)
        const current = yield* find(customerId)
        yield* dropOldVersions(customerId, current.version)
        return current
      })
    })
  })
)
