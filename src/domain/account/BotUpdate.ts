import { Data } from "effect"

/** The action of a person in a chat with a bot, on any platform. `chatId` is how the bot reaches that person. */
export type BotUpdate = Data.TaggedEnum<{
  /** They wrote to it, or opened it, and shared nothing. */
  Spoke: { readonly chatId: string }
  /** They shared a contact. `isOwn`: it counts as the sender's own number; `isProven`: the platform shows that. */
  SharedContact: {
    readonly chatId: string
    readonly phone: string
    readonly isOwn: boolean
    readonly isProven: boolean
  }
  /** They stopped or blocked it. */
  Left: { readonly chatId: string }
}>
export const BotUpdate = Data.taggedEnum<BotUpdate>()

/** A bot's reply: a text, and whether it offers the button that shares one's phone number. */
export interface BotReply {
  readonly text: string
  /** The button's label; null takes the button away. */
  readonly shareButton: string | null
  /** In place of the text where there are no buttons: an app asks for the number itself. */
  readonly textInApp?: string
}
