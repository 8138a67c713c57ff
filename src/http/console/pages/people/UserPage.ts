import type { UserRecord } from "../../../../domain/people/User.ts"
import { csrfField } from "../../frame/forms/Forms.ts"
import { html, type Html } from "../../frame/Html.ts"
import type { Page } from "../../frame/Layout.ts"
import type { View } from "../../frame/SignedRoutes.ts"
import { confirmButton, postButton } from "../../parts/Confirm.ts"
import { facts } from "../../parts/Facts.ts"
import { errorSummary } from "../../parts/fields/ErrorSummary.ts"
import type { FieldErrors } from "../../parts/fields/FieldErrors.ts"
import { inputField } from "../../parts/fields/Fields.ts"
import { ltr } from "../../parts/Text.ts"
import { roleField, roleName } from "./UserRoles.ts"
import { stateOf, USERS_PATH } from "./UsersPage.ts"

const userActions = (view: View, { id, disabledAt }: UserRecord): Html => {
  const { say } = view.locale
  if (disabledAt !== null) {
    return postButton(view, {
      action: `${USERS_PATH}/${id}/enable`,
      label: say("Let them in again", "اجازهٔ ورود دوباره")
    })
  }
  return html`${postButton(view, { action: `${USERS_PATH}/${id}/link`, label: say("New sign-in link", "پیوند ورود تازه") })}
  ${
    id !== view.actor.id &&
    confirmButton(view, {
      action: `${USERS_PATH}/${id}/disable`,
      label: say("Disable", "غیرفعال کردن"),
      kind: "danger",
      question: say(
        "They are signed out everywhere at once, and cannot sign in.",
        "بی‌درنگ از همه‌جا خارج می‌شود و نمی‌تواند وارد شود."
      ),
      confirm: say("Disable them", "غیرفعال شود")
    })
  }`
}

export const userPage = (
  view: View,
  user: UserRecord,
  typed: URLSearchParams | null,
  errors: FieldErrors
): Page => {
  const { say, time } = view.locale
  return {
    title: user.name,
    name: "users",
    lead: html`<a href="${USERS_PATH}">${say("Users", "کاربران")}</a> / ${ltr(user.email)}`,
    actions: userActions(view, user),
    content: html`<div class="columns">
      <section class="panel panel-body" aria-label="${say("The user", "کاربر")}">
        ${facts([
          [say("E-mail", "ایمیل"), ltr(user.email)],
          [say("Role", "نقش"), roleName(user.role, view.locale)],
          [say("State", "وضعیت"), stateOf(user, view)],
          [say("Since", "از"), time(user.createdAt)],
          user.disabledAt === null ? null : [say("Disabled", "غیرفعال شد"), time(user.disabledAt)]
        ])}
      </section>
      <section class="panel" aria-labelledby="change-title">
        <div class="panel-head"><h2 id="change-title">${say("Name and role", "نام و نقش")}</h2></div>
        <form class="panel-body fields" method="post" action="${USERS_PATH}/${user.id}">
          ${csrfField(view.csrf)} ${errorSummary(errors, view.locale)}
          ${inputField({ name: "name", label: say("Name", "نام"), value: typed?.get("name") ?? user.name, isRequired: true, errors })}
          ${roleField(view.locale, typed?.get("role") ?? user.role, errors)}
          <div><button class="button primary">${say("Save", "ذخیره")}</button></div>
        </form>
      </section>
    </div>`
  }
}
