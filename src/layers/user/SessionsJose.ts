import { Clock, DateTime, Effect, Layer, Option, Redacted, Schema, Semaphore } from "effect"
import { SqlClient } from "effect/sql"
import {
  type CompactJWSHeaderParameters,
  createLocalJWKSet,
  type CryptoKey,
  decodeJwt,
  decodeProtectedHeader,
  type JWK,
  jwtVerify
} from "jose"
import { Unauthenticated } from "../../domain/Errors.ts"
import { MINUTE_MILLIS } from "../../domain/Instant.ts"
import { instantOf } from "../../domain/Paging.ts"
import { isUuid } from "../../domain/Uuid.ts"
import { type Actor, Role } from "../../domain/user/Actor.ts"
import {
  CLOCK_TOLERANCE_SECONDS,
  externalActor,
  isTimely,
  SESSION_ALGORITHMS,
  SessionClaims,
  userActor
} from "../../domain/user/Sessions.ts"
import { factorConditions } from "./SecondFactorsSql.ts"
import { rowsOf } from "../postgres/SqlRows.ts"
import { cachedLookup } from "../postgres/SetUpCache.ts"
import { ProviderHttp } from "../provider/ProviderHttp.ts"
import { SessionIssuers, Sessions, SigningKeys, type TrustedIssuer } from "../../services/user/Sessions.ts"

/** Keys as their owner publishes them. */
export interface PublishedKeys {
  readonly keys: ReadonlyArray<JWK>
}

interface KeySetOptions<R> {
  /** None if they cannot be read; then the last ones stay. */
  readonly read: Effect.Effect<Option.Option<PublishedKeys>, never, R>
  /** Older keys are read again. */
  readonly maxAgeMillis: number
  /** An unknown key causes a read at most this often. */
  readonly pauseMillis: number
}

interface Loaded {
  readonly ids: ReadonlySet<string>
  readonly resolve: ReturnType<typeof createLocalJWKSet>
}

const load = ({ keys }: PublishedKeys): Option.Option<Loaded> => {
  try {
    const ids = new Set(keys.flatMap(({ kid }) => (kid === undefined ? [] : [kid])))
    return Option.some({ ids, resolve: createLocalJWKSet({ keys: [...keys] }) })
  } catch {
    return Option.none()
  }
}

type KeyOf = (header: CompactJWSHeaderParameters) => Effect.Effect<CryptoKey, Unauthenticated>

/** The keys of an issuer, cached in this process: no token causes more reads than others. */
export const makeKeySet = Effect.fnUntraced(function* <R>({
  read,
  maxAgeMillis,
  pauseMillis
}: KeySetOptions<R>) {
  const services = yield* Effect.context<R>()
  const reading = yield* Semaphore.make(1)
  let current: Loaded | null = null
  let loadedAt = Number.NEGATIVE_INFINITY
  let triedAt = Number.NEGATIVE_INFINITY
  let missedAt = Number.NEGATIVE_INFINITY

  const reload = Effect.gen(function* () {
    const published = Option.flatMap(yield* read, load)
    triedAt = yield* Clock.currentTimeMillis
    if (Option.isNone(published)) return
    current = published.value
    loadedAt = triedAt
  })

  /** Whether it is time to read, for a token that names this key. It is noted, so that one token reads for all. */
  const isDue = (id: string | undefined, now: number): boolean => {
    if (now - loadedAt >= maxAgeMillis) return now - triedAt >= pauseMillis
    if (id === undefined || current?.ids.has(id) === true || now - missedAt < pauseMillis) return false
    missedAt = now
    return true
  }

  const refresh = (id: string | undefined) =>
    reading.withPermit(
      Effect.flatMap(Clock.currentTimeMillis, (now) => (isDue(id, now) ? reload : Effect.void))
    )

  /** Most tokens find a fresh key and do not wait. */
  const needsRefresh = (id: string | undefined, now: number): boolean =>
    now - loadedAt >= maxAgeMillis || (id !== undefined && current?.ids.has(id) !== true)

  const keyOf: KeyOf = Effect.fnUntraced(function* (header) {
    const now = yield* Clock.currentTimeMillis
    if (needsRefresh(header.kid, now)) yield* Effect.provideContext(refresh(header.kid), services)
    const keys = current
    if (keys === null) return yield* new Unauthenticated()
    return yield* Effect.tryPromise({ try: () => keys.resolve(header), catch: () => new Unauthenticated() })
  })
  return keyOf
})

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
const ownKeys = Effect.flatMap(SigningKeys, ({ publicKeys }) =>
  makeKeySet({
    read: Effect.map(publicKeys, (keys) => published({ keys })),
    maxAgeMillis: OWN_MAX_AGE_MILLIS,
    pauseMillis: OWN_PAUSE_MILLIS
  })
)

