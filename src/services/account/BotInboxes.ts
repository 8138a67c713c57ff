import { Clock, Context, Data, Effect, Layer, Option } from "effect"
import { type Instant, MINUTE_MILLIS } from "../../domain/Instant.ts"
import type { DueTimer, LeasedTimer } from "../../domain/Timer.ts"
import {
  type BotReply,
  type BotTurn,
  type BotUpdate,
  converse,
  isTaken,
  BOT_PAUSE_MILLIS,
  BOT_POLL_MILLIS
} from "../../domain/account/BotConversation.ts"
import { cooldownMillis } from "../../domain/account/Cooldown.ts"
import { keptText, withoutPhones } from "../../domain/ProviderOutcome.ts"
import { Settings } from "../Settings.ts"
import { AccountConnections } from "./AccountSlots.ts"
import { ContactLinks } from "./Contacts.ts"
import { BoundedMap } from "../concurrency/Collections.ts"
import { Workers } from "../concurrency/Workers.ts"
import type { AccountProblem, BotInbox, HeaderReader, Webhook } from "../provider/ProviderAdapter.ts"
import { TimerStore } from "../timer/TimerStore.ts"
import { Timers } from "../timer/Timers.ts"

type Inbox = Pick<BotInboxRecord, "accountId" | "generation">

/** Where platforms post the updates of each account, and the secret that identifies them. */
export class BotAddresses extends Context.Service<
  BotAddresses,
  {
    /** The path for updates, below this service's address. */
    readonly pathOf: (inbox: Inbox) => string
    /** Null if this service has no public address. */
    readonly webhookOf: (inbox: Inbox) => Webhook | null
    /** The account that a path's token names, before the token is verified; null if it can name none. */
    readonly accountOf: (token: string) => number | null
    readonly isGenuine: (inbox: Inbox, token: string) => boolean
    readonly isSecret: (inbox: Inbox, given: string) => boolean
  }
>()("peyk/services/account/BotInboxes/BotAddresses") {}

/** An account that people can write to. */
interface BotInboxRecord {
  readonly accountId: number
  /** Where the next updates begin, in the platform's own terms. */
  readonly cursor: string | null
  /** Raised to give the account another address. */
  readonly generation: number
}

/** Each method is one atomic statement. */
export class BotInboxStore extends Context.Service<
  BotInboxStore,
  {
    readonly find: (accountId: number) => Effect.Effect<Option.Option<BotInboxRecord>>
    /** The inbox of a timer, while the timer is still leased with its token. */
    readonly loadLeased: (timer: LeasedTimer) => Effect.Effect<Option.Option<BotInboxRecord>>
    /**
     * Releases the timer until `dueAt` (at once if the address changed meanwhile); the next updates begin at the
     * record's cursor.
     */
    readonly moveOn: (
      timer: LeasedTimer,
      record: Pick<BotInboxRecord, "cursor" | "generation">,
      dueAt: Instant,
      now: Instant
    ) => Effect.Effect<void>
    /** Restarts the checks of every account's updates: the way they arrive may have changed. */
    readonly wakeAll: (now: Instant) => Effect.Effect<void>
  }
>()("peyk/services/account/BotInboxes/BotInboxStore") {}

/** A reply and its recipient. */
interface PendingReply {
  readonly chatId: string
  readonly reply: BotReply
}

/** Within this time a chat does not get one text twice. */
const QUIET_MILLIS = MINUTE_MILLIS
const REMEMBERED_REPLIES = 10_000
const REMEMBERED_COOLDOWNS = 10_000
const COOLDOWN_MILLIS = MINUTE_MILLIS

/**
 * Sends the bots' replies, within limits. Replies use the same account as sends, so a person who floods a bot with
 * messages must not use up the platform's limit. A reply that is not sent is lost.
 */
