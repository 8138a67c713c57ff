import { Clock, type Context, Effect, Redacted, type Schema } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { ScopeInsufficient } from "../../domain/Errors.ts"
import type { Instant } from "../../domain/Instant.ts"
import type { Page, PageRequest } from "../../domain/Paging.ts"
import { parseContactPhone } from "../../domain/Phone.ts"
import type { Channel } from "../../domain/routing/Channel.ts"
import type { Actor } from "../../domain/user/Actor.ts"
import { respondWithError, type CodedError, orEnvelope } from "../errors/Envelope.ts"
import { respondWithManagedJson, pageJson } from "../RequestGuards.ts"
import { CurrentActor } from "./ManageAuth.ts"
import {
  etagOf,
  expectedVersion,
  type ListName,
  type PageQuery,
  pageRequest,
  toWirePage
} from "./ManageWire.ts"
import { type Action, type Call, performOnce } from "../../services/Action.ts"
import { type IdempotentRequest } from "../../services/customer/Idempotency.ts"
import { MAX_IDEMPOTENCY_KEY_LENGTH } from "../../domain/customer/IdempotencyKey.ts"
import type { SendSearch } from "../../services/message/MessageRecords.ts"

/** How the management API answers an action. */
interface Face<Params, Input, Target, A, R> {
  readonly status: number
  /** The body of the response; absent: none. */
  readonly body?: (result: A, now: Instant, actor: Actor) => unknown
  /** Whether it creates or sends something: a repeat with the same Idempotency-Key gets the first response. */
  readonly isOnce?: true
  /** What a repeat gets in place of the stored body, if its content may have ended since. */
  readonly repeat?: (kept: unknown, customerId: number) => Effect.Effect<unknown, never, R>
  /** What the action changes, if that is not `:id`. */
  readonly target?: (params: Params) => Target
  /** Its input, if that is in the path and not in the body. */
  readonly input?: (params: Params) => Input
}

interface ActionRequest<Input, Params> {
  readonly params?: Params
  readonly payload?: Input | null
}

/** Secrets are no part of what a repeat is compared with: a stored fingerprint must not help to guess them. */
const withoutSecrets = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => !Redacted.isRedacted(value)))

const idempotencyOf = (given: string | undefined, body: object) => {
  const key = given ?? ""
  if (key.length > MAX_IDEMPOTENCY_KEY_LENGTH)
    return Effect.fail<CodedError>({ _tag: "idempotency_key_too_long" })
  const request: IdempotentRequest | undefined = key === "" ? undefined : { key, body: withoutSecrets(body) }
  return Effect.succeed(request)
}

/** Performs an action for who is signed in: the body is the input, `:id` the target, `If-Match` the version. */
export const handler =
  <Input extends Schema.Top, Target, A, E extends CodedError, RA, Params, R = never>(
    performed: Action<Input, Target, A, E, RA>,
    face: Face<Params, Input["Type"], Target, A, R>
  ) =>
  ({ params, payload }: ActionRequest<Input["Type"], Params>) =>
    Effect.gen(function* () {
      const { headers } = yield* HttpServerRequest.HttpServerRequest
      const { actor, origin } = yield* CurrentActor
      const input = face.input?.(params as Params) ?? payload ?? {}
      const target = face.target === undefined ? Object(params).id : face.target(params as Params)
      const version = yield* expectedVersion
      const call: Call<Input["Type"], Target> = { actor, origin, target, input, version }
      const key = face.isOnce === true ? headers["idempotency-key"] : undefined
      const { body, replayed, status } = yield* performOnce(performed, call, {
        status: face.status,
        idempotency: yield* idempotencyOf(key, { ...params, ...input }),
        encode: (result) =>
          Effect.map(Clock.currentTimeMillis, (now) => face.body?.(result, now, actor) ?? null)
      })
      const current =
        replayed && face.repeat !== undefined ? yield* face.repeat(body, actor.customerId) : body
      const more = { ...etagOf(current), ...(replayed ? { "idempotency-replayed": "true" } : {}) }
      return status === 204
        ? HttpServerResponse.empty({ status, headers: more })
        : HttpServerResponse.jsonUnsafe(current, { status, headers: more })
    }).pipe(orEnvelope)

/** Responds with a resource, and its ETag if it has versions. */
export const respondWithResource = (body: unknown): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.jsonUnsafe(body, { headers: etagOf(body) })