/** The keys of another issuer, from its JWKS address. */
const externalKeys = Effect.fnUntraced(function* ({ jwksUrl }: TrustedIssuer) {
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

const MAX_LENGTH = 8192
const REQUIRED = ["iss", "aud", "sub", "exp", "iat", "jti"]

const UserOfSession = Schema.Struct({
  id: Schema.String,
  customerId: Schema.Int,
  name: Schema.String,
  role: Role
})
const CustomerRow = Schema.Struct({ id: Schema.Int })

const unauthenticated = () => new Unauthenticated()

/** An issuer whose tokens are accepted. */
interface Issuer {
  readonly audience: string
  readonly keyOf: KeyOf
  readonly actorOf: (claims: SessionClaims) => Effect.Effect<Actor, Unauthenticated>
}

const decodeClaims = Schema.decodeUnknownEffect(SessionClaims)

/** The claims before they are verified: enough to find the key that verifies them. */
const unproven = (jwt: string) =>
  Effect.try({
    try: () => {
      const { iss } = decodeJwt(jwt)
      const { alg, kid } = decodeProtectedHeader(jwt)
      return { iss, header: { alg: String(alg), ...(kid === undefined ? {} : { kid }) } }
    },
    catch: unauthenticated
  })

/**
 * Peyk's own users by their session; none if the session ended, the user is disabled, or must set up a second factor first. Not cached, so it applies at
 * once.
 */
const findUsers = Effect.map(SqlClient.SqlClient, (sql) => {
  const userRows = rowsOf(UserOfSession)
  const { mustEnrol } = factorConditions(sql, false)
  return Effect.fnUntraced(function* (sessionId: string) {
    if (!isUuid(sessionId)) return yield* new Unauthenticated()
    const [row] = yield* userRows(sql`
      select u.id, u.customer_id as "customerId", u.name, u.role from users u
      where u.disabled_at is null and not ${mustEnrol}
        and u.id = (select user_id from refresh_tokens where family = ${sessionId}::uuid limit 1)
        and not exists (
          select from refresh_tokens where family = ${sessionId}::uuid and revoked_at is not null)`)
    return row ?? (yield* new Unauthenticated())
  })
})

const ownIssuer = Effect.gen(function* () {
  const { audience } = yield* SessionIssuers
  const userOf = yield* findUsers
  const issuer: Issuer = {
    audience,
    keyOf: yield* ownKeys,
    actorOf: Effect.fnUntraced(function* ({ sid = "", sub, customer_id, scope }) {
      const user = yield* userOf(sid)
      return user.id === sub && user.customerId === customer_id
        ? { ...userActor(user, scope, sid), signedInAt: instantOf(sid) }
        : yield* new Unauthenticated()
    })
  }
  return issuer
})

const externalIssuer = Effect.gen(function* () {
  const { external } = yield* SessionIssuers
  if (external === null) return null
  const sql = yield* SqlClient.SqlClient
  const customerRows = rowsOf(CustomerRow)
  const customers = yield* cachedLookup(
    Effect.fnUntraced(function* (id: number) {
      const [row] = yield* customerRows(sql`select id from customers where id = ${id}`)
      return row ?? (yield* new Unauthenticated())
    })
  )
  const issuer: Issuer = {
    audience: external.audience,
    keyOf: yield* externalKeys(external),
    actorOf: (claims) => Effect.as(customers.get(claims.customer_id), externalActor(claims))
  }
  return issuer
})

export const SessionsJose = Layer.effect(
  Sessions,
  Effect.gen(function* () {
    const { own, external } = yield* SessionIssuers
    const issuers = new Map<string, Issuer>()
    const other = yield* externalIssuer
    if (external !== null && other !== null) issuers.set(external.issuer, other)
    issuers.set(own, yield* ownIssuer)

    const verify = Effect.fnUntraced(function* (
      jwt: string,
      issuer: string,
      key: CryptoKey,
      audience: string
    ) {
      const now = yield* Clock.currentTimeMillis
      const { payload } = yield* Effect.tryPromise({
        try: () =>
          jwtVerify(jwt, key, {
            algorithms: [...SESSION_ALGORITHMS],
            issuer,
            audience,
            requiredClaims: REQUIRED,
            clockTolerance: CLOCK_TOLERANCE_SECONDS,
            currentDate: DateTime.toDateUtc(DateTime.makeUnsafe(now))
          }),
        catch: unauthenticated
      })
      const claims = yield* Effect.mapError(decodeClaims(payload), unauthenticated)
      return isTimely(claims, now) ? claims : yield* new Unauthenticated()
    })

    return Sessions.of({
      authenticate: Effect.fnUntraced(function* (redacted) {
        const jwt = Redacted.value(redacted)
        if (jwt.length > MAX_LENGTH) return yield* new Unauthenticated()
        const { iss, header } = yield* unproven(jwt)
        const issuer = issuers.get(iss ?? "")
        if (iss === undefined || issuer === undefined) return yield* new Unauthenticated()
        if (!SESSION_ALGORITHMS.some((algorithm) => algorithm === header.alg))
          return yield* new Unauthenticated()
        const key = yield* issuer.keyOf(header)
        return yield* issuer.actorOf(yield* verify(jwt, iss, key, issuer.audience))
      })
    })
  })
)
