import { Redacted, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Timestamp } from "../../domain/Fields.ts"
import { formatInstant, formatNullableInstant, type Instant } from "../../domain/Instant.ts"
import { KeyMode } from "../../domain/customer/Customer.ts"
import { type ApiKeyRecord, apiKeyStatus } from "../../domain/key/ApiKey.ts"
import { OptionalIdempotencyKey, OptionalJson, RequireJson } from "../RequestGuards.ts"
import { ManageAuth } from "../wire/ManageAuth.ts"
import {
  changed,
  conflict,
  id,
  invalid,
  keyErrors,
  notFound,
  pageOf,
  pageQuery,
  PathId,
  reading,
  summary
} from "../wire/ManageWire.ts"
import { NoUndeclaredInput, undeclaredBodyErrors } from "../wire/UndeclaredInput.ts"
import { ApiKeyChange, KeyRotation, NewApiKey } from "../../services/key/KeyActions.ts"
import type { CreatedKey } from "../../services/key/Keys.ts"

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

export const toCreatedApiKey = ({ record, secret }: CreatedKey, now: Instant) => ({
  ...toApiKey(record, now),
  secret: Redacted.value(secret)
})

export class ApiKeysGroup extends HttpApiGroup.make("api-keys")
  .add(
    HttpApiEndpoint.get("list", "/", {
      query: {
        ...pageQuery("api_keys"),
        mode: Schema.optionalKey(KeyMode),
        status: Schema.optionalKey(ApiKeyResource.fields.status)
      },
      success: pageOf(ApiKeyResource),
      error: invalid
    }).annotateMerge(summary("List service keys, the newest first")),
    HttpApiEndpoint.post("create", "/", {
      payload: NewApiKey,
      success: CreatedApiKey.pipe(HttpApiSchema.status(201)),
      error: keyErrors
    })
      .annotateMerge(summary("Create a service key; its secret is returned only once"))
      .middleware(RequireJson)
      .middleware(OptionalIdempotencyKey),
    reading(PathId, ApiKeyResource, "Read a service key"),
    HttpApiEndpoint.patch("update", "/:id", {
      params: id,
      payload: ApiKeyChange,
      success: ApiKeyResource,
      error: [notFound, changed]
    })
      .annotateMerge(summary("Change a service key; If-Match guards against others"))
      .middleware(RequireJson),
    HttpApiEndpoint.delete("revoke", "/:id", {
      params: id,
      success: HttpApiSchema.Empty(204),
      error: [...undeclaredBodyErrors, notFound, changed]
    }).annotateMerge(summary("Revoke a service key")),
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
  )
  .prefix("/v1/manage/api-keys")
  .middleware(NoUndeclaredInput)
  .middleware(ManageAuth)
  .annotateMerge(OpenApi.annotations({ title: "Management: service keys" })) {}
