import { Clock, Effect, Option } from "effect"
import type { HttpServerResponse } from "effect/http"
import type { UsedBy } from "../../../domain/Errors.ts"
import { PLATFORM } from "../../../domain/customer/Customer.ts"
import { type Actor, scopeOfRole } from "../../../domain/user/Actor.ts"
import { type ConsoleSession, operatorActorOf, userActor } from "../../../domain/user/Sessions.ts"
import type { ConsoleRoute } from "../ConsolePages.ts"
import {
  CONSOLE_PATH,
  HOME_PATH,
  safeNext,
  SEARCH_PATH,
  SECURITY_PATH,
  SIGN_IN_PATH,
  SIGN_OUT_PATH
} from "../ConsolePaths.ts"
import { navigationFor, type NavigationGroup, operatorPaths, type PageName, pathOf } from "../Navigation.ts"
import { pageResponse, redirectTo } from "./Responses.ts"
import { csrfOfSession, sessionSecret } from "./Cookies.ts"
import { html, type Html } from "./Html.ts"
import type { Signed } from "./Layout.ts"
import { type ConsoleError, refusalOf } from "./Refusals.ts"
import type { PlacedRoute, RequestContext, View } from "./SignedRoutes.ts"
import { readVisit, type Visit } from "./Visit.ts"
import { withNotice } from "../parts/Notice.ts"
import { pageLink } from "../parts/Panels.ts"
import { RequestId } from "../../errors/Envelope.ts"
import { TrustedProxies } from "../../server/ClientAddress.ts"
import { originOf } from "../../manage/ManageAuth.ts"
import { CredentialLimits } from "../../../services/key/ManagementCredentials.ts"
import { CustomerRows } from "../../../services/customer/CustomerRows.ts"
import { ConsoleSessions } from "../../../services/user/ConsoleSessions.ts"

interface Use {
  readonly what: readonly [english: string, persian: string]
  readonly todo: readonly [english: string, persian: string]
  /** Where it is used, and the words of the link to it. */
  readonly page: PageName
  readonly below?: string
  readonly link: readonly [english: string, persian: string]
}

const uses: Readonly<Record<UsedBy, Use>> = {
  routing: {
    what: ["Not deleted: the routing order uses it.", "حذف نشد: در ترتیب ارسال از آن استفاده شده است."],
    todo: [
      "Remove it from the order, save, then delete it.",
      "اول آن را از ترتیب ارسال بردارید و ذخیره کنید، بعد حذفش کنید."
    ],
    page: "routing",
    link: ["Open routing", "ترتیب ارسال"]
  },
  codes: {
    what: [
      "Not deleted: a code in progress may still use it.",
      "حذف نشد: شاید کدی که در حال انجام است هنوز به آن نیاز داشته باشد."
    ],
    todo: [
      "Disable it so that no new code uses it. Codes end within minutes: try again then.",
      "آن را غیرفعال کنید تا کد جدیدی از آن استفاده نکند. کدها تا چند دقیقهٔ دیگر تمام می‌شوند؛ بعد دوباره امتحان کنید."
    ],
    page: "verifications",
    below: "?status=queued",
    link: ["Codes in progress", "کدهای در حال انجام"]
  },
  messages: {
    what: [
      "Not deleted: a message in progress may still use it.",
      "حذف نشد: شاید پیامی که در حال انجام است هنوز به آن نیاز داشته باشد."
    ],
    todo: [
      "Disable the account so that no new message uses it. Then cancel that message, or wait until it is sent.",
      "حساب را غیرفعال کنید تا پیام جدیدی از آن استفاده نکند. بعد آن پیام را لغو کنید یا صبر کنید تا ارسال شود."
    ],
    page: "messages",
    below: "?status=queued",
    link: ["Messages in progress", "پیام‌های در حال انجام"]
  }
}

/** What still needs something that was to be deleted, and what to do; null for other errors. */
const usePart = (view: Signed, error: ConsoleError): Html | null => {
  const { say } = view.locale
  const usedBy = error._tag === "csrf_failed" ? undefined : error.usedBy
  if (usedBy === undefined) return null
  const { what, todo, page, below, link } = uses[usedBy]
  return html`<p><strong>${say(...what)}</strong></p>
    <p class="muted">${say(...todo)}</p>
    <p>${pageLink(view, page, say(...link), below)}</p>`
}

type Response = HttpServerResponse.HttpServerResponse

/** The file of a list is below its page. */
const FILE = /\/[a-z]+\.csv$/

/** The page to return to: the list without its query, or the page with the form that failed. */
const wayBack = ({ request, path }: View, status: number): string => {
  if (request.method === "GET") return status === 404 ? HOME_PATH : path.replace(FILE, "")
  const referer = request.headers["referer"]
  return safeNext(referer === undefined ? null : referer.replace(/^https?:\/\/[^/]+/, ""))
}

