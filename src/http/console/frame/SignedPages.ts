import { Clock, Effect, Option } from "effect"
import type { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { ScopeInsufficient } from "../../../domain/Errors.ts"
import { type Actor, scopeOfRole } from "../../../domain/people/Actor.ts"
import { userActor } from "../../../domain/people/SessionClaims.ts"
import { ConsoleSessions } from "../../../services/access/ConsoleSessions.ts"
import { CredentialLimits } from "../../../services/access/CredentialLimits.ts"
import type { Origin } from "../../../services/resources/ManagementWrites.ts"
import { RequestId } from "../../Envelope.ts"
import { originOf } from "../../manage/access/ManageAuth.ts"
import { TrustedProxies } from "../../server/ClientAddress.ts"
import { CONSOLE_PATH, SIGN_IN_PATH } from "../ConsolePaths.ts"
import type { ConsoleRoute } from "../ConsoleRoute.ts"
import { answerDocument, redirectTo } from "./Answers.ts"
import { csrfOfSession, isSameToken, sessionSecret } from "./Cookies.ts"
import { readForm } from "./Forms.ts"
import { html } from "./Html.ts"
import { layout, type Page, type Signed } from "./Layout.ts"
import { type ConsoleError, foreignForm, refusalOf } from "./Refusals.ts"
import { readVisit } from "./Visit.ts"

type Response = HttpServerResponse.HttpServerResponse
type Request = HttpServerRequest.HttpServerRequest | HttpRouter.RouteContext

/** A request by somebody who is signed in. */
export interface View extends Signed {
  readonly actor: Actor
  readonly origin: Origin
}

const answerError = (view: View, error: ConsoleError): Response => {
  const { status, text, reasons, headers } = refusalOf(error, view.locale)
  const { say } = view.locale
  const content = html`<div class="panel empty">
    <p><strong>${text}</strong></p>
    ${reasons.map((reason) => html`<p class="muted" dir="auto">${reason}</p>`)}
    <p><a class="button" href="${view.path}">${say("Back", "بازگشت")}</a></p>
  </div>`
  const title = status === 404 ? say("Not found", "پیدا نشد") : say("That did not work", "انجام نشد")
  return answerDocument(view, layout(view, { title, name: "overview", content }), { status, headers })
}

/** Makes routes for signed-in people. Others are asked to sign in; who asks too often has to wait. */
export const makeSignedPages = Effect.gen(function* () {
  const sessions = yield* ConsoleSessions
  const limits = yield* CredentialLimits

  const signed = (
    use: (view: View) => Effect.Effect<Response, ConsoleError, Request>
  ): Effect.Effect<Response, never, Request> =>
    Effect.gen(function* () {
      const visit = yield* readVisit
      const secret = sessionSecret(visit)
      const session =
        secret === null ? Option.none() : yield* sessions.use(secret, yield* Clock.currentTimeMillis)
      if (secret === null || Option.isNone(session)) {
        const isPage = visit.request.method === "GET" && visit.path !== CONSOLE_PATH
        const next = isPage ? `?next=${encodeURIComponent(visit.request.url)}` : ""
        return redirectTo(visit, `${SIGN_IN_PATH}${next}`)
      }
      const { id, user } = session.value
      const actor = userActor(user, scopeOfRole(user.role), id)
      const origin = originOf(visit.request, yield* TrustedProxies, yield* RequestId)
      const view: View = { ...visit, session: session.value, csrf: csrfOfSession(secret), actor, origin }
      return yield* Effect.andThen(limits.admit(actor), use(view)).pipe(
        Effect.catch((error: ConsoleError) => Effect.succeed(answerError(view, error)))
      )
    })

  /** Something that is looked at. */
  const page = (
    path: `/${string}`,
    render: (view: View) => Effect.Effect<Page, ConsoleError, Request>
  ): ConsoleRoute => ({
    method: "GET",
    path,
    handle: signed((view) => Effect.map(render(view), (made) => answerDocument(view, layout(view, made))))
  })

  /** What a form does, with its fields. */
  const form = (
    path: `/${string}`,
    act: (view: View, fields: URLSearchParams) => Effect.Effect<Response, ConsoleError, Request>
  ): ConsoleRoute => ({
    method: "POST",
    path,
    handle: signed((view) =>
      Effect.gen(function* () {
        const fields = yield* readForm
        if (!isSameToken(fields.get("csrf"), view.csrf)) return yield* Effect.fail<ConsoleError>(foreignForm)
        return yield* act(view, fields)
      })
    )
  })

  /** A form that changes something of the customer's: not for those who may only read. */
  const change = (
    path: `/${string}`,
    act: (view: View, fields: URLSearchParams) => Effect.Effect<Response, ConsoleError, Request>
  ): ConsoleRoute =>
    form(path, (view, fields) =>
      view.actor.scope === "full" ? act(view, fields) : Effect.fail(new ScopeInsufficient())
    )

  /** Something that is looked at, but not as a page. */
  const raw = (
    path: `/${string}`,
    answer: (view: View) => Effect.Effect<Response, ConsoleError, Request>
  ): ConsoleRoute => ({ method: "GET", path, handle: signed(answer) })

  return { page, form, change, raw }
})

export type SignedPages = Effect.Success<typeof makeSignedPages>
