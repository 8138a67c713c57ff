import { Effect, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { fieldError, NotFound } from "../../domain/Errors.ts"
import { Instant } from "../../domain/Instant.ts"
import { isUuidPosition } from "../../domain/Paging.ts"
import { isUuid } from "../../domain/Uuid.ts"
import { Role } from "../../domain/user/Actor.ts"
import type { Member } from "../../domain/user/User.ts"
import type { ConsolePages } from "./ConsolePages.ts"
import { signInUrl } from "./ConsolePaths.ts"
import { pathOf } from "./Navigation.ts"
import { creating, formAction, rerender, submitOnce } from "./forms/ActionForms.ts"
import { errorSummary, type FieldErrors, inputField, noFieldErrors, selectField } from "./forms/FormFields.ts"
import { csrfField, emptyForm, onceField } from "./forms/Forms.ts"
import { pageResponse, seeOther } from "./frame/Responses.ts"
import { NO_REFERRER } from "./frame/Document.ts"
import { type Html, html } from "./frame/Html.ts"
import type { Page } from "./frame/Layout.ts"
import { ownerChange, ownerPage, page, type View } from "./frame/SignedRoutes.ts"
import { badge, stateBadge } from "./parts/Badge.ts"
import { secretPanel } from "./parts/Code.ts"
import { confirmButton, postButton } from "./parts/Confirm.ts"
import { emptyState, pager, pageRequest, table } from "./parts/Lists.ts"
import { withNotice } from "./parts/Notice.ts"
import { facts } from "./parts/Panels.ts"
import { isolated, ltr, quoted } from "./parts/Text.ts"
import { resetSecondFactor } from "../../services/user/SecondFactorActions.ts"
import { Users, changeUser, createSignInLink, inviteUser } from "../../services/user/Users.ts"

const roles = {
  owner: ["Owner", "مالک", "also users and tokens", "کاربران و توکن‌ها را هم مدیریت می‌کند"],
  developer: ["Developer", "توسعه‌دهنده", "changes the configuration", "پیکربندی را تغییر می‌دهد"],
  viewer: ["Viewer", "بیننده", "read only", "فقط می‌بیند"]
} as const

const roleName = (role: Role, { say }: View["locale"]): string => say(roles[role][0], roles[role][1])

const roleField = ({ say }: View["locale"], value: string, errors: FieldErrors): Html =>
  selectField({
    name: "role",
    label: say("Role", "نقش"),
    value,
    choices: Role.literals.map((role) => {
      const [english, persian, does, inPersian] = roles[role]
      return [role, say(`${english}: ${does}`, `${persian}: ${inPersian}`)] as const
    }),
    errors
  })

const USERS_PATH = pathOf("users")
const NEW_USER_PATH = `${USERS_PATH}/new` as const

const stateOf = ({ disabledAt }: Member, { locale }: View): Html =>
  stateBadge(disabledAt === null ? "active" : "disabled", locale)

const userTable = (users: ReadonlyArray<Member>, view: View): Html => {
  const { say, time } = view.locale
  return table(
    say("Users", "کاربران"),
    [
      {
        header: say("Name", "نام"),
        kind: "title",
        cell: ({ id, name }: Member) =>
          html`<a href="${USERS_PATH}/${id}">${isolated(name)}</a>
            ${id === view.actor.id && badge("plain", say("You", "شما"))}`
      },
      {
        header: say("Email", "ایمیل"),
        cell: ({ email }) => html`<span class="breakable">${ltr(email)}</span>`
      },
      { header: say("Role", "نقش"), cell: ({ role }) => roleName(role, view.locale) },
      { header: say("Status", "وضعیت"), cell: (user) => stateOf(user, view) },
      {
        header: say("Second factor", "ورود دومرحله‌ای"),
        cell: ({ hasSecondFactor }) => (hasSecondFactor ? say("On", "روشن") : say("Off", "خاموش"))
      },
      {
        header: say("Last sign-in", "آخرین ورود"),
        cell: ({ lastSignInAt }) => (lastSignInAt === null ? "–" : time(lastSignInAt))
      },
      { header: say("Created", "زمان ایجاد"), cell: ({ createdAt }) => time(createdAt) }
    ],
    users
  )
}

const showUsers = Effect.fnUntraced(function* (view: View) {
  const { say } = view.locale
  const lead = say("People who manage this account.", "کسانی که این حساب را مدیریت می‌کنند.")
  if (!view.actor.isOwner) {
    return {
      title: say("Users", "کاربران"),
      name: "users",
      lead,
      content: html`<div class="panel">
        ${emptyState(
          say("Only owners can see users", "فقط مالک‌ها کاربران را می‌بینند"),
          say("Ask an owner of this account.", "از یکی از مالک‌های این حساب بخواهید.")
        )}
      </div>`
    } satisfies Page
  }
  const request = yield* pageRequest(view, isUuidPosition)
  const { items, next } = yield* (yield* Users).list(view.actor.customerId, request)
  return {
    title: say("Users", "کاربران"),
    name: "users",
    lead,
    actions: html`<a class="button primary" href="${NEW_USER_PATH}">${say("Invite user", "دعوت کاربر")}</a>`,
    content: html`<div class="panel">${userTable(items, view)} ${pager(view, next)}</div>`
  } satisfies Page
})

const userActions = (view: View, { id, name, disabledAt, hasSecondFactor }: Member): Html => {
  const { say } = view.locale
  if (disabledAt !== null) {
    return postButton(view, {
      action: `${USERS_PATH}/${id}/enable`,
      label: say("Enable", "فعال کردن")
    })
  }
  return html`${postButton(view, { action: `${USERS_PATH}/${id}/link`, label: say("New sign-in link", "لینک ورود جدید") })}
  ${
    hasSecondFactor &&
    id !== view.actor.id &&
    confirmButton(view, {
      action: `${USERS_PATH}/${id}/second-factor/reset`,
      label: say("Reset second factor", "پاک کردن ورود دومرحله‌ای"),
      question: say(
        `${quoted(name, view.locale)} is signed out everywhere, and signs in without a second factor until they set up a new one. Make sure that it is really them who asked.`,
        `${quoted(name, view.locale)} از همه‌جا خارج می‌شود و تا راه‌اندازی دوباره بدون مرحلهٔ دوم وارد می‌شود. مطمئن شوید که خودش این را خواسته است.`
      ),
      confirm: say("Reset second factor", "پاک کردن ورود دومرحله‌ای")
    })
  }
  ${
    id !== view.actor.id &&
    confirmButton(view, {
      action: `${USERS_PATH}/${id}/disable`,
      label: say("Disable", "غیرفعال کردن"),
      kind: "danger",
      question: say(
        `${quoted(name, view.locale)} is signed out everywhere at once and cannot sign in again.`,
        `${quoted(name, view.locale)} فوراً از همه‌جا خارج می‌شود و دیگر نمی‌تواند وارد شود.`
      ),
      confirm: say("Disable user", "غیرفعال کردن کاربر")
    })
  }`
}

const userPage = (view: View, user: Member, submitted: URLSearchParams | null, errors: FieldErrors): Page => {
  const { say, time } = view.locale
  return {
    title: user.name,
    name: "users",
    lead: html`<a href="${USERS_PATH}">${say("Users", "کاربران")}</a> / ${ltr(user.email)}`,
    actions: userActions(view, user),
    content: html`<div class="columns">
      <section class="panel panel-body" aria-label="${say("User", "کاربر")}">
        ${facts([
          [say("Email", "ایمیل"), ltr(user.email)],
          [say("Role", "نقش"), roleName(user.role, view.locale)],
          [say("Status", "وضعیت"), stateOf(user, view)],
          [
            say("Second factor", "ورود دومرحله‌ای"),
            user.hasSecondFactor ? say("On", "روشن") : say("Off", "خاموش")
          ],
          [say("Last sign-in", "آخرین ورود"), user.lastSignInAt === null ? "–" : time(user.lastSignInAt)],
          [say("Created", "زمان ایجاد"), time(user.createdAt)],
          user.invitedByName === null ? null : [say("Invited by", "دعوت‌کننده"), isolated(user.invitedByName)],
          user.disabledAt === null ? null : [say("Disabled", "زمان غیرفعال شدن"), time(user.disabledAt)]
        ])}
      </section>
      <section class="panel" aria-labelledby="change-title">
        <div class="panel-head"><h2 id="change-title">${say("Name and role", "نام و نقش")}</h2></div>
        <form class="panel-body fields" method="post" action="${USERS_PATH}/${user.id}">
          ${csrfField(view.csrf)} ${errorSummary(errors, view.locale)}
          ${inputField({ name: "name", label: say("Name", "نام"), value: submitted?.get("name") ?? user.name, isRequired: true, errors })}
          ${roleField(view.locale, submitted?.get("role") ?? user.role, errors)}
          <div><button class="button primary">${say("Save", "ذخیره")}</button></div>
        </form>
      </section>
    </div>`
  }
}

const newUserPage = (view: View, submitted: URLSearchParams, errors: FieldErrors): Page => {
  const { say } = view.locale
  return {
    title: say("Invite user", "دعوت کاربر"),
    name: "users",
    lead: html`<a href="${USERS_PATH}">${say("Users", "کاربران")}</a>`,
    content: html`<form class="panel panel-body fields narrow" method="post" action="${NEW_USER_PATH}">
      ${csrfField(view.csrf)}${onceField()} ${errorSummary(errors, view.locale)}
      ${inputField({ name: "name", label: say("Name", "نام"), value: submitted.get("name") ?? "", isRequired: true, errors })}
      ${inputField({
        name: "email",
        label: say("Email", "ایمیل"),
        type: "email",
        value: submitted.get("email") ?? "",
        isRequired: true,
        isLtr: true,
        errors
      })}
      ${roleField(view.locale, submitted.get("role") ?? "developer", errors)}
      <p class="hint">
        ${say(
          "You get a sign-in link to pass on. It works once, within 10 minutes. Then the user sets a password.",
          "یک لینک ورود می‌گیرید که باید به کاربر برسانید. لینک یک بار و تا ۱۰ دقیقه کار می‌کند. بعد کاربر گذرواژه تعیین می‌کند."
        )}
      </p>
      <div class="actions">
        <button class="button primary">${say("Create link", "ساخت لینک")}</button>
        <a class="button quiet" href="${USERS_PATH}">${say("Cancel", "انصراف")}</a>
      </div>
    </form>`
  }
}

/** What is kept of a link, and shown. */
const ShownLink = Schema.Struct({
  secret: Schema.RedactedFromValue(Schema.String),
  expiresAt: Instant
})

/** The only page that shows the link. */
const linkPage = (view: View, email: string, { secret, expiresAt }: typeof ShownLink.Type): Page => {
  const { say, clock } = view.locale
  return {
    title: say("Sign-in link", "لینک ورود"),
    name: "users",
    lead: ltr(email),
    content: secretPanel(
      {
        label: say("Link", "لینک"),
        secret: signInUrl(view.baseUrl, secret),
        done: USERS_PATH,
        more: html`<p class="hint">
          ${say("It works once, until", "فقط یک بار کار می‌کند، تا ساعت")} ${clock(expiresAt)}.
          ${say("Send it over a channel that you trust.", "آن را از راه مطمئنی بفرستید.")}
        </p>`
      },
      view.locale
    )
  }
}

const USER_PATH = `${USERS_PATH}/:id` as const

/** The id in the path; what is none matches nobody. */
const pathUser = Effect.gen(function* () {
  const { id = "" } = yield* HttpRouter.params
  return isUuid(id) ? id : yield* new NotFound()
})

const ofPath = ({ actor }: View) =>
  Effect.flatMap(pathUser, (id) => Users.use((users) => users.find(actor.customerId, id)))

/** The page of a link that signs this user in once. */
const showLink = (view: View, fields: URLSearchParams, email: string) =>
  submitOnce(
    createSignInLink,
    {
      target: creating,
      input: () => ({ email }),
      shown: ShownLink,
      show: ({ secret, expiresAt }) => ({ secret, expiresAt })
    },
    view,
    fields
  ).pipe(Effect.map((link) => pageResponse(view, linkPage(view, email, link), { headers: NO_REFERRER })))

/** Two actions: if the second one fails, the user's page makes the link. */
const invite = (view: View, fields: URLSearchParams) =>
  submitOnce(
    inviteUser,
    {
      target: creating,
      input: () => ({
        email: fields.get("email"),
        name: fields.get("name")?.trim(),
        role: fields.get("role")
      }),
      shown: Schema.String,
      show: ({ email }) => email
    },
    view,
    fields
  ).pipe(
    Effect.catchTag("conflict", (error) => fieldError("email", error.problem)),
    Effect.flatMap((email) => showLink(view, fields, email)),
    Effect.catch(rerender(view, (errors) => Effect.succeed(newUserPage(view, fields, errors))))
  )

const submitUser = formAction(changeUser, {
  target: pathUser,
  input: (fields) => ({ name: fields.get("name")?.trim(), role: fields.get("role") }),
  done: (_, { id }) => seeOther(withNotice(`${USERS_PATH}/${id}`, "saved")),
  again: (view, fields, errors) => Effect.map(ofPath(view), (user) => userPage(view, user, fields, errors))
})

const submitActive = (active: boolean) =>
  formAction(changeUser, {
    target: pathUser,
    input: () => ({ active }),
    done: (_, { id }) => seeOther(withNotice(`${USERS_PATH}/${id}`, active ? "enabled" : "disabled"))
  })

const submitReset = formAction(resetSecondFactor, {
  target: pathUser,
  done: (_, { id }) => seeOther(withNotice(`${USERS_PATH}/${id}`, "factor_reset"))
})

/** The people of an account, which its owners manage. */
export const userPages = {
  name: "users",
  routes: [
    page(USERS_PATH, showUsers),
    ownerPage(NEW_USER_PATH, (view) => Effect.succeed(newUserPage(view, emptyForm(), noFieldErrors))),
    ownerChange(NEW_USER_PATH, invite),
    ownerPage(USER_PATH, (view) =>
      Effect.map(ofPath(view), (user) => userPage(view, user, null, noFieldErrors))
    ),
    ownerChange(USER_PATH, submitUser),
    ownerChange(`${USER_PATH}/disable`, submitActive(false)),
    ownerChange(`${USER_PATH}/enable`, submitActive(true)),
    ownerChange(`${USER_PATH}/second-factor/reset`, submitReset),
    ownerChange(`${USER_PATH}/link`, (view, fields) =>
      Effect.flatMap(ofPath(view), ({ email }) => showLink(view, fields, email))
    )
  ]
} as const satisfies ConsolePages
