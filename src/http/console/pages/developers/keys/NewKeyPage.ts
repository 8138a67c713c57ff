import { Effect } from "effect"
import { csrfField, emptyForm, onceField } from "../../../frame/forms/Forms.ts"
import { html } from "../../../frame/Html.ts"
import type { Page } from "../../../frame/Layout.ts"
import type { View } from "../../../frame/SignedRoutes.ts"
import { errorSummary } from "../../../parts/fields/ErrorSummary.ts"
import { type FieldErrors, noFieldErrors } from "../../../parts/fields/FieldErrors.ts"
import { expiryField, limitFields, modeField, nameField } from "./KeyForms.ts"
import { KEYS_PATH, NEW_KEY_PATH } from "./KeysPage.ts"

export const newKeyPage = (view: View, typed: URLSearchParams, errors: FieldErrors): Page => {
  const { say } = view.locale
  return {
    title: say("New key", "کلید تازه"),
    name: "keys",
    lead: html`<a href="${KEYS_PATH}">${say("API keys", "کلیدهای API")}</a>`,
    content: html`<form class="panel panel-body fields narrow" method="post" action="${NEW_KEY_PATH}">
      ${csrfField(view.csrf)}${onceField()} ${errorSummary(errors, view.locale)}
      ${nameField(view.locale, typed.get("name") ?? "", errors)}
      ${modeField(view.locale, typed.get("mode") ?? "live")}
      ${expiryField(view.locale, typed.get("expires_at") ?? "", say("Empty: never.", "خالی: هرگز."), errors)}
      ${limitFields(view.locale, typed, errors)}
      <div class="actions">
        <button class="button primary">${say("Create the key", "ساخت کلید")}</button>
        <a class="button quiet" href="${KEYS_PATH}">${say("Cancel", "انصراف")}</a>
      </div>
    </form>`
  }
}

export const showNewKey = (view: View) => Effect.succeed(newKeyPage(view, emptyForm(), noFieldErrors))
