import { Context, type Effect } from "effect"
import type { NotFound } from "../../../domain/Errors.ts"
import type { Message, MessageStatus, Strategy } from "../../../domain/message/Message.ts"
import type { KeyMode } from "../../../domain/customer/Customer.ts"
import type { Page, PageRequest } from "../../../domain/Paging.ts"
import type { SendSearch } from "./SendSearch.ts"

export interface MessageSearch extends SendSearch {
  readonly status?: MessageStatus | undefined
  readonly strategy?: Strategy | undefined
}

/** A customer's messages, the newest first. */
export class MessageRecords extends Context.Service<
  MessageRecords,
  {
    /** A page can be short, or even empty, without being the last: one query reads a limited number of rows. */
    readonly list: (customerId: number, search: MessageSearch & PageRequest) => Effect.Effect<Page<Message>>
    /** @param mode live if absent */
    readonly find: (customerId: number, id: string, mode?: KeyMode) => Effect.Effect<Message, NotFound>
  }
>()("peyk/services/resources/activity/MessageRecords") {}
