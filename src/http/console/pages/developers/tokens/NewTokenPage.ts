import { Effect, Redacted, Schema } from "effect"
import { createToken } from "../../../../../services/key/TokenActions.ts"
import { creating, onceFormAction } from "../../../frame/forms/ActionForms.ts"
import { answerPage } from "../../../frame/Answers.ts"
import { csrfField, emptyForm, onceField } from "../../../frame/forms/Forms.ts"
import { html } from "../../../frame/Html.ts"
import type { Page } from "../../../frame/Layout.ts"
import type { View } from "../../../frame/SignedRoutes.ts"
import { errorSummary } from "../../../parts/fields/ErrorSummary.ts"
import { type FieldErrors, noFieldErrors } from "../../../parts/fields/FieldErrors.ts"
import { selectField } from "../../../parts/fields/Fields.ts"
import { secretPanel } from "../../../parts/Secret.ts"
import { foreign } from "../../../parts/Text.ts"
import { expiryField, nameField, typedTime } from "../keys/KeyForms.ts"
import { NEW_TOKEN_PATH, TOKENS_PATH } from "./TokensPage.ts"

const newTokenPage = (view: View, typed: URLSearchParams, errors: FieldErrors): Page => {
  const { say } = view.locale
  return {
    title: say("New token", "توکن تازه"),
    name: "tokens",
    lead: html`<a href="${TOKENS_PATH}">${say("Tokens", "توکن‌ها")}</a>`,
    content: html`<form class="panel panel-body fields narrow" method="post" action="${NEW_TOKEN_PATH}">
      ${csrfField(view.csrf)}${onceField()} ${errorSummary(errors, view.locale)}
      ${nameField(view.locale, typed.get("name") ?? "", errors)}
      ${selectField({
        name: "scope",
        label: say("Access", "دسترسی"),
        value: typed.get("scope") ?? "read_only",
        choices: [
          ["read_only", say("Read only", "فقط خواندن")],
          ["full", say("Full: may change everything", "کامل: اجازهٔ همهٔ تغییرها")]
        ],
        errors
      })}
      ${expiryField(view.locale, typed.get("expires_at") ?? "", say("Empty: in 90 days.", "خالی: ۹۰ روز دیگر."), errors)}
      <div class="actions">
        <button class="button primary">${say("Create the token", "ساخت توکن")}</button>
        <a class="button quiet" href="${TOKENS_PATH}">${say("Cancel", "انصراف")}</a>
      </div>
    </form>`
  }
}

/** What the page of a new token shows. */
const ShownToken = Schema.Struct({
  name: Schema.String,
  secret: Schema.RedactedFromValue(Schema.String)
})

export const submitNewToken = onceFormAction(createToken, {
  target: creating,
  input: (fields, { locale }) => ({
    name: fields.get("name")?.trim(),
    scope: fields.get("scope"),
    expires_at: typedTime(fields.get("expires_at"), locale.zone)
  }),
  shown: ShownToken,
  show: ({ record: { name }, secret }) => ({ name, secret }),
  done: (view, { name, secret }) => {
    const { say } = view.locale
    const panel = { label: say("The token", "توکن"), secret: Redacted.value(secret), done: TOKENS_PATH }
    return answerPage(view, {
      title: say("The token is made", "توکن ساخته شد"),
      name: "tokens",
      lead: foreign(name),
      content: secretPanel(panel, view.locale)
    })
  },
  again: (view, fields, errors) => Effect.succeed(newTokenPage(view, fields, errors))
})

export const showNewToken = (view: View) => Effect.succeed(newTokenPage(view, emptyForm(), noFieldErrors))
