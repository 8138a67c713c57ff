import type { ProviderAdapter } from "../../../services/provider/ProviderAdapter.ts"
import { botAdapter, BotToken } from "./BotApi.ts"
import type { ProviderHttp } from "../ProviderHttp.ts"

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
