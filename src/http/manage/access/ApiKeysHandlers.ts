import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { type KeyChange, Keys } from "../../../services/resources/access/Keys.ts"
import { auditEntriesOf } from "../../../services/resources/ManagementWrites.ts"
import { Api } from "../../Api.ts"
import { orEnvelope } from "../../errors/Envelope.ts"
import { type ApiKeyChange, toApiKey, toCreatedApiKey } from "./ApiKeysApi.ts"
import { CurrentActor } from "./ManageAuth.ts"
import {
  answerResource,
  expectedVersion,
  makeWrite,
  pageRequest,
  toWirePage,
  withEnd
} from "../wire/ManageWire.ts"

const DEFAULT_OVERLAP_SECONDS = 86_400

const changeOf = (change: typeof ApiKeyChange.Type): KeyChange => ({
  name: change.name ?? undefined,
  requestsPerMinute: change.rate_limit_per_minute,
  allowedIps: change.allowed_ips
})

const entry = auditEntriesOf("api_key")

export const ApiKeysHandlers = HttpApiBuilder.group(
  Api,
  "api-keys",
  Effect.fnUntraced(function* (handlers) {
    const keys = yield* Keys
    const write = yield* makeWrite
    const repeat = (kept: unknown, customerId: number) =>
      keys.find(customerId, Number(Object(kept).id)).pipe(
        Effect.flatMap(toApiKey),
        Effect.map((current) => withEnd(kept, current)),
        Effect.catchTag("not_found", () => Effect.succeed(kept))
      )
    return handlers.handleAll({
      list: Effect.fnUntraced(function* ({ query }) {
        const { actor } = yield* CurrentActor
        const page = yield* keys.list(actor.customerId, { ...query, ...pageRequest("api_keys", query) })
        const items = yield* Effect.forEach(page.items, toApiKey)
        return toWirePage("api_keys", { items, next: page.next }, (item) => item)
      }),

      create: ({ payload }) =>
        write(
          { operation: "api_key.create", status: 201, idempotentBody: payload, repeat },
          Effect.gen(function* () {
            const { actor } = yield* CurrentActor
            const { name, mode, expires_at, rate_limit_per_minute, allowed_ips } = payload
            const created = yield* keys.create(actor.customerId, {
              name,
              mode,
              expiresAt: expires_at ?? null,
              requestsPerMinute: rate_limit_per_minute ?? null,
              allowedIps: allowed_ips ?? null
            })
            return {
              body: yield* toCreatedApiKey(created),
              audit: entry("create", created.record.id, { name, mode })
            }
          })
        ).pipe(orEnvelope),

      read: Effect.fnUntraced(function* ({ params }) {
        const { actor } = yield* CurrentActor
        return yield* keys
          .find(actor.customerId, params.id)
          .pipe(Effect.flatMap(toApiKey), Effect.map(answerResource), orEnvelope)
      }),

      update: ({ params, payload }) =>
        write(
          { operation: "api_key.update", status: 200 },
          Effect.gen(function* () {
            const { actor } = yield* CurrentActor
            const version = yield* expectedVersion
            const updated = yield* keys.update(actor.customerId, params.id, changeOf(payload), version)
            return { body: yield* toApiKey(updated), audit: entry("update", updated.id, payload) }
          })
        ).pipe(orEnvelope),

      revoke: ({ params }) =>
        write(
          { operation: "api_key.revoke", status: 204 },
          Effect.gen(function* () {
            const { actor } = yield* CurrentActor
            const { id } = yield* keys.revoke(actor.customerId, params.id, yield* expectedVersion)
            return { body: null, audit: entry("revoke", id) }
          })
        ).pipe(orEnvelope),

      rotate: ({ params, payload }) =>
        write(
          { operation: "api_key.rotate", status: 201, idempotentBody: { ...payload, id: params.id }, repeat },
          Effect.gen(function* () {
            const { actor } = yield* CurrentActor
            const seconds = payload?.overlap_seconds ?? DEFAULT_OVERLAP_SECONDS
            const created = yield* keys.rotate(actor.customerId, params.id, seconds * 1000)
            return {
              body: yield* toCreatedApiKey(created),
              audit: entry("rotate", params.id, { replaced_by: created.record.id, overlap_seconds: seconds })
            }
          })
        ).pipe(orEnvelope)
    })
  })
)
