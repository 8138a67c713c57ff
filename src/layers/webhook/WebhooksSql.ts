import { Clock, Effect, Layer, Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { Conflict, fieldError, NotFound } from "../../domain/Errors.ts"
import { toPage } from "../../domain/Paging.ts"
import { problem } from "../../domain/Problem.ts"
import { MAX_ENDPOINTS, ROTATION_MILLIS, WebhookEndpoint } from "../../domain/Webhook.ts"
import { MasterKey } from "../crypto/Crypto.ts"
import { AllowsPrivateAddresses, currentUrlProblem, storedUrl } from "../network/CustomerUrls.ts"
import { idPosition } from "../postgres/PagesSql.ts"
import { InstantColumn, notUpdated, rowsOf, timestamp } from "../postgres/SqlRows.ts"
import { makeWebhookSecret } from "./StandardWebhook.ts"
import { webhookHistory } from "./WebhookHistorySql.ts"
import { waitingDeliveries } from "./WaitingDeliveriesSql.ts"
import { deliveredBodies, webhookReplays } from "./WebhookReplaysSql.ts"
import { FoundEvent, Webhooks } from "../../services/webhook/Webhooks.ts"

/** The context of the seal: a secret sealed for one endpoint cannot be opened as another's. */
export interface SecretOwner {
  readonly customerId: number
  readonly lane: number
}

const contextOf = ({ customerId, lane }: SecretOwner): string => `webhook_endpoints:${customerId}:${lane}`

const sealWebhookSecret = (key: MasterKey["Service"], owner: SecretOwner, secret: string): Uint8Array =>
  key.seal("webhook-secret", contextOf(owner), secret)

export const openWebhookSecret = (
  key: MasterKey["Service"],
  owner: SecretOwner,
  sealed: Uint8Array
): string => key.open("webhook-secret", contextOf(owner), sealed)

const EndpointRow = Schema.Struct({
  ...WebhookEndpoint.fields,
  failingSince: Schema.NullOr(InstantColumn),
  createdAt: InstantColumn
})
const LaneRow = Schema.Struct({ lane: Schema.NullOr(Schema.Int) })
const LockedRow = Schema.Struct({ lane: Schema.Int, version: Schema.Int })
const IdRow = Schema.Struct({ id: Schema.Int })

type EndpointMethods = Pick<
  Webhooks["Service"],
  "allowsPrivateAddresses" | "checkUrl" | "list" | "find" | "create" | "update" | "remove" | "rotateSecret"
>

const COLUMNS = `w.id, w.url, w.events, w.description, w.mode, w.disabled_reason as "disabledReason",
  w.failing_since as "failingSince", w.created_at as "createdAt", w.version`

const tooMany = new Conflict({ problem: problem("too_many_webhooks", { maximum: MAX_ENDPOINTS }) })

const webhookEndpoints = (
  sql: SqlClient.SqlClient,
  random: SecureRandom.SecureRandom["Service"],
  key: MasterKey["Service"],
  allowsPrivateAddresses: boolean
): EndpointMethods => {
  const columns = sql.literal(COLUMNS)
  const endpointRows = rowsOf(EndpointRow)
  const laneRows = rowsOf(LaneRow)
  const lockedRows = rowsOf(LockedRow)
  const idRows = rowsOf(IdRow)
  const waiting = waitingDeliveries(sql)

  const find = Effect.fnUntraced(function* (customerId: number, id: number) {
    const [row] = yield* endpointRows(sql`
      select ${columns} from webhook_endpoints w where w.customer_id = ${customerId} and w.id = ${id}`)
    return row ?? (yield* new NotFound())
  })

  /** The endpoint is locked until the transaction ends. */
  const lock = Effect.fnUntraced(function* (customerId: number, id: number) {
    const [row] = yield* lockedRows(sql`
      select lane, version from webhook_endpoints where customer_id = ${customerId} and id = ${id} for update`)
    return row ?? (yield* new NotFound())
  })

  /** Locked until the transaction ends: others that create one wait. */
  const lockCustomer = Effect.fnUntraced(function* (customerId: number) {
    const rows = yield* idRows(sql`select id from customers where id = ${customerId} for no key update`)
    if (rows.length === 0) return yield* new NotFound()
  })

  const freeLane = Effect.fnUntraced(function* (customerId: number) {
    const [row] = yield* laneRows(sql`
      select min(l) as lane from generate_series(0, ${MAX_ENDPOINTS - 1}::int) l where not exists (
        select from webhook_endpoints w where w.customer_id = ${customerId} and w.lane = l)`)
    return row?.lane ?? (yield* tooMany)
  })

  return {
    allowsPrivateAddresses,

    checkUrl: Effect.fnUntraced(function* (url) {
      const found = yield* currentUrlProblem(url, allowsPrivateAddresses)
      if (found !== null) return yield* fieldError("url", problem("address_refused", { problem: found }))
    }),

    find,

    list: Effect.fnUntraced(function* (customerId, { limit, after }) {
      const before = idPosition(after)
      const rows = yield* endpointRows(sql`
        select ${columns} from webhook_endpoints w
        where w.customer_id = ${customerId} and (${before}::int is null or w.id < ${before}::int)
        order by w.id desc limit ${limit + 1}`)
      return toPage(rows, limit, ({ id }) => String(id))
    }),

    create: (customerId, { url, events, description, mode }) =>
      Effect.gen(function* () {
        yield* lockCustomer(customerId)
        const lane = yield* freeLane(customerId)
        const secret = yield* makeWebhookSecret(random)
        const now = timestamp(yield* Clock.currentTimeMillis)
        const [endpoint] = yield* endpointRows(sql`
          insert into webhook_endpoints as w (customer_id, lane, url, events, description, mode, sealed_secret, created_at)
          values (${customerId}, ${lane}, ${storedUrl(url)}, ${events}::text[], ${description}, ${mode},
            ${sealWebhookSecret(key, { customerId, lane }, secret)}::bytea, ${now})
          returning ${columns}`)
        return endpoint === undefined
          ? yield* Effect.die("an insert returned no row")
          : { endpoint, secret: Redacted.make(secret) }
      }).pipe(sql.withTransaction, Effect.catchTag("SqlError", Effect.die)),

    update: Effect.fnUntraced(function* (customerId, id, change, version) {
      const url = change.url === undefined ? null : storedUrl(change.url)
      const { events = null, description = null, isDisabled = null } = change
      const at = yield* Clock.currentTimeMillis
      const now = timestamp(at)
      const [row] = yield* endpointRows(sql`
        update webhook_endpoints w set url = coalesce(${url}::text, url),
          events = coalesce(${events}::text[], events), description = coalesce(${description}::text, description),
          failing_since = case when ${isDisabled}::boolean is false or ${url}::text <> url then null
            else failing_since end,
          disabled_at = case when ${isDisabled}::boolean then coalesce(disabled_at, ${now})
            when not ${isDisabled}::boolean then null else disabled_at end,
          disabled_reason = case when ${isDisabled}::boolean then coalesce(disabled_reason, 'manual')
            when not ${isDisabled}::boolean then null else disabled_reason end
        where w.customer_id = ${customerId} and w.id = ${id}
          and (${version}::int is null or w.version = ${version}::int)
        returning ${columns}`)
      if (row === undefined) return yield* Effect.flatMap(find(customerId, id), notUpdated)
      // Its waiting deliveries learn at once that it accepts nothing any more.
      if (isDisabled === true) {
        const { lane } = yield* lock(customerId, id)
        yield* waiting.wake({ customerId, lane }, at)
      }
      return row
    }),

    remove: Effect.fnUntraced(function* (customerId, id, version) {
      const locked = yield* lock(customerId, id)
      if (version !== null && locked.version !== version) return yield* notUpdated(locked)
      const at = yield* Clock.currentTimeMillis
      const now = timestamp(at)
      yield* waiting.fail({ customerId, lane: locked.lane }, id, at)
      yield* Effect.orDie(sql`
        with gone as (
          delete from webhook_endpoints where customer_id = ${customerId} and id = ${id}
          returning customer_id, id, lane),
        timer as (
          delete from timers t using gone g
          where t.customer_id = g.customer_id and t.kind = 'webhook' and t.lane = g.lane),
        delivery as (
          update webhook_deliveries d set status = 'failed', next_try_at = null, finished_at = ${now}
          from gone g where d.customer_id = g.customer_id and d.endpoint_id = g.id and d.status = 'pending')
        select id from gone`)
    }),

    rotateSecret: Effect.fnUntraced(function* (customerId, id) {
      const { lane } = yield* lock(customerId, id)
      const secret = yield* makeWebhookSecret(random)
      const until = timestamp((yield* Clock.currentTimeMillis) + ROTATION_MILLIS)
      const [endpoint] = yield* endpointRows(sql`
        update webhook_endpoints w set sealed_previous_secret = sealed_secret, previous_secret_until = ${until},
          sealed_secret = ${sealWebhookSecret(key, { customerId, lane }, secret)}::bytea
        where w.customer_id = ${customerId} and w.id = ${id} returning ${columns}`)
      return endpoint === undefined
        ? yield* Effect.die("a locked webhook was not updated")
        : { endpoint, secret: Redacted.make(secret) }
    })
  }
}

export const WebhooksSql = Layer.effect(
  Webhooks,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const random = yield* SecureRandom.SecureRandom
    const key = yield* MasterKey
    const allowsPrivateAddresses = yield* AllowsPrivateAddresses
    const eventRows = rowsOf(FoundEvent)
    return Webhooks.of({
      ...webhookEndpoints(sql, random, key, allowsPrivateAddresses),
      ...webhookReplays(sql, random),
      ...deliveredBodies(sql),
      ...webhookHistory(sql),
      findEvent: Effect.fnUntraced(function* (customerId, eventId) {
        const [row] = yield* eventRows(sql`
          select e.type, e.subject, (
            select w.id from webhook_endpoints w
            where w.customer_id = ${customerId} and exists (
              select from webhook_deliveries d
              where d.customer_id = ${customerId} and d.endpoint_id = w.id and d.event_id = ${eventId}::uuid)
            order by w.id limit 1) as "endpointId"
          from events e where e.customer_id = ${customerId} and e.id = ${eventId}::uuid`)
        return row ?? (yield* new NotFound())
      })
    })
  })
)
