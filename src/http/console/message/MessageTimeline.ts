import type { Instant } from "../../../domain/Instant.ts"
import { type Message, type MessageAttempt, sendTime } from "../../../domain/message/Message.ts"
import { isUncertain } from "../../../domain/ProviderOutcome.ts"
import { html } from "../frame/Html.ts"
import type { Locale } from "../frame/Locale.ts"
import { attemptState } from "../parts/Runs.ts"
import { channelName, channelSubject, isolated, listed, mono } from "../parts/Text.ts"
import { callText, deliveryMoment, type Moment, routeText } from "../runs/Timeline.ts"
import { whatWentWrong } from "../runs/FailureTexts.ts"
import type { Story } from "../verification/VerificationStory.ts"
import type { RunHistory } from "../../../services/activity/RunHistories.ts"

const failures = ({ message }: MessageRun, locale: Locale): ReadonlyArray<string> =>
  message.attempts.flatMap(({ step, status, error_code }) =>
    error_code === null || status !== "failed"
      ? []
      : [`${routeName(message, step, locale)}: ${whatWentWrong(error_code, locale)}.`]
  )

const reports = ({ message }: MessageRun, locale: Locale): ReadonlyArray<string> =>
  message.attempts.flatMap(({ step, delivery }) => {
    if (delivery === undefined) return []
    const name = routeName(message, step, locale)
    return delivery.status === "delivered"
      ? [locale.say(`${name} reported: delivered.`, `گزارش ${name}: تحویل شد.`)]
      : [locale.say(`${name} reported: not delivered.`, `گزارش ${name}: تحویل نشد.`)]
  })

const sentNames = ({ message }: MessageRun, locale: Locale): string =>
  listed(
    message.attempts
      .filter(({ status }) => status === "sent")
      .map(({ step }) => routeName(message, step, locale)),
    locale
  )

const waitingStory = (run: MessageRun, { say, duration }: Locale): string => {
  const at = sendTime(run.message)
  if (at > run.now) {
    const within = duration((at - run.now) / 1000)
    return say(
      `Scheduled: the first channel is tried in ${within}.`,
      `زمان‌بندی شده است: کانال اول تا ${within} دیگر امتحان می‌شود.`
    )
  }
  return run.message.status === "sending"
    ? say("Sending.", "در حال ارسال است.")
    : say("Waiting for an account that can send.", "منتظر حسابی است که بتواند بفرستد.")
}

/** The answer to “what happened?” for a message. */
export const messageStory = (run: MessageRun, locale: Locale): Story => {
  const { say } = locale
  const { message } = run
  const names = sentNames(run, locale)
  const errorCode =
    message.attempts.findLast(({ status, error_code }) => status === "failed" && error_code !== null)
      ?.error_code ?? null
  const details = [...reports(run, locale), ...failures(run, locale)]
  switch (message.status) {
    case "sent":
      return {
        tone: "good",
        sentences: [say(`The message was sent over ${names}.`, `پیام از ${names} ارسال شد.`), ...details],
        errorCode: null
      }
    case "partial_failed":
      return {
        tone: "warn",
        sentences: [
          message.attempts.some(isUncertain)
            ? say(
                `The message was sent over ${names}. The other channels did not confirm it.`,
                `پیام از ${names} ارسال شد. کانال‌های دیگر ارسال را تأیید نکردند.`
              )
            : say(
                `The message was sent over ${names}, but not over the other channels.`,
                `پیام از ${names} ارسال شد، ولی از کانال‌های دیگر نه.`
              ),
          ...details
        ],
        errorCode
      }
    case "failed":
      return {
        tone: "bad",
        sentences: [
          message.attempts.some(isUncertain)
            ? say("No channel confirmed that the message was sent.", "هیچ کانالی ارسال پیام را تأیید نکرد.")
            : say("No channel could send the message.", "هیچ کانالی نتوانست پیام را بفرستد."),
          ...details
        ],
        errorCode
      }
    case "canceled":
      return {
        tone: "plain",
        sentences: [
          say("The message was canceled before it was sent.", "پیام قبل از ارسال لغو شد."),
          ...details
        ],
        errorCode: null
      }
    case "queued":
    case "sending":
      return { tone: "info", sentences: [waitingStory(run, locale), ...details], errorCode }
  }
}

export interface MessageRun {
  readonly message: Message
  readonly history: RunHistory
  readonly now: Instant
}

const routeName = ({ route }: Pick<Message, "route">, step: number, locale: Locale): string =>
  channelSubject((route[step] ?? route[0]).channel, locale)

const mostExpensive = ({ route, strategy }: Message): number => {
  const prices = route.map(({ price = 0 }) => price)
  return strategy === "broadcast" ? prices.reduce((sum, price) => sum + price, 0) : Math.max(0, ...prices)
}

