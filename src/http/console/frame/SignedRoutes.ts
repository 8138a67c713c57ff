import { Effect } from "effect"
import { HttpRouter, type HttpServerRequest, type HttpServerResponse } from "effect/http"
import { NotFound, ScopeInsufficient } from "../../../domain/Errors.ts"
import { isIdPosition } from "../../../domain/Paging.ts"
import { PLATFORM } from "../../../domain/customer/Customer.ts"
import type { Actor } from "../../../domain/user/Actor.ts"
import { maxBodyBytes, withBodyLimit } from "../../BodyLimits.ts"
import { readForm, sentForm } from "../forms/Forms.ts"
import { pageResponse } from "./Responses.ts"
import { isSameToken } from "./Cookies.ts"
import type { Page, Signed } from "./Layout.ts"
import { type ConsoleError, csrfFailed } from "./Refusals.ts"
import type { Origin } from "../../../services/ManagementWrites.ts"
import type { IdempotentRequest } from "../../../services/customer/Idempotency.ts"

type Response = HttpServerResponse.HttpServerResponse
export type RequestContext = HttpServerRequest.HttpServerRequest | HttpRouter.RouteContext

/** A request by somebody who is signed in. */
export interface View extends Signed {
  readonly actor: Actor
  readonly origin: Origin
  /** The form that is being answered, if sending it again must not repeat what it does. */
  readonly sent: IdempotentRequest | undefined
}

/** In an operator's name, and in the customer's audit log. */
export const inLogOf = (customerId: number, view: View): View => {
  const { id, name } = view.session.user
  return { ...view, actor: { ...view.actor, kind: "operator", id, name, customerId } }
}

/** In the platform's audit log, even from within a customer's console. */
export const asPlatform = (view: View): View => inLogOf(PLATFORM, view)

/** Changes of one's own account are in the audit log of one's customer; those of operators are in the platform's. */
export const inOwnLog = (view: View): View =>
  view.session.user.isOperator === true ? asPlatform(view) : view

/** A path of the console that only signed-in people reach; `R` are the services that it uses. */
export interface SignedRoute<R> {
  readonly method: "GET" | "POST"
  readonly path: `/${string}`
  readonly handle: (view: View) => Effect.Effect<Response, ConsoleError, R>
}

/** A route, and the page that it belongs to. */
export interface PlacedRoute<R> extends SignedRoute<R> {
  /** The path of the page that the route is, or that has its form; null: that of the request. */
  readonly pagePath: string | null
}

type Path = `/${string}`

/** Something that is looked at. */
export const page = <R>(
  path: Path,
  render: (view: View) => Effect.Effect<Page, ConsoleError, R>
): SignedRoute<R> => ({
  method: "GET",
  path,
  handle: (view) => Effect.map(render(view), (made) => pageResponse(view, made))
})

/** Something that is looked at, but not as a page: a file. */
export const raw = <R>(
  path: Path,
  handle: (view: View) => Effect.Effect<Response, ConsoleError, R>
): SignedRoute<R> => ({ method: "GET", path, handle })

/** The action of a form, given its fields. */
export const form = <R>(
  path: Path,
  act: (view: View, fields: URLSearchParams) => Effect.Effect<Response, ConsoleError, R>
): SignedRoute<R | HttpServerRequest.HttpServerRequest> => ({
  method: "POST",
  path,
  handle: Effect.fnUntraced(function* (view: View) {
    const fields = yield* readForm
    if (!isSameToken(fields.get("csrf"), view.csrf)) return yield* Effect.fail<ConsoleError>(csrfFailed)
    return yield* act({ ...view, sent: sentForm(view.request.url, fields) }, fields)
  })
})

/** A form that changes something of the customer's: not for those who may only read. */
export const change = <R>(
  path: Path,
  act: (view: View, fields: URLSearchParams) => Effect.Effect<Response, ConsoleError, R>
): SignedRoute<R | HttpServerRequest.HttpServerRequest> =>
  form(path, (view, fields) =>
    view.actor.scope === "full" ? act(view, fields) : Effect.fail<ConsoleError>(new ScopeInsufficient())
  )

/** A form that may be larger than other bodies: up to `bytes`, or what the operator allows for every body. */
export const largeForm = <R>(bytes: number, { method, path, handle }: SignedRoute<R>): SignedRoute<R> => ({
  method,
  path,
  handle: (view) =>
    Effect.flatMap(maxBodyBytes, (usual) =>
      usual >= bytes ? handle(view) : withBodyLimit(bytes)(handle(view))
    )
})

const refuse = Effect.fail<ConsoleError>(new ScopeInsufficient())

/** A page with nothing but a form that changes something. */
export const writerPage = <R>(
  path: Path,
  render: (view: View) => Effect.Effect<Page, ConsoleError, R>
): SignedRoute<R> => page(path, (view) => (view.actor.scope === "full" ? render(view) : refuse))

/** Pages for owners only: roles and permissions. */
export const ownerPage = <R>(
  path: Path,
  render: (view: View) => Effect.Effect<Page, ConsoleError, R>
): SignedRoute<R> => page(path, (view) => (view.actor.isOwner ? render(view) : refuse))

/** A form that changes who may do what. */
export const ownerChange = <R>(
  path: Path,
  act: (view: View, fields: URLSearchParams) => Effect.Effect<Response, ConsoleError, R>
): SignedRoute<R | HttpServerRequest.HttpServerRequest> =>
  form(path, (view, fields) => (view.actor.isOwner ? act(view, fields) : refuse))

const isNotThere = Effect.fail<ConsoleError>(new NotFound())

/** A page for those who run the installation; to others it is not there. */
export const operatorPage = <R>(
  path: Path,
  render: (view: View) => Effect.Effect<Page, ConsoleError, R>
): SignedRoute<R> => page(path, (view) => (view.session.user.isOperator === true ? render(view) : isNotThere))

export const operatorForm = <R>(
  path: Path,
  act: (view: View, fields: URLSearchParams) => Effect.Effect<Response, ConsoleError, R>
): SignedRoute<R | HttpServerRequest.HttpServerRequest> =>
  form(path, (view, fields) => (view.session.user.isOperator === true ? act(view, fields) : isNotThere))

/** The number in a path (`:id`); what is none matches nothing. */
export const pathId = Effect.gen(function* () {
  const { id = "" } = yield* HttpRouter.params
  return isIdPosition(id) ? Number(id) : yield* new NotFound()
})
