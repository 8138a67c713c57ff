import { Channel } from "../../../../../../domain/routing/Channel.ts"
import type { AccountOwner } from "../../../../../../services/account/Accounts.ts"
import type { View } from "../../../../frame/SignedRoutes.ts"
import type { PageName } from "../../../../Navigation.ts"
import { CHANNELS_PATH, CONNECT_PATH } from "../ChannelsPage.ts"

/** Where an account is connected: a customer's own, or the platform's. */
export interface ConnectPlace {
  readonly owner: AccountOwner
  readonly name: PageName
  readonly connectPath: string
  readonly channels: ReadonlyArray<Channel>
  /** The page to show once the account is connected. */
  readonly pathOfAccount: (id: number) => string
}

export const ownPlace = ({ actor }: View): ConnectPlace => ({
  owner: actor.customerId,
  name: "channels",
  connectPath: CONNECT_PATH,
  channels: Channel.literals,
  pathOfAccount: (id) => `${CHANNELS_PATH}/${id}`
})
