import { Clock, Context, Data, Effect, Layer, Option } from "effect"
import { converse } from "../domain/BotConversation.ts"
import type { BotUpdate } from "../domain/BotUpdate.ts"
import type { Instant } from "../domain/Instant.ts"
import { AccountConnections } from "./AccountConnections.ts"
import { BotAddresses } from "./BotAddresses.ts"
import { type BotInboxRecord, BotInboxStore } from "./BotInboxStore.ts"
import { ContactLinks } from "./ContactLinks.ts"
import { keptText } from "../domain/ProviderOutcome.ts"
import type { AccountProblem, BotInbox } from "./ProviderAdapter.ts"
import { type DueTimer, Timers } from "./Timers.ts"
import { TimerStore } from "./TimerStore.ts"
import { Workers } from "./Workers.ts"

/** No account has this address, or whoever posts cannot show that it is the platform. */
export class UnknownInbox extends Data.TaggedError("UnknownInbox")<{}> {}

export interface PostedUpdate {
  readonly token: string
  /** The value of a header, by its lower-case name. */
  readonly header: (name: string) => string | undefined
  readonly body: unknown
}

const POLL_MILLIS = 20_000
/** Between two polls: updates may come in a row. */
const PAUSE_MILLIS = 1000
const PROBLEM_PAUSE_MILLIS = 15_000
/** After a refusal, which waiting alone does not mend. */
const REFUSAL_PAUSE_MILLIS = 300_000
/** A platform is told again where to post: some forget. */
const ANNOUNCE_EVERY_MILLIS = 24 * 3_600_000

/** What people do with the bots: who shares their number is reached by it, who leaves is not. */
export class BotInboxes extends Context.Service<
  BotInboxes,
  {
    readonly receive: (posted: PostedUpdate) => Effect.Effect<void, UnknownInbox>
    /** Fetches an account's updates, or sees to it that they are posted. */
    readonly runTimer: (timer: DueTimer) => Effect.Effect<void>
  }
>()("peyk/services/BotInboxes") {
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

      const inboxOf = (accountId: number) =>
        Effect.map(connections.of(accountId), ({ inbox }) => Option.fromNullOr(inbox))

      const answer = Effect.fnUntraced(function* (accountId: number, inbox: BotInbox, update: BotUpdate) {
        const { chatId } = update
        const isLinked = update._tag === "Spoke" && (yield* links.isLinked(accountId, chatId))
        const { link, isOver, reply } = converse(update, isLinked)
        if (isOver) yield* links.unlinkChat(accountId, chatId)
        if (link !== null) {
          yield* links.link(accountId, [{ phone: link, chatId }], yield* Clock.currentTimeMillis)
        }
        if (reply === null) return
        const outcome = yield* inbox.reply(chatId, reply)
        if (outcome._tag !== "Accepted") {
          yield* Effect.logInfo(`account ${accountId}: a reply failed: ${keptText(outcome.providerError)}`)
        }
      })

      const answerAll = (accountId: number, inbox: BotInbox, updates: ReadonlyArray<BotUpdate>) =>
        Effect.forEach(updates, (update) => answer(accountId, inbox, update), { discard: true })

      const isFromPlatform = (record: BotInboxRecord, { secretHeader }: BotInbox, posted: PostedUpdate) =>
        addresses.isGenuine(record, posted.token) &&
        (secretHeader === null || addresses.isSecret(record, posted.header(secretHeader) ?? ""))

      const receive = Effect.fnUntraced(function* (posted: PostedUpdate) {
        const accountId = addresses.accountOf(posted.token)
        const record = accountId === null ? Option.none() : yield* store.find(accountId)
        if (Option.isNone(record)) return yield* new UnknownInbox()
        const inbox = yield* Effect.catchTag(
          inboxOf(record.value.accountId),
          "AccountUnusable",
          () => Effect.succeedNone
        )
        if (Option.isNone(inbox) || !isFromPlatform(record.value, inbox.value, posted)) {
          return yield* new UnknownInbox()
        }
        const update = inbox.value.read(posted.body, yield* Clock.currentTimeMillis)
        if (update !== null) yield* answer(record.value.accountId, inbox.value, update)
      })

      const pauseAfter = (accountId: number, { message, isDefinite }: AccountProblem) =>
        Effect.as(
          Effect.logWarning(`account ${accountId}: no updates: ${keptText(message)}`),
          isDefinite ? REFUSAL_PAUSE_MILLIS : PROBLEM_PAUSE_MILLIS
        )

      interface Look {
        readonly cursor: string | null
        readonly pauseMillis: number
      }

      const poll = Effect.fnUntraced(function* ({ accountId, cursor }: BotInboxRecord, inbox: BotInbox) {
        if (inbox.poll === null) return { cursor, pauseMillis: ANNOUNCE_EVERY_MILLIS }
        // A process that stops does not wait for people to write.
        const batch = yield* workers.untilStop(inbox.poll(cursor, POLL_MILLIS))
        if (Option.isNone(batch)) return { cursor, pauseMillis: 0 }
        yield* answerAll(accountId, inbox, batch.value.updates)
        return { cursor: batch.value.cursor, pauseMillis: PAUSE_MILLIS }
      })

      /** Once: polls, or tells the platform where to post. */
      const look = (record: BotInboxRecord, inbox: BotInbox): Effect.Effect<Look> => {
        const webhook = addresses.webhookOf(record)
        const looking: Effect.Effect<Look, AccountProblem> =
          webhook === null || inbox.announceWebhook === null
            ? poll(record, inbox)
            : Effect.as(inbox.announceWebhook(webhook), {
                cursor: record.cursor,
                pauseMillis: ANNOUNCE_EVERY_MILLIS
              })
        return Effect.catchTag(looking, "AccountProblem", (problem) =>
          Effect.map(pauseAfter(record.accountId, problem), (pauseMillis) => ({
            cursor: record.cursor,
            pauseMillis
          }))
        )
      }

      const moveOn = Effect.fnUntraced(function* (
        timer: DueTimer,
        cursor: string | null,
        pauseMillis: number
      ) {
        const dueAt: Instant = (yield* Clock.currentTimeMillis) + pauseMillis
        yield* store.moveOn(timer, cursor, dueAt)
        yield* timers.wakeAt(dueAt)
      })

      const runTimer = Effect.fnUntraced(function* (timer: DueTimer) {
        const record = yield* store.loadLeased(timer)
        if (Option.isNone(record)) return yield* timerStore.remove(timer)
        const inbox = yield* Effect.option(inboxOf(record.value.accountId))
        if (Option.isNone(inbox) || Option.isNone(inbox.value)) {
          return yield* moveOn(timer, record.value.cursor, REFUSAL_PAUSE_MILLIS)
        }
        const { cursor, pauseMillis } = yield* look(record.value, inbox.value.value)
        yield* moveOn(timer, cursor, pauseMillis)
      })

      return BotInboxes.of({ receive, runTimer })
    })
  )
}
