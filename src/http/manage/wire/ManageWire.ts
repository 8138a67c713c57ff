import { Clock, Effect, Option, Schema, SchemaTransformation } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { ScopeInsufficient, ValidationError } from "../../../domain/Errors.ts"
import type { Instant } from "../../../domain/Instant.ts"
import type { Page, PageRequest } from "../../../domain/Paging.ts"
import {
  type Change,
  ManagementWrites,
  type WriteAnswer,
  type WriteRequest
} from "../../../services/resources/ManagementWrites.ts"
import type { CodedError } from "../../errors/Envelope.ts"
import {
  cursorOf,
  decodeCursor,
  decodeNestedPosition,
  encodeCursor,
  encodeNestedPosition,
  type ListName,
  type ListParent,
  type NestedListName
} from "./Cursors.ts"
import { CurrentActor } from "../access/ManageAuth.ts"
import { problem } from "../../../domain/Problem.ts"

const DEFAULT_LIMIT = 20
const MAX_LIMIT = 100

/** The query of a list. */
export const pageQuery = (list: ListName) => ({
  limit: Schema.optionalKey(
    Schema.FiniteFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 1, maximum: MAX_LIMIT }))
  ).annotateKey({ description: `1 to ${MAX_LIMIT}, ${DEFAULT_LIMIT} if absent.` }),
  cursor: Schema.optionalKey(cursorOf(list)).annotateKey({ description: "next_cursor of the previous page." })
})

/** `{data, next_cursor}` */
export const pageOf = <S extends Schema.Top>(item: S) =>
  Schema.Struct({ data: Schema.Array(item), next_cursor: Schema.NullOr(Schema.String) })

export const pageRequest = (
  list: ListName,
  query: { readonly limit?: number; readonly cursor?: string }
): PageRequest => ({
  limit: query.limit ?? DEFAULT_LIMIT,
  after: query.cursor === undefined ? null : decodeCursor(list, query.cursor)
})

export const toWirePage = <A, B>(list: ListName, { items, next }: Page<A>, toWire: (item: A) => B) => ({
  data: items.map(toWire),
  next_cursor: next === null ? null : encodeCursor(list, next)
})

const otherCursor = new ValidationError({
  problems: [{ path: "query.cursor", problem: problem("other_cursor") }]
})

/** A part of the list of one parent. */
export const nestedPageRequest = (
  list: NestedListName,
  parent: ListParent,
  query: { readonly limit?: number; readonly cursor?: string }
): Effect.Effect<PageRequest, ValidationError> => {
  const { limit, after } = pageRequest(list, query)
  if (after === null) return Effect.succeed({ limit, after })
  const position = decodeNestedPosition(parent, after)
  return position === null ? Effect.fail(otherCursor) : Effect.succeed({ limit, after: position })
}

export const toNestedWirePage = <A, B>(
  list: NestedListName,
  parent: ListParent,
  { items, next }: Page<A>,
  toWire: (item: A) => B
) => toWirePage(list, { items, next: encodeNestedPosition(parent, next) }, toWire)

/** A number in a path; an invalid one matches nothing. */
export const PathId = Schema.String.pipe(
  Schema.decodeTo(
    Schema.Int,
    SchemaTransformation.transform({
      decode: (text: string) =>
        /^[1-9]\d{0,9}$/.test(text) && Number(text) <= 2_147_483_647 ? Number(text) : 0,
      encode: String
    })
  )
)

const ETAG = /^(?:W\/)?"(\d{1,9})"$/

const badPrecondition = new ValidationError({
  problems: [{ path: "headers.if-match", problem: problem("not_an_etag") }]
})

/** The version in `If-Match`; null if it is absent or accepts any. */
export const expectedVersion = Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) => {
  const given = headers["if-match"]
  if (given === undefined || given.trim() === "*") return Effect.succeed(null)
  const version = ETAG.exec(given.trim())?.[1]
  return version === undefined ? Effect.fail(badPrecondition) : Effect.succeed(Number(version))
})

/** The ETag of a body that has a version. */
export const etagOf = (body: unknown): Readonly<Record<string, string>> => {
  const version: unknown = Object(body).version
  return typeof version === "number" ? { etag: `"${version}"` } : {}
}

/** A resource in the API's form, as it is now. */
export const withNow =
  <A, B>(toWire: (item: A, now: Instant) => B) =>
  (item: A): Effect.Effect<B> =>
    Effect.map(Clock.currentTimeMillis, (now) => toWire(item, now))

/** Responds with a resource, and its ETag if it has versions. */
export const answerResource = (body: unknown): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.jsonUnsafe(body, { headers: etagOf(body) })

const MAX_KEY_LENGTH = 255

/** Optional on creations. */
const idempotencyKey = Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) => {
  const key = headers["idempotency-key"] ?? ""
  if (key.length > MAX_KEY_LENGTH) return Effect.fail<CodedError>({ _tag: "idempotency_key_too_long" })
  return Effect.succeed(key === "" ? Option.none<string>() : Option.some(key))
})

interface SecretState {
  readonly status: "active" | "expired" | "revoked"
  readonly expires_at: string | null
  readonly revoked_at: string | null
}

/** The stored response to a creation; shows if the key or token has ended since. */
export const withEnd = (kept: unknown, { status, expires_at, revoked_at }: SecretState): unknown =>
  status === "active" ? kept : { ...Object(kept), status, expires_at, revoked_at }

type WriteOptions = Pick<WriteRequest, "operation" | "status"> & {
  /** The parsed body, for requests whose idempotency key covers it. */
  readonly idempotentBody?: unknown
  /** The body to return instead of the stored one, if its content may have ended since. */
  readonly repeat?: (kept: unknown, customerId: number) => Effect.Effect<unknown>
}

const requestOf = Effect.fnUntraced(function* ({ operation, status, idempotentBody }: WriteOptions) {
  const { actor, origin } = yield* CurrentActor
  const key = idempotentBody === undefined ? Option.none<string>() : yield* idempotencyKey
  const request: WriteRequest = {
    actor,
    origin,
    operation,
    status,
    idempotency: Option.getOrUndefined(Option.map(key, (each) => ({ key: each, body: idempotentBody })))
  }
  return request
})

const answerOf = ({ body, replayed, status }: WriteAnswer): HttpServerResponse.HttpServerResponse => {
  const headers = { ...etagOf(body), ...(replayed ? { "idempotency-replayed": "true" } : {}) }
  return status === 204
    ? HttpServerResponse.empty({ status: 204, headers })
    : HttpServerResponse.jsonUnsafe(body, { status, headers })
}

/** Makes changes in the actor's name: each in one transaction with its line in the audit log. */
export const makeWrite = Effect.map(
  ManagementWrites,
  (writes) =>
    <E, R>(options: WriteOptions, change: Effect.Effect<Change, E, R>) =>
      Effect.gen(function* () {
        const request = yield* requestOf(options)
        const answer = yield* writes.write(request, change)
        const { repeat } = options
        if (!answer.replayed || repeat === undefined) return answerOf(answer)
        return answerOf({ ...answer, body: yield* repeat(answer.body, request.actor.customerId) })
      })
)

/** For changes that only owners may make: managing the access of others. */
export const requireOwner = Effect.flatMap(CurrentActor, ({ actor }) =>
  actor.isOwner ? Effect.void : Effect.fail(new ScopeInsufficient())
)
