import { Clock, Effect, Redacted, Schema } from "effect"
import { type ApiKeyRecord, apiKeyStatus, type ApiKeyStatus } from "../../../../domain/people/ApiKey.ts"
import { KeyMode } from "../../../../domain/people/Customer.ts"
import type { Instant } from "../../../../domain/Instant.ts"
import { isIdPosition } from "../../../../domain/Paging.ts"
import { FRESH_IN_SHELL } from "../../../../domain/text/ShellCommands.ts"
import { type CreatedKey, Keys } from "../../../../services/resources/access/Keys.ts"
import { auditEntriesOf } from "../../../../services/resources/ManagementWrites.ts"
import { NewApiKey } from "../../../manage/access/ApiKeysApi.ts"
import { answerPage } from "../../frame/Answers.ts"
import { csrfField, onceField } from "../../frame/forms/Forms.ts"
import { html, type Html } from "../../frame/Html.ts"
import type { Page } from "../../frame/Layout.ts"
import { showAgain } from "../../frame/forms/ShownAgain.ts"
import type { View } from "../../frame/SignedRoutes.ts"
import { readTyped } from "../../frame/forms/TypedBody.ts"
import { writeOnce } from "../../frame/forms/Writes.ts"
import { pathOf } from "../../Navigation.ts"
import { stateBadge } from "../../parts/Badge.ts"
import { codeBlock } from "../../parts/CodeBlock.ts"
import { emptyState } from "../../parts/lists/EmptyState.ts"
import { errorSummary, type FieldErrors, noFieldErrors } from "../../parts/Fields.ts"
import { choiceProblems, type Filter, filters } from "../../parts/lists/Filters.ts"
import { pager, pageRequest } from "../../parts/lists/Pager.ts"
import { secretPanel } from "../../parts/Secret.ts"
import { table } from "../../parts/lists/Table.ts"
import { searchProblems } from "../../parts/lists/TimeFilters.ts"
import { foreign, isolated, mono } from "../../parts/Text.ts"
import { byField, expiryField, limitFields, modeField, nameField, typedKey, typedTime } from "./KeyForms.ts"

export const KEYS_PATH = pathOf("keys")
export const NEW_KEY_PATH = `${KEYS_PATH}/new` as const

export const keyEntry = auditEntriesOf("api_key")

const statuses: ReadonlyArray<ApiKeyStatus> = ["active", "expired", "revoked"]
const modes = ["live", "test"] as const

/** The parts of a key that pages may show. */
export const visibleKey = ({ prefix, lastFour }: Pick<ApiKeyRecord, "prefix" | "lastFour">): Html =>
  mono(`${prefix}…${lastFour}`)

const keyTable = (keys: ReadonlyArray<ApiKeyRecord>, now: Instant, { locale }: View): Html => {
  const { say, time } = locale
  return table(
    say("API keys", "کلیدهای API"),
    [
      {
        header: say("Name", "نام"),
        kind: "title",
        cell: (key: ApiKeyRecord) => html`<a href="${KEYS_PATH}/${key.id}">${foreign(key.name)}</a>`
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
    ? html`<a class="button primary" href="${NEW_KEY_PATH}">${say("New key", "کلید تازه")}</a>`
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
  const made: Page = {
    title: say("API keys", "کلیدهای API"),
    name: "keys",
    lead: say(
      "Your backend sends with them. Keep them out of browsers, apps and repositories.",
      "سرور شما با این‌ها ارسال می‌کند. در مرورگر، اپ و مخزن کد نگذارید."
    ),
    actions: newKeyLink(view),
    content: html`${filters(view, shown)} ${searchProblems(problems)}
      <div class="panel">
        ${
          items.length > 0
            ? keyTable(items, now, view)
            : isFiltered
              ? emptyState(
                  say("No such key", "چنین کلیدی نیست"),
                  say("Choose other filters.", "پالایه‌های دیگری برگزینید.")
                )
              : emptyState(
                  say("No key yet", "هنوز کلیدی نیست"),
                  say(
                    "Make a test key first: it sends nothing.",
                    "نخست یک کلید آزمایشی بسازید: چیزی نمی‌فرستد."
                  ),
                  actor.scope === "full" ? { href: NEW_KEY_PATH, label: say("New key", "کلید تازه") } : null
                )
        }
        ${pager(view, next)}
      </div>`
  }
  return made
})

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

const firstRequest = (mode: "live" | "test", origin: string): string =>
  [
    `curl ${origin}/v1/${mode === "test" ? "sandbox/" : ""}otp/send \\`,
    `  -H "X-API-Key: $PEYK_KEY" -H "Content-Type: application/json" \\`,
    ...(mode === "live" ? [`  -H "Idempotency-Key: ${FRESH_IN_SHELL}" \\`] : []),
    `  -d '{"phone": "09121234567", "channels": ["bale", "sms"]}'`
  ].join("\n")

/** What the page of a new key shows. */
export const ShownKey = Schema.Struct({
  name: Schema.String,
  mode: KeyMode,
  secret: Schema.RedactedFromValue(Schema.String)
})

export const shownKey = ({ record, secret }: CreatedKey): typeof ShownKey.Type => {
  const { name, mode } = record
  return { name, mode, secret }
}

/** The only page that shows the key. */
export const createdKeyPage = (
  view: View,
  { name, mode, secret }: typeof ShownKey.Type,
  title: string
): Page => {
  const { say } = view.locale
  return {
    title,
    name: "keys",
    lead: foreign(name),
    content: secretPanel(
      {
        label: say("The key", "کلید"),
        secret: Redacted.value(secret),
        done: KEYS_PATH,
        more: codeBlock(
          say(
            "A first request, with the key in $PEYK_KEY",
            `نخستین درخواست، با کلید در ${isolated("$PEYK_KEY")}`
          ),
          firstRequest(mode, view.baseUrl),
          view.locale
        )
      },
      view.locale
    )
  }
}

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
