import { Effect } from "effect"
import { Channel } from "../../../../../domain/routing/Channel.ts"
import { type AccountChange, Accounts } from "../../../../../services/resources/accounts/Accounts.ts"
import { accountEntry, auditedChange } from "../../../../../services/resources/accounts/AccountWrites.ts"
import type { ConsolePages } from "../../../ConsolePages.ts"
import { seeOther } from "../../../frame/Answers.ts"
import { writeAs } from "../../../frame/forms/Writes.ts"
import { pathId } from "../../../frame/PathIds.ts"
import type { ConsoleError } from "../../../frame/Refusals.ts"
import { asPlatform, operatorForm, operatorPage, type View } from "../../../frame/SignedRoutes.ts"
import { type NoticeKey, withNotice } from "../../../parts/Notice.ts"
import { checkedNotice } from "../../setup/channels/AccountForms.ts"
import { connectAt } from "../../setup/channels/connect/ConnectAccount.ts"
import { connectPageAt } from "../../setup/channels/connect/ConnectPage.ts"
import type { ConnectPlace } from "../../setup/channels/connect/ConnectPlace.ts"
import { CONNECT_SHARED_PATH, SHARED_PATH, showSharedAccounts } from "./SharedAccountsPage.ts"

const ACCOUNT_PATH = `${SHARED_PATH}/:id` as const

/** SMS lines are never shared. */
const sharedPlace: ConnectPlace = {
  owner: null,
  name: "shared-accounts",
  connectPath: CONNECT_SHARED_PATH,
  channels: Channel.literals.filter((channel) => channel !== "sms"),
  pathOfAccount: () => SHARED_PATH
}

const sharedButton = <E extends ConsoleError, R>(
  action: `/${string}`,
  key: NoticeKey,
  act: (view: View, id: number) => Effect.Effect<unknown, E, R>
) =>
  operatorForm(`${ACCOUNT_PATH}${action}`, (view) =>
    Effect.flatMap(pathId, (id) =>
      Effect.as(act(asPlatform(view), id), seeOther(withNotice(SHARED_PATH, key)))
    )
  )

const update = (change: AccountChange) =>
  Effect.fnUntraced(function* (view: View, id: number) {
    const accounts = yield* Accounts
    yield* writeAs(
      view,
      "account.update",
      Effect.as(accounts.update(null, id, change, null), {
        result: null,
        audit: accountEntry("update", id, auditedChange(change))
      })
    )
  })

const remove = Effect.fnUntraced(function* (view: View, id: number) {
  const accounts = yield* Accounts
  yield* writeAs(
    view,
    "account.remove",
    Effect.as(accounts.remove(null, id, null), { result: null, audit: accountEntry("remove", id) })
  )
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
    operatorPage(CONNECT_SHARED_PATH, (view) => connectPageAt(view, sharedPlace)),
    operatorForm(CONNECT_SHARED_PATH, (view, typed) => connectAt(asPlatform(view), sharedPlace, typed)),
    operatorForm(`${ACCOUNT_PATH}/check`, () => check),
    sharedButton("/enable", "enabled", update({ active: true })),
    sharedButton("/disable", "disabled", update({ active: false })),
    sharedButton("/delete", "deleted", remove)
  ]
} as const satisfies ConsolePages
