import { Clock, Effect } from "effect"
import type { Instant } from "../../../domain/Instant.ts"
import { isIdPosition } from "../../../domain/Paging.ts"
import { type ApiKeyRecord, apiKeyStatus, type ApiKeyStatus } from "../../../domain/ApiKey.ts"
import { pathOf } from "../Navigation.ts"
import { type Html, html } from "../frame/Html.ts"
import type { Page } from "../frame/Layout.ts"
import type { View } from "../frame/SignedRoutes.ts"
import { stateBadge } from "../parts/Badge.ts"
import {
  choiceProblems,
  emptyState,
  type Filter,
  filters,
  pager,
  pageRequest,
  searchProblems,
  table
} from "../parts/Lists.ts"
import { foreign, mono } from "../parts/Text.ts"
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

const noKeys = ({ actor, locale: { say } }: View, isFiltered: boolean): Html =>
  isFiltered
    ? emptyState(
        say("No such key", "چنین کلیدی نیست"),
        say("Choose other filters.", "پالایه‌های دیگری برگزینید.")
      )
    : emptyState(
        say("No key yet", "هنوز کلیدی نیست"),
        say("Make a test key first: it sends nothing.", "نخست یک کلید آزمایشی بسازید: چیزی نمی‌فرستد."),
        actor.scope === "full" ? { href: NEW_KEY_PATH, label: say("New key", "کلید تازه") } : null
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
        ${items.length > 0 ? keyTable(items, now, view) : noKeys(view, isFiltered)} ${pager(view, next)}
      </div>`
  }
  return made
})
