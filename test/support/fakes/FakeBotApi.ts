import { Effect } from "effect"
import { type Fields, sentFields } from "./SentFields.ts"
import { type Answer, fakeFarEnd, type FakeOptions, type Received } from "./FakeFarEnd.ts"

export const BOT_TOKENS = {
  bale: "1700000001:FakeBaleTokenOfFortyCharacters0123456789",
  soroushplus: "20000000002:FakeSoroushPlusToken-0123456789",
  telegram: "3000000003:FakeTelegramToken_0123456789abcdefg"
} as const
export type BotPlatformName = keyof typeof BOT_TOKENS

export const BOT_USERNAMES = {
  bale: "peyk_bale_bot",
  soroushplus: "peyk_soroush_bot",
  telegram: "peyk_telegram_bot"
} as const

/** The known differences between the platforms. */
const platforms = {
  bale: { firstUpdateId: 0, maxText: 4096, unknownChat: "Bad Request: no such group or user" },
  soroushplus: { firstUpdateId: 1, maxText: 4000, unknownChat: "Bad Request: chat not found" },
  telegram: { firstUpdateId: 527_103_001, maxText: 4096, unknownChat: "Bad Request: chat not found" }
} as const

export const botResult = (result: unknown, description?: string): Answer => ({
  json: { ok: true, result, description }
})

export const botRefusal = (code: number, description: string, parameters?: unknown): Answer => ({
  status: code,
  json: { ok: false, error_code: code, description, parameters }
})

const person = (id: number | string) => ({ id, is_bot: false, first_name: "Sara" })
const privateChat = (id: number | string) => ({ id, type: "private", first_name: "Sara" })
const DATE = 1_763_000_000

/** Somebody writes to the bot. */
export const spokenUpdate = (id: number | string, text = "/start") => ({
  message: { message_id: 7, date: DATE, from: person(id), chat: privateChat(id), text }
})

/** Somebody shares a contact, their own or another's. */
export const contactUpdate = (
  id: number | string,
  contact: { readonly phone_number: number | string; readonly user_id?: number | string }
) => ({
  message: {
    message_id: 8,
    date: DATE,
    from: person(id),
    chat: privateChat(id),
    contact: { first_name: "Sara", ...contact }
  }
})

/** Somebody's standing with the bot changes; `kicked` is blocking it. */
export const membershipUpdate = (id: number | string, status: string) => ({
  my_chat_member: {
    chat: privateChat(id),
    from: person(id),
    date: DATE,
    old_chat_member: { user: { id: 99, is_bot: true, first_name: "Peyk" }, status: "member" },
    new_chat_member: { user: { id: 99, is_bot: true, first_name: "Peyk" }, status, until_date: 0 }
  }
})

interface Update {
  readonly update_id: number
}

interface FakeWebhook {
  readonly url: string
  readonly secret_token?: string
  readonly allowed_updates?: ReadonlyArray<string>
}

/** A list as JSON has it, or as its text in a query or a form. */
const listOf = (value: unknown): ReadonlyArray<string> | undefined => {
  const list: unknown = typeof value === "string" && value.startsWith("[") ? JSON.parse(value) : value
  return Array.isArray(list) ? list.map(String) : undefined
}

/** Platforms post to https; a test may listen on loopback. */
const WEBHOOK_URL = /^(https:\/\/|http:\/\/(127\.0\.0\.1|localhost)[:/])/

const MALFORMED_TOKEN = /^(?!\d+:[\w-]{35}$)/

export interface FakeBotOptions extends FakeOptions {
  readonly platform: BotPlatformName
}

