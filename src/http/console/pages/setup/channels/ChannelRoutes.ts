import { Effect } from "effect"
import type { HttpServerResponse } from "effect/http"
import { Accounts } from "../../../../../services/resources/accounts/Accounts.ts"
import { accountEntry } from "../../../../../services/resources/accounts/AccountWrites.ts"
import type { ConsolePages } from "../../../ConsolePages.ts"
import { seeOther } from "../../../frame/Answers.ts"
import { pathId } from "../../../frame/PathIds.ts"
import { showAgain } from "../../../frame/forms/ShownAgain.ts"
import { writeAs } from "../../../frame/forms/Writes.ts"
import type { ConsoleError } from "../../../frame/Refusals.ts"
import { change, page, type View } from "../../../frame/SignedRoutes.ts"
import { type NoticeKey, withNotice } from "../../../parts/Notice.ts"
import { saveDetails, saveSettings, updateAccount } from "./AccountForms.ts"
import { accountPage, type Refused } from "./AccountPage.ts"
import { CHANNELS_PATH, CONNECT_PATH, showChannels } from "./ChannelsPage.ts"
import { connectAccount, showConnect } from "./ConnectPage.ts"
import { linkContacts, removeContact } from "./ContactForms.ts"
import { rotateInbox } from "./InboxPart.ts"
import { forceOutcome } from "./SimulatorPart.ts"
import { saveStandby } from "./StandbyPart.ts"

const ACCOUNT_PATH = `${CHANNELS_PATH}/:id` as const

const backTo = (id: number, key: NoticeKey): HttpServerResponse.HttpServerResponse =>
  seeOther(withNotice(`${CHANNELS_PATH}/${id}`, key))

/** A form of an account's page. If it is refused, the page is shown again with what was typed. */
const accountForm = <E extends ConsoleError, R>(
  action: "" | "/settings" | "/contacts" | "/standby",
  form: Refused["form"],
  save: (view: View, id: number, typed: URLSearchParams) => Effect.Effect<unknown, E, R>
) =>
  change(`${ACCOUNT_PATH}${action}`, (view, typed) =>
    Effect.flatMap(pathId, (id) =>
      Effect.as(save(view, id, typed), backTo(id, "saved")).pipe(
        Effect.catch(showAgain(view, (errors) => accountPage(view, id, { form, errors, typed })))
      )
    )
  )

/** A button of an account's page. */
const accountButton = <E extends ConsoleError, R>(
  action: `/${string}`,
  key: NoticeKey,
  act: (view: View, id: number, typed: URLSearchParams) => Effect.Effect<unknown, E, R>
) =>
  change(`${ACCOUNT_PATH}${action}`, (view, typed) =>
    Effect.flatMap(pathId, (id) => Effect.as(act(view, id, typed), backTo(id, key)))
  )

const checkAccount = (view: View, id: number) =>
  Effect.flatMap(Accounts, (accounts) => accounts.check(view.actor.customerId, id))

/** Refused while something still needs the account. */
const deleteAccount = Effect.fnUntraced(function* (view: View) {
  const id = yield* pathId
  const accounts = yield* Accounts
  yield* writeAs(
    view,
    "account.remove",
    Effect.as(accounts.remove(view.actor.customerId, id), { result: null, audit: accountEntry("remove", id) })
  )
  return seeOther(withNotice(CHANNELS_PATH, "deleted"))
})

/** The customer's sending accounts: a list, one at a time, and how one is connected. */
export const channelPages = {
  name: "channels",
  routes: [
    page(CHANNELS_PATH, showChannels),
    page(CONNECT_PATH, showConnect),
    change(CONNECT_PATH, connectAccount),
    page(ACCOUNT_PATH, (view) => Effect.flatMap(pathId, (id) => accountPage(view, id, null))),
    accountForm("", "details", saveDetails),
    accountForm("/settings", "settings", (view, id, typed) =>
      Effect.flatMap(
        Effect.flatMap(Accounts, (accounts) => accounts.find(view.actor.customerId, id)),
        (account) => saveSettings(view, account, typed)
      )
    ),
    accountForm("/contacts", "contacts", linkContacts),
    accountForm("/standby", "standby", saveStandby),
    change(`${ACCOUNT_PATH}/delete`, deleteAccount),
    accountButton("/contacts/remove", "deleted", removeContact),
    accountButton("/check", "checked", checkAccount),
    accountButton("/default", "saved", (view, id) => updateAccount(view, id, { isDefault: true })),
    accountButton("/enable", "enabled", (view, id) => updateAccount(view, id, { active: true })),
    accountButton("/disable", "disabled", (view, id) => updateAccount(view, id, { active: false })),
    accountButton("/inbox/rotate", "saved", rotateInbox),
    change(`${ACCOUNT_PATH}/outcome`, (view, typed) =>
      Effect.flatMap(pathId, (id) =>
        Effect.as(
          forceOutcome(view, id, typed),
          typed.get("back") === "simulator" ? seeOther("/simulator") : backTo(id, "saved")
        )
      )
    )
  ]
} as const satisfies ConsolePages
