import { Clock, Context, Effect, Layer, Option, Semaphore } from "effect"
import { SecureRandom } from "effect/crypto"
import { MAX_PAGE } from "../../domain/Paging.ts"
import { type AlertSubject, alertMessageKey } from "../../domain/alert/Alert.ts"
import { nextAlertTry } from "../../domain/alert/AlertPace.ts"
import { alertLetter, alertMessage } from "../../domain/alert/AlertText.ts"
import { SECOND_MILLIS } from "../../domain/Instant.ts"
import type { DueTimer } from "../../domain/Timer.ts"
import { type AccountRecord, Accounts } from "../account/Accounts.ts"
import { Messages } from "../message/Messages.ts"
import { RoutingOrders } from "../routing/RoutingOrders.ts"
import { counters } from "../system/Observability.ts"
import { Timers } from "../timer/Timers.ts"
import { TimerStore } from "../timer/TimerStore.ts"
import { AlertStore, type AlertTry, type DueAlert } from "./AlertStore.ts"
import { Mailer } from "./Mailer.ts"

/** Connections to the mail server at once, and mails of this process that may wait for one. */
const MAX_MAILS = 4
const MAX_WAITING_MAILS = 32
/** What finds no room is looked at again after this. */
const COME_BACK_MILLIS = 5 * SECOND_MILLIS

/** An alert is tried over so many accounts. */
const MAX_STEPS = 5
const RANDOM_STEPS = 1_000_000

/** Where people reach the console; null: not known. */
export const ConsoleUrl = Context.Reference<string | null>("peyk/services/alert/AlertDeliveries/ConsoleUrl", {
  defaultValue: () => null
})

/** `Busy`: nothing was tried. */
type Tried =
  | { readonly _tag: "Sent"; readonly messageId: string | null }
  | { readonly _tag: "NotSent"; readonly reason: string; readonly isFinal: boolean }
  | { readonly _tag: "Busy" }

/** An alert never goes over the account or the channel that it is about. */
export const isAbout = (
  { id, channel }: Pick<AccountRecord, "id" | "channel">,
  { type, id: subject }: AlertSubject
): boolean => (type === "account" && String(id) === subject) || (type === "channel" && channel === subject)

const makeMails = Effect.gen(function* () {
  const mailer = yield* Mailer
  const baseUrl = yield* ConsoleUrl
  const permits = yield* Semaphore.make(MAX_MAILS)
  let waiting = 0

  return ({ alert, locale, sender }: DueAlert, address: string, timer: DueTimer): Effect.Effect<Tried> =>
    Effect.suspend(() => {
      if (waiting >= MAX_MAILS + MAX_WAITING_MAILS) return Effect.succeed<Tried>({ _tag: "Busy" })
      waiting += 1
      const mail = {
        ...alertLetter(alert, locale, { sender, baseUrl }),
        to: address,
        id: `${alert.id}.${timer.lane}`,
        at: alert.raisedAt
      }
      const sent = Effect.map(mailer.send(mail), (outcome): Tried => {
        if (outcome._tag === "Sent") return { _tag: "Sent", messageId: null }
        return { _tag: "NotSent", reason: outcome.reason, isFinal: outcome._tag === "Refused" }
      })
      return permits
        .withPermits(1)(sent)
        .pipe(
          Effect.ensuring(
            Effect.sync(() => {
              waiting -= 1
            })
          )
        )
    })
})

