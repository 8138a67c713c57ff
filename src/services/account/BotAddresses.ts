import { Context } from "effect"
import type { BotInboxRecord } from "./BotInboxStore.ts"
import type { Webhook } from "../provider/ProviderAdapter.ts"

type Inbox = Pick<BotInboxRecord, "accountId" | "generation">

/** Where platforms post the updates of each account, and the secret that identifies them. */
export class BotAddresses extends Context.Service<
  BotAddresses,
  {
    /** The path for updates, below this service's address. */
    readonly pathOf: (inbox: Inbox) => string
    /** Null if this service has no public address. */
    readonly webhookOf: (inbox: Inbox) => Webhook | null
    /** The account that a path's token names, before the token is verified; null if it can name none. */
    readonly accountOf: (token: string) => number | null
    readonly isGenuine: (inbox: Inbox, token: string) => boolean
    readonly isSecret: (inbox: Inbox, given: string) => boolean
  }
>()("peyk/services/account/BotAddresses") {}
