import { Clock, Effect, Layer, Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { calculateJwkThumbprint, type CryptoKey, exportJWK, generateKeyPair, importJWK, SignJWT } from "jose"
import { HOUR_MILLIS } from "../../domain/Instant.ts"
import { MasterKey } from "../crypto/Crypto.ts"
import { rowsOf, timestamp } from "../postgres/SqlRows.ts"
import { type SigningKey, SigningKeys } from "../../services/user/Sessions.ts"

const ALGORITHM = "EdDSA"
/** Longer than any token that the key has signed. */
const TRUSTED_AFTER_MILLIS = HOUR_MILLIS
/** Keeps two processes from creating the first key, or the next, at once. */
const CREATION_LOCK = 1_885_698_414

const Jwk = Schema.Record(Schema.String, Schema.Unknown)

const PrivateRow = Schema.Struct({ id: Schema.String, sealedPrivateJwk: Schema.Uint8Array })
const PublicRow = Schema.Struct({ publicJwk: Jwk })

const decodeJwk = Schema.decodeUnknownOption(Schema.fromJsonString(Jwk))

/** Without the schema's error, which would repeat the key. */
const readJwk = (text: string) =>
  Effect.fromOption(decodeJwk(text)).pipe(Effect.catch(() => Effect.die("a signing key is no JSON object")))

const contextOf = (id: string): string => `signing_keys:${id}`

const makeKey = Effect.promise(async () => {
  const { privateKey, publicKey } = await generateKeyPair(ALGORITHM, { crv: "Ed25519", extractable: true })
  const publicJwk = await exportJWK(publicKey)
  return {
    id: await calculateJwkThumbprint(publicJwk),
    publicJwk,
    privateJwk: await exportJWK(privateKey)
  }
})

export const SigningKeysSql = Layer.effect(
  SigningKeys,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const masterKey = yield* MasterKey
    const privateRows = rowsOf(PrivateRow)
    const publicRows = rowsOf(PublicRow)

    const newest = Effect.map(
      privateRows(sql`
        select id, sealed_private_jwk as "sealedPrivateJwk" from signing_keys
        where retires_at is null order by created_at desc, id limit 1`),
      ([row]) => row
    )

    const create = Effect.gen(function* () {
      const { id, publicJwk, privateJwk } = yield* makeKey
      const now = yield* Clock.currentTimeMillis
      const published = { ...publicJwk, kid: id, alg: ALGORITHM, use: "sig" }
      const sealed = masterKey.seal("signing-key", contextOf(id), JSON.stringify(privateJwk))
      yield* sql`
        update signing_keys set retires_at = ${timestamp(now + TRUSTED_AFTER_MILLIS)} where retires_at is null`
      yield* sql`
        insert into signing_keys (id, algorithm, public_jwk, sealed_private_jwk, created_at)
        values (${id}, ${ALGORITHM}, ${JSON.stringify(published)}::jsonb, ${sealed}, ${timestamp(now)})`
      const key: SigningKey = { id, algorithm: ALGORITHM, createdAt: now }
      return key
    })

    /** As a part of a transaction. */
    const oneAtATime = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
      Effect.andThen(sql`select pg_advisory_xact_lock(${CREATION_LOCK})`, effect)

    const firstKey = Effect.filterOrElse(
      newest,
      (known) => known !== undefined,
      () => Effect.andThen(create, newest)
    ).pipe(oneAtATime, sql.withTransaction, Effect.orDie)

    let imported: { readonly id: string; readonly key: CryptoKey } | undefined

    /** Read for each token, because another process may have created another key; opened once. */
    const currentKey = Effect.gen(function* () {
      const row = (yield* newest) ?? (yield* firstKey)
      if (row === undefined) return yield* Effect.die("a signing key was made and is not there")
      if (imported?.id === row.id) return imported
      const jwk = yield* readJwk(masterKey.open("signing-key", contextOf(row.id), row.sealedPrivateJwk))
      const key = yield* Effect.promise(() => importJWK(jwk, ALGORITHM))
      if (key instanceof Uint8Array) return yield* Effect.die("a signing key is no key pair")
      imported = { id: row.id, key }
      return imported
    })

    return SigningKeys.of({
      sign: Effect.fnUntraced(function* (claims) {
        const { id, key } = yield* currentKey
        const header = { alg: ALGORITHM, kid: id, typ: "JWT" }
        const jwt = yield* Effect.promise(() => new SignJWT(claims).setProtectedHeader(header).sign(key))
        return Redacted.make(jwt)
      }),

      publicKeys: Effect.gen(function* () {
        const now = timestamp(yield* Clock.currentTimeMillis)
        const rows = yield* publicRows(sql`
          select public_jwk as "publicJwk" from signing_keys
          where retires_at is null or retires_at > ${now} order by created_at desc, id`)
        return rows.map(({ publicJwk }) => publicJwk)
      }),

      rotate: Effect.orDie(oneAtATime(create))
    })
  })
)
