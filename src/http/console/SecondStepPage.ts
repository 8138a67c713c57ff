import { Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"
import type { ConsoleRoute } from "./ConsolePages.ts"
import { assetPath } from "./ConsoleAssets.ts"
import { HOME_PATH, safeNext, SECOND_STEP_PATH, SIGN_IN_PATH } from "./ConsolePaths.ts"
import { csrfField, readForm } from "./forms/Forms.ts"
import { documentResponse, refusalResponse, seeOther } from "./frame/Responses.ts"
import {
  browserCookie,
  clearPending,
  csrfCookie,
  isSameToken,
  pendingSecret,
  setBrowser,
  setCsrf,
  setSession
} from "./frame/Cookies.ts"
import { signInDocument } from "./frame/Document.ts"
import { html, type Html } from "./frame/Html.ts"
import { type ConsoleError, csrfFailed, refusalOf } from "./frame/Refusals.ts"
import { readVisit, type Visit } from "./frame/Visit.ts"
import { withNotice } from "./parts/Notice.ts"
import { RequestId } from "../errors/Envelope.ts"
import { originOf } from "../manage/ManageAuth.ts"
import { TrustedProxies } from "../server/ClientAddress.ts"
import {
  ConsoleSignIns,
  type SecondFactorInput,
  type SecondStepOffer,
  type SignedInBrowser
} from "../../services/user/ConsoleSignIns.ts"

const CSRF_BYTES = 32

export const alert = (text: string | null): Html | null =>
  text === null ? null : html`<p class="notice bad" role="alert">${text}</p>`

export const originOfVisit = Effect.gen(function* () {
  return originOf(yield* HttpServerRequest.HttpServerRequest, yield* TrustedProxies, yield* RequestId)
})

/** A form that carries the token of the visitor's own cookie. */
export const readOwnForm = Effect.fnUntraced(function* (visit: Visit) {
  const form = yield* readForm
  if (isSameToken(form.get("csrf"), csrfCookie(visit))) return form
  return yield* Effect.fail<ConsoleError>(csrfFailed)
})

export const titleOf = ({ locale: { say } }: Visit): string => say("Sign in", "ورود")

export const makeCsrf = Effect.map(
  SecureRandom.SecureRandom,
  (random) => (visit: Visit) =>
    Effect.suspend(() => {
      const known = csrfCookie(visit)
      return known === null
        ? Effect.map(random.randomBytes(CSRF_BYTES), (bytes) => Buffer.from(bytes).toString("base64url"))
        : Effect.succeed(known)
    })
)

/** A session begins: its cookie, and that of a browser that knows its user. */
export const signedInResponse = (
  visit: Visit,
  { secret, browser }: SignedInBrowser,
  next: string | null
): HttpServerResponse.HttpServerResponse => {
  const response = setSession(seeOther(safeNext(next)), visit, secret)
  return browser === null ? response : setBrowser(response, visit, browser)
}

/** The second step of a sign-in that leads to `next`. */
export const secondStepAt = (next: string): string =>
  next === HOME_PATH ? SECOND_STEP_PATH : `${SECOND_STEP_PATH}?next=${encodeURIComponent(next)}`

interface SecondForm {
  readonly csrf: string
  readonly next: string
  readonly problem: string | null
}

const fields = ({ csrf, next }: SecondForm): Html =>
  html`${csrfField(csrf)} <input type="hidden" name="next" value="${next}" />`

/** Shown by its script, in browsers that have passkeys. */
const passkeyForm = ({ locale: { say } }: Visit, options: string, form: SecondForm): Html =>
  html`<form
      method="post"
      action="${SECOND_STEP_PATH}"
      class="fields"
      data-passkey="get"
      data-options="${options}"
      hidden
    >
      ${fields(form)} <input type="hidden" name="passkey" value="" />
      <button class="button primary wide">${say("Use a passkey", "ورود با گذرکلید")}</button>
      <p class="field-error" role="alert" hidden>
        ${say("The passkey was not used. Try again, or enter a code.", "گذرکلید استفاده نشد. دوباره امتحان کنید یا کد را وارد کنید.")}
      </p>
    </form>
    <script type="module" src="${assetPath("passkeys.js")}"></script>`

const codeForm = ({ locale: { say } }: Visit, hasApp: boolean, form: SecondForm): Html =>
  html`<form method="post" action="${SECOND_STEP_PATH}" class="fields">
    ${fields(form)}
    <label class="field">
      <span>
        ${hasApp ? say("Code of your app, or a recovery code", "کد برنامه یا کد بازیابی") : say("Recovery code", "کد بازیابی")}
      </span>
      <input
        name="code"
        autocomplete="one-time-code"
        autocapitalize="off"
        spellcheck="false"
        required
        dir="ltr"
        autofocus
      />
    </label>
    <button class="button wide ${hasApp && "primary"}">${say("Go on", "ادامه")}</button>
  </form>`

const secondCard = (visit: Visit, { hasApp, passkeyOptions }: SecondStepOffer, form: SecondForm): Html => {
  const { say } = visit.locale
  return html`${alert(form.problem)} ${passkeyOptions !== null && passkeyForm(visit, passkeyOptions, form)}
    ${codeForm(visit, hasApp, form)}
    <p class="hint">
      ${say("Lost your phone and your recovery codes? An owner of your account or the operator can reset your second factor.", "گوشی و کدهای بازیابی را ندارید؟ یکی از مالک‌های حساب یا مدیر سامانه می‌تواند ورود دومرحله‌ای شما را پاک کند.")}
    </p>
    <p><a href="${SIGN_IN_PATH}">${say("Begin again", "شروع دوباره")}</a></p>`
}

const inputOf = (form: URLSearchParams): SecondFactorInput => {
  const passkey = form.get("passkey") ?? ""
  return passkey === "" ? { code: form.get("code") ?? "" } : { passkey }
}

/** How somebody with a second factor completes their sign-in. */
export const secondStepRoutes = Effect.gen(function* () {
  const signIns = yield* ConsoleSignIns
  const csrfOf = yield* makeCsrf

  const beginAgain = (visit: Visit) =>
    clearPending(seeOther(withNotice(SIGN_IN_PATH, "sign_in_again")), visit)

  const show = Effect.fnUntraced(function* (
    visit: Visit,
    next: string,
    refused: {
      readonly problem: string
      readonly status: number
      readonly headers?: Readonly<Record<string, string>>
    } | null
  ) {
    const secret = pendingSecret(visit)
    const offer = secret === null ? null : yield* signIns.secondStep(secret)
    if (offer === null || offer._tag === "None") return beginAgain(visit)
    const csrf = yield* csrfOf(visit)
    const card = secondCard(visit, offer.value, { csrf, next, problem: refused?.problem ?? null })
    const title = visit.locale.say("Second step", "مرحلهٔ دوم ورود")
    return setCsrf(documentResponse(visit, signInDocument(visit, title, card), refused ?? {}), visit, csrf)
  })

  const submit = Effect.fnUntraced(function* (visit: Visit, form: URLSearchParams) {
    const secret = pendingSecret(visit)
    if (secret === null) return beginAgain(visit)
    const next = safeNext(form.get("next"))
    const step = yield* signIns.completeSignIn(
      secret,
      inputOf(form),
      yield* originOfVisit,
      browserCookie(visit)
    )
    if (step.step === "done") return clearPending(signedInResponse(visit, step.signedIn, next), visit)
    if (step.step === "ended") return beginAgain(visit)
    return step.triesLeft === 0
      ? tooManyWrong(visit)
      : yield* show(visit, next, wrongFactor(visit, form.has("passkey"), step.triesLeft))
  })

  const routes: ReadonlyArray<ConsoleRoute> = [
    {
      method: "GET",
      path: SECOND_STEP_PATH,
      handle: Effect.flatMap(readVisit, (visit) => show(visit, safeNext(visit.query.get("next")), null))
    },
    {
      method: "POST",
      path: SECOND_STEP_PATH,
      handle: Effect.flatMap(readVisit, (visit) =>
        Effect.matchEffect(readOwnForm(visit), {
          onFailure: (error: ConsoleError) => Effect.succeed(refusalResponse(visit, error)),
          onSuccess: (form) =>
            Effect.catch(submit(visit, form), (error) => {
              const { status, headers } = refusalOf(error, visit.locale)
              return show(visit, safeNext(form.get("next")), {
                problem: appCodesRefused(visit),
                status,
                headers
              })
            })
        })
      )
    }
  ]
  return routes
})

const wrongFactor = ({ locale: { say, number } }: Visit, isPasskey: boolean, triesLeft: number) => ({
  status: 401,
  problem: isPasskey
    ? say(
        `The passkey was not accepted. Tries left: ${number(triesLeft)}.`,
        `گذرکلید پذیرفته نشد. تلاش‌های باقی‌مانده: ${number(triesLeft)}.`
      )
    : say(
        `This is not right. Codes of the app change every 30 seconds, and each works once. Tries left: ${number(triesLeft)}.`,
        `درست نیست. کد برنامه هر ۳۰ ثانیه عوض می‌شود و هر کد یک بار کار می‌کند. تلاش‌های باقی‌مانده: ${number(triesLeft)}.`
      )
})

const appCodesRefused = ({ locale: { say } }: Visit): string =>
  say(
    "Too many wrong codes of the app in the last hour. Use a recovery code or a passkey, or try again later.",
    "در یک ساعت گذشته کدهای نادرست زیادی وارد شده است. کد بازیابی یا گذرکلید را به کار ببرید یا بعداً امتحان کنید."
  )

const tooManyWrong = (visit: Visit) => {
  const { say } = visit.locale
  const text = say("Too many wrong codes. Sign in again.", "کد نادرست زیاد بود. دوباره وارد شوید.")
  const card = html`${alert(text)}
    <p><a class="button primary wide" href="${SIGN_IN_PATH}">${say("Sign in", "ورود")}</a></p>`
  const document = signInDocument(visit, titleOf(visit), card)
  return clearPending(documentResponse(visit, document, { status: 401 }), visit)
}