const makeTexts = Effect.gen(function* () {
  const messages = yield* Messages
  const accounts = yield* Accounts
  const orders = yield* RoutingOrders

  /** The customer's accounts, those of its saved order first. */
  const stepsFor = Effect.fnUntraced(function* (customerId: number, subject: AlertSubject) {
    const { items } = yield* accounts.list(customerId, { limit: MAX_PAGE, after: null, active: true })
    const { steps } = yield* orders.find(customerId)
    const places = new Map(steps.map(({ channel }, index) => [channel, index]))
    const placeOf = ({ channel }: AccountRecord) => places.get(channel) ?? steps.length
    return items
      .filter((account) => account.sendsTexts && !isAbout(account, subject))
      .toSorted((one, other) => placeOf(one) - placeOf(other) || one.id - other.id)
      .slice(0, MAX_STEPS)
      .map(({ id, channel }) => ({ channel, account_id: id }))
  })

  return Effect.fnUntraced(function* ({ alert, locale, sender }: DueAlert, phone: string, timer: DueTimer) {
    const { customerId, lane } = timer
    const channels = yield* stepsFor(customerId, alert.subject)
    if (channels.length === 0)
      return { _tag: "NotSent", reason: "no other account sends messages", isFinal: false } satisfies Tried
    const request = {
      customerId,
      to: phone,
      message: alertMessage(alert, locale, sender),
      channels,
      metadata: JSON.stringify({ alert_id: alert.id }),
      // A process that dies after the message was accepted makes no second one.
      idempotency: { key: alertMessageKey(alert.id, lane), body: { alert_id: alert.id, lane } }
    }
    return yield* Effect.match(messages.send(request), {
      onFailure: ({ _tag }): Tried => ({ _tag: "NotSent", reason: _tag, isFinal: _tag === "invalid_phone" }),
      onSuccess: ({ messageId }): Tried => ({ _tag: "Sent", messageId })
    })
  })
})

/**
 * Sends alerts to people, each to one recipient under its timer's lease: outside of any transaction, at least once, and
 * a mail that is repeated keeps its Message-ID.
 */
export class AlertDeliveries extends Context.Service<
  AlertDeliveries,
  {
    /** The timer's subject is the alert, its lane the delivery's. */
    readonly runTimer: (timer: DueTimer) => Effect.Effect<void>
  }
>()("peyk/services/alert/AlertDeliveries") {
  static readonly layer = Layer.effect(
    AlertDeliveries,
    Effect.gen(function* () {
      const store = yield* AlertStore
      const timers = yield* Timers
      const timerStore = yield* TimerStore
      const random = yield* SecureRandom.SecureRandom
      const sendMail = yield* makeMails
      const sendText = yield* makeTexts
      const tries = counters(yield* Effect.context<never>(), "peyk_alert_tries_total", {
        description: "Tries to send an alert to a person, by means and result.",
        labels: ["means", "result"]
      })
      for (const means of ["email", "message"] as const)
        for (const result of ["sent", "failed"] as const) tries(means, result)(0)

      const tryOf = Effect.fnUntraced(function* (due: DueAlert, made: Exclude<Tried, { _tag: "Busy" }>) {
        if (made._tag === "Sent") return { status: "sent", messageId: made.messageId } satisfies AlertTry
        const now = yield* Clock.currentTimeMillis
        const jitter = (yield* random.intBetween(0, RANDOM_STEPS, { halfOpen: true })) / RANDOM_STEPS
        const next = made.isFinal ? null : nextAlertTry(due.tries + 1, due.firstDueAt, now, jitter)
        return { status: "failed", error: made.reason, next } satisfies AlertTry
      })

      const deliver = Effect.fnUntraced(function* (timer: DueTimer, due: DueAlert, address: string) {
        if (!timers.isLeased(timer)) return
        const made = yield* due.means === "email"
          ? sendMail(due, address, timer)
          : sendText(due, address, timer)
        const now = yield* Clock.currentTimeMillis
        if (made._tag === "Busy") return yield* timers.releaseUntil(timer, now + COME_BACK_MILLIS)
        const tried = yield* tryOf(due, made)
        tries(due.means, tried.status)(1)
        yield* store.record(timer, tried, now)
        if (tried.status === "failed") {
          yield* Effect.logInfo(`alert ${due.alert.id} was not sent by ${due.means}: ${tried.error}`)
          if (tried.next !== null) timers.wakeAt(tried.next)
        }
      })

      const runTimer = (timer: DueTimer) =>
        store.due(timer).pipe(
          Effect.catchCause(timers.releaseForRetry(timer)),
          Effect.flatMap(
            Option.match({
              onNone: () => timerStore.remove(timer),
              onSome: (due) =>
                due.address === null
                  ? Effect.flatMap(Clock.currentTimeMillis, (now) => store.drop(timer, now))
                  : deliver(timer, due, due.address)
            })
          )
        )

      return AlertDeliveries.of({ runTimer })
    })
  )
}
