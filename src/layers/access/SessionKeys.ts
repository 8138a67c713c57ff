import { Effect, Option, Schema } from "effect"
import { MINUTE_MILLIS } from "../../domain/Instant.ts"
import type { TrustedIssuer } from "../../services/access/SessionIssuers.ts"
import { SigningKeys } from "../../services/access/SigningKeys.ts"
import { ProviderHttp } from "../providers/ProviderHttp.ts"
import { makeKeySet, type PublishedKeys } from "./KeySet.ts"

const OWN_MAX_AGE_MILLIS = MINUTE_MILLIS
const OWN_PAUSE_MILLIS = 3000
const EXTERNAL_MAX_AGE_MILLIS = 600_000
const EXTERNAL_PAUSE_MILLIS = 30_000
const FETCH_TIMEOUT_MILLIS = 5000
const MAX_KEYS = 100

/** Keys for the accepted algorithms; others can be published next to them. */
const VerificationKey = Schema.Struct({
  kty: Schema.Literals(["OKP", "EC"]),
  crv: Schema.Literals(["Ed25519", "P-256"]),
  x: Schema.String,
  y: Schema.optionalKey(Schema.String),
  kid: Schema.optionalKey(Schema.String),
  alg: Schema.optionalKey(Schema.String),
  use: Schema.optionalKey(Schema.String),
  key_ops: Schema.optionalKey(Schema.mutable(Schema.Array(Schema.String)))
})
const KeySetBody = Schema.Struct({ keys: Schema.Array(Schema.Unknown) })

const decodeKey = Schema.decodeUnknownOption(VerificationKey)
const decodeBody = Schema.decodeUnknownOption(KeySetBody)

const published = (body: unknown): Option.Option<PublishedKeys> =>
  Option.map(decodeBody(body), ({ keys }) => ({
    keys: keys.slice(0, MAX_KEYS).flatMap((key) => Option.toArray(decodeKey(key)))
  }))

/** The keys of our own tokens. */
export const ownKeys = Effect.flatMap(SigningKeys, ({ publicKeys }) =>
  makeKeySet({
    read: Effect.map(publicKeys, (keys) => published({ keys })),
    maxAgeMillis: OWN_MAX_AGE_MILLIS,
    pauseMillis: OWN_PAUSE_MILLIS
  })
)

/** The keys of another issuer, from its JWKS address. */
export const externalKeys = Effect.fnUntraced(function* ({ jwksUrl }: TrustedIssuer) {
  const http = yield* ProviderHttp
  const call = http.call({ method: "GET", url: jwksUrl, reach: "any", timeoutMillis: FETCH_TIMEOUT_MILLIS })
  const read = Effect.gen(function* () {
    const { status, json } = yield* call
    const keys = status === 200 ? published(json) : Option.none<PublishedKeys>()
    if (Option.isNone(keys)) yield* Effect.logWarning(`the JWKS cannot be used: its status is ${status}`)
    return keys
  }).pipe(
    Effect.catch(({ reason }) =>
      Effect.as(Effect.logWarning(`the JWKS cannot be read: ${reason}`), Option.none<PublishedKeys>())
    )
  )
  return yield* makeKeySet({
    read,
    maxAgeMillis: EXTERNAL_MAX_AGE_MILLIS,
    pauseMillis: EXTERNAL_PAUSE_MILLIS
  })
})
