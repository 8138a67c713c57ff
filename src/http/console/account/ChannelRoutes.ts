import { Effect } from "effect"
import type { ConsolePages } from "../ConsolePages.ts"
import {
  checkAccount,
  disableAccount,
  enableAccount,
  makeDefault,
  submitContactRemoval,
  submitContacts,
  submitDetails,
  submitInboxRotation,
  submitOutcome,
  submitRemoval,
  submitSettings,
  submitStandby
} from "./AccountForms.ts"
import { MAX_CONTACTS_BYTES } from "../../BodyLimits.ts"
import { accountPage } from "./AccountPage.ts"
import { CHANNELS_PATH, CONNECT_PATH, showChannels } from "./ChannelsPage.ts"
import { connectAccount, showConnect } from "./ConnectPage.ts"
import { change, largeForm, page, pathId } from "../frame/SignedRoutes.ts"

const ACCOUNT_PATH = `${CHANNELS_PATH}/:id` as const

/** The customer's sending accounts: a list, one at a time, and how one is connected. */
export const channelPages = {
  name: "channels",
  routes: [
    page(CHANNELS_PATH, showChannels),
    page(CONNECT_PATH, showConnect),
    change(CONNECT_PATH, connectAccount),
    page(ACCOUNT_PATH, (view) => Effect.flatMap(pathId, (id) => accountPage(view, id, null))),
    change(ACCOUNT_PATH, submitDetails),
    change(`${ACCOUNT_PATH}/settings`, submitSettings),
    largeForm(MAX_CONTACTS_BYTES, change(`${ACCOUNT_PATH}/contacts`, submitContacts)),
    change(`${ACCOUNT_PATH}/contacts/remove`, submitContactRemoval),
    change(`${ACCOUNT_PATH}/standby`, submitStandby),
    change(`${ACCOUNT_PATH}/delete`, submitRemoval),
    change(`${ACCOUNT_PATH}/check`, checkAccount),
    change(`${ACCOUNT_PATH}/default`, makeDefault),
    change(`${ACCOUNT_PATH}/enable`, enableAccount),
    change(`${ACCOUNT_PATH}/disable`, disableAccount),
    change(`${ACCOUNT_PATH}/inbox/rotate`, submitInboxRotation),
    change(`${ACCOUNT_PATH}/outcome`, submitOutcome)
  ]
} as const satisfies ConsolePages
