import { Context, type Effect } from "effect"
import type { NotFound } from "../../domain/Errors.ts"
import type { Ordered, Page, PageRequest, TimeRange } from "../../domain/Paging.ts"
import type { Phone } from "../../domain/Phone.ts"
import type { KeyMode } from "../../domain/customer/Customer.ts"
import type { Message, MessageStatus, Strategy } from "../../domain/message/Message.ts"
import type { Channel } from "../../domain/routing/Channel.ts"

/** The conditions that a search of codes and one of messages share. */
export interface SendSearch extends TimeRange, Ordered {
  /** Live if absent. */
  readonly mode?: KeyMode | undefined
  readonly phone?: Phone | undefined
  /** The last four digits of the phone. */
  readonly phoneEnd?: string | undefined
  /** A channel that was tried. */
  readonly channel?: Channel | undefined
  /** Top-level keys of the metadata, and the text that each must have. */
  readonly metadata?: ReadonlyMap<string, string> | undefined
}

/** How many records a search finds, among those that one query reads. */
export interface SendCount {
  readonly count: number
  /** There may be more. */
  readonly isMore: boolean
}

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
    readonly count: (customerId: number, search: MessageSearch) => Effect.Effect<SendCount>
    /** @param mode live if absent */
    readonly find: (customerId: number, id: string, mode?: KeyMode) => Effect.Effect<Message, NotFound>
  }
>()("peyk/services/message/MessageRecords") {}
