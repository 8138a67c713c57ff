import type { Layer, Schema, Scope } from "effect"
import type { HttpRouter } from "effect/http"
import {
  HttpApi,
  HttpApiBuilder,
  HttpApiEndpoint,
  HttpApiGroup,
  HttpApiSchema,
  OpenApi
} from "effect/http-api"
import { OptionalIdempotencyKey, RequireJson } from "../RequestGuards.ts"
import { IsPersonal, Load } from "../RouteTable.ts"
import { documentedError } from "../errors/Envelope.ts"
import { ManageAuth } from "./ManageAuth.ts"
import { pageOf, PathId } from "./ManageWire.ts"
import { NoUndeclaredInput, undeclaredBodyErrors } from "./UndeclaredInput.ts"

type PathSchema = Schema.Codec<string | number, string>
type Errors = ReadonlyArray<ReturnType<typeof documentedError>>

export const id = { id: PathId }
export const invalid = documentedError("validation_error")
export const notFound = documentedError("not_found")
export const changed = documentedError("precondition_failed")
export const conflict = documentedError("conflict")
export const unavailable = documentedError("channel_unavailable")
export const keyErrors: Errors = [
  documentedError("idempotency_key_conflict"),
  documentedError("idempotency_key_too_long")
]

export const summary = (text: string) => OpenApi.annotations({ summary: text })

/** Lists resources, a page at a time. */
export const listingAt = <
  const Name extends string,
  const Path extends HttpRouter.PathInput,
  Item extends Schema.Top,
  Query extends Schema.Struct.Fields
>(
  name: Name,
  path: Path,
  item: Item,
  text: string,
  query: Query
) =>
  HttpApiEndpoint.get(name, path, { query, success: pageOf(item), error: invalid }).annotateMerge(
    summary(text)
  )

export const listing = <Item extends Schema.Top, Query extends Schema.Struct.Fields>(
  item: Item,
  text: string,
  query: Query
) => listingAt("list", "/", item, text, query)

/** Reads one resource by its id: a `PathId` or a `PathUuid`. */
export const reading = <Id extends PathSchema, Resource extends Schema.Top>(
  pathId: Id,
  resource: Resource,
  text: string
) =>
  HttpApiEndpoint.get("read", "/:id", {
    params: { id: pathId },
    success: resource,
    error: notFound
  }).annotateMerge(summary(text))

export const creatingAt = <
  const Name extends string,
  const Path extends HttpRouter.PathInput,
  Body extends Schema.Top,
  Resource extends Schema.Top
>(
  name: Name,
  path: Path,
  body: Body,
  resource: Resource,
  text: string,
  errors: Errors
) =>
  HttpApiEndpoint.post(name, path, {
    payload: body,
    success: resource.pipe(HttpApiSchema.status(201)),
    error: [...errors, ...keyErrors]
  })
    .annotateMerge(summary(text))
    .middleware(RequireJson)
    .middleware(OptionalIdempotencyKey)

export const creating = <Body extends Schema.Top, Resource extends Schema.Top>(
  body: Body,
  resource: Resource,
  text: string,
  errors: Errors = []
) => creatingAt("create", "/", body, resource, text, errors)

export const changing = <Id extends PathSchema, Body extends Schema.Top, Resource extends Schema.Top>(
  pathId: Id,
  body: Body,
  resource: Resource,
  text: string,
  errors: Errors
) =>
  HttpApiEndpoint.patch("update", "/:id", {
    params: { id: pathId },
    payload: body,
    success: resource,
    error: errors
  })
    .annotateMerge(summary(text))
    .middleware(RequireJson)

export const removing = <const Name extends string>(
  name: Name,
  text: string,
  errors: Errors,
  description?: string
) =>
  HttpApiEndpoint.delete(name, "/:id", {
    params: id,
    success: HttpApiSchema.Empty(204),
    error: [...undeclaredBodyErrors, ...errors]
  }).annotateMerge(OpenApi.annotations({ summary: text, ...(description !== undefined && { description }) }))

/** Does something to one resource, without a body. */
export const acting = <
  const Name extends string,
  const Path extends HttpRouter.PathInput,
  Result extends Schema.Top
>(
  name: Name,
  path: Path,
  result: Result,
  text: string,
  errors: Errors
) =>
  HttpApiEndpoint.post(name, path, {
    params: id,
    success: result,
    error: [...undeclaredBodyErrors, ...errors]
  }).annotateMerge(summary(text))

/** Unknown fields and query parameters are refused: they would have no effect. */
const STRICT = { errors: "all", onExcessProperty: "error" } as const

/** A group of the management API: its credentials, and that it refuses what it would ignore. */
export const manageGroup = <
  const Name extends string,
  const Endpoints extends readonly [HttpApiEndpoint.Constraint, ...Array<HttpApiEndpoint.Constraint>]
>(
  name: Name,
  path: HttpRouter.PathInput,
  annotations: { readonly title: string; readonly description?: string },
  ...endpoints: Endpoints
) =>
  HttpApiGroup.make(name)
    .add(...endpoints)
    .prefix(path)
    .middleware(NoUndeclaredInput)
    .middleware(ManageAuth)
    .annotateMerge(OpenApi.annotations(annotations))
    .annotate(Load, "manage")
    .annotate(IsPersonal, true)
    .annotate(HttpApi.PayloadParseOptions, STRICT)
    .annotate(HttpApi.QueryParseOptions, STRICT)

/** A service that a handler takes when a request comes: it is provided when the handlers are made. */
type Needed<R> = R extends HttpRouter.Request<"Requires", infer Service> ? Service : R

/** What the parts of the API have in common; each part has its own handlers, so that they need not import the whole. */
export const handlersOf = <Group extends HttpApiGroup.Constraint, Return>(
  group: Group,
  build: (
    handlers: HttpApiBuilder.Handlers.FromGroup<Group>
  ) => HttpApiBuilder.Handlers.ValidateReturn<Return>
): Layer.Layer<
  HttpApiGroup.Service<"peyk", Group["identifier"]>,
  HttpApiBuilder.Handlers.Error<Return>,
  Exclude<Needed<HttpApiBuilder.Handlers.Context<Return>>, Scope.Scope>
> =>
  HttpApiBuilder.group(
    HttpApi.make("peyk").add(group).annotate(HttpApi.ParseOptions, { errors: "all" }),
    group.identifier as never,
    build as never
  ) as never
