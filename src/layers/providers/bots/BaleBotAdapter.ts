import type { ProviderAdapter } from "../../../services/provider/ProviderAdapter.ts"
import { botAdapter, BotTokenAndTrust } from "./BotApi.ts"
import type { ProviderHttp } from "../ProviderHttp.ts"

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
