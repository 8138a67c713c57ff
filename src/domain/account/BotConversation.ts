import { Data, Option, Result } from "effect"
import { DAY_MILLIS, MINUTE_MILLIS, SECOND_MILLIS } from "../Instant.ts"
import { parseContactPhone, type Phone } from "../Phone.ts"

/** A bot's updates: the longest poll, and the pause after each outcome. */
export const BOT_POLL_MILLIS = 20 * SECOND_MILLIS
export const BOT_PAUSE_MILLIS = {
  /** Short, as updates may come in a row. */
  polled: SECOND_MILLIS,
  failed: 15 * SECOND_MILLIS,
  /** Waiting alone does not lift a refusal. */
  refused: 5 * MINUTE_MILLIS,
  /** The platform posts updates. Some platforms forget the address, so it is registered again. */
  announced: DAY_MILLIS
}

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

/** The effect of what a person did with a bot. */
export interface BotTurn {
  /** The chat now reaches this phone. If that is not `isProven`, only if no other chat reaches the phone. */
  readonly link: { readonly phone: Phone; readonly isProven: boolean } | null
  /** The chat reaches no phone any more. */
  readonly isOver: boolean
  readonly reply: BotReply | null
}

const SHARE_BUTTON = "ارسال شمارهٔ من"

const askForPhone: BotReply = {
  text: "سلام! برای دریافت کدها و پیام‌ها در این گفت‌وگو، شمارهٔ موبایل خود را با دکمهٔ زیر بفرستید.",
  textInApp: "سلام! برای دریافت کدها و پیام‌ها در این گفت‌وگو، شمارهٔ موبایل خود را در برنامه به اشتراک بگذارید.",
  shareButton: SHARE_BUTTON
}

const isNotYours: BotReply = {
  text: "این شماره متعلق به شما نیست. لطفاً شمارهٔ خودتان را با دکمهٔ زیر بفرستید.",
  textInApp: "این شماره متعلق به شما نیست. لطفاً شمارهٔ خودتان را در برنامه به اشتراک بگذارید.",
  shareButton: SHARE_BUTTON
}

const isNotIranian: BotReply = {
  text: "فقط شمارهٔ موبایل ایران پذیرفته می‌شود.",
  shareButton: null
}

const done: BotReply = {
  text: "شمارهٔ شما ثبت شد. از این به بعد کدها و پیام‌ها در همین گفت‌وگو به دستتان می‌رسد.",
  shareButton: null
}

/** The reply if another chat has this number and it is not proven to be the sender's. */
export const isTaken: BotReply = {
  text: "این شماره قبلاً در گفت‌وگوی دیگری ثبت شده است.",
  shareButton: null
}

const isDoneAlready: BotReply = {
  text: "شمارهٔ شما ثبت شده است و کدها و پیام‌ها در همین گفت‌وگو به دستتان می‌رسد.",
  shareButton: null
}

const reply = (response: BotReply): BotTurn => ({ link: null, isOver: false, reply: response })

/**
 * The bot's conversation. It asks each person for their number, and reaches them by this chat once they share it.
 * A number that is not shown to be the sender's own is never linked: another person would get its codes.
 */
export const converse = (update: BotUpdate, isLinked: boolean): BotTurn =>
  BotUpdate.$match(update, {
    Spoke: () => reply(isLinked ? isDoneAlready : askForPhone),
    Left: () => ({ link: null, isOver: true, reply: null }),
    SharedContact: ({ phone, isOwn, isProven }) => {
      if (!isOwn) return reply(isNotYours)
      return Option.match(Result.getSuccess(parseContactPhone(phone)), {
        onNone: () => reply(isNotIranian),
        onSome: (own) => ({ link: { phone: own, isProven }, isOver: false, reply: done })
      })
    }
  })
