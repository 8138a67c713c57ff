import { Clock, Effect } from "effect"
import type { Instant } from "../../../domain/Instant.ts"
import { isIdPosition } from "../../../domain/Paging.ts"
import type { AccountState } from "../../../domain/account/AccountState.ts"
import { Channel, isChannel } from "../../../domain/routing/Channel.ts"
import { pathOf } from "../Navigation.ts"
import { accountState, lastCheck, minuteOf, sendsText } from "./AccountText.ts"
import { providerName } from "./ProviderNames.ts"
import { icon } from "../frame/Document.ts"
import { html } from "../frame/Html.ts"
import type { Locale } from "../frame/Locale.ts"
import type { View } from "../frame/SignedRoutes.ts"
import { badge } from "../parts/Badge.ts"
import {
  choiceProblems,
  type Column,
  emptyState,
  type Filter,
  filters,
  noResults,
  pager,
  pageRequest,
  searchProblems,
  table
} from "../parts/Lists.ts"
import { channelName, isolated } from "../parts/Text.ts"
import { AccountStates } from "../../../services/account/AccountHistories.ts"
import { type AccountRecord, Accounts } from "../../../services/account/Accounts.ts"

/** What lists of accounts show of each, behind its name. */
export const stateColumns = (
  states: ReadonlyMap<number, AccountState>,
  now: Instant,
  locale: Locale
): ReadonlyArray<Column<AccountRecord>> => {
  const { say } = locale
  return [
    { header: say("Channel", "کانال"), cell: ({ channel }) => channelName(channel, locale) },
    {
      header: say("Status", "وضعیت"),
      cell: (account) => accountState(account, states.get(account.id), now, locale)
    },
    { header: say("Can send", "قابلیت ارسال"), cell: (account) => sendsText(account, locale) },
    {
      header: say("This minute", "این دقیقه"),
      kind: "number",
      cell: ({ id }) => minuteOf(states.get(id), locale)
    },
    {
      header: say("Last check", "آخرین بررسی"),
      cell: ({ id }) => lastCheck(states.get(id)?.lastCheck ?? null, locale)
    }
  ]
}

export const CHANNELS_PATH = pathOf("channels")
export const CONNECT_PATH = `${CHANNELS_PATH}/connect` as const

export const accountPath = ({ id }: AccountRecord, action = ""): string => `${CHANNELS_PATH}/${id}${action}`

const filtersOf = (locale: Locale): ReadonlyArray<Filter> => {
  const { say } = locale
  return [
    {
      name: "channel",
      label: say("Channel", "کانال"),
      any: say("All channels", "همهٔ کانال‌ها"),
      choices: Channel.literals.map((channel) => [channel, channelName(channel, locale)] as const)
    },
    {
      name: "active",
      label: say("Status", "وضعیت"),
      any: say("All", "همه"),
      choices: [
        ["true", say("Active", "فعال")],
        ["false", say("Disabled", "غیرفعال")]
      ]
    }
  ]
}

const columns = (
  states: ReadonlyMap<number, AccountState>,
  now: Instant,
  locale: Locale
): ReadonlyArray<Column<AccountRecord>> => {
  const { say } = locale
  return [
    {
      header: say("Account", "حساب"),
      kind: "title",
      cell: ({ id, label, provider, isDefault }) =>
        html`<a href="${CHANNELS_PATH}/${id}">${isolated(label)}</a>
          ${isDefault && badge("info", say("Default", "پیش‌فرض"))}
          <span class="sub">${providerName(provider, locale)}</span>`
    },
    ...stateColumns(states, now, locale)
  ]
}

const empty = ({ query, actor, locale: { say } }: View) =>
  [query.get("channel"), query.get("active")].some((chosen) => (chosen ?? "") !== "")
    ? noResults({ say })
    : emptyState(
        say("No accounts yet", "هنوز حسابی وصل نکرده‌اید"),
        say(
          "Peyk sends over your own messenger and SMS accounts. Connect the first one.",
          "پیک با حساب‌های پیام‌رسان و پیامک خودتان می‌فرستد. اولین حساب را وصل کنید."
        ),
        actor.scope === "full" ? { href: CONNECT_PATH, label: say("Connect account", "اتصال حساب") } : null
      )

/** The customer's sending accounts. */
export const showChannels = Effect.fnUntraced(function* (view: View) {
  const { actor, query, locale } = view
  const { say } = locale
  const now = yield* Clock.currentTimeMillis
  const accounts = yield* Accounts
  const channel = query.get("channel") ?? ""
  const active = query.get("active")
  const request = yield* pageRequest(view, isIdPosition)
  const shown = filtersOf(locale)
  const problems = choiceProblems(view, shown)
  const { items, next } =
    problems.length > 0
      ? { items: [], next: null }
      : yield* accounts.list(actor.customerId, {
          ...request,
          channel: isChannel(channel) ? channel : undefined,
          active: active === "true" || active === "false" ? active === "true" : undefined
        })
  const states = yield* (yield* AccountStates).read(
    actor.customerId,
    items.map(({ id }) => id),
    now
  )
  const title = say("Channels", "کانال‌ها")
  return {
    title,
    name: "channels",
    lead: say(
      "The messenger and SMS accounts that send your codes and messages.",
      "حساب‌های پیام‌رسان و پیامک که کدها و پیام‌های شما را می‌فرستند."
    ),
    actions:
      actor.scope === "full"
        ? html`<a class="button primary" href="${CONNECT_PATH}">
            ${icon("plus")}${say("Connect account", "اتصال حساب")}
          </a>`
        : null,
    content: html`${filters(view, shown)} ${searchProblems(problems)}
      <div class="panel" id="accounts" data-live="10">
        ${items.length === 0 ? empty(view) : table(title, columns(states, now, locale), items)}
        ${pager(view, next)}
      </div>`
  } as const
})
