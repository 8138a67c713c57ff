import { Option, Result } from "effect"
import { type BotReply, BotUpdate } from "./BotUpdate.ts"
import { parseContactPhone, type Phone } from "../Phone.ts"

/** What follows from what a person did with a bot. */
export interface BotTurn {
  /** From now on this phone is reached by the chat; if that is not `isProven`, only where it is reached by no other. */
  readonly link: { readonly phone: Phone; readonly isProven: boolean } | null
  /** The chat reaches nobody any more. */
  readonly isOver: boolean
  readonly reply: BotReply | null
}

const SHARE_BUTTON = "ارسال شمارهٔ من"

const askForPhone: BotReply = {
  text: "سلام! برای دریافت کدها و پیام‌ها در این گفتگو، شمارهٔ موبایل خود را با دکمهٔ زیر بفرستید.",
  shareButton: SHARE_BUTTON
}

const isNotYours: BotReply = {
  text: "این شماره از آنِ شما نیست. لطفاً شمارهٔ خودتان را با دکمهٔ زیر بفرستید.",
  shareButton: SHARE_BUTTON
}

const isNotIranian: BotReply = {
  text: "تنها شمارهٔ موبایل ایران پذیرفته می‌شود.",
  shareButton: null
}

const done: BotReply = {
  text: "شمارهٔ شما ثبت شد. از این پس کدها و پیام‌ها را در همین گفتگو دریافت می‌کنید.",
  shareButton: null
}

/** For a number that another chat has linked, and that is not proven to be the sender's. */
export const isTaken: BotReply = {
  text: "این شماره پیش از این در گفتگوی دیگری ثبت شده است.",
  shareButton: null
}

const isDoneAlready: BotReply = {
  text: "شمارهٔ شما ثبت شده است و کدها و پیام‌ها را در همین گفتگو دریافت می‌کنید.",
  shareButton: null
}

const reply = (answer: BotReply): BotTurn => ({ link: null, isOver: false, reply: answer })

/**
 * The bot's conversation: whoever speaks is asked for their number, and is reached by this chat once they have shared it.
 * A number that is not shown to be the sender's own is never linked: its codes would go to somebody else.
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
