import { Effect, Layer, Option, Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { createHmac } from "node:crypto"
import type { Instant } from "../../domain/Instant.ts"
import {
  isOfferOpen,
  RECOVERY_CODE_BYTES,
  RECOVERY_CODES,
  recoveryCode
} from "../../domain/user/SecondFactor.ts"
import {
  APP_KEY_BYTES,
  base32,
  bytesOfBase32,
  type CodeAt,
  codeIn,
  counterOf
} from "../../domain/user/Totp.ts"
import { hashSecret, type KeyPurpose, MasterKey } from "../crypto/Crypto.ts"
import { first, InstantColumn, rowsOf, timestamp } from "../postgres/SqlRows.ts"
import { FactorOffers, OperatorsNeedFactor, SecondFactors } from "../../services/user/SecondFactors.ts"

/** Conditions on the user `u`: they have a second factor, must have one, and may do nothing else before they have. */
export const factorConditions = (sql: SqlClient.SqlClient, operatorsNeedFactor: boolean) => {
  const isProtected = sql.literal(`(exists (select from authenticator_apps a where a.user_id = u.id)
    or exists (select from passkeys p where p.user_id = u.id))`)
  const isRequired = sql`(case when u.role = 'operator' then ${operatorsNeedFactor}::boolean
    else (select c.second_factor_required from customers c where c.id = u.customer_id) end)`
  return { isProtected, isRequired, mustEnrol: sql`(${isRequired} and not ${isProtected})` }
}

const codesOf = (key: Redacted.Redacted): CodeAt => {
  const bytes = bytesOfBase32(Redacted.value(key))
  return (step) => codeIn(createHmac("sha1", bytes).update(counterOf(step)).digest())
}

const AppRow = Schema.Struct({ sealedKey: Schema.Uint8Array, lastStep: Schema.Int, createdAt: InstantColumn })
const PasskeyRow = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  publicKey: Schema.Uint8Array,
  counter: Schema.Number,
  transports: Schema.Array(Schema.String),
  createdAt: InstantColumn,
  lastUsedAt: Schema.NullOr(InstantColumn)
})
const StateRow = Schema.Struct({
  appSince: Schema.NullOr(InstantColumn),
  recoveryCodes: Schema.Int,
  isRequired: Schema.Boolean
})
const DoneRow = Schema.Struct({ done: Schema.Boolean })
const NameRow = Schema.Struct({ name: Schema.String })

const contextOf = (userId: string): string => `authenticator_apps:${userId}`

