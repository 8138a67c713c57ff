import { Clock, Effect, Redacted, Schema } from "effect"
import type { Instant } from "../../../domain/Instant.ts"
import { isIdPosition } from "../../../domain/Paging.ts"
import { apiKeyStatus } from "../../../domain/ApiKey.ts"
import type { TokenRecord } from "../../../domain/PersonalToken.ts"
import type { ConsolePages } from "../ConsolePages.ts"
import { pathOf } from "../Navigation.ts"
import { creating, formAction, onceFormAction } from "../forms/ActionForms.ts"
import { errorSummary, type FieldErrors, noFieldErrors, selectField } from "../forms/Fields.ts"
import { csrfField, emptyForm, onceField } from "../forms/Forms.ts"
import { pageResponse, seeOther } from "../frame/Responses.ts"
import { html, type Html } from "../frame/Html.ts"
import type { Page } from "../frame/Layout.ts"
import { ownerChange, ownerPage, page, pathId, type View } from "../frame/SignedRoutes.ts"
import { expiryField, nameField, submittedTime, visibleKey } from "./KeysPage.ts"
import { stateBadge } from "../parts/Badge.ts"
import { secretPanel } from "../parts/Code.ts"
import { confirmButton } from "../parts/Confirm.ts"
import { emptyState, pager, pageRequest, table } from "../parts/Lists.ts"
import { withNotice } from "../parts/Notice.ts"
import { isolated } from "../parts/Text.ts"
import { createToken, revokeToken, Tokens } from "../../../services/key/Tokens.ts"

const TOKENS_PATH = pathOf("tokens")
const NEW_TOKEN_PATH = `${TOKENS_PATH}/new` as const

const scopeText = (scope: TokenRecord["scope"], { locale: { say } }: View): string =>
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
      { header: say("Name", "نام"), kind: "title", cell: ({ name }: TokenRecord) => isolated(name) },
      { header: say("Token", "توکن"), cell: visibleKey },
      { header: say("Access", "دسترسی"), cell: ({ scope }) => scopeText(scope, view) },
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

const showTokens = Effect.fnUntraced(function* (view: View) {
  const { actor, locale } = view
  const { say } = locale
  const request = yield* pageRequest(view, isIdPosition)
  const { items, next } = yield* (yield* Tokens).list(actor.customerId, request)
  const now = yield* Clock.currentTimeMillis
  const link = { href: NEW_TOKEN_PATH, label: say("New token", "توکن تازه") }
  return {
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
  } satisfies Page
})

const newTokenPage = (view: View, submitted: URLSearchParams, errors: FieldErrors): Page => {
  const { say } = view.locale
  return {
    title: say("New token", "توکن تازه"),
    name: "tokens",
    lead: html`<a href="${TOKENS_PATH}">${say("Tokens", "توکن‌ها")}</a>`,
    content: html`<form class="panel panel-body fields narrow" method="post" action="${NEW_TOKEN_PATH}">
      ${csrfField(view.csrf)}${onceField()} ${errorSummary(errors, view.locale)}
      ${nameField(view.locale, submitted.get("name") ?? "", errors)}
      ${selectField({
        name: "scope",
        label: say("Access", "دسترسی"),
        value: submitted.get("scope") ?? "read_only",
        choices: [
          ["read_only", say("Read only", "فقط خواندن")],
          ["full", say("Full: may change everything", "کامل: اجازهٔ همهٔ تغییرها")]
        ],
        errors
      })}
      ${expiryField(view.locale, submitted.get("expires_at") ?? "", say("Empty: in 90 days.", "خالی: ۹۰ روز دیگر."), errors)}
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

const submitNewToken = onceFormAction(createToken, {
  target: creating,
  input: (fields, { locale }) => ({
    name: fields.get("name")?.trim(),
    scope: fields.get("scope"),
    expires_at: submittedTime(fields.get("expires_at"), locale.zone)
  }),
  shown: ShownToken,
  show: ({ record: { name }, secret }) => ({ name, secret }),
  done: (view, { name, secret }) => {
    const { say } = view.locale
    const panel = { label: say("The token", "توکن"), secret: Redacted.value(secret), done: TOKENS_PATH }
    return pageResponse(view, {
      title: say("The token is made", "توکن ساخته شد"),
      name: "tokens",
      lead: isolated(name),
      content: secretPanel(panel, view.locale)
    })
  },
  again: (view, fields, errors) => Effect.succeed(newTokenPage(view, fields, errors))
})

const showNewToken = (view: View) => Effect.succeed(newTokenPage(view, emptyForm(), noFieldErrors))

const submitRevocation = formAction(revokeToken, {
  target: pathId,
  done: () => seeOther(withNotice(TOKENS_PATH, "revoked"))
})

/** Personal access tokens, which owners make. */
export const tokenPages = {
  name: "tokens",
  routes: [
    page(TOKENS_PATH, showTokens),
    ownerPage(NEW_TOKEN_PATH, showNewToken),
    ownerChange(NEW_TOKEN_PATH, submitNewToken),
    ownerChange(`${TOKENS_PATH}/:id/revoke`, submitRevocation)
  ]
} as const satisfies ConsolePages
