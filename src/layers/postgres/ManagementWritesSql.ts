import { type Cause, Clock, Effect, Layer, Option, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { IdempotencyKeyConflict } from "../../domain/Errors.ts"
import type { Actor } from "../../domain/user/Actor.ts"
import { MasterKey } from "../crypto/Crypto.ts"
import { isRace, lockCustomer, rowsOf, timestamp } from "./SqlRows.ts"
import {
  type AuditEntry,
  type Change,
  ManagementWrites,
  type WriteResponse,
  type WriteRequest
} from "../../services/ManagementWrites.ts"
import { Idempotency, type IdempotencyClaim } from "../../services/customer/Idempotency.ts"

const ResponseRow = Schema.Struct({
  fingerprint: Schema.Uint8Array,
  status: Schema.NullOr(Schema.Int),
  sealedBody: Schema.NullOr(Schema.Uint8Array),
  isMakers: Schema.Boolean
})
const ClaimRow = Schema.Struct({ claimed: Schema.Boolean })

const isSame = (a: Uint8Array, b: Uint8Array): boolean => Buffer.from(a).equals(b)

/** PostgreSQL detects a deadlock after a second. */
const MAX_RACES = 5

const isRaceIn = ({ reasons }: Cause.Cause<unknown>): boolean =>
  reasons.some((reason) =>
    reason._tag === "Fail" ? isRace(reason.error) : reason._tag === "Die" && isRace(reason.defect)
  )

/** A transaction that lost a race, to a delivery or another change, has stored nothing: it is repeated. */
const retryRaces = <A, E, R>(transaction: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.sandbox(transaction).pipe(
    Effect.retry({ while: isRaceIn, times: MAX_RACES }),
    Effect.catch((cause) => Effect.failCause(cause))
  )

export const ManagementWritesSql = Layer.effect(
  ManagementWrites,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const random = yield* SecureRandom.SecureRandom
    const masterKey = yield* MasterKey
    const idempotency = yield* Idempotency
    const responseRows = rowsOf(ResponseRow)
    const claimRows = rowsOf(ClaimRow)

    const contextOf = ({ actor, operation }: WriteRequest, key: string): string =>
      `management_answers:${actor.customerId}:${operation}:${key}`

    /** Waits for another request with the key: its transaction leaves either a response or nothing. */
    const claim = Effect.fnUntraced(function* (
      { actor, operation }: WriteRequest,
      claimed: IdempotencyClaim
    ) {
      const now = timestamp(yield* Clock.currentTimeMillis)
      const rows = yield* claimRows(sql`
        insert into management_answers as a (customer_id, operation, key, fingerprint, expires_at, actor_kind, actor_id,
          session_id)
        values (${actor.customerId}, ${operation}, ${claimed.key}, ${claimed.fingerprint}::bytea,
          ${timestamp(claimed.expiresAt)}, ${actor.kind}, ${actor.id}, ${actor.sessionId ?? null}::uuid)
        on conflict (customer_id, operation, key) do update set fingerprint = excluded.fingerprint, status = null,
          sealed_body = null, expires_at = excluded.expires_at, actor_kind = excluded.actor_kind,
          actor_id = excluded.actor_id, session_id = excluded.session_id
        where a.expires_at <= ${now}
        returning true as claimed`)
      return rows.length === 1
    })

    /** A condition on a response `a`: this actor made the request, with a credential that was not revoked since. */
    const isMakers = ({ kind, id }: Actor) => {
      const isSameActor = sql`a.actor_kind = ${kind} and a.actor_id = ${id}`
      switch (kind) {
        case "token":
          return sql`${isSameActor} and exists (
            select from personal_tokens t where t.id = ${Number(id)} and t.revoked_at is null)`
        case "user":
          return sql`${isSameActor} and not exists (
            select from refresh_tokens r where r.family = a.session_id and r.revoked_at is not null)`
        default:
          return isSameActor
      }
    }

    const find = Effect.fnUntraced(function* (request: WriteRequest, claimed: IdempotencyClaim) {
      const now = timestamp(yield* Clock.currentTimeMillis)
      const [row] = yield* responseRows(sql`
        select fingerprint, status, sealed_body as "sealedBody", coalesce(${isMakers(request.actor)}, false) as "isMakers"
        from management_answers a
        where customer_id = ${request.actor.customerId} and operation = ${request.operation}
          and key = ${claimed.key} and expires_at > ${now}`)
      if (row === undefined || row.status === null || row.sealedBody === null) {
        return Option.none<WriteResponse>()
      }
      if (!row.isMakers || !isSame(row.fingerprint, claimed.fingerprint))
        return yield* new IdempotencyKeyConflict()
      const body: unknown = JSON.parse(
        masterKey.open("management-answer", contextOf(request, claimed.key), row.sealedBody)
      )
      return Option.some<WriteResponse>({ status: row.status, body, replayed: true })
    })

    const replay = (request: WriteRequest, claimed: IdempotencyClaim) =>
      Effect.flatMap(
        find(request, claimed),
        Option.match({
          onNone: () => Effect.die("an idempotency key was claimed and nothing answered"),
          onSome: (response) => Effect.succeed(response)
        })
      )

    const keep = (request: WriteRequest, claimed: IdempotencyClaim, body: unknown) =>
      Effect.orDie(
        Effect.asVoid(sql`
          update management_answers set status = ${request.status}, sealed_body = ${masterKey.seal(
            "management-answer",
            contextOf(request, claimed.key),
            JSON.stringify(body ?? null)
          )}
          where customer_id = ${request.actor.customerId} and operation = ${request.operation}
            and key = ${claimed.key}`)
      )

    const log = Effect.fnUntraced(function* (
      { actor, origin }: Pick<WriteRequest, "actor" | "origin">,
      {
        action,
        subjectType,
        subjectId,
        subjectName = null,
        details,
        previous = {},
        customerId = actor.customerId
      }: AuditEntry
    ) {
      const now = timestamp(yield* Clock.currentTimeMillis)
      yield* Effect.orDie(sql`
        insert into audit_log (customer_id, id, actor_kind, actor_id, actor_name, action, subject_type, subject_id,
          subject_name, details, previous, ip, user_agent, request_id, occurred_at)
        values (${customerId}, ${yield* random.uuidV7()}::uuid, ${actor.kind}, ${actor.id}, ${actor.name},
          ${action}, ${subjectType}, ${subjectId}, ${subjectName}, ${JSON.stringify(details)}::jsonb,
          ${JSON.stringify(previous)}::jsonb, ${origin.ip}, ${origin.userAgent}, ${origin.requestId}, ${now})`)
    })

    const inOneTransaction = <A, E, R>(change: Effect.Effect<A, E, R>) =>
      retryRaces(sql.withTransaction(change)).pipe(Effect.catchTag("SqlError", Effect.die))

    return ManagementWrites.of({
      lock: (customerId) => Effect.asVoid(lockCustomer(sql, customerId)),

      kept: Effect.fnUntraced(function* (request) {
        const claimed = yield* idempotency.claim(request.idempotency, yield* Clock.currentTimeMillis)
        return claimed === null ? Option.none() : yield* find(request, claimed)
      }),

      write: <E, R>(request: WriteRequest, change: Effect.Effect<Change, E, R>) => {
        const make = (claimed: IdempotencyClaim | null) =>
          Effect.gen(function* () {
            const made = yield* change
            yield* log(request, made.audit)
            if (claimed !== null) yield* keep(request, claimed, made.body)
            const response: WriteResponse = { status: request.status, body: made.body, replayed: false }
            return response
          })
        const once = Effect.gen(function* () {
          const claimed = yield* idempotency.claim(request.idempotency, yield* Clock.currentTimeMillis)
          if (claimed === null || (yield* claim(request, claimed))) return yield* make(claimed)
          return yield* replay(request, claimed)
        })
        return inOneTransaction(once)
      }
    })
  })
)
