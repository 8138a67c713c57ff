import { Effect } from "effect"
import type { HttpServerResponse } from "effect/http"
import { Channel } from "../../../../../domain/routing/Channel.ts"
import { changeAccount, removeAccount } from "../../../../../services/account/AccountActions.ts"
import { Accounts } from "../../../../../services/account/Accounts.ts"
import type { ConsolePages } from "../../../ConsolePages.ts"
import { seeOther } from "../../../frame/Answers.ts"
import { formAction } from "../../../frame/forms/ActionForms.ts"
import { pathId } from "../../../frame/PathIds.ts"
import type { ConsoleError } from "../../../frame/Refusals.ts"
import { asPlatform, operatorForm, operatorPage, type View } from "../../../frame/SignedRoutes.ts"
import { withNotice } from "../../../parts/Notice.ts"
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

/** A button of a shared account, in the platform's audit log. */
const sharedForm = <E extends ConsoleError, R>(
  verb: `/${string}`,
  act: (view: View, typed: URLSearchParams) => Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
) => operatorForm(`${ACCOUNT_PATH}${verb}`, (view, typed) => act(asPlatform(view), typed))

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
    operatorPage(CONNECT_SHARED_PATH, (view) => connectPageAt(view, sharedPlace)),
    operatorForm(CONNECT_SHARED_PATH, (view, typed) => connectAt(asPlatform(view), sharedPlace, typed)),
    operatorForm(`${ACCOUNT_PATH}/check`, () => check),
    sharedForm("/enable", switchTo(true)),
    sharedForm("/disable", switchTo(false)),
    sharedForm("/delete", remove)
  ]
} as const satisfies ConsolePages
