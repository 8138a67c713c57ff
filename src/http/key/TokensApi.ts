import { Redacted, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Timestamp } from "../../domain/Fields.ts"
import { formatInstant, formatNullableInstant, type Instant } from "../../domain/Instant.ts"
import { apiKeyStatus } from "../../domain/key/ApiKey.ts"
import type { TokenRecord } from "../../domain/key/PersonalToken.ts"
import { Scope } from "../../domain/user/Actor.ts"
import { RequireJson } from "../RequestGuards.ts"
import { ManageAuth } from "../wire/ManageAuth.ts"
import {
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
import { NewTokenBody } from "../../services/key/TokenActions.ts"
import type { CreatedToken } from "../../services/key/Tokens.ts"

const TokenResource = Schema.Struct({
  id: Schema.Int,
  name: Schema.String,
  scope: Scope,
  prefix: Schema.String,
  last_four: Schema.String,
  status: Schema.Literals(["active", "expired", "revoked"]),
  created_at: Timestamp,
  last_used_at: Schema.NullOr(Timestamp),
  expires_at: Schema.NullOr(Timestamp),
  revoked_at: Schema.NullOr(Timestamp)
}).annotate({ identifier: "PersonalAccessToken" })

const CreatedTokenResource = Schema.Struct({
  ...TokenResource.fields,
  secret: Schema.String.annotateKey({ description: "The token itself, returned only once." })
}).annotate({ identifier: "CreatedPersonalAccessToken" })

export const toToken = (token: TokenRecord, now: Instant) => ({
  id: token.id,
  name: token.name,
  scope: token.scope,
  prefix: token.prefix,
  last_four: token.lastFour,
  status: apiKeyStatus(token, now),
  created_at: formatInstant(token.createdAt),
  last_used_at: formatNullableInstant(token.lastUsedAt),
  expires_at: formatNullableInstant(token.expiresAt),
  revoked_at: formatNullableInstant(token.revokedAt)
})

export const toCreatedToken = ({ record, secret }: CreatedToken, now: Instant) => ({
  ...toToken(record, now),
  secret: Redacted.value(secret)
})

export class TokensGroup extends HttpApiGroup.make("tokens")
  .add(
    HttpApiEndpoint.get("list", "/", {
      query: pageQuery("tokens"),
      success: pageOf(TokenResource),
      error: invalid
    }).annotateMerge(summary("List personal access tokens, the newest first")),
    HttpApiEndpoint.post("create", "/", {
      payload: NewTokenBody,
      success: CreatedTokenResource.pipe(HttpApiSchema.status(201)),
      error: keyErrors
    })
      .annotateMerge(summary("Create a personal access token; its secret is returned only once. For owners"))
      .middleware(RequireJson),
    reading(PathId, TokenResource, "Read a personal access token"),
    HttpApiEndpoint.delete("revoke", "/:id", {
      params: id,
      success: HttpApiSchema.Empty(204),
      error: [...undeclaredBodyErrors, notFound]
    }).annotateMerge(summary("Revoke a personal access token. For owners"))
  )
  .prefix("/v1/manage/tokens")
  .middleware(NoUndeclaredInput)
  .middleware(ManageAuth)
  .annotateMerge(OpenApi.annotations({ title: "Management: personal access tokens" })) {}
