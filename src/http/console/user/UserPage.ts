import { Schema } from "effect"
import { Instant } from "../../../domain/Instant.ts"
import type { UserRecord } from "../../../domain/user/User.ts"
import { signInUrl } from "../ConsolePaths.ts"
import { errorSummary, type FieldErrors } from "../forms/FieldErrors.ts"
import { inputField } from "../forms/Fields.ts"
import { csrfField, onceField } from "../forms/Forms.ts"
import { html, type Html } from "../frame/Html.ts"
import type { Page } from "../frame/Layout.ts"
import type { View } from "../frame/SignedRoutes.ts"
import { secretPanel } from "../parts/Code.ts"
import { confirmButton, postButton } from "../parts/Confirm.ts"
import { facts } from "../parts/Panels.ts"
import { ltr } from "../parts/Text.ts"
import { NEW_USER_PATH, roleField, roleName, stateOf, USERS_PATH } from "./UsersPage.ts"

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

/** What is kept of a link, and shown. */
export const ShownLink = Schema.Struct({
  secret: Schema.RedactedFromValue(Schema.String),
  expiresAt: Instant
})

/** The only page that shows the link. */
export const linkPage = (view: View, email: string, { secret, expiresAt }: typeof ShownLink.Type): Page => {
  const { say, clock } = view.locale
  return {
    title: say("A sign-in link", "پیوند ورود"),
    name: "users",
    lead: ltr(email),
    content: secretPanel(
      {
        label: say("The link", "پیوند"),
        secret: signInUrl(view.baseUrl, secret),
        done: USERS_PATH,
        more: html`<p class="hint">
          ${say("It works once, until", "یک بار کار می‌کند، تا")} ${clock(expiresAt)}.
          ${say("Send it to them in a way that you trust.", "از راهی که به آن اطمینان دارید برسانید.")}
        </p>`
      },
      view.locale
    )
  }
}
