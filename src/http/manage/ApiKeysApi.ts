import { Redacted, Schema } from "effect"
import { HttpApiEndpoint, HttpApiSchema } from "effect/http-api"
import { Timestamp } from "../../domain/Fields.ts"
import { formatInstant, formatNullableInstant, type Instant } from "../../domain/Instant.ts"
import { KeyMode } from "../../domain/customer/Customer.ts"
import { type ApiKeyRecord, apiKeyStatus } from "../../domain/ApiKey.ts"
import { OptionalIdempotencyKey, OptionalJson } from "../RequestGuards.ts"
import {
  ApiKeyChange,
  changeKey,
  type CreatedKey,
  createKey,
  KeyRotation,
  Keys,
  NewApiKey,
  revokeKey,
  rotateKey
} from "../../services/key/Keys.ts"
import {
  changed,
  changing,
  conflict,
  creating,
  handlersOf,
  id,
  keyErrors,
  listing,
  manageGroup,
  notFound,
  reading,
  removing,
  summary
} from "./Endpoints.ts"
import { found, handler, listed, withEnd } from "./Handlers.ts"
import { PathId, pageQuery } from "./ManageWire.ts"

const ApiKeyResource = Schema.Struct({
  id: Schema.Int,
  name: Schema.String,
  mode: KeyMode,
  prefix: Schema.String,
  last_four: Schema.String,
  status: Schema.Literals(["active", "expired", "revoked"]),
  rate_limit_per_minute: Schema.NullOr(Schema.Int),
  allowed_ips: Schema.NullOr(Schema.Array(Schema.String)),
  created_at: Timestamp,
  last_used_at: Schema.NullOr(Timestamp),
  expires_at: Schema.NullOr(Timestamp),
  revoked_at: Schema.NullOr(Timestamp),
  version: Schema.Int
}).annotate({ identifier: "ApiKey" })

const CreatedApiKey = Schema.Struct({
  ...ApiKeyResource.fields,
  secret: Schema.String.annotateKey({ description: "The key itself, returned only once." })
}).annotate({ identifier: "CreatedApiKey" })

export const toApiKey = (key: ApiKeyRecord, now: Instant) => ({
  id: key.id,
  name: key.name,
  mode: key.mode,
  prefix: key.prefix,
  last_four: key.lastFour,
  status: apiKeyStatus(key, now),
  rate_limit_per_minute: key.requestsPerMinute,
  allowed_ips: key.allowedIps,
  created_at: formatInstant(key.createdAt),
  last_used_at: formatNullableInstant(key.lastUsedAt),
  expires_at: formatNullableInstant(key.expiresAt),
  revoked_at: formatNullableInstant(key.revokedAt),
  version: key.version
})

const toCreatedApiKey = ({ record, secret }: CreatedKey, now: Instant) => ({
  ...toApiKey(record, now),
  secret: Redacted.value(secret)
})

export class ApiKeysGroup extends manageGroup(
  "api-keys",
  "/v1/manage/api-keys",
  { title: "Management: service keys" },
  listing(ApiKeyResource, "List service keys, the newest first", {
    ...pageQuery("api_keys"),
    mode: Schema.optionalKey(KeyMode),
    status: Schema.optionalKey(ApiKeyResource.fields.status)
  }),
  creating(NewApiKey, CreatedApiKey, "Create a service key; its secret is returned only once"),
  reading(PathId, ApiKeyResource, "Read a service key"),
  changing(PathId, ApiKeyChange, ApiKeyResource, "Change a service key; If-Match guards against others", [
    notFound,
    changed
  ]),
  removing("revoke", "Revoke a service key", [notFound, changed]),
  HttpApiEndpoint.post("rotate", "/:id/rotate", {
    params: id,
    // Null: the request has no body.
    payload: [KeyRotation, Schema.Null],
    success: CreatedApiKey.pipe(HttpApiSchema.status(201)),
    error: [notFound, conflict, ...keyErrors]
  })
    .annotateMerge(summary("Replace a service key; the old one ends after an overlap"))
    .middleware(OptionalJson)
    .middleware(OptionalIdempotencyKey)
) {}

const repeat = withEnd(Keys, toApiKey)

export const ApiKeysHandlers = handlersOf(ApiKeysGroup, (handlers) =>
  handlers.handleAll({
    list: listed(
      "api_keys",
      (customerId, page, query) => Keys.use((keys) => keys.list(customerId, { ...query, ...page })),
      toApiKey
    ),
    read: found(Keys, toApiKey),
    create: handler(createKey, { status: 201, body: toCreatedApiKey, isOnce: true, repeat }),
    update: handler(changeKey, { status: 200, body: toApiKey }),
    revoke: handler(revokeKey, { status: 204 }),
    rotate: handler(rotateKey, { status: 201, body: toCreatedApiKey, isOnce: true, repeat })
  })
)