export const SecondFactorsSql = Layer.effect(
  SecondFactors,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const random = yield* SecureRandom.SecureRandom
    const masterKey = yield* MasterKey
    const { isRequired } = factorConditions(sql, yield* OperatorsNeedFactor)
    const stateRows = rowsOf(StateRow)
    const appRows = rowsOf(AppRow)
    const passkeyRows = rowsOf(PasskeyRow)
    const doneRows = rowsOf(DoneRow)
    const nameRows = rowsOf(NameRow)
    const run = (statement: Effect.Effect<unknown, unknown>) => Effect.asVoid(Effect.orDie(statement))
    const isDone = (statement: Parameters<typeof doneRows>[0]) =>
      Effect.map(doneRows(statement), (rows) => rows.length > 0)

    const passkeys = (userId: string) =>
      passkeyRows(sql`
        select id, name, public_key as "publicKey", counter::float8 as counter, transports,
          created_at as "createdAt", last_used_at as "lastUsedAt"
        from passkeys where user_id = ${userId}::uuid order by created_at, id`)

    return SecondFactors.of({
      passkeys,

      stateOf: Effect.fnUntraced(function* (userId) {
        const [row] = yield* stateRows(sql`
          select a.created_at as "appSince", coalesce(${isRequired}, false) as "isRequired",
            (select count(*)::int from recovery_codes r where r.user_id = u.id) as "recoveryCodes"
          from users u left join authenticator_apps a on a.user_id = u.id where u.id = ${userId}::uuid`)
        if (row === undefined) return yield* Effect.die("second factors of nobody")
        return { ...row, passkeys: yield* passkeys(userId) }
      }),

      app: (userId) =>
        first(
          Effect.map(
            appRows(sql`
              select sealed_key as "sealedKey", last_step as "lastStep", created_at as "createdAt"
              from authenticator_apps where user_id = ${userId}::uuid`),
            (rows) =>
              rows.map(({ sealedKey, ...app }) => ({
                ...app,
                codeAt: codesOf(Redacted.make(masterKey.open("second-factor", contextOf(userId), sealedKey)))
              }))
          )
        ),

      useStep: (userId, { createdAt }, step) =>
        isDone(sql`
          update authenticator_apps set last_step = ${step}
          where user_id = ${userId}::uuid and created_at = ${timestamp(createdAt)} and last_step < ${step}
          returning true as done`),

      saveApp: (userId, key, step, now) =>
        run(sql`
          insert into authenticator_apps (user_id, sealed_key, last_step, created_at)
          values (${userId}::uuid, ${masterKey.seal("second-factor", contextOf(userId), Redacted.value(key))}::bytea,
            ${step}, ${timestamp(now)})
          on conflict (user_id) do update set sealed_key = excluded.sealed_key, last_step = excluded.last_step,
            created_at = excluded.created_at`),

      removeApp: (userId) => run(sql`delete from authenticator_apps where user_id = ${userId}::uuid`),

      addPasskey: (userId, { id, publicKey, counter, transports }, name, now) =>
        isDone(sql`
          insert into passkeys (id, user_id, name, public_key, counter, transports, created_at)
          values (${id}, ${userId}::uuid, ${name}, ${Buffer.from(publicKey)}::bytea, ${counter}::float8::bigint,
            ${[...transports]}::text[], ${timestamp(now)})
          on conflict (id) do nothing returning true as done`),

      usePasskey: (userId, { id, counter: before }, counter, now) =>
        isDone(sql`
          update passkeys set counter = ${counter}::float8::bigint, last_used_at = ${timestamp(now)}
          where id = ${id} and user_id = ${userId}::uuid and counter = ${before}::float8::bigint
          returning true as done`),

      removePasskey: (userId, id) =>
        first(
          Effect.map(
            nameRows(sql`delete from passkeys where id = ${id} and user_id = ${userId}::uuid returning name`),
            (rows) => rows.map(({ name }) => name)
          )
        ),

      useRecoveryCode: (userId, code) =>
        isDone(sql`
          delete from recovery_codes where user_id = ${userId}::uuid and code_hash = ${hashSecret(code)}::bytea
          returning true as done`),

      newRecoveryCodes: Effect.fnUntraced(function* (userId, now) {
        const bytes = yield* random.randomBytes(RECOVERY_CODES * RECOVERY_CODE_BYTES)
        const codes = Array.from({ length: RECOVERY_CODES }, (_, index) =>
          recoveryCode(bytes.subarray(index * RECOVERY_CODE_BYTES, (index + 1) * RECOVERY_CODE_BYTES))
        )
        yield* run(sql`
          with earlier as (delete from recovery_codes where user_id = ${userId}::uuid)
          insert into recovery_codes (user_id, code_hash, created_at)
          select ${userId}::uuid, hash, ${timestamp(now)}::timestamptz
          from unnest(${codes.map(hashSecret)}::bytea[]) as hash`)
        return codes
      }),

      clear: (userId) =>
        run(sql`
          with apps as (delete from authenticator_apps where user_id = ${userId}::uuid),
            codes as (delete from recovery_codes where user_id = ${userId}::uuid)
          delete from passkeys where user_id = ${userId}::uuid`)
    })
  })
)

const CHALLENGE_BYTES = 32

const Offer = Schema.fromJsonString(Schema.Struct({ secret: Schema.String, madeAt: Schema.Int }))
const decodeOffer = Schema.decodeUnknownOption(Offer)

/** Seals what a form carries: nothing of it is stored, and nobody can make one, or change its user. */
export const FactorOffersSealed = Layer.effect(
  FactorOffers,
  Effect.gen(function* () {
    const masterKey = yield* MasterKey
    const random = yield* SecureRandom.SecureRandom
    const PURPOSE: KeyPurpose = "second-factor-offer"

    const seal = (kind: string, userId: string, secret: string, madeAt: Instant) =>
      masterKey
        .seal(PURPOSE, `${kind}:${userId}`, JSON.stringify({ secret, madeAt }))
        .toBase64({ alphabet: "base64url", omitPadding: true })

    const open = (kind: string, userId: string, sealed: string, now: Instant): Option.Option<string> => {
      try {
        const text = masterKey.open(PURPOSE, `${kind}:${userId}`, Buffer.from(sealed, "base64url"))
        return decodeOffer(text).pipe(
          Option.filter(({ madeAt }) => isOfferOpen(madeAt, now)),
          Option.map(({ secret }) => secret)
        )
      } catch {
        return Option.none()
      }
    }

    const offered = (key: string) => ({ key: Redacted.make(key), codeAt: codesOf(Redacted.make(key)) })

    return FactorOffers.of({
      newApp: (userId, now) =>
        Effect.map(random.randomBytes(APP_KEY_BYTES), (bytes) => {
          const key = base32(bytes)
          return { ...offered(key), sealed: seal("app", userId, key, now) }
        }),
      openApp: (userId, sealed, now) => Option.map(open("app", userId, sealed, now), offered),
      newChallenge: (userId, now) =>
        Effect.map(random.randomBytes(CHALLENGE_BYTES), (bytes) => {
          const challenge = Buffer.from(bytes).toString("base64url")
          return { challenge, sealed: seal("passkey", userId, challenge, now) }
        }),
      openChallenge: (userId, sealed, now) => open("passkey", userId, sealed, now)
    })
  })
)
