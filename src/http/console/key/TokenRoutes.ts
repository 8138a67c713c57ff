import { Clock, Effect, Redacted, Schema } from "effect"
import type { Instant } from "../../../domain/Instant.ts"
import { isIdPosition } from "../../../domain/Paging.ts"
import { apiKeyStatus } from "../../../domain/ApiKey.ts"
import type { TokenRecord } from "../../../domain/PersonalToken.ts"
import type { ConsolePages } from "../ConsolePages.ts"
import { pathOf } from "../Navigation.ts"
import { creating, formAction, onceFormAction } from "../forms/ActionForms.ts"
import { errorSummary, type FieldErrors, noFieldErrors, selectField } from "../forms/FormFields.ts"
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
import { isolated, quoted } from "../parts/Text.ts"
import { createToken, revokeToken, Tokens } from "../../../services/key/Tokens.ts"

const TOKENS_PATH = pathOf("tokens")
const NEW_TOKEN_PATH = `${TOKENS_PATH}/new` as const

const scopeText = (scope: TokenRecord["scope"], { locale: { say } }: View): string =>
  scope === "full" ? say("Full", "کامل") : say("Read only", "فقط خواندن")

const revokeButton = (view: View, { id, name }: TokenRecord): Html => {
  const { say } = view.locale
  return confirmButton(view, {
    action: `${TOKENS_PATH}/${id}/revoke`,
    label: say("Revoke", "ابطال"),
    kind: "danger",
    isSmall: true,
    question: say(
      `Programs that use ${quoted(name, view.locale)} are refused from now on. This cannot be undone.`,
      `از این به بعد برنامه‌هایی که از ${quoted(name, view.locale)} استفاده می‌کنند رد می‌شوند. این کار برگشت ندارد.`
    ),
    confirm: say("Revoke token", "ابطال توکن")
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
        header: say("Actions", "عملیات"),
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
  const link = { href: NEW_TOKEN_PATH, label: say("New token", "توکن جدید") }
  return {
    title: say("Tokens", "توکن‌ها"),
    name: "tokens",
    lead: say(
      "For programs that manage this account: the management API, deployments, scripts.",
      "برای برنامه‌هایی که این حساب را مدیریت می‌کنند: API مدیریت، استقرار، اسکریپت."
    ),
    actions: actor.isOwner ? html`<a class="button primary" href="${link.href}">${link.label}</a>` : null,
    content: html`<div class="panel">
      ${
        items.length > 0
          ? tokenTable(items, now, view)
          : emptyState(
              say("No tokens yet", "هنوز توکنی ندارید"),
              say(
                "You need one only if a program manages this account.",
                "توکن فقط وقتی لازم است که برنامه‌ای این حساب را مدیریت کند."
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
    title: say("New token", "توکن جدید"),
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
          ["full", say("Full: read and change everything", "کامل: خواندن و تغییر همه‌چیز")]
        ],
        errors
      })}
      ${expiryField(view.locale, submitted.get("expires_at") ?? "", say("Empty: 90 days from now. A day without a time counts whole.", "خالی: ۹۰ روز دیگر. روز بدون ساعت تا پایانش حساب می‌شود."), errors)}
      <div class="actions">
        <button class="button primary">${say("Create token", "ساخت توکن")}</button>
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
    expires_at: submittedTime(fields.get("expires_at"), locale.zone, "end")
  }),
  shown: ShownToken,
  show: ({ record: { name }, secret }) => ({ name, secret }),
  done: (view, { name, secret }) => {
    const { say } = view.locale
    const panel = { label: say("Token", "توکن"), secret: Redacted.value(secret), done: TOKENS_PATH }
    return pageResponse(view, {
      title: say("Token created", "توکن ساخته شد"),
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
