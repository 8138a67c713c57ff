import type { Instant } from "../../../domain/Instant.ts"
import { type Message, type MessageAttempt, sendTime } from "../../../domain/message/Message.ts"
import { isUncertain } from "../../../domain/ProviderOutcome.ts"
import { html } from "../frame/Html.ts"
import type { Locale } from "../frame/Locale.ts"
import { attemptState } from "../parts/Runs.ts"
import { channelName, isolated, mono } from "../parts/Text.ts"
import { callText, deliveryMoment, type Moment, routeText, whatWentWrong } from "../runs/Timeline.ts"
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
      ? [locale.say(`${name} reported that it was delivered.`, `${name} گزارش داد که رسیده است.`)]
      : [locale.say(`${name} reported that it was not delivered.`, `${name} گزارش داد که نرسیده است.`)]
  })

const sentNames = ({ message }: MessageRun, locale: Locale): string =>
  message.attempts
    .filter(({ status }) => status === "sent")
    .map(({ step }) => routeName(message, step, locale))
    .join(locale.say(" and ", " و "))

const waitingStory = (run: MessageRun, { say, duration }: Locale): string => {
  const at = sendTime(run.message)
  if (at > run.now) {
    const within = duration((at - run.now) / 1000)
    return say(
      `It is scheduled: the first channel is tried in ${within}.`,
      `زمان‌بندی شده است: نخستین کانال تا ${within} دیگر امتحان می‌شود.`
    )
  }
  return run.message.status === "sending"
    ? say("It is being sent.", "در حال ارسال است.")
    : say("It waits for an account that can send.", "در انتظار حسابی است که بتواند بفرستد.")
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
        sentences: [say(`It was sent over ${names}.`, `از ${names} فرستاده شد.`), ...details],
        errorCode: null
      }
    case "partial_failed":
      return {
        tone: "warn",
        sentences: [
          message.attempts.some(isUncertain)
            ? say(
                `It was sent over ${names}; the others did not confirm it.`,
                `از ${names} فرستاده شد؛ بقیه آن را تأیید نکردند.`
              )
            : say(
                `It was sent over ${names}, but not over the others.`,
                `از ${names} فرستاده شد، ولی از بقیه نه.`
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
            ? say("No channel confirmed that it sent it.", "هیچ کانالی ارسال آن را تأیید نکرد.")
            : say("No channel could send it.", "هیچ کانالی نتوانست آن را بفرستد."),
          ...details
        ],
        errorCode
      }
    case "canceled":
      return {
        tone: "plain",
        sentences: [say("It was canceled before anything was sent.", "پیش از ارسال لغو شد."), ...details],
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
  channelName((route[step] ?? route[0]).channel, locale)

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
        ? html`${say("Over all of", "هم‌زمان از")}:
          ${route.map(({ channel }, index) => [index > 0 && say(", ", "، "), channelName(channel, locale)])}`
        : html`${say("Route of the request", "مسیر درخواست")}: ${routeText(route, locale)}`,
      template !== null && html`${say("Template", "قالب")}: ${isolated(template.name)}`,
      scheduledFor !== null && html`${say("Scheduled for", "زمان‌بندی برای")} ${locale.time(scheduledFor)}`,
      held > 0 &&
        say(
          `${locale.rials(held)} were held in the wallet.`,
          `${locale.rials(held)} از کیف پول نگه داشته شد.`
        )
    ]
  }
}

const titleOf = (attempt: MessageAttempt, name: string, { say }: Locale): string => {
  switch (attemptState(attempt)) {
    case "sent":
    case "delivered":
    case "undelivered":
      return say(`Sent over ${name}`, `از ${name} فرستاده شد`)
    case "unknown":
      return say(`${name}: outcome unknown`, `${name}: نتیجه نامعلوم`)
    case "failed":
      return attempt.attempted_at === null
        ? say(`${name} was not called`, `${name} فراخوانی نشد`)
        : say(`${name} failed`, `${name} ناموفق بود`)
    case "sending":
      return say(`Sending over ${name} now`, `در حال ارسال از ${name}`)
    default:
      return say(`Waiting for ${name}`, `در انتظار ${name}`)
  }
}

const attempted = (
  { message, now }: MessageRun,
  attempt: MessageAttempt,
  locale: Locale
): ReadonlyArray<Moment> => {
  const { say, number } = locale
  const step = message.route[attempt.step] ?? message.route[0]
  const name = channelName(step.channel, locale)
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
          `سرویس‌دهنده ${number(attempt.tries)} بار فراخوانی شد.`
        ),
      !isOver &&
        attempt.due_at > now &&
        say(
          `In ${locale.duration((attempt.due_at - now) / 1000)}, at a slot of its account.`,
          `تا ${locale.duration((attempt.due_at - now) / 1000)} دیگر، در نوبت حسابش.`
        ),
      attempt.error_code !== null &&
        html`${mono(attempt.error_code)}: ${whatWentWrong(attempt.error_code, locale)}.`
    ],
    words: attempt.provider_error
  }
  return attempt.delivery === undefined ? [moment] : [moment, deliveryMoment(attempt.delivery, name, locale)]
}

const endText = {
  sent: ["good", "Sent", "فرستاده شد"],
  failed: ["bad", "Failed: no route is left", "ناموفق: مسیری نمانده است"],
  partial_failed: [
    "warn",
    "Partly failed: some channels sent it, others did not",
    "ناقص: برخی کانال‌ها فرستادند و برخی نه"
  ],
  canceled: ["plain", "Canceled", "لغو شد"]
} as const

const end = ({ message }: MessageRun, locale: Locale): ReadonlyArray<Moment> => {
  const { status, completedAt, captured } = message
  if (status === "queued" || status === "sending") return []
  const [tone, english, persian] = endText[status]
  const charge =
    captured > 0
      ? locale.say(`${locale.rials(captured)} were charged.`, `${locale.rials(captured)} برداشته شد.`)
      : mostExpensive(message) > 0 &&
        locale.say(
          "Nothing was charged; what was held is free again.",
          "هزینه‌ای برداشته نشد؛ آنچه نگه داشته شده بود آزاد شد."
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
        `بعدی: ${routeName(message, 0, locale)} تا ${within} دیگر`
      )
    }
  ]
}

/** The timeline of a message, with its next event. */
export const messageMoments = (run: MessageRun, locale: Locale): ReadonlyArray<Moment> => [
  accepted(run, locale),
  ...run.message.attempts.flatMap((attempt) => attempted(run, attempt, locale)),
  ...end(run, locale),
  ...toCome(run, locale)
]