const errorResponse = (view: View, error: ConsoleError): Response => {
  const { status, text, reasons, headers } = refusalOf(error, view.locale)
  const { say } = view.locale
  const use = usePart(view, error)
  const isMissing = status === 404 && view.request.method === "GET"
  const content = html`<div class="panel empty">
    ${
      use ??
      html`<p><strong>${text}</strong></p>
        ${isMissing && html`<p class="muted">${say("The address may be mistyped, or what was there was deleted.", "شاید نشانی اشتباه است، یا آنچه آنجا بود حذف شده است.")}</p>`}
        ${reasons.map((reason) => html`<p class="muted" dir="auto">${reason}</p>`)}`
    }
    <p>
      <a class="button" href="${wayBack(view, status)}">${say("Back", "بازگشت")}</a>
      ${isMissing && html`<a class="button" href="${SEARCH_PATH}">${say("Search", "جست‌وجو")}</a>`}
    </p>
  </div>`
  const title =
    use !== null
      ? say("Still in use", "هنوز استفاده می‌شود")
      : status === 404
        ? say("Not found", "پیدا نشد")
        : say("Something went wrong", "انجام نشد")
  return pageResponse(view, { title, name: null, content }, { status, headers })
}

/** The visitor: a user of a customer, or an operator who has entered a customer's console. */
const actorOf = ({ id, user, enteredId, signedInAt, epoch }: ConsoleSession): Actor => {
  const actor =
    user.isOperator === true
      ? operatorActorOf(user, enteredId ?? PLATFORM, id)
      : userActor(user, scopeOfRole(user.role), id)
  return { ...actor, signedInAt, epoch }
}

/** The path of a page, with the ids of the request's path. */
const pageAt = (path: string, pagePath: string | null): string =>
  pagePath === null ? path : path.split("/").slice(0, pagePath.split("/").length).join("/")

/** Redirects to the sign-in, which leads back to this page. A form that was sent is lost: the sign-in says so. */
const toSignIn = (visit: Visit, page: string): Response => {
  const { method, url } = visit.request
  if (page === CONSOLE_PATH) return redirectTo(visit, SIGN_IN_PATH)
  const backTo = (next: string) => `${SIGN_IN_PATH}?next=${encodeURIComponent(next)}`
  return redirectTo(visit, method === "GET" ? backTo(url) : withNotice(backTo(page), "session_ended"))
}

/** Paths that an operator needs who has entered no customer's console. */
const isWithoutCustomer = (path: string): boolean =>
  [...operatorPaths, pathOf("settings"), pathOf("alerts"), SEARCH_PATH, SIGN_OUT_PATH].some((each) =>
    path.startsWith(each)
  )

/** The pages of somebody who must set up a second factor first. */
const isForEnrolment = (path: string): boolean =>
  [SECURITY_PATH, SIGN_OUT_PATH].some((each) => path.startsWith(each))

/** Serves routes to signed-in people. Others are asked to sign in; who asks too often has to wait. */
export const makeSignedPages = Effect.fnUntraced(function* (navigation: ReadonlyArray<NavigationGroup>) {
  const sessions = yield* ConsoleSessions
  const limits = yield* CredentialLimits
  const { within } = yield* CustomerRows

  const signed = ({
    pagePath,
    handle
  }: PlacedRoute<RequestContext>): Effect.Effect<Response, never, RequestContext> =>
    Effect.gen(function* () {
      const visit = yield* readVisit
      const secret = sessionSecret(visit)
      const session =
        secret === null ? Option.none() : yield* sessions.use(secret, yield* Clock.currentTimeMillis)
      const path = pageAt(visit.path, pagePath)
      if (secret === null || Option.isNone(session)) return toSignIn(visit, path)
      const actor = actorOf(session.value)
      const origin = originOf(visit.request, yield* TrustedProxies, yield* RequestId)
      const csrf = csrfOfSession(secret)
      const isOperator = session.value.user.isOperator === true
      const hasCustomer = actor.customerId !== PLATFORM
      const view: View = {
        ...visit,
        path,
        session: session.value,
        csrf,
        navigation: session.value.mustEnrol ? [] : navigationFor(navigation, { isOperator, hasCustomer }),
        actor,
        origin,
        sent: undefined
      }
      if (session.value.mustEnrol && !isForEnrolment(visit.path)) return redirectTo(visit, SECURITY_PATH)
      if (!hasCustomer && !isWithoutCustomer(visit.path)) return redirectTo(visit, pathOf("customers"))
      const handled = within(actor.customerId, handle(view))
      return yield* Effect.andThen(limits.admit(actor), handled).pipe(
        Effect.catch((error: ConsoleError) => Effect.succeed(errorResponse(view, error)))
      )
    })

  return (route: PlacedRoute<RequestContext>): ConsoleRoute => ({
    method: route.method,
    path: route.path,
    handle: signed(route)
  })
})
