import { isUncertain } from "../../../../../domain/provider/ProviderOutcome.ts"
import { sendTime } from "../../../../../domain/message/Message.ts"
import type { Locale } from "../../../frame/Locale.ts"
import { whatWentWrong } from "../ErrorWords.ts"
import { type MessageRun, routeName } from "./MessageTimeline.ts"
import type { Story } from "../verification/VerificationStory.ts"

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
