import type { ProviderAdapter } from "../../../services/provider/ProviderAdapter.ts"
import { botAdapter, BotTokenAndTrust } from "./BotApi.ts"
import type { ProviderHttp } from "../ProviderHttp.ts"

/**
 * Codes and texts by a Bale bot. Source: docs.bale.ai.
 *
 * Bale shows a text as Markdown: stars and underscores may turn into bold or italics. It is said nowhere how to escape
 * them, so texts go as they are.
 */
export const baleBotAdapter = (http: ProviderHttp["Service"], baseUrl: string): ProviderAdapter =>
  botAdapter(
    {
      name: "bale_bot",
      channel: "bale",
      sendsCodes: true,
      // Some of its apps share a contact without saying whose it is.
      settings: BotTokenAndTrust,
      maxTextLength: 4096,
      // A webhook takes its address only, and nothing tells that a bot was blocked.
      secretHeader: null,
      allowedUpdates: null
    },
    http,
    baseUrl
  )
