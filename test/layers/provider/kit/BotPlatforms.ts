import { BotUpdate } from "../../../../src/domain/account/BotConversation.ts"
import type { BotPlatformName } from "../../../support/fakes/FakeBotApi.ts"

/** Platforms whose bots speak like Telegram's. */

export const platforms: ReadonlyArray<BotPlatformName> = ["bale", "soroushplus", "telegram"]
export const clones: ReadonlyArray<BotPlatformName> = ["bale", "soroushplus"]

export const NOW = 1_763_000_000_000
export const PHONE_NUMBER = "989123456789"
export const { Spoke, SharedContact, Left } = BotUpdate
export const shared = (isOwn: boolean, isProven: boolean, chatId = "42") =>
  SharedContact({ chatId, phone: PHONE_NUMBER, isOwn, isProven })
/** Named as the sender's, or as somebody else's. */
export const own = (chatId = "42") => shared(true, true, chatId)
export const others = shared(false, true)
/** Named as nobody's, and believed or not. */
export const trusted = shared(true, false)
export const distrusted = shared(false, false)
