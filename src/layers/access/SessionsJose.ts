import { Clock, DateTime, Effect, Layer, Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type CryptoKey, decodeJwt, decodeProtectedHeader, jwtVerify } from "jose"
import { instantOf } from "../../domain/Paging.ts"
import { isUuid } from "../../domain/Uuid.ts"
import { type Actor, Role } from "../../domain/user/Actor.ts"
import { Unauthenticated } from "../../domain/Errors.ts"
import {
  CLOCK_TOLERANCE_SECONDS,
  externalActor,
  isTimely,
  SESSION_ALGORITHMS,
  SessionClaims,
  userActor
} from "../../domain/user/Sessions.ts"
import { SessionIssuers } from "../../services/access/SessionIssuers.ts"
import { Sessions } from "../../services/access/Sessions.ts"
import { cachedLookup } from "../postgres/cache/CachedLookup.ts"
import { rowsOf } from "../postgres/SqlRows.ts"
import type { KeyOf } from "./KeySet.ts"
import { externalKeys, ownKeys } from "./SessionKeys.ts"

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
 * Peyk's own users by their session; none if the session ended or the user is disabled. Not cached, so it applies at
 * once.
 */
const findUsers = Effect.map(SqlClient.SqlClient, (sql) => {
  const userRows = rowsOf(UserOfSession)
  return Effect.fnUntraced(function* (sessionId: string) {
    if (!isUuid(sessionId)) return yield* new Unauthenticated()
    const [row] = yield* userRows(sql`
      select u.id, u.customer_id as "customerId", u.name, u.role from users u
      where u.disabled_at is null
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