const accepted = ({ message }: MessageRun, locale: Locale): Moment => {
  const { say } = locale
  const { createdAt, route, strategy, scheduledFor, template } = message
  const held = mostExpensive(message)
  return {
    at: createdAt,
    tone: "info",
    what: say("Accepted", "پذیرفته شد"),
    more: [
      strategy === "broadcast"
        ? html`${say("Sent over all of", "هم‌زمان از")}:
          ${route.map(({ channel }, index) => [index > 0 && say(", ", "، "), channelName(channel, locale)])}`
        : html`${say("Route of the request", "مسیر درخواست")}: ${routeText(route, locale)}`,
      template !== null && html`${say("Template", "قالب")}: ${isolated(template.name)}`,
      scheduledFor !== null && html`${say("Scheduled for", "زمان‌بندی برای")} ${locale.time(scheduledFor)}`,
      held > 0 &&
        say(`Held in the wallet: ${locale.rials(held)}.`, `${locale.rials(held)} در کیف پول رزرو شد.`)
    ]
  }
}

const titleOf = (attempt: MessageAttempt, name: string, { say }: Locale): string => {
  switch (attemptState(attempt)) {
    case "sent":
    case "delivered":
    case "undelivered":
      return say(`Sent over ${name}`, `از ${name} ارسال شد`)
    case "unknown":
      return say(`${name}: outcome unknown`, `نتیجهٔ ارسال از ${name} نامعلوم است`)
    case "failed":
      return attempt.attempted_at === null
        ? say(`${name} was skipped`, `${name} امتحان نشد`)
        : say(`${name} failed`, `ارسال از ${name} ناموفق بود`)
    case "sending":
      return say(`Sending over ${name} now`, `در حال ارسال از ${name}`)
    default:
      return say(`Waiting for ${name}`, `منتظر ${name}`)
  }
}

const attempted = (
  { message, now }: MessageRun,
  attempt: MessageAttempt,
  locale: Locale
): ReadonlyArray<Moment> => {
  const { say, number } = locale
  const step = message.route[attempt.step] ?? message.route[0]
  const name = channelSubject(step.channel, locale)
  const isOver = attempt.status === "sent" || attempt.status === "failed"
  const moment: Moment = {
    at: isOver ? (attempt.finished_at ?? attempt.due_at) : attempt.due_at,
    tone:
      attempt.status === "sent"
        ? "good"
        : attempt.status === "failed"
          ? attemptState(attempt) === "unknown"
            ? "warn"
            : "bad"
          : "info",
    isToCome: attempt.status === "pending" && attempt.due_at > now,
    what: titleOf(attempt, name, locale),
    more: [
      callText(step, attempt.provider_message_id, locale),
      attempt.tries > 1 &&
        say(
          `The provider was called ${number(attempt.tries)} times.`,
          `درخواست ${number(attempt.tries)} بار به سرویس‌دهنده فرستاده شد.`
        ),
      !isOver &&
        attempt.due_at > now &&
        say(
          `In ${locale.duration((attempt.due_at - now) / 1000)}, at the slot of the account.`,
          `تا ${locale.duration((attempt.due_at - now) / 1000)} دیگر، در نوبت حساب.`
        ),
      attempt.error_code !== null &&
        html`${mono(attempt.error_code)}: ${whatWentWrong(attempt.error_code, locale)}.`
    ],
    words: attempt.provider_error
  }
  return attempt.delivery === undefined ? [moment] : [moment, deliveryMoment(attempt.delivery, name, locale)]
}

const endText = {
  sent: ["good", "Sent", "ارسال شد"],
  failed: ["bad", "Failed: no channel is left to try", "ناموفق: کانال دیگری نمانده است"],
  partial_failed: [
    "warn",
    "Partially failed: sent over some channels only",
    "ارسال ناقص: فقط از بعضی کانال‌ها ارسال شد"
  ],
  canceled: ["plain", "Canceled", "لغو شد"]
} as const

const end = ({ message }: MessageRun, locale: Locale): ReadonlyArray<Moment> => {
  const { status, completedAt, captured } = message
  if (status === "queued" || status === "sending") return []
  const [tone, english, persian] = endText[status]
  const charge =
    captured > 0
      ? locale.say(`Charged: ${locale.rials(captured)}.`, `${locale.rials(captured)} از کیف پول برداشت شد.`)
      : mostExpensive(message) > 0 &&
        locale.say(
          "Nothing was charged. The held amount was released.",
          "چیزی برداشت نشد و مبلغ رزروشده آزاد شد."
        )
  return [{ at: completedAt, tone, what: locale.say(english, persian), more: [charge] }]
}

const toCome = ({ message, now }: MessageRun, locale: Locale): ReadonlyArray<Moment> => {
  const at = sendTime(message)
  if (message.status !== "queued" || message.attempts.length > 0 || at <= now) return []
  const within = locale.duration((at - now) / 1000)
  return [
    {
      at,
      tone: "plain",
      isToCome: true,
      what: locale.say(
        `Next: ${routeName(message, 0, locale)} in ${within}`,
        `بعدی: ${routeName(message, 0, locale)}، تا ${within} دیگر`
      )
    }
  ]
}

/** The moments of a message, with its next event; `timeline` in `runs/Timeline.ts` puts them in order. */
export const messageMoments = (run: MessageRun, locale: Locale): ReadonlyArray<Moment> => [
  accepted(run, locale),
  ...run.message.attempts.flatMap((attempt) => attempted(run, attempt, locale)),
  ...end(run, locale),
  ...toCome(run, locale)
]
