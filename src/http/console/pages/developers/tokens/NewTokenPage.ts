import { Effect, Redacted, Schema } from "effect"
import { ScopeInsufficient } from "../../../../../domain/Errors.ts"
import { mayGrant } from "../../../../../domain/people/Actor.ts"
import { Tokens } from "../../../../../services/resources/access/Tokens.ts"
import { auditEntriesOf } from "../../../../../services/resources/ManagementWrites.ts"
import { NewTokenBody } from "../../../../manage/access/TokensApi.ts"
import { answerPage } from "../../../frame/Answers.ts"
import { csrfField, onceField } from "../../../frame/forms/Forms.ts"
import { showAgain } from "../../../frame/forms/ShownAgain.ts"
import { readTyped } from "../../../frame/forms/TypedBody.ts"
import { writeOnce } from "../../../frame/forms/Writes.ts"
import { html } from "../../../frame/Html.ts"
import { requireFresh } from "../../../frame/SignedRoutes.ts"
import type { Page } from "../../../frame/Layout.ts"
import type { View } from "../../../frame/SignedRoutes.ts"
import { errorSummary } from "../../../parts/fields/ErrorSummary.ts"
import { type FieldErrors, noFieldErrors } from "../../../parts/fields/FieldErrors.ts"
import { selectField } from "../../../parts/fields/Fields.ts"
import { secretPanel } from "../../../parts/Secret.ts"
import { foreign } from "../../../parts/Text.ts"
import { expiryField, nameField, typedTime } from "../keys/KeyForms.ts"
import { NEW_TOKEN_PATH, TOKENS_PATH } from "./TokensPage.ts"

const entry = auditEntriesOf("token")

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

export const createToken = (view: View, fields: URLSearchParams) =>
  Effect.gen(function* () {
    const { actor, locale } = view
    const { say } = locale
    const tokens = yield* Tokens
    const { name, scope, expires_at } = yield* readTyped(NewTokenBody, {
      name: fields.get("name")?.trim(),
      scope: fields.get("scope"),
      expires_at: typedTime(fields.get("expires_at"), locale.zone)
    })
    if (!mayGrant(actor.scope, scope)) return yield* new ScopeInsufficient()
    if (scope === "full") yield* requireFresh(view)
    const shown = yield* writeOnce(
      view,
      "token.create",
      ShownToken,
      Effect.map(
        tokens.create(actor.customerId, { name, scope, expiresAt: expires_at ?? undefined }),
        ({ record, secret }) => ({
          result: { name: record.name, secret },
          audit: entry("create", record.id, { name, scope })
        })
      )
    )
    return answerPage(view, {
      title: say("The token is made", "توکن ساخته شد"),
      name: "tokens",
      lead: foreign(shown.name),
      content: secretPanel(
        { label: say("The token", "توکن"), secret: Redacted.value(shown.secret), done: TOKENS_PATH },
        locale
      )
    })
  }).pipe(Effect.catch(showAgain(view, (errors) => Effect.succeed(newTokenPage(view, fields, errors)))))

export const showNewToken = (view: View) => Effect.succeed(newTokenPage(view, view.query, noFieldErrors))
