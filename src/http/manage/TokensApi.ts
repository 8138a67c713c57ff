import { Redacted, Schema } from "effect"
import { Timestamp } from "../../domain/Fields.ts"
import { formatInstant, formatNullableInstant, type Instant } from "../../domain/Instant.ts"
import { apiKeyStatus } from "../../domain/ApiKey.ts"
import type { TokenRecord } from "../../domain/PersonalToken.ts"
import { Scope } from "../../domain/user/Actor.ts"
import {
  type CreatedToken,
  createToken,
  NewTokenBody,
  revokeToken,
  Tokens
} from "../../services/key/Tokens.ts"
import { creating, handlersOf, listing, manageGroup, notFound, reading, removing } from "./Endpoints.ts"
import { found, handler, listed, withEnd } from "./Handlers.ts"
import { PathId, pageQuery } from "./ManageWire.ts"

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

export class TokensGroup extends manageGroup(
  "tokens",
  "/v1/manage/tokens",
  { title: "Management: personal access tokens" },
  listing(TokenResource, "List personal access tokens, the newest first", pageQuery("tokens")),
  creating(
    NewTokenBody,
    CreatedTokenResource,
    "Create a personal access token; its secret is returned only once. For owners"
  ),
  reading(PathId, TokenResource, "Read a personal access token"),
  removing("revoke", "Revoke a personal access token. For owners", [notFound])
) {}

export const TokensHandlers = handlersOf(TokensGroup, (handlers) =>
  handlers.handleAll({
    list: listed(
      "tokens",
      (customerId, page) => Tokens.use((tokens) => tokens.list(customerId, page)),
      toToken
    ),
    read: found(Tokens, toToken),
    create: handler(createToken, {
      status: 201,
      body: toCreatedToken,
      isOnce: true,
      repeat: withEnd(Tokens, toToken)
    }),
    revoke: handler(revokeToken, { status: 204 })
  })
)
