import type { ProviderHttp } from "../ProviderHttp.ts"
import { botAdapter, BotToken, BotTokenAndTrust } from "./BotApi.ts"
import type { ProviderAdapter } from "../../../services/provider/ProviderAdapter.ts"

/**
 * Codes and texts by a Bale bot. Source: docs.bale.ai.
 *
 * Bale shows a text as Markdown: stars and underscores can become bold or italics. Escaping is not documented, so texts
 * are sent unchanged.
 */
export const baleBotAdapter = (http: ProviderHttp["Service"], baseUrl: string): ProviderAdapter =>
  botAdapter(
    {
      name: "bale_bot",
      channel: "bale",
      sendsCodes: true,
      // Some of its apps share a contact without its owner.
      settings: BotTokenAndTrust,
      maxTextLength: 4096,
      // A webhook has only its address, and no update reports that a bot was blocked.
      secretHeader: null,
      allowedUpdates: null
    },
    http,
    baseUrl
  )

/** Codes and texts by a Soroush Plus bot. Source: soroushplus.com/p/documents/bot-platform, and clients of it. */
export const soroushplusBotAdapter = (http: ProviderHttp["Service"], baseUrl: string): ProviderAdapter =>
  botAdapter(
    {
      name: "soroushplus_bot",
      channel: "soroushplus",
      sendsCodes: true,
      // Its contacts can name their owner; whether they do is unconfirmed.
      settings: BotTokenAndTrust,
      // Clients disagree on 4000 or 4096.
      maxTextLength: 4000,
      // No header that repeats a secret is known, nor an update for a blocked bot.
      secretHeader: null,
      allowedUpdates: null
    },
    http,
    baseUrl
  )

/** Texts by a Telegram bot. Source: core.telegram.org/bots/api. */
export const telegramBotAdapter = (http: ProviderHttp["Service"], baseUrl: string): ProviderAdapter =>
  botAdapter(
    {
      name: "telegram_bot",
      channel: "telegram",
      // The contract has no codes over Telegram.
      sendsCodes: false,
      // A contact always names its owner if that is a user of Telegram: no trust is needed.
      settings: BotToken,
      maxTextLength: 4096,
      secretHeader: "x-telegram-bot-api-secret-token",
      // The second kind reports that the bot was blocked.
      allowedUpdates: ["message", "my_chat_member"]
    },
    http,
    baseUrl
  )
