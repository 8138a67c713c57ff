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
import { change, largeForm, page, type View } from "../../../frame/SignedRoutes.ts"
import { type NoticeKey, withCount, withNotice } from "../../../parts/Notice.ts"
import type { Refused } from "./AccountChangeForms.ts"
import { checkedNotice, saveDetails, saveSettings, updateAccount } from "./AccountForms.ts"
import { accountPage } from "./AccountPage.ts"
import { CHANNELS_PATH, CONNECT_PATH, showChannels } from "./ChannelsPage.ts"
import { connectAccount } from "./connect/ConnectAccount.ts"
import { showConnect } from "./connect/ConnectPage.ts"
import { linkContacts, MAX_CONTACTS_BYTES, removeContact } from "./ContactForms.ts"
import { rotateInbox } from "./InboxPart.ts"
import { forceOutcome } from "./SimulatorPart.ts"
import { saveStandby } from "./StandbyPart.ts"

const ACCOUNT_PATH = `${CHANNELS_PATH}/:id` as const

const backTo = (id: number, key: NoticeKey): HttpServerResponse.HttpServerResponse =>
  seeOther(withNotice(`${CHANNELS_PATH}/${id}`, key))

/** A form of an account's page. If it is refused, the page is shown again with what was typed. */
const accountForm = <A, E extends ConsoleError, R>(
  action: "" | "/settings" | "/contacts" | "/standby",
  form: Refused["form"],
  save: (view: View, id: number, typed: URLSearchParams) => Effect.Effect<A, E, R>,
  answer: (id: number, saved: A) => HttpServerResponse.HttpServerResponse = (id) => backTo(id, "saved")
) =>
  change(`${ACCOUNT_PATH}${action}`, (view, typed) =>
    Effect.flatMap(pathId, (id) =>
      Effect.map(save(view, id, typed), (saved) => answer(id, saved)).pipe(
        Effect.catch(showAgain(view, (errors) => accountPage(view, id, { form, errors, typed })))
      )
    )
  )

const contactsForm = accountForm("/contacts", "contacts", linkContacts, (id, count) =>
  seeOther(withCount(withNotice(`${CHANNELS_PATH}/${id}`, "linked"), count))
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

const checkAccount = Effect.fnUntraced(function* (view: View) {
  const id = yield* pathId
  const finding = yield* (yield* Accounts).check(view.actor.customerId, id)
  return backTo(id, checkedNotice(finding))
})

/** Refused while something still needs the account. */
const deleteAccount = Effect.fnUntraced(function* (view: View) {
  const id = yield* pathId
  const accounts = yield* Accounts
  yield* writeAs(
    view,
    "account.remove",
    Effect.as(accounts.remove(view.actor.customerId, id, null), {
      result: null,
      audit: accountEntry("remove", id)
    })
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
    accountForm(
      "/settings",
      "settings",
      (view, id, typed) =>
        Effect.flatMap(
          Effect.flatMap(Accounts, (accounts) => accounts.find(view.actor.customerId, id)),
          (account) => saveSettings(view, account, typed)
        ),
      backTo
    ),
    largeForm(MAX_CONTACTS_BYTES, contactsForm),
    accountForm("/standby", "standby", saveStandby),
    change(`${ACCOUNT_PATH}/delete`, deleteAccount),
    accountButton("/contacts/remove", "deleted", removeContact),
    change(`${ACCOUNT_PATH}/check`, checkAccount),
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
