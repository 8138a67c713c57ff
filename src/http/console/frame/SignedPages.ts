import { Clock, Effect, Option } from "effect"
import type { HttpServerResponse } from "effect/http"
import { type Actor, scopeOfRole } from "../../../domain/people/Actor.ts"
import type { ConsoleSession } from "../../../domain/people/ConsoleSession.ts"
import { PLATFORM } from "../../../domain/people/Customer.ts"
import { operatorActorOf, userActor } from "../../../domain/people/SessionClaims.ts"
import { ConsoleSessions } from "../../../services/access/ConsoleSessions.ts"
import { CredentialLimits } from "../../../services/access/CredentialLimits.ts"
import { RequestId } from "../../Envelope.ts"
import { originOf } from "../../manage/access/ManageAuth.ts"
import { TrustedProxies } from "../../server/ClientAddress.ts"
import { CONSOLE_PATH, HOME_PATH, safeNext, SIGN_IN_PATH, SIGN_OUT_PATH } from "../ConsolePaths.ts"
import type { ConsoleRoute } from "../ConsoleRoute.ts"
import { type NavigationGroup, navigationFor, operatorPaths, pathOf } from "../Navigation.ts"
import { answerPage, redirectTo } from "./Answers.ts"
import { csrfOfSession, sessionSecret } from "./Cookies.ts"
import { html } from "./Html.ts"
import { type ConsoleError, refusalOf } from "./Refusals.ts"
import type { RequestContext, SignedRoute, View } from "./SignedRoutes.ts"
import { usePart } from "./UsePart.ts"
import { readVisit } from "./Visit.ts"

type Response = HttpServerResponse.HttpServerResponse

/** The page to return to: the list without its query, or the page with the form that failed. */
const wayBack = ({ request, path }: View, status: number): string => {
  if (request.method === "GET") return status === 404 ? HOME_PATH : path
  const referer = request.headers["referer"]
  return safeNext(referer === undefined ? null : referer.replace(/^https?:\/\/[^/]+/, ""))
}

const answerError = (view: View, error: ConsoleError): Response => {
  const { status, text, reasons, headers } = refusalOf(error, view.locale)
  const { say } = view.locale
  const use = usePart(view, error)
  const content = html`<div class="panel empty">
    ${
      use ??
      html`<p><strong>${text}</strong></p>
        ${reasons.map((reason) => html`<p class="muted" dir="auto">${reason}</p>`)}`
    }
    <p><a class="button" href="${wayBack(view, status)}">${say("Back", "بازگشت")}</a></p>
  </div>`
  const title =
    use !== null
      ? say("Still in use", "هنوز به کار می‌رود")
      : status === 404
        ? say("Not found", "پیدا نشد")
        : say("That did not work", "انجام نشد")
  return answerPage(view, { title, name: null, content }, { status, headers })
}

/** The visitor: a user of a customer, or an operator who has entered a customer's console. */
const actorOf = ({ id, user, enteredId }: ConsoleSession): Actor =>
  user.isOperator === true
    ? operatorActorOf(user, enteredId ?? PLATFORM, id)
    : userActor(user, scopeOfRole(user.role), id)

/** Paths that an operator needs who has entered no customer's console. */
const isWithoutCustomer = (path: string): boolean =>
  [...operatorPaths, SIGN_OUT_PATH].some((each) => path.startsWith(each))

/** Serves routes to signed-in people. Others are asked to sign in; who asks too often has to wait. */
export const makeSignedPages = Effect.fnUntraced(function* (navigation: ReadonlyArray<NavigationGroup>) {
  const sessions = yield* ConsoleSessions
  const limits = yield* CredentialLimits

  const signed = (
    use: (view: View) => Effect.Effect<Response, ConsoleError, RequestContext>
  ): Effect.Effect<Response, never, RequestContext> =>
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
      const actor = actorOf(session.value)
      const origin = originOf(visit.request, yield* TrustedProxies, yield* RequestId)
      const csrf = csrfOfSession(secret)
      const isOperator = session.value.user.isOperator === true
      const hasCustomer = actor.customerId !== PLATFORM
      const view: View = {
        ...visit,
        session: session.value,
        csrf,
        navigation: navigationFor(navigation, { isOperator, hasCustomer }),
        actor,
        origin
      }
      if (!hasCustomer && !isWithoutCustomer(visit.path)) return redirectTo(visit, pathOf("customers"))
      return yield* Effect.andThen(limits.admit(actor), use(view)).pipe(
        Effect.catch((error: ConsoleError) => Effect.succeed(answerError(view, error)))
      )
    })

  return ({ method, path, handle }: SignedRoute<RequestContext>): ConsoleRoute => ({
    method,
    path,
    handle: signed(handle)
  })
})
