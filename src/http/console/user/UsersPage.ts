import { Effect } from "effect"
import { isUuidPosition } from "../../../domain/Paging.ts"
import { Role } from "../../../domain/user/Actor.ts"
import type { UserRecord } from "../../../domain/user/User.ts"
import { pathOf } from "../Navigation.ts"
import type { FieldErrors } from "../forms/FieldErrors.ts"
import { selectField } from "../forms/Fields.ts"
import { type Html, html } from "../frame/Html.ts"
import type { Page } from "../frame/Layout.ts"
import type { View } from "../frame/SignedRoutes.ts"
import { badge, stateBadge } from "../parts/Badge.ts"
import { emptyState, pager, pageRequest, table } from "../parts/Lists.ts"
import { foreign, ltr } from "../parts/Text.ts"
import { Users } from "../../../services/user/Users.ts"

const roles = {
  owner: ["Owner", "مالک", "also manages users and tokens", "کاربران و توکن‌ها را هم مدیریت می‌کند"],
  developer: ["Developer", "برنامه‌نویس", "changes the set-up", "تنظیمات را تغییر می‌دهد"],
  viewer: ["Viewer", "بیننده", "reads", "می‌خواند"]
} as const

export const roleName = (role: Role, { say }: View["locale"]): string => say(roles[role][0], roles[role][1])

export const roleField = ({ say }: View["locale"], value: string, errors: FieldErrors): Html =>
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

export const USERS_PATH = pathOf("users")
export const NEW_USER_PATH = `${USERS_PATH}/new` as const

export const stateOf = ({ disabledAt }: UserRecord, { locale }: View): Html =>
  stateBadge(disabledAt === null ? "active" : "disabled", locale)

const userTable = (users: ReadonlyArray<UserRecord>, view: View): Html => {
  const { say, time } = view.locale
  return table(
    say("Users", "کاربران"),
    [
      {
        header: say("Name", "نام"),
        kind: "title",
        cell: ({ id, name }: UserRecord) =>
          html`<a href="${USERS_PATH}/${id}">${foreign(name)}</a>
            ${id === view.actor.id && badge("plain", say("You", "شما"))}`
      },
      {
        header: say("E-mail", "ایمیل"),
        cell: ({ email }) => html`<span class="breakable">${ltr(email)}</span>`
      },
      { header: say("Role", "نقش"), cell: ({ role }) => roleName(role, view.locale) },
      { header: say("State", "وضعیت"), cell: (user) => stateOf(user, view) },
      { header: say("Since", "از"), cell: ({ createdAt }) => time(createdAt) }
    ],
    users
  )
}

export const showUsers = Effect.fnUntraced(function* (view: View) {
  const { say } = view.locale
  const lead = say("People who manage this account.", "کسانی که این حساب را مدیریت می‌کنند.")
  if (!view.actor.isOwner) {
    const made: Page = {
      title: say("Users", "کاربران"),
      name: "users",
      lead,
      content: html`<div class="panel">
        ${emptyState(
          say("Owners manage users", "مدیریت کاربران با مالکان است"),
          say("Ask an owner of this account.", "از یکی از مالکان این حساب بخواهید.")
        )}
      </div>`
    }
    return made
  }
  const request = yield* pageRequest(view, isUuidPosition)
  const { items, next } = yield* (yield* Users).list(view.actor.customerId, request)
  const made: Page = {
    title: say("Users", "کاربران"),
    name: "users",
    lead,
    actions: html`<a class="button primary" href="${NEW_USER_PATH}">${say("Invite somebody", "دعوت")}</a>`,
    content: html`<div class="panel">${userTable(items, view)} ${pager(view, next)}</div>`
  }
  return made
})
