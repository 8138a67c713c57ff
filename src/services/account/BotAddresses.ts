import { Context } from "effect"
import type { BotInboxRecord } from "./BotInboxStore.ts"
import type { Webhook } from "../provider/ProviderAdapter.ts"

type Inbox = Pick<BotInboxRecord, "accountId" | "generation">

/** Where platforms post the updates of each account, and the secret by which they show that it is them. */
export class BotAddresses extends Context.Service<
  BotAddresses,
  {
    /** Where updates are posted to, below this service's address. */
    readonly pathOf: (inbox: Inbox) => string
    /** Null where this service has no public address. */
    readonly webhookOf: (inbox: Inbox) => Webhook | null
    /** The account that a path's token speaks of, before it is known to be genuine; null where it can be none. */
    readonly accountOf: (token: string) => number | null
    readonly isGenuine: (inbox: Inbox, token: string) => boolean
    readonly isSecret: (inbox: Inbox, given: string) => boolean
  }
>()("peyk/services/account/BotAddresses") {}
