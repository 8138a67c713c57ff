import type { Instant } from "../../../domain/Instant.ts"
import { type AttemptErrorCode, isUncertain } from "../../../domain/ProviderOutcome.ts"
import { effectiveStatus, type Verification } from "../../../domain/verification/Verification.ts"
import type { Locale } from "../frame/Locale.ts"
import type { Tone } from "../parts/Badge.ts"
import { channelSubject, listed, overChannel } from "../parts/Text.ts"
import { whatWentWrong } from "../runs/FailureTexts.ts"
import type { RunHistory } from "../../../services/activity/RunHistories.ts"

export interface CodeRun {
  readonly verification: Verification
  readonly history: RunHistory
  readonly now: Instant
  /** Wrong codes that lock it; null: none do. */
  readonly maxWrongCodes: number | null
}

export const stepName = ({ route }: Pick<Verification, "route">, step: number, locale: Locale): string =>
  channelSubject((route[step] ?? route[0]).channel, locale)

const overStep = ({ route }: Pick<Verification, "route">, step: number, locale: Locale): string =>
  overChannel((route[step] ?? route[0]).channel, locale)

/** The history of a code in plain words, for support staff whose user got no code. */
export interface Story {
  readonly tone: Tone
  readonly sentences: ReadonlyArray<string>
  /** The failure that somebody can do something about. */
  readonly errorCode: AttemptErrorCode | null
}

const namesOf = ({ verification }: CodeRun, steps: ReadonlyArray<number>, locale: Locale): string =>
  listed(
    steps.map((step) => overStep(verification, step, locale)),
    locale
  )

/** “Bale: the phone cannot be reached there.” for each that failed. */
const failures = (run: CodeRun, locale: Locale): ReadonlyArray<string> =>
  run.verification.attempts.flatMap(({ step, error_code }) =>
    error_code === null
      ? []
      : [`${stepName(run.verification, step, locale)}: ${whatWentWrong(error_code, locale)}.`]
  )

const reports = (run: CodeRun, locale: Locale): ReadonlyArray<string> =>
  run.verification.attempts.flatMap(({ step, delivery }) => {
    if (delivery === undefined) return []
    const name = stepName(run.verification, step, locale)
    return delivery.status === "delivered"
      ? [locale.say(`${name} reported: delivered.`, `گزارش ${name}: تحویل شد.`)]
      : [locale.say(`${name} reported: not delivered.`, `گزارش ${name}: تحویل نشد.`)]
  })

const sentOver = (run: CodeRun): ReadonlyArray<number> =>
  run.verification.attempts.filter(({ status }) => status === "sent").map(({ step }) => step)

const verifiedStory = (run: CodeRun, locale: Locale): ReadonlyArray<string> => {
  const { verification } = run
  const { verifiedAt, createdAt } = verification
  const took = locale.duration(((verifiedAt ?? createdAt) - createdAt) / 1000)
  const last = verification.attempts.findLast(({ status }) => status === "sent")
  const over = last === undefined ? "" : overStep(verification, last.step, locale)
  return [
    locale.say(
      `The right code was entered ${took} after the request${over === "" ? "" : `, after it was sent over ${over}`}.`,
      `کد درست ${took} بعد از درخواست${over === "" ? "" : ` و بعد از ارسال از ${over}`} وارد شد.`
    ),
    ...failures(run, locale)
  ]
}

const unusedStory = (run: CodeRun, locale: Locale): ReadonlyArray<string> => {
  const { say, duration } = locale
  const { createdAt, expiresAt } = run.verification
  const steps = sentOver(run)
  const wrong = run.history.wrongCodes ?? 0
  const valid = duration((expiresAt - createdAt) / 1000)
  return [
    steps.length === 0
      ? say(`No channel confirmed that the code was sent.`, `هیچ کانالی ارسال کد را تأیید نکرد.`)
      : wrong > 0
        ? say(
            `The code was sent over ${namesOf(run, steps, locale)}. Only wrong codes were entered within ${valid}.`,
            `کد از ${namesOf(run, steps, locale)} ارسال شد، ولی در ${valid} فقط کد اشتباه وارد شد.`
          )
        : say(
            `The code was sent over ${namesOf(run, steps, locale)}, but nobody entered it within ${valid}.`,
            `کد از ${namesOf(run, steps, locale)} ارسال شد، ولی کسی در ${valid} آن را وارد نکرد.`
          ),
    ...reports(run, locale),
    ...failures(run, locale)
  ]
}

