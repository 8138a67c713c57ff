import { Clock, Effect } from "effect"
import type { BotReply } from "../../domain/account/BotUpdate.ts"
import { type Instant, MINUTE_MILLIS } from "../../domain/Instant.ts"
import { cooldownMillis } from "../../domain/account/Pace.ts"
import { keptText, withoutPhones } from "../../domain/account/ProviderOutcome.ts"
import { BoundedMap } from "../concurrency/BoundedMap.ts"
import type { BotInbox } from "../provider/ProviderAdapter.ts"

/** A reply and its recipient. */
export interface PendingReply {
  readonly chatId: string
  readonly reply: BotReply
}

/** The same text is not repeated in a chat within this time. */
const QUIET_MILLIS = MINUTE_MILLIS
const REMEMBERED_REPLIES = 10_000
const REMEMBERED_COOLDOWNS = 10_000
const COOLDOWN_MILLIS = MINUTE_MILLIS

/**
 * Sends the bots' replies, within limits. Replies use the same account as sends, so a person who floods a bot with
 * messages must not use up the platform's limit. A reply that is not sent is lost.
 */
export const makeBotReplies = (maxCooldownMillis: number) => {
  const lastSaid = new BoundedMap<string, Instant>(REMEMBERED_REPLIES)
  const coolingUntil = new BoundedMap<number, Instant>(REMEMBERED_COOLDOWNS)

  const isNew = (accountId: number, { chatId, reply }: PendingReply, now: Instant): boolean => {
    const key = `${accountId} ${chatId} ${reply.text}`
    if ((lastSaid.get(key) ?? -QUIET_MILLIS) + QUIET_MILLIS > now) return false
    lastSaid.set(key, now)
    return true
  }

  const say = Effect.fnUntraced(function* (accountId: number, inbox: BotInbox, pending: PendingReply) {
    const now = yield* Clock.currentTimeMillis
    if ((coolingUntil.get(accountId) ?? 0) > now || !isNew(accountId, pending, now)) return
    const outcome = yield* inbox.reply(pending.chatId, pending.reply)
    if (outcome._tag === "Accepted") return
    if (outcome._tag === "Throttled")
      coolingUntil.set(
        accountId,
        now + (cooldownMillis(outcome.retryAfterMillis, maxCooldownMillis) ?? COOLDOWN_MILLIS)
      )
    yield* Effect.logInfo(
      `account ${accountId}: a reply failed: ${keptText(withoutPhones(outcome.providerError))}`
    )
  })

  /** Only the last of several replies to one chat. */
  const sayAll = (accountId: number, inbox: BotInbox, pending: ReadonlyArray<PendingReply>) => {
    const lastOfChat = new Map(pending.map((each) => [each.chatId, each]))
    return Effect.forEach(lastOfChat.values(), (each) => say(accountId, inbox, each), { discard: true })
  }

  return { sayAll }
}
