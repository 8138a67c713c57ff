import { Clock, Effect } from "effect"
import { type ApiKeyRecord, apiKeyStatus, type ApiKeyStatus } from "../../../domain/ApiKey.ts"
import { formatInstant, type Instant } from "../../../domain/Instant.ts"
import { isIdPosition } from "../../../domain/Paging.ts"
import { pathOf } from "../Navigation.ts"
import {
  errorSummary,
  type FieldErrors,
  inputField,
  noFieldErrors,
  selectField,
  textAreaField,
  timeField
} from "../forms/FormFields.ts"
import { csrfField, emptyForm, onceField, submittedEntries, submittedNumber } from "../forms/Forms.ts"
import { parseLocalTime } from "../forms/LocalTime.ts"
import { type Html, html } from "../frame/Html.ts"
import type { Page } from "../frame/Layout.ts"
import type { Locale } from "../frame/Locale.ts"
import type { View } from "../frame/SignedRoutes.ts"
import { stateBadge } from "../parts/Badge.ts"
import {
  choiceProblems,
  emptyState,
  type Filter,
  filters,
  noResults,
  pager,
  pageRequest,
  searchProblems,
  table
} from "../parts/Lists.ts"
import { isolated, mono } from "../parts/Text.ts"
import { Keys } from "../../../services/key/Keys.ts"

/** The parts of a key that pages may show. */
export const visibleKey = ({ prefix, lastFour }: Pick<ApiKeyRecord, "prefix" | "lastFour">): Html =>
  mono(`${prefix}…${lastFour}`)

export const KEYS_PATH = pathOf("keys")
export const NEW_KEY_PATH = `${KEYS_PATH}/new` as const

const statuses: ReadonlyArray<ApiKeyStatus> = ["active", "expired", "revoked"]
const modes = ["live", "test"] as const

const keyTable = (keys: ReadonlyArray<ApiKeyRecord>, now: Instant, { locale }: View): Html => {
  const { say, time } = locale
  return table(
    say("API keys", "کلیدهای API"),
    [
      {
        header: say("Name", "نام"),
        kind: "title",
        cell: (key: ApiKeyRecord) => html`<a href="${KEYS_PATH}/${key.id}">${isolated(key.name)}</a>`
      },
      { header: say("Key", "کلید"), cell: visibleKey },
      { header: say("Mode", "حالت"), cell: ({ mode }) => stateBadge(mode, locale) },
      { header: say("Status", "وضعیت"), cell: (key) => stateBadge(apiKeyStatus(key, now), locale) },
      { header: say("Last used", "آخرین استفاده"), cell: ({ lastUsedAt }) => time(lastUsedAt) },
      { header: say("Expires", "انقضا"), cell: ({ expiresAt }) => time(expiresAt) }
    ],
    keys
  )
}

const newKeyLink = ({ actor, locale: { say } }: View): Html | null =>
  actor.scope === "full"
    ? html`<a class="button primary" href="${NEW_KEY_PATH}">${say("New key", "کلید جدید")}</a>`
    : null

const filtersOf = ({ say }: View["locale"]): ReadonlyArray<Filter> => [
  {
    name: "mode",
    label: say("Mode", "حالت"),
    any: say("All", "همه"),
    choices: [
      ["live", say("Live", "واقعی")],
      ["test", say("Test", "آزمایشی")]
    ]
  },
  {
    name: "status",
    label: say("Status", "وضعیت"),
    any: say("All", "همه"),
    choices: [
      ["active", say("Active", "فعال")],
      ["expired", say("Expired", "منقضی")],
      ["revoked", say("Revoked", "باطل‌شده")]
    ]
  }
]

const noKeys = ({ actor, locale: { say } }: View, isFiltered: boolean): Html =>
  isFiltered
    ? noResults({ say })
    : emptyState(
        say("No keys yet", "هنوز کلیدی ندارید"),
        say(
          "Create a test key first: it sends nothing.",
          "اول یک کلید آزمایشی بسازید: با آن چیزی فرستاده نمی‌شود."
        ),
        actor.scope === "full" ? { href: NEW_KEY_PATH, label: say("New key", "کلید جدید") } : null
      )

export const showKeys = Effect.fnUntraced(function* (view: View) {
  const { actor, locale, query } = view
  const { say } = locale
  const request = yield* pageRequest(view, isIdPosition)
  const mode = modes.find((each) => each === query.get("mode"))
  const status = statuses.find((each) => each === query.get("status"))
  const shown = filtersOf(locale)
  const problems = choiceProblems(view, shown)
  const { items, next } =
    problems.length > 0
      ? { items: [], next: null }
      : yield* (yield* Keys).list(actor.customerId, { ...request, mode, status })
  const now = yield* Clock.currentTimeMillis
  const isFiltered = problems.length > 0 || mode !== undefined || status !== undefined
  return {
    title: say("API keys", "کلیدهای API"),
    name: "keys",
    lead: say(
      "Your backend uses them to send. Keep them out of browsers, apps and repositories.",
      "سرور شما با این کلیدها می‌فرستد. آن‌ها را در مرورگر، اپلیکیشن یا مخزن کد نگذارید."
    ),
    actions: newKeyLink(view),
    content: html`${filters(view, shown)} ${searchProblems(problems)}
      <div class="panel">
        ${items.length > 0 ? keyTable(items, now, view) : noKeys(view, isFiltered)} ${pager(view, next)}
      </div>`
  } satisfies Page
})