/** What is known of where the code is. */
const whereabouts = (run: CodeRun, locale: Locale): string => {
  const { say } = locale
  const sent = sentOver(run)
  if (sent.length > 0)
    return say(
      `The code was sent over ${namesOf(run, sent, locale)}. It has not been entered yet.`,
      `کد از ${namesOf(run, sent, locale)} ارسال شد و هنوز وارد نشده است.`
    )
  const uncertain = run.verification.attempts.filter(isUncertain).map(({ step }) => step)
  return uncertain.length > 0
    ? say(
        `The code may have been sent over ${namesOf(run, uncertain, locale)}. It has not been entered yet.`,
        `شاید کد از ${namesOf(run, uncertain, locale)} ارسال شده باشد. هنوز وارد نشده است.`
      )
    : say("Nothing has been sent yet.", "هنوز چیزی ارسال نشده است.")
}

const activeStory = (run: CodeRun, locale: Locale): ReadonlyArray<string> => {
  const { say, duration } = locale
  const { remaining, nextStepAt } = run.verification
  const [next] = remaining
  return [
    whereabouts(run, locale),
    next === undefined || nextStepAt === null
      ? say("No channel is left to try.", "کانال دیگری نمانده است.")
      : say(
          `Next: ${stepName(run.verification, next, locale)}, in ${duration((nextStepAt - run.now) / 1000)}.`,
          `کانال بعدی: ${stepName(run.verification, next, locale)}، تا ${duration((nextStepAt - run.now) / 1000)} دیگر.`
        ),
    ...failures(run, locale)
  ]
}

const failedStory = (run: CodeRun, locale: Locale): ReadonlyArray<string> => [
  locale.say("No channel could send the code.", "هیچ کانالی نتوانست کد را بفرستد."),
  ...failures(run, locale)
]

const lockedStory = ({ history }: CodeRun, { say, number }: Locale): ReadonlyArray<string> => {
  const wrong = number(history.wrongCodes ?? 0)
  return [
    say(
      `${wrong} wrong codes were entered, so this code no longer works. The user must ask for a new one.`,
      `${wrong} بار کد اشتباه وارد شد و این کد دیگر کار نمی‌کند. کاربر باید کد جدید بخواهد.`
    )
  ]
}

const canceledStory = (run: CodeRun, locale: Locale): ReadonlyArray<string> => [
  locale.say("It was canceled before the code was entered.", "قبل از وارد شدن کد لغو شد."),
  ...failures(run, locale)
]

/** The answer to “what happened?”. */
export const verificationStory = (run: CodeRun, locale: Locale): Story => {
  const { verification, now } = run
  const errorCode =
    verification.attempts.findLast(({ error_code }) => error_code !== null)?.error_code ?? null
  switch (effectiveStatus(verification, now)) {
    case "verified":
      return { tone: "good", sentences: verifiedStory(run, locale), errorCode: null }
    case "failed":
      return { tone: "bad", sentences: failedStory(run, locale), errorCode }
    case "locked":
      return { tone: "bad", sentences: lockedStory(run, locale), errorCode: null }
    case "canceled":
      return { tone: "plain", sentences: canceledStory(run, locale), errorCode: null }
    case "expired":
      return { tone: "warn", sentences: unusedStory(run, locale), errorCode }
    case "pending":
    case "queued":
      return { tone: "info", sentences: activeStory(run, locale), errorCode }
  }
}
