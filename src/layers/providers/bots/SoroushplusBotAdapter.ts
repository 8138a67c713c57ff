import type { ProviderAdapter } from "../../../services/provider/ProviderAdapter.ts"
import { botAdapter, BotTokenAndTrust } from "./BotApi.ts"
import type { ProviderHttp } from "../ProviderHttp.ts"

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