type Records<Id, A, E> = { readonly find: (customerId: number, id: Id) => Effect.Effect<A, E> }

/** Responds with one of the customer's resources. */
export const found =
  <I, Id, A, E extends CodedError>(
    records: Context.Key<I, Records<Id, A, E>>,
    toWire: (record: A, now: Instant) => unknown
  ) =>
  ({ params }: { readonly params: { readonly id: Id } }) =>
    Effect.gen(function* () {
      const { actor } = yield* CurrentActor
      const record = yield* (yield* records).find(actor.customerId, params.id)
      return respondWithResource(toWire(record, yield* Clock.currentTimeMillis))
    }).pipe(orEnvelope)

/** Responds with a page of the customer's resources. */
export const listed =
  <Query extends PageQuery, A, B, R>(
    list: ListName,
    read: (customerId: number, page: PageRequest, query: Query) => Effect.Effect<Page<A>, never, R>,
    toWire: (item: A, now: Instant) => B
  ) =>
  ({ query }: { readonly query: Query }) =>
    Effect.gen(function* () {
      const { actor } = yield* CurrentActor
      const page = yield* read(actor.customerId, pageRequest(list, query), query)
      const now = yield* Clock.currentTimeMillis
      return toWirePage(list, page, (item) => toWire(item, now))
    })

interface SearchQuery extends PageQuery {
  readonly phone?: string
  readonly channel?: Channel
  readonly from?: Instant
  readonly to?: Instant
}

/** Responds with sends that match a search, as JSON texts: they contain metadata exactly as it came. */
export const searched =
  <Query extends SearchQuery, I, Filters, A>(
    list: ListName,
    records: Context.Key<
      I,
      {
        readonly list: (
          customerId: number,
          search: SendSearch & Filters & PageRequest
        ) => Effect.Effect<Page<A>>
      }
    >,
    filtersOf: (query: Query) => Filters,
    toJson: (item: A, now: Instant) => string
  ) =>
  ({ query }: { readonly query: Query }) =>
    Effect.gen(function* () {
      const { actor } = yield* CurrentActor
      const { channel, from, to } = query
      const phone =
        query.phone === undefined ? undefined : yield* Effect.fromResult(parseContactPhone(query.phone))
      const search = { ...pageRequest(list, query), ...filtersOf(query), phone, channel, from, to }
      const page = yield* (yield* records).list(actor.customerId, search)
      const now = yield* Clock.currentTimeMillis
      return respondWithManagedJson(pageJson(toWirePage(list, page, (item) => toJson(item, now))))
    }).pipe(orEnvelope)

export const foundJson =
  <I, A, E extends CodedError>(
    records: Context.Key<I, Records<string, A, E>>,
    toJson: (item: A, now: Instant) => string
  ) =>
  ({ params }: { readonly params: { readonly id: string } }) =>
    Effect.gen(function* () {
      const { actor } = yield* CurrentActor
      const item = yield* (yield* records).find(actor.customerId, params.id)
      return respondWithManagedJson(toJson(item, yield* Clock.currentTimeMillis))
    }).pipe(orEnvelope)

interface SecretState {
  readonly status: "active" | "expired" | "revoked"
  readonly expires_at: string | null
  readonly revoked_at: string | null
}

/** The stored response to the creation of a key or a token; shows if it has ended since. */
export const withEnd =
  <I, A, E extends { readonly _tag: "not_found" }>(
    records: Context.Key<I, Records<number, A, E>>,
    toWire: (record: A, now: Instant) => SecretState
  ) =>
  (kept: unknown, customerId: number) =>
    Effect.gen(function* () {
      const record = yield* (yield* records).find(customerId, Number(Object(kept).id))
      const { status, expires_at, revoked_at } = toWire(record, yield* Clock.currentTimeMillis)
      return status === "active" ? kept : { ...Object(kept), status, expires_at, revoked_at }
    }).pipe(Effect.catch(() => Effect.succeed(kept)))

/** Only owners see and manage the access of others. */
export const forOwners =
  <Request, A, E extends CodedError, R>(handle: (request: Request) => Effect.Effect<A, E, R>) =>
  (request: Request) =>
    Effect.flatMap(CurrentActor, ({ actor }) =>
      actor.isOwner ? orEnvelope(handle(request)) : respondWithError(new ScopeInsufficient())
    )