/**
 * A time typed into a form, as the management API takes it; null: none. The API refuses any other text. A day without a
 * time is its beginning, or its end.
 */
export const submittedTime = (
  text: string | null,
  zone: string,
  edge: "begin" | "end" = "begin"
): string | null => {
  const trimmed = (text ?? "").trim()
  if (trimmed === "") return null
  const at = parseLocalTime(trimmed, zone, edge)
  return at === null ? trimmed : formatInstant(at)
}

/** The fields of a form for a new or changed key, as the body of the management API. */
export const submittedKey = (fields: URLSearchParams) => ({
  name: fields.get("name")?.trim(),
  rate_limit_per_minute: submittedNumber(fields.get("rate_limit_per_minute")),
  allowed_ips: submittedEntries(fields.get("allowed_ips"))
})

export const nameField = ({ say }: Locale, value: string, errors: FieldErrors): Html =>
  inputField({
    name: "name",
    label: say("Name", "نام"),
    hint: say(
      "For example, where it is used. Only you see it.",
      "مثلاً جایی که از آن استفاده می‌شود. فقط خودتان می‌بینید."
    ),
    value,
    isRequired: true,
    errors
  })

export const expiryField = (locale: Locale, value: string, hint: string, errors: FieldErrors): Html =>
  timeField({ name: "expires_at", label: locale.say("Expires", "انقضا"), hint, value, errors }, locale)

const modeField = ({ say }: Locale, value: string): Html =>
  selectField({
    name: "mode",
    label: say("Mode", "حالت"),
    hint: say(
      "A test key sends nothing and costs nothing.",
      "با کلید آزمایشی چیزی فرستاده نمی‌شود و هزینه‌ای ندارد."
    ),
    value,
    choices: [
      ["live", say("Live", "واقعی")],
      ["test", say("Test", "آزمایشی")]
    ]
  })

/** Its limit, and the networks that it may be used from. */
export const limitFields = ({ say }: Locale, submitted: URLSearchParams, errors: FieldErrors): Html =>
  html`${inputField({
    name: "rate_limit_per_minute",
    label: say("Requests per minute", "درخواست در دقیقه"),
    hint: say("Empty: the default. 0: no limit.", "خالی: پیش‌فرض. ۰: بدون سقف."),
    value: submitted.get("rate_limit_per_minute") ?? "",
    isNumber: true,
    errors
  })}
  ${textAreaField({
    name: "allowed_ips",
    label: say("Allowed networks", "شبکه‌های مجاز"),
    hint: say(
      "IP addresses or networks such as 203.0.113.0/24, one per line. Empty: any. Requests from elsewhere are refused with 403.",
      "نشانی IP یا شبکه، مثل 203.0.113.0/24، در هر خط یکی. خالی: همه. درخواست از جای دیگر با ۴۰۳ رد می‌شود."
    ),
    value: submitted.get("allowed_ips") ?? "",
    rows: 3,
    isCode: true,
    errors
  })}`

/** The fields of a key as its form has them. */
export const asSubmitted = ({ name, requestsPerMinute, allowedIps }: ApiKeyRecord): URLSearchParams =>
  new URLSearchParams({
    name,
    rate_limit_per_minute: String(requestsPerMinute ?? ""),
    allowed_ips: (allowedIps ?? []).join("\n")
  })

export const newKeyPage = (view: View, submitted: URLSearchParams, errors: FieldErrors): Page => {
  const { say } = view.locale
  return {
    title: say("New key", "کلید جدید"),
    name: "keys",
    lead: html`<a href="${KEYS_PATH}">${say("API keys", "کلیدهای API")}</a>`,
    content: html`<form class="panel panel-body fields narrow" method="post" action="${NEW_KEY_PATH}">
      ${csrfField(view.csrf)}${onceField()} ${errorSummary(errors, view.locale)}
      ${nameField(view.locale, submitted.get("name") ?? "", errors)}
      ${modeField(view.locale, submitted.get("mode") ?? "live")}
      ${expiryField(view.locale, submitted.get("expires_at") ?? "", say("Empty: never. A day without a time counts whole.", "خالی: هرگز. روز بدون ساعت تا پایانش حساب می‌شود."), errors)}
      ${limitFields(view.locale, submitted, errors)}
      <div class="actions">
        <button class="button primary">${say("Create key", "ساخت کلید")}</button>
        <a class="button quiet" href="${KEYS_PATH}">${say("Cancel", "انصراف")}</a>
      </div>
    </form>`
  }
}

export const showNewKey = (view: View) => Effect.succeed(newKeyPage(view, emptyForm(), noFieldErrors))