const makeBotReplies = (maxCooldownMillis: number) => {
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

/** No account has this address, or the caller cannot prove to be the platform. */
class UnknownInbox extends Data.TaggedError("UnknownInbox")<{}> {}

interface PostedUpdate<E, R> {
  readonly token: string
  readonly header: HeaderReader
  /** Read only once it is known that the platform posts it. */
  readonly body: Effect.Effect<unknown, E, R>
}

/** Handles updates of bots: a person who shares their number becomes reachable, a person who leaves no longer is. */
export class BotInboxes extends Context.Service<
  BotInboxes,
  {
    readonly receive: <E, R>(posted: PostedUpdate<E, R>) => Effect.Effect<void, UnknownInbox | E, R>
    /** Fetches an account's updates, or makes the platform post them. */
    readonly runTimer: (timer: DueTimer) => Effect.Effect<void>
  }
>()("peyk/services/account/BotInboxes") {
  static readonly layer = Layer.effect(
    BotInboxes,
    Effect.gen(function* () {
      const connections = yield* AccountConnections
      const store = yield* BotInboxStore
      const addresses = yield* BotAddresses
      const links = yield* ContactLinks
      const timers = yield* Timers
      const timerStore = yield* TimerStore
      const workers = yield* Workers
      const replies = makeBotReplies((yield* Settings).cooldownMaxMillis)

      const inboxOf = (accountId: number) =>
        Effect.map(connections.of(accountId), ({ inbox }) => Option.fromNullOr(inbox))

      const link = Effect.fnUntraced(function* (
        accountId: number,
        chatId: string,
        own: NonNullable<BotTurn["link"]>
      ) {
        const now = yield* Clock.currentTimeMillis
        return yield* links.linkOwn(accountId, { ...own, chatId }, now)
      })

      /** Applies the effect of an update; the replies are sent later. */
      const follow = Effect.fnUntraced(function* (accountId: number, update: BotUpdate) {
        const { chatId } = update
        const isLinked = update._tag === "Spoke" && (yield* links.isLinked(accountId, chatId))
        const turn = converse(update, isLinked)
        if (turn.isOver) yield* links.unlinkChat(accountId, chatId)
        const isRefused = turn.link !== null && !(yield* link(accountId, chatId, turn.link))
        const reply = isRefused ? isTaken : turn.reply
        const pending: ReadonlyArray<PendingReply> = reply === null ? [] : [{ chatId, reply }]
        return pending
      })

      /** In the order in which they came. */
      const followAll = (accountId: number, updates: ReadonlyArray<BotUpdate>) =>
        Effect.map(
          Effect.forEach(updates, (update) => follow(accountId, update)),
          (pending) => pending.flat()
        )

      const isFromPlatform = (record: BotInboxRecord, { secretHeader }: BotInbox, header: HeaderReader) =>
        secretHeader === null || addresses.isSecret(record, header(secretHeader) ?? "")

      const receive = Effect.fnUntraced(function* <E, R>(posted: PostedUpdate<E, R>) {
        const accountId = addresses.accountOf(posted.token)
        const record = accountId === null ? Option.none() : yield* store.find(accountId)
        if (Option.isNone(record) || !addresses.isGenuine(record.value, posted.token)) {
          return yield* new UnknownInbox()
        }
        const inbox = yield* Effect.catchTag(
          inboxOf(record.value.accountId),
          "AccountUnusable",
          () => Effect.succeedNone
        )
        if (Option.isNone(inbox) || !isFromPlatform(record.value, inbox.value, posted.header)) {
          return yield* new UnknownInbox()
        }
        const update = inbox.value.read(yield* posted.body, yield* Clock.currentTimeMillis)
        if (update === null) return
        const pending = yield* follow(record.value.accountId, update)
        yield* replies.sayAll(record.value.accountId, inbox.value, pending)
      })

      const pauseAfter = (accountId: number, { message, isDefinite }: AccountProblem) =>
        Effect.as(
          Effect.logWarning(`account ${accountId}: no updates: ${keptText(withoutPhones(message))}`),
          isDefinite ? BOT_PAUSE_MILLIS.refused : BOT_PAUSE_MILLIS.failed
        )

      interface Look {
        readonly cursor: string | null
        readonly pauseMillis: number
        readonly pending: ReadonlyArray<PendingReply>
      }

      const poll = Effect.fnUntraced(function* ({ accountId, cursor }: BotInboxRecord, inbox: BotInbox) {
        const pending: Look["pending"] = []
        if (inbox.poll === null) return { cursor, pauseMillis: BOT_PAUSE_MILLIS.announced, pending }
        // A stopping process does not wait for people to write.
        const batch = yield* workers.untilStop(inbox.poll(cursor, BOT_POLL_MILLIS))
        if (Option.isNone(batch)) return { cursor, pauseMillis: 0, pending }
        return {
          cursor: batch.value.cursor,
          pauseMillis: BOT_PAUSE_MILLIS.polled,
          pending: yield* followAll(accountId, batch.value.updates)
        }
      })

      /** One round: polls, or announces the address for posts. */
      const look = (record: BotInboxRecord, inbox: BotInbox): Effect.Effect<Look> => {
        const { accountId, cursor } = record
        const webhook = addresses.webhookOf(record)
        const looking: Effect.Effect<Look, AccountProblem> =
          webhook === null || inbox.announceWebhook === null
            ? poll(record, inbox)
            : Effect.as(inbox.announceWebhook(webhook), {
                cursor,
                pauseMillis: BOT_PAUSE_MILLIS.announced,
                pending: []
              })
        return Effect.catchTag(looking, "AccountProblem", (problem) =>
          Effect.map(pauseAfter(accountId, problem), (pauseMillis) => ({ cursor, pauseMillis, pending: [] }))
        )
      }

      const moveOn = Effect.fnUntraced(function* (
        timer: DueTimer,
        record: BotInboxRecord,
        cursor: string | null,
        pauseMillis: number
      ) {
        const now = yield* Clock.currentTimeMillis
        const dueAt: Instant = now + pauseMillis
        yield* store.moveOn(timer, { ...record, cursor }, dueAt, now)
        timers.wakeAt(dueAt)
      })

      const runTimer = Effect.fnUntraced(function* (timer: DueTimer) {
        const found = yield* store.loadLeased(timer)
        if (Option.isNone(found)) return yield* timerStore.remove(timer)
        const record = found.value
        const inbox = Option.flatten(yield* Effect.option(inboxOf(record.accountId)))
        if (Option.isNone(inbox)) return yield* moveOn(timer, record, record.cursor, BOT_PAUSE_MILLIS.refused)
        const { cursor, pauseMillis, pending } = yield* look(record, inbox.value)
        // The effects are stored before any reply, so that the next process neither repeats them nor the reply.
        yield* moveOn(timer, record, cursor, pauseMillis)
        yield* workers.untilStop(replies.sayAll(record.accountId, inbox.value, pending))
      })

      return BotInboxes.of({ receive, runTimer })
    })
  )
}