/** A messenger's bot API: Telegram's as documented, the clones' as their clients have it. */
export const fakeBotApi = ({ platform, ...options }: FakeBotOptions) => {
  const { firstUpdateId, maxText, unknownChat } = platforms[platform]
  const token = BOT_TOKENS[platform]
  const me = {
    id: Number.parseInt(token, 10),
    is_bot: true,
    first_name: "Peyk",
    username: BOT_USERNAMES[platform]
  }
  const blocking = new Set<string>()
  let lastMessageId = 4100
  let nextUpdateId: number = firstUpdateId
  let waiting: ReadonlyArray<Update> = []
  let webhook: FakeWebhook | null = null

  const sendMessage = ({ chat_id, text }: Fields): Answer => {
    if (chat_id === undefined || chat_id === "") return botRefusal(400, "Bad Request: chat_id is empty")
    if (!/^(-?\d+|@\w+)$/.test(String(chat_id))) return botRefusal(400, unknownChat)
    if (blocking.has(String(chat_id))) return botRefusal(403, "Forbidden: bot was blocked by the user")
    if (typeof text !== "string" || text === "") return botRefusal(400, "Bad Request: message text is empty")
    if (Array.from(text).length > maxText) return botRefusal(400, "Bad Request: message is too long")
    lastMessageId += 1
    return botResult({
      message_id: lastMessageId,
      from: me,
      chat: privateChat(Number(chat_id)),
      date: DATE,
      text
    })
  }

  /** Those before the offset are forgotten; long polling ends at once. */
  const getUpdates = ({ offset, limit = 100, allowed_updates }: Fields): Answer => {
    if (webhook !== null) {
      return botRefusal(
        409,
        "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first"
      )
    }
    waiting = waiting.filter(({ update_id }) => update_id >= Number(offset ?? 0))
    const kinds = listOf(allowed_updates)
    const isAllowed = (update: Update) => kinds === undefined || kinds.some((kind) => kind in update)
    return botResult(waiting.filter(isAllowed).slice(0, Number(limit)))
  }

  const setWebhook = ({ url, secret_token, allowed_updates }: Fields): Answer => {
    const kinds = listOf(allowed_updates)
    if (typeof url !== "string" || !WEBHOOK_URL.test(url)) {
      return botRefusal(400, "Bad Request: bad webhook: An HTTPS URL must be provided for webhook")
    }
    webhook = {
      url,
      ...(typeof secret_token === "string" && { secret_token }),
      ...(kinds !== undefined && { allowed_updates: kinds })
    }
    return botResult(true, "Webhook was set")
  }

  const deleteWebhook = (): Answer => {
    webhook = null
    return botResult(true, "Webhook was deleted")
  }

  const getWebhookInfo = (): Answer =>
    botResult({
      url: webhook?.url ?? "",
      has_custom_certificate: false,
      pending_update_count: waiting.length,
      ...(webhook?.allowed_updates !== undefined && { allowed_updates: webhook.allowed_updates })
    })

  const methods: Readonly<Record<string, (fields: Fields) => Answer>> = {
    getMe: () => botResult(me),
    sendMessage,
    getUpdates,
    setWebhook,
    deleteWebhook,
    getWebhookInfo
  }

  const behave = (received: Received): Answer => {
    const [, given = "", method = ""] = /^\/bot([^/]*)\/(\w+)$/.exec(received.path) ?? []
    const givenToken = decodeURIComponent(given)
    if (platform === "telegram" && MALFORMED_TOKEN.test(givenToken)) return botRefusal(404, "Not Found")
    if (givenToken !== token) return botRefusal(401, "Unauthorized")
    return methods[method]?.(sentFields(received)) ?? botRefusal(404, "Not Found: method not found")
  }

  return Effect.map(fakeFarEnd(behave, options), (fake) => ({
    ...fake,
    /** Lets an update wait to be fetched, under the next number. */
    push: (update: object) => {
      const numbered = { update_id: nextUpdateId, ...update }
      nextUpdateId += 1
      waiting = [...waiting, numbered]
      return numbered
    },
    waiting: () => waiting,
    webhook: () => webhook,
    /** From now on this person's chat refuses messages. */
    block: (chatId: string) => void blocking.add(chatId)
  }))
}
