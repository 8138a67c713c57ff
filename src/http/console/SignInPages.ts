import { Effect, Redacted } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import type { ConsolePages, ConsoleRoute } from "./ConsolePages.ts"
import {
  CONSOLE_PATH,
  HOME_PATH,
  safeNext,
  SIGN_IN_LINK_PATH,
  SIGN_IN_PATH,
  SIGN_OUT_EVERYWHERE_PATH,
  SIGN_OUT_PATH
} from "./ConsolePaths.ts"
import { creating, formAction } from "./forms/ActionForms.ts"
import { csrfField } from "./forms/Forms.ts"
import { documentResponse, redirectTo, refusalResponse, seeOther } from "./frame/Responses.ts"
import { browserCookie, clearSession, setCsrf, setPending } from "./frame/Cookies.ts"
import { NO_REFERRER, signInDocument } from "./frame/Document.ts"
import { html, type Html } from "./frame/Html.ts"
import { type ConsoleError, refusalOf } from "./frame/Refusals.ts"
import { form, inOwnLog, raw, type View } from "./frame/SignedRoutes.ts"
import { readVisit, type Visit } from "./frame/Visit.ts"
import { notice } from "./parts/Notice.ts"
import {
  alert,
  makeCsrf,
  originOfVisit,
  readOwnForm,
  secondStepAt,
  secondStepRoutes,
  signedInResponse,
  titleOf
} from "./SecondStepPage.ts"
import { isPending } from "../../services/user/ConsoleSessions.ts"
import { type BegunSignIn, ConsoleSignIns, type SignedInBrowser } from "../../services/user/ConsoleSignIns.ts"
import { signOut, signOutEverywhere } from "../../services/user/Users.ts"

/** The fields of a sign-in that is shown again. */
interface Submitted {
  readonly email: string
  readonly next: string
}

const signInForm = (visit: Visit, csrf: string, submitted: Submitted, problem: string | null): Html => {
  const { say } = visit.locale
  return html`${notice(visit)} ${alert(problem)}
    <form method="post" action="${SIGN_IN_PATH}" class="fields">
      ${csrfField(csrf)} <input type="hidden" name="next" value="${submitted.next}" />
      <label class="field">
        <span>${say("Email", "ایمیل")}</span>
        <input
          type="email"
          name="email"
          value="${submitted.email}"
          autocomplete="username"
          required
          dir="ltr"
          autofocus
        />
      </label>
      <label class="field">
        <span>${say("Password", "گذرواژه")}</span>
        <input type="password" name="password" autocomplete="current-password" required dir="ltr" />
      </label>
      <button class="button primary wide">${say("Sign in", "ورود")}</button>
    </form>
    <p class="hint">
      ${say("No password? The operator can create a sign-in link:", "گذرواژه ندارید؟ مدیر سامانه می‌تواند لینک ورود بسازد:")}
      <code class="command" dir="ltr"
        >peyk user sign-in-link <span class="nowrap">--customer ID</span>
        <span class="nowrap">--email EMAIL</span></code
      >
    </p>`
}

const linkForm = ({ locale: { say } }: Visit, csrf: string, token: string): Html =>
  html`<p>
      ${say("This link signs you in once, in this browser.", "این لینک فقط یک بار کار می‌کند و شما را در همین مرورگر وارد می‌کند.")}
    </p>
    <form method="post" action="${SIGN_IN_LINK_PATH}" class="fields" data-hide-query>
      ${csrfField(csrf)} <input type="hidden" name="token" value="${token}" />
      <button class="button primary wide">${say("Sign in", "ورود")}</button>
    </form>`

