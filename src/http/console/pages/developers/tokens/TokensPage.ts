import { Clock, Effect } from "effect"
import type { Instant } from "../../../../../domain/Instant.ts"
import { isIdPosition } from "../../../../../domain/Paging.ts"
import { apiKeyStatus } from "../../../../../domain/key/ApiKey.ts"
import type { TokenRecord } from "../../../../../domain/key/PersonalToken.ts"
import { Tokens } from "../../../../../services/key/Tokens.ts"
import { html, type Html } from "../../../frame/Html.ts"
import type { Page } from "../../../frame/Layout.ts"
import type { View } from "../../../frame/SignedRoutes.ts"
import { pathOf } from "../../../Navigation.ts"
import { stateBadge } from "../../../parts/Badge.ts"
import { confirmButton } from "../../../parts/Confirm.ts"
import { emptyState } from "../../../parts/lists/EmptyState.ts"
import { pager, pageRequest } from "../../../parts/lists/Pager.ts"
import { table } from "../../../parts/lists/Table.ts"
import { foreign } from "../../../parts/Text.ts"
import { visibleKey } from "../VisibleKey.ts"

export const TOKENS_PATH = pathOf("tokens")
export const NEW_TOKEN_PATH = `${TOKENS_PATH}/new` as const

const scopeWords = (scope: TokenRecord["scope"], { locale: { say } }: View): string =>
  scope === "full" ? say("Full", "کامل") : say("Read only", "فقط خواندن")

const revokeButton = (view: View, { id }: TokenRecord): Html => {
  const { say } = view.locale
  return confirmButton(view, {
    action: `${TOKENS_PATH}/${id}/revoke`,
    label: say("Revoke", "ابطال"),
    kind: "danger",
    isSmall: true,
    question: say(
      "Programs with this token are refused from now on.",
      "از این پس برنامه‌های دارای این توکن رد می‌شوند."
    ),
    confirm: say("Revoke the token", "توکن باطل شود")
  })
}

const tokenTable = (tokens: ReadonlyArray<TokenRecord>, now: Instant, view: View): Html => {
  const { say, time } = view.locale
  const status = (token: TokenRecord) => apiKeyStatus(token, now)
  return table(
    say("Personal access tokens", "توکن‌های دسترسی"),
    [
      { header: say("Name", "نام"), kind: "title", cell: ({ name }: TokenRecord) => foreign(name) },
      { header: say("Token", "توکن"), cell: visibleKey },
      { header: say("Access", "دسترسی"), cell: ({ scope }) => scopeWords(scope, view) },
      { header: say("Status", "وضعیت"), cell: (token) => stateBadge(status(token), view.locale) },
      { header: say("Last used", "آخرین استفاده"), cell: ({ lastUsedAt }) => time(lastUsedAt) },
      { header: say("Expires", "انقضا"), cell: ({ expiresAt }) => time(expiresAt) },
      {
        header: say("Actions", "کارها"),
        kind: "actions",
        cell: (token) => view.actor.isOwner && status(token) === "active" && revokeButton(view, token)
      }
    ],
    tokens
  )
}

export const showTokens = Effect.fnUntraced(function* (view: View) {
  const { actor, locale } = view
  const { say } = locale
  const request = yield* pageRequest(view, isIdPosition)
  const { items, next } = yield* (yield* Tokens).list(actor.customerId, request)
  const now = yield* Clock.currentTimeMillis
  const link = { href: NEW_TOKEN_PATH, label: say("New token", "توکن تازه") }
  const made: Page = {
    title: say("Tokens", "توکن‌ها"),
    name: "tokens",
    lead: say(
      "Programs manage the account with them: the management API, deployments, scripts.",
      "برنامه‌ها با این‌ها حساب را مدیریت می‌کنند: API مدیریت، استقرار، اسکریپت‌ها."
    ),
    actions: actor.isOwner ? html`<a class="button primary" href="${link.href}">${link.label}</a>` : null,
    content: html`<div class="panel">
      ${
        items.length > 0
          ? tokenTable(items, now, view)
          : emptyState(
              say("No token yet", "هنوز توکنی نیست"),
              say(
                "You need one only to manage the account by a program.",
                "تنها برای مدیریت حساب با برنامه لازم است."
              ),
              actor.isOwner ? link : null
            )
      }
      ${pager(view, next)}
    </div>`
  }
  return made
})
