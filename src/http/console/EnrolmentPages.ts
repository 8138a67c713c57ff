import { Clock, Effect, Option, Redacted } from "effect"
import { encode } from "uqr"
import { NotFound } from "../../domain/Errors.ts"
import { otpauthUri } from "../../domain/user/Totp.ts"
import { assetPath } from "./ConsoleAssets.ts"
import { SECURITY_PATH } from "./ConsolePaths.ts"
import { errorSummary, type FieldErrors, inputField, noFieldErrors } from "./forms/FormFields.ts"
import { csrfField, onceField } from "./forms/Forms.ts"
import { html, type Html } from "./frame/Html.ts"
import type { Page } from "./frame/Layout.ts"
import type { View } from "./frame/SignedRoutes.ts"
import { copyButton } from "./parts/Code.ts"
import { FactorOffers, Passkeys, SecondFactors } from "../../services/user/SecondFactors.ts"

/** White around the code, in modules: readers need it. */
const QUIET = 4

/** A QR code of a text, as a drawing in the page: the text leaves it nowhere else. */
const qrCode = (text: string, label: string): Html => {
  const { data, size } = encode(text, { ecc: "M", border: QUIET })
  const rows = data.map((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : "")).join(""))
  return html`<svg class="qr-code" viewBox="0 0 ${size} ${size}" role="img" aria-label="${label}">
    <rect width="${size}" height="${size}" fill="#fff" />
    <path d="${rows.join("")}" fill="#000" />
  </svg>`
}

const lead = ({ locale: { say } }: View): Html =>
  html`<a href="${SECURITY_PATH}">${say("Security", "امنیت ورود")}</a>`

/** The key that a refused form has shown, else a new one. Nothing of it is stored before a code confirms it. */
const offeredKey = Effect.fnUntraced(function* (userId: string, submitted: URLSearchParams | null) {
  const offers = yield* FactorOffers
  const now = yield* Clock.currentTimeMillis
  const sealed = submitted?.get("offer") ?? ""
  const earlier = offers.openApp(userId, sealed, now)
  return Option.isSome(earlier) ? { ...earlier.value, sealed } : yield* offers.newApp(userId, now)
})

/** `ABCD EFGH …`, to type. */
const inFours = (key: string): string => key.replaceAll(/.{4}(?=.)/g, "$& ")

const keyPart = ({ session, locale }: View, key: string): Html => {
  const { say } = locale
  const uri = otpauthUri(session.user.email, key)
  return html`<div class="enrolment">
    ${qrCode(uri, say("QR code of the key", "کد QR کلید"))}
    <div class="fields">
      <p>
        ${say("Scan this with an app such as Aegis, Google Authenticator or 1Password.", "این را با برنامه‌ای مثل Aegis، Google Authenticator یا 1Password اسکن کنید.")}
      </p>
      <p><a href="${uri}">${say("Open in the app on this device", "باز کردن در برنامهٔ همین دستگاه")}</a></p>
      <p>${say("Or enter this key in the app:", "یا این کلید را در برنامه وارد کنید:")}</p>
      <p class="secret">
        <code dir="ltr">${inFours(key)}</code>${copyButton(key, say("Copy: key", "کپی: کلید"), locale)}
      </p>
    </div>
  </div>`
}

/** Where a person sets up their authenticator app; shown again with the same key, if its code was wrong. */
export const appPage = Effect.fnUntraced(function* (
  view: View,
  submitted: URLSearchParams | null,
  errors: FieldErrors = noFieldErrors
) {
  const { say } = view.locale
  const { key, sealed } = yield* offeredKey(view.session.user.id, submitted)
  return {
    title: say("Authenticator app", "برنامهٔ رمزساز"),
    name: "settings",
    lead: lead(view),
    content: html`<form
      class="panel panel-body fields narrow"
      method="post"
      action="${SECURITY_PATH}/app"
      autocomplete="off"
    >
      ${csrfField(view.csrf)}${onceField()} <input type="hidden" name="offer" value="${sealed}" />
      ${errorSummary(errors, view.locale)} ${keyPart(view, Redacted.value(key))}
      ${inputField({
        name: "code",
        label: say("The code that the app shows now", "کدی که برنامه الان نشان می‌دهد"),
        autocomplete: "one-time-code",
        isRequired: true,
        isNumber: true,
        errors
      })}
      <div class="actions">
        <button class="button primary">${say("Turn on", "روشن کردن")}</button>
        <a class="button quiet" href="${SECURITY_PATH}">${say("Cancel", "انصراف")}</a>
      </div>
    </form>`
  } satisfies Page
})

/** Where a person adds a passkey. Only a browser with JavaScript can make one. */
export const passkeyPage = Effect.fnUntraced(function* (
  view: View,
  submitted: URLSearchParams | null,
  errors: FieldErrors = noFieldErrors
) {
  const { say } = view.locale
  const { user } = view.session
  const passkeys = yield* Passkeys
  if (!passkeys.isOffered) return yield* new NotFound()
  const known = yield* (yield* SecondFactors).passkeys(user.id)
  const { challenge, sealed } = yield* (yield* FactorOffers).newChallenge(
    user.id,
    yield* Clock.currentTimeMillis
  )
  const options = yield* passkeys.creationOptions(user, known, challenge)
  return {
    title: say("Add a passkey", "افزودن گذرکلید"),
    name: "settings",
    lead: lead(view),
    content: html`<form
        class="panel panel-body fields narrow"
        method="post"
        action="${SECURITY_PATH}/passkey"
        data-passkey="make"
        data-options="${options}"
        hidden
      >
        ${csrfField(view.csrf)}${onceField()} <input type="hidden" name="offer" value="${sealed}" />
        <input type="hidden" name="passkey" value="" /> ${errorSummary(errors, view.locale)}
        ${inputField({
          name: "name",
          label: say("Name", "نام"),
          hint: say("To recognize it in the list.", "برای شناختن آن در فهرست."),
          value: submitted?.get("name") ?? say("This device", "همین دستگاه"),
          isRequired: true,
          errors
        })}
        <p class="field-error" role="alert" hidden>
          ${say("The browser did not make a passkey. Try again.", "مرورگر گذرکلید نساخت. دوباره امتحان کنید.")}
        </p>
        <p class="field-error" role="alert" data-known hidden>
          ${say("This device already has a passkey of yours.", "این دستگاه همین حالا گذرکلید شما را دارد.")}
        </p>
        <div class="actions">
          <button class="button primary">${say("Create the passkey", "ساخت گذرکلید")}</button>
          <a class="button quiet" href="${SECURITY_PATH}">${say("Cancel", "انصراف")}</a>
        </div>
      </form>
      <p class="notice" role="status" data-without-passkeys hidden>
        ${say("This browser has no passkeys. Use another browser, or an authenticator app.", "این مرورگر گذرکلید ندارد. مرورگر دیگری یا برنامهٔ رمزساز به کار ببرید.")}
      </p>
      <noscript>
        <p class="notice">
          ${say("Passkeys need JavaScript. An authenticator app works without it.", "گذرکلید به جاوااسکریپت نیاز دارد. برنامهٔ رمزساز بدون آن کار می‌کند.")}
        </p>
      </noscript>
      <script type="module" src="${assetPath("passkeys.js")}"></script>`
  } satisfies Page
})
