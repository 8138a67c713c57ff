import { SIGN_OUT_PATH } from "../../ConsolePaths.ts"
import { csrfField } from "../../frame/forms/Forms.ts"
import { html, type Html } from "../../frame/Html.ts"
import type { View } from "../../frame/SignedRoutes.ts"
import { confirmButton } from "../../parts/Confirm.ts"
import { errorSummary } from "../../parts/fields/ErrorSummary.ts"
import { inputField } from "../../parts/fields/Fields.ts"
import { noFieldErrors } from "../../parts/fields/FieldErrors.ts"
import { type Refused, SETTINGS_PATH } from "./SettingsForms.ts"

export const passwordForm = (view: View, refused: Refused | null): Html => {
  const { say } = view.locale
  const errors = refused?.form === "password" ? refused.errors : noFieldErrors
  return html`<section class="panel" aria-labelledby="password-title">
    <div class="panel-head"><h2 id="password-title">${say("Your password", "گذرواژهٔ شما")}</h2></div>
    <form class="panel-body fields" method="post" action="${SETTINGS_PATH}/password">
      ${csrfField(view.csrf)} ${errorSummary(errors, view.locale)}
      <input type="hidden" name="username" value="${view.session.user.email}" autocomplete="username" />
      ${inputField({
        name: "password",
        label: say("New password", "گذرواژهٔ تازه"),
        type: "password",
        autocomplete: "new-password",
        hint: say(
          "At least 8 characters. You are signed out everywhere, and sign in with it.",
          "دست‌کم ۸ نویسه. از همه‌جا خارج می‌شوید و با آن وارد می‌شوید."
        ),
        isRequired: true,
        isLtr: true,
        errors
      })}
      <div><button class="button">${say("Set the password", "ثبت گذرواژه")}</button></div>
    </form>
  </section>`
}

export const sessionsPanel = (view: View): Html => {
  const { say } = view.locale
  return html`<section class="panel" aria-labelledby="sessions-title">
    <div class="panel-head"><h2 id="sessions-title">${say("Sessions", "نشست‌ها")}</h2></div>
    <div class="panel-body fields">
      <p>
        ${say("Ends every session of yours, in browsers and by the API.", "همهٔ نشست‌های شما را در مرورگرها و API پایان می‌دهد.")}
      </p>
      <div>
        ${confirmButton(view, {
          action: `${SIGN_OUT_PATH}-everywhere`,
          label: say("Sign out everywhere", "خروج از همه‌جا"),
          kind: "danger",
          question: say("You are signed out here too.", "از اینجا هم خارج می‌شوید."),
          confirm: say("Sign out everywhere", "خروج از همه‌جا")
        })}
      </div>
    </div>
  </section>`
}
