import { Data } from "effect"

/** What a person did with a bot, whatever the platform calls it. `chatId` is how the bot reaches that person. */
export type BotUpdate = Data.TaggedEnum<{
  /** Wrote to it, or opened it, and shared nothing. */
  Spoke: { readonly chatId: string }
  /** Shared a contact. `isOwn`: it is taken for the sender's own number; `isProven`: because the platform shows it. */
  SharedContact: {
    readonly chatId: string
    readonly phone: string
    readonly isOwn: boolean
    readonly isProven: boolean
  }
  /** Stopped or blocked it. */
  Left: { readonly chatId: string }
}>
export const BotUpdate = Data.taggedEnum<BotUpdate>()

/** What a bot says: a text, and whether it offers the button that shares one's phone number. */
export interface BotReply {
  readonly text: string
  /** The button's label; null takes the button away. */
  readonly shareButton: string | null
}
