import { csrfField, onceField } from "../../frame/forms/Forms.ts"
import { html } from "../../frame/Html.ts"
import type { Page } from "../../frame/Layout.ts"
import type { View } from "../../frame/SignedRoutes.ts"
import { errorSummary } from "../../parts/fields/ErrorSummary.ts"
import type { FieldErrors } from "../../parts/fields/FieldErrors.ts"
import { inputField } from "../../parts/fields/Fields.ts"
import { roleField } from "./UserRoles.ts"
import { NEW_USER_PATH, USERS_PATH } from "./UsersPage.ts"

export const newUserPage = (view: View, typed: URLSearchParams, errors: FieldErrors): Page => {
  const { say } = view.locale
  return {
    title: say("Invite somebody", "دعوت"),
    name: "users",
    lead: html`<a href="${USERS_PATH}">${say("Users", "کاربران")}</a>`,
    content: html`<form class="panel panel-body fields narrow" method="post" action="${NEW_USER_PATH}">
      ${csrfField(view.csrf)}${onceField()} ${errorSummary(errors, view.locale)}
      ${inputField({ name: "name", label: say("Name", "نام"), value: typed.get("name") ?? "", isRequired: true, errors })}
      ${inputField({
        name: "email",
        label: say("E-mail", "ایمیل"),
        type: "email",
        value: typed.get("email") ?? "",
        isRequired: true,
        isLtr: true,
        errors
      })}
      ${roleField(view.locale, typed.get("role") ?? "developer", errors)}
      <p class="hint">
        ${say(
          "You get a link to hand over. It works once, within 10 minutes; then they choose a password.",
          "پیوندی برای دادن به او می‌گیرید که یک بار و تا ۱۰ دقیقه کار می‌کند؛ سپس گذرواژه‌اش را برمی‌گزیند."
        )}
      </p>
      <div class="actions">
        <button class="button primary">${say("Make the link", "ساخت پیوند")}</button>
        <a class="button quiet" href="${USERS_PATH}">${say("Cancel", "انصراف")}</a>
      </div>
    </form>`
  }
}