/** How visitors become users: with a password, or by a link. */
export const signInPages = Effect.gen(function* () {
  const signIns = yield* ConsoleSignIns
  const csrfOf = yield* makeCsrf

  const showSignIn = Effect.fnUntraced(function* (
    visit: Visit,
    submitted: Submitted,
    error: ConsoleError | null
  ) {
    const csrf = yield* csrfOf(visit)
    const refusal = error === null ? null : refusalOf(error, visit.locale)
    const problem =
      error?._tag === "unauthenticated"
        ? visit.locale.say("Wrong email or password.", "ایمیل یا گذرواژه درست نیست.")
        : (refusal?.text ?? null)
    const card = signInForm(visit, csrf, submitted, problem)
    const page = documentResponse(visit, signInDocument(visit, titleOf(visit), card), refusal ?? {})
    return setCsrf(page, visit, csrf)
  })

  /** On to the page that was asked for, or to the second step. */
  const welcome = (visit: Visit, begun: SignedInBrowser | BegunSignIn, next: string | null) =>
    isPending(begun)
      ? setPending(seeOther(secondStepAt(safeNext(next))), visit, begun.secret)
      : signedInResponse(visit, begun, next)

  const signIn = Effect.gen(function* () {
    const visit = yield* readVisit
    const refuse = (error: ConsoleError) => Effect.succeed(refusalResponse(visit, error))
    return yield* readOwnForm(visit).pipe(
      Effect.matchEffect({
        onFailure: refuse,
        onSuccess: (
          form
        ): Effect.Effect<
          HttpServerResponse.HttpServerResponse,
          never,
          HttpServerRequest.HttpServerRequest
        > => {
          const email = form.get("email") ?? ""
          const next = safeNext(form.get("next"))
          const password = Redacted.make(form.get("password") ?? "")
          return Effect.flatMap(originOfVisit, (origin) =>
            signIns.signIn({ email, password }, origin, browserCookie(visit))
          ).pipe(
            Effect.map((started) => welcome(visit, started, next)),
            Effect.catch((error) => showSignIn(visit, { email, next }, error))
          )
        }
      })
    )
  })

  const signInByLink = Effect.gen(function* () {
    const visit = yield* readVisit
    return yield* Effect.gen(function* () {
      const form = yield* readOwnForm(visit)
      const link = Redacted.make(form.get("token") ?? "")
      const signedIn = yield* signIns.signInByLink(link, yield* originOfVisit, browserCookie(visit))
      return HttpServerResponse.setHeaders(welcome(visit, signedIn, null), NO_REFERRER)
    }).pipe(
      Effect.catch((error: ConsoleError) =>
        Effect.succeed(error._tag === "unauthenticated" ? usedLink(visit) : refusalResponse(visit, error))
      )
    )
  })

  const showLink = Effect.gen(function* () {
    const visit = yield* readVisit
    const csrf = yield* csrfOf(visit)
    const token = visit.query.get("token")
    const card = token === null ? openAgain(visit) : linkForm(visit, csrf, token)
    const document = signInDocument(visit, titleOf(visit), card)
    return setCsrf(documentResponse(visit, document, { headers: NO_REFERRER }), visit, csrf)
  })

  const newSignIn = Effect.gen(function* () {
    const visit = yield* readVisit
    return yield* showSignIn(visit, { email: "", next: safeNext(visit.query.get("next")) }, null)
  })

  const routes: ReadonlyArray<ConsoleRoute> = [
    { method: "GET", path: SIGN_IN_PATH, handle: newSignIn },
    { method: "POST", path: SIGN_IN_PATH, handle: signIn },
    { method: "GET", path: SIGN_IN_LINK_PATH, handle: showLink },
    { method: "POST", path: SIGN_IN_LINK_PATH, handle: signInByLink },
    ...(yield* secondStepRoutes)
  ]
  return routes
})

/** The console's script takes the token out of the address, so a page that is loaded again has none. */
const openAgain = ({ locale: { say } }: Visit): Html =>
  html`<p>
      ${say("Open the sign-in link again from where you got it.", "لینک ورود را دوباره از همان جایی که گرفته‌اید باز کنید.")}
    </p>
    <p><a href="${SIGN_IN_PATH}">${say("Sign in with a password", "ورود با گذرواژه")}</a></p>`

const usedLink = (visit: Visit) => {
  const { say } = visit.locale
  const text = say(
    "This link was already used, or is more than ten minutes old. Ask for a new one.",
    "این لینک قبلاً استفاده شده یا بیش از ده دقیقه از ساخت آن گذشته است. لینک جدیدی بخواهید."
  )
  const card = html`${alert(text)}
    <p><a href="${SIGN_IN_PATH}">${say("Sign in with a password", "ورود با گذرواژه")}</a></p>`
  return documentResponse(visit, signInDocument(visit, titleOf(visit), card), {
    status: 401,
    headers: NO_REFERRER
  })
}

const signedOut = (view: View) => clearSession(seeOther(SIGN_IN_PATH), view)

const submitSignOut = (view: View, fields: URLSearchParams) =>
  formAction(signOut, { target: Effect.succeed(view.session.id), as: inOwnLog, done: signedOut })(
    view,
    fields
  )

const submitSignOutEverywhere = formAction(signOutEverywhere, {
  target: creating,
  as: inOwnLog,
  done: signedOut
})

/** Where a session begins and ends. */
export const sessionPages = {
  name: null,
  routes: [
    raw(CONSOLE_PATH, (view) => Effect.succeed(redirectTo(view, HOME_PATH))),
    form(SIGN_OUT_PATH, submitSignOut),
    form(SIGN_OUT_EVERYWHERE_PATH, submitSignOutEverywhere)
  ]
} as const satisfies ConsolePages
