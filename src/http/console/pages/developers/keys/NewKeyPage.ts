import { Effect } from "effect"
import { Keys } from "../../../../../services/resources/access/Keys.ts"
import { auditEntriesOf } from "../../../../../services/resources/ManagementWrites.ts"
import { NewApiKey } from "../../../../manage/access/ApiKeysApi.ts"
import { answerPage } from "../../../frame/Answers.ts"
import { csrfField, onceField } from "../../../frame/forms/Forms.ts"
import { showAgain } from "../../../frame/forms/ShownAgain.ts"
import { readTyped } from "../../../frame/forms/TypedBody.ts"
import { writeOnce } from "../../../frame/forms/Writes.ts"
import { html } from "../../../frame/Html.ts"
import type { Page } from "../../../frame/Layout.ts"
import type { View } from "../../../frame/SignedRoutes.ts"
import { errorSummary } from "../../../parts/fields/ErrorSummary.ts"
import { byField, type FieldErrors, noFieldErrors } from "../../../parts/fields/FieldErrors.ts"
import { expiryField, limitFields, modeField, nameField, typedKey, typedTime } from "./KeyForms.ts"
import { createdKeyPage, ShownKey, shownKey } from "./CreatedKeyPage.ts"
import { KEYS_PATH, NEW_KEY_PATH } from "./KeysPage.ts"

const keyEntry = auditEntriesOf("api_key")

const newKeyPage = (view: View, typed: URLSearchParams, errors: FieldErrors): Page => {
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

export const showNewKey = (view: View) => Effect.succeed(newKeyPage(view, view.query, noFieldErrors))

export const createKey = (view: View, fields: URLSearchParams) =>
  Effect.gen(function* () {
    const { customerId } = view.actor
    const keys = yield* Keys
    const body = yield* readTyped(NewApiKey, {
      ...typedKey(fields),
      mode: fields.get("mode"),
      expires_at: typedTime(fields.get("expires_at"), view.locale.zone)
    })
    const { name, mode, expires_at, rate_limit_per_minute, allowed_ips } = body
    const created = yield* writeOnce(
      view,
      "api_key.create",
      ShownKey,
      Effect.map(
        keys.create(customerId, {
          name,
          mode,
          expiresAt: expires_at ?? null,
          requestsPerMinute: rate_limit_per_minute ?? null,
          allowedIps: allowed_ips ?? null
        }),
        (key) => ({ result: shownKey(key), audit: keyEntry("create", key.record.id, { name, mode }) })
      )
    )
    const title = view.locale.say("The key is made", "کلید ساخته شد")
    return answerPage(view, createdKeyPage(view, created, title))
  }).pipe(
    Effect.catch(showAgain(view, (errors) => Effect.succeed(newKeyPage(view, fields, byField(errors)))))
  )
