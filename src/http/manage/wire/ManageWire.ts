import { Clock, Effect, Schema, SchemaTransformation } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { ScopeInsufficient, ValidationError } from "../../../domain/Errors.ts"
import type { Instant } from "../../../domain/Instant.ts"
import type { Page, PageRequest } from "../../../domain/Paging.ts"
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

interface SecretState {
  readonly status: "active" | "expired" | "revoked"
  readonly expires_at: string | null
  readonly revoked_at: string | null
}

/** The stored response to a creation; shows if the key or token has ended since. */
export const withEnd = (kept: unknown, { status, expires_at, revoked_at }: SecretState): unknown =>
  status === "active" ? kept : { ...Object(kept), status, expires_at, revoked_at }

/** For changes that only owners may make: managing the access of others. */
export const requireOwner = Effect.flatMap(CurrentActor, ({ actor }) =>
  actor.isOwner ? Effect.void : Effect.fail(new ScopeInsufficient())
)
