import { Context, type Effect } from "effect"
import type { Channel } from "../../../domain/routing/Channel.ts"
import type { NotFound } from "../../../domain/Errors.ts"
import type { Message, MessageStatus, Strategy } from "../../../domain/message/Message.ts"
import type { KeyMode } from "../../../domain/people/Customer.ts"
import type { Page, PageRequest } from "../../../domain/Paging.ts"
import type { Phone } from "../../../domain/Phone.ts"
import type { TimeRange } from "../../../domain/TimePosition.ts"

export interface MessageSearch extends TimeRange {
  /** Live if absent. */
  readonly mode?: KeyMode | undefined
  readonly phone?: Phone | undefined
  readonly status?: MessageStatus | undefined
  readonly strategy?: Strategy | undefined
  /** A channel that was tried. */
  readonly channel?: Channel | undefined
  /** Top-level keys of the metadata, and the text that each must have. */
  readonly metadata?: ReadonlyMap<string, string> | undefined
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
