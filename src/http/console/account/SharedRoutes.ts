import { Clock, Effect } from "effect"
import type { HttpServerResponse } from "effect/http"
import type { Instant } from "../../../domain/Instant.ts"
import { isIdPosition } from "../../../domain/Paging.ts"
import type { AccountState } from "../../../domain/account/AccountState.ts"
import { Channel } from "../../../domain/routing/Channel.ts"
import type { ConsolePages } from "../ConsolePages.ts"
import { pathOf } from "../Navigation.ts"
import { checkedNotice } from "./AccountForms.ts"
import { providerName } from "./ProviderNames.ts"
import { stateColumns } from "./ChannelsPage.ts"
import { connectAt, connectPageAt, type ConnectTarget } from "./ConnectPage.ts"
import { formAction } from "../forms/ActionForms.ts"
import { seeOther } from "../frame/Responses.ts"
import { icon } from "../frame/Document.ts"
import { html, type Html } from "../frame/Html.ts"
import type { Page } from "../frame/Layout.ts"
import type { ConsoleError } from "../frame/Refusals.ts"
import { asPlatform, operatorForm, operatorPage, pathId, type View } from "../frame/SignedRoutes.ts"
import { confirmButton, postButton } from "../parts/Confirm.ts"
import { emptyState, pager, pageRequest, table } from "../parts/Lists.ts"
import { withNotice } from "../parts/Notice.ts"
import { isolated, quoted } from "../parts/Text.ts"
import { AccountStates } from "../../../services/account/AccountHistories.ts"
import {
  type AccountRecord,
  Accounts,
  changeAccount,
  removeAccount
} from "../../../services/account/Accounts.ts"

const SHARED_PATH = pathOf("shared-accounts")
const CONNECT_SHARED_PATH = `${SHARED_PATH}/connect` as const

const buttons = (view: View, { id, active, label }: AccountRecord): Html => {
  const { say } = view.locale
  const path = `${SHARED_PATH}/${id}`
  const button = (action: string, words: string) =>
    postButton(view, { action: `${path}/${action}`, label: words, isSmall: true })
  return html`<div class="actions">
    ${button("check", say("Check now", "بررسی حساب"))}
    ${active ? button("disable", say("Disable", "غیرفعال کردن")) : button("enable", say("Enable", "فعال کردن"))}
    ${confirmButton(view, {
      action: `${path}/delete`,
      label: say("Delete", "حذف"),
      kind: "quiet",
      isSmall: true,
      question: say(
        `${quoted(label, view.locale)} is deleted for all customers. This cannot be undone.`,
        `${quoted(label, view.locale)} برای همهٔ مشتری‌ها حذف می‌شود. این کار برگشت ندارد.`
      ),
      confirm: say("Delete account", "حذف حساب")
    })}
  </div>`
}

const sharedTable = (
  view: View,
  accounts: ReadonlyArray<AccountRecord>,
  states: ReadonlyMap<number, AccountState>,
  now: Instant
): Html => {
  const { locale } = view
  const { say } = locale
  return table<AccountRecord>(
    say("Shared accounts", "حساب‌های مشترک"),
    [
      {
        header: say("Account", "حساب"),
        kind: "title",
        cell: ({ label, provider }) =>
          html`${isolated(label)} <span class="sub">${providerName(provider, locale)}</span>`
      },
      ...stateColumns(states, now, locale),
      { header: say("Actions", "عملیات"), kind: "actions", cell: (account) => buttons(view, account) }
    ],
    accounts
  )
}

/** The platform's accounts, which customers of the start plan may send over. */
const showSharedAccounts = Effect.fnUntraced(function* (view: View) {
  const { say } = view.locale
  const now = yield* Clock.currentTimeMillis
  const page = yield* pageRequest(view, isIdPosition)
  const { items, next } = yield* (yield* Accounts).list(null, page)
  const ids = items.map(({ id }) => id)
  const states = yield* (yield* AccountStates).read(null, ids, now)
  return {
    title: say("Shared accounts", "حساب‌های مشترک"),
    name: "shared-accounts",
    lead: say(
      "Accounts of the installation. Customers on the start plan use them with sender “shared”.",
      "حساب‌های خود سامانه. مشتری‌های پلن «شروع» با فرستندهٔ shared از آن‌ها استفاده می‌کنند."
    ),
    actions: html`<a class="button primary" href="${CONNECT_SHARED_PATH}">
      ${icon("plus")}${say("Connect account", "اتصال حساب")}
    </a>`,
    content: html`<div class="panel">
      ${
        items.length > 0
          ? sharedTable(view, items, states, now)
          : emptyState(
              say("No shared accounts yet", "هنوز حساب مشترکی نیست"),
              say(
                "Connect one, and customers on the start plan can send over it.",
                "یکی وصل کنید تا مشتری‌های پلن «شروع» بتوانند از آن بفرستند."
              ),
              { href: CONNECT_SHARED_PATH, label: say("Connect account", "اتصال حساب") }
            )
      }
      ${pager(view, next)}
    </div>`
  } satisfies Page
})

const ACCOUNT_PATH = `${SHARED_PATH}/:id` as const

/** SMS lines are never shared. */
const sharedTarget: ConnectTarget = {
  owner: null,
  name: "shared-accounts",
  connectPath: CONNECT_SHARED_PATH,
  channels: Channel.literals.filter((channel) => channel !== "sms"),
  pathOfAccount: () => SHARED_PATH
}

/** A button of a shared account, in the platform's audit log. */
const sharedForm = <E extends ConsoleError, R>(
  verb: `/${string}`,
  act: (view: View, submitted: URLSearchParams) => Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
) => operatorForm(`${ACCOUNT_PATH}${verb}`, (view, submitted) => act(asPlatform(view), submitted))

const switchTo = (active: boolean) =>
  formAction(changeAccount, {
    target: pathId,
    input: () => ({ active }),
    done: () => seeOther(withNotice(SHARED_PATH, active ? "enabled" : "disabled"))
  })

const remove = formAction(removeAccount, {
  target: pathId,
  done: () => seeOther(withNotice(SHARED_PATH, "deleted"))
})

const check = Effect.gen(function* () {
  const finding = yield* (yield* Accounts).check(null, yield* pathId)
  return seeOther(withNotice(SHARED_PATH, checkedNotice(finding)))
})

/** The platform's accounts, for those who run the installation. */
export const sharedAccountPages = {
  name: "shared-accounts",
  routes: [
    operatorPage(SHARED_PATH, showSharedAccounts),
    operatorPage(CONNECT_SHARED_PATH, (view) => connectPageAt(view, sharedTarget)),
    operatorForm(CONNECT_SHARED_PATH, (view, submitted) =>
      connectAt(asPlatform(view), sharedTarget, submitted)
    ),
    operatorForm(`${ACCOUNT_PATH}/check`, () => check),
    sharedForm("/enable", switchTo(true)),
    sharedForm("/disable", switchTo(false)),
    sharedForm("/delete", remove)
  ]
} as const satisfies ConsolePages
