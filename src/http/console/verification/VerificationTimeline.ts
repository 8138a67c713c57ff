import type { Instant } from "../../../domain/Instant.ts"
import { MAX_LATENESS_MILLIS, standbyNotNeeded } from "../../../domain/verification/Step.ts"
import {
  type Attempt,
  effectiveStatus,
  isTerminal,
  type Verification
} from "../../../domain/verification/Verification.ts"
import { html, type Html } from "../frame/Html.ts"
import type { Locale } from "../frame/Locale.ts"
import { attemptState } from "../parts/Runs.ts"
import { channelSubject, isolated, mono, overChannel } from "../parts/Text.ts"
import { callText, deliveryMoment, type Moment, routeText } from "../runs/Timeline.ts"
import { whatWentWrong, whySkipped } from "../runs/FailureTexts.ts"
import { type CodeRun, stepName } from "./VerificationStory.ts"

const SLOT_SHOWN_MILLIS = 300

const slotText = (millis: number, locale: Locale): string | null =>
  millis < SLOT_SHOWN_MILLIS
    ? null
    : locale.say(
        `Waited ${locale.duration(millis / 1000)} for a slot of the account.`,
        `${locale.duration(millis / 1000)} منتظر نوبت حساب ماند.`
      )

/**
 * Whether somebody asked for the next channel: a wait is only shorter than its step says by the lateness of that step,
 * which the next one makes up for.
 */
const isAskedFor = (waitedMillis: number, waitSeconds: number): boolean =>
  waitedMillis < waitSeconds * 1000 - MAX_LATENESS_MILLIS

/** Why this attempt came when it did. */
const reasonOf = (
  { verification }: Pick<CodeRun, "verification">,
  index: number,
  locale: Locale
): string | null => {
  const { say } = locale
  const { attempts, route, createdAt } = verification
  const [previous, current] = [attempts[index - 1], attempts[index]]
  if (current?.attempted_at == null) return null
  if (previous?.attempted_at == null) return slotText(current.attempted_at - createdAt, locale)
  const waitedMillis = current.attempted_at - previous.attempted_at
  const waited = locale.duration(waitedMillis / 1000)
  const name = stepName(verification, previous.step, locale)
  if (previous.status === "failed")
    return say(`Tried because ${name} failed.`, `چون ارسال از ${name} ناموفق بود، امتحان شد.`)
  const waitSeconds = (route[previous.step] ?? route[0]).wait
  if (isAskedFor(waitedMillis, waitSeconds))
    return say(
      `Tried because the next channel was requested, ${waited} after ${name}.`,
      `چون ${waited} بعد از ${name} کانال بعدی درخواست شد، امتحان شد.`
    )
  const wait = locale.duration(waitSeconds)
  return say(
    `Tried because the code was not entered within ${waited} after ${name} (its wait is ${wait}).`,
    `چون کد تا ${waited} بعد از ${name} وارد نشد (زمان انتظار آن ${wait} است)، امتحان شد.`
  )
}

/** “Standby: SMS.ir, not needed.” */
const standbyText = ({ verification }: CodeRun, attempt: Attempt, { say }: Locale): Html | null => {
  const { route, attempts } = verification
  const labels = standbyNotNeeded(route, attempt).flatMap((step) =>
    attempts.some((each) => each.step === step) ? [] : [route[step]?.descriptor.label ?? ""]
  )
  return labels.length === 0
    ? null
    : html`${say("Standby", "جایگزین")}:
      ${labels.map((label, index) => [index > 0 && say(", ", "، "), isolated(label)])}${say(
        ", not needed.",
        "، لازم نشد."
      )}`
}

const causeOf = ({ error_code, skip_reason }: Attempt, locale: Locale): string | null => {
  if (skip_reason !== undefined) return whySkipped(skip_reason, locale)
  return error_code === null ? null : whatWentWrong(error_code, locale)
}

const attempted = (run: CodeRun, attempt: Attempt, index: number, locale: Locale): Moment => {
  const { say } = locale
  const { route } = run.verification
  const step = route[attempt.step] ?? route[0]
  const name = channelSubject(step.channel, locale)
  const state = attemptState(attempt)
  const call = callText(step, attempt.provider_message_id, locale)
  return {
    at: attempt.attempted_at,
    tone: attempt.status === "sent" ? "good" : state === "unknown" ? "warn" : "bad",
    what:
      attempt.status === "sent"
        ? say(`Sent over ${overChannel(step.channel, locale)}`, `از ${name} ارسال شد`)
        : attempt.attempted_at === null
          ? say(`${name} was skipped`, `${name} امتحان نشد`)
          : state === "unknown"
            ? say(`${name}: outcome unknown`, `نتیجهٔ ارسال از ${name} نامعلوم است`)
            : say(`${name} failed`, `ارسال از ${name} ناموفق بود`),
    more: [
      call,
      reasonOf(run, index, locale),
      standbyText(run, attempt, locale),
      attempt.error_code !== null && html`${mono(attempt.error_code)}: ${causeOf(attempt, locale)}.`
    ],
    words: attempt.provider_error
  }
}

/** A step that was passed over, because its account could not send in time. */
const skipped = ({ verification }: CodeRun, step: number, locale: Locale): Moment => {
  const { say } = locale
  const name = stepName(verification, step, locale)
  const account = (verification.route[step] ?? verification.route[0]).descriptor.label
  return {
    at: null,
    tone: "warn",
    what: say(`${name} was skipped`, `${name} امتحان نشد`),
    more: [
      html`${isolated(account)} · ${say("the account could not send in time", "حساب نمی‌توانست به‌موقع بفرستد")}`
    ]
  }
}

/** The attempts, each after the steps that were skipped on the way to it. */
const attemptMoments = (run: CodeRun, locale: Locale): ReadonlyArray<Moment> => {
  const { route, attempts, remaining } = run.verification
  const notNeeded = attempts.flatMap((attempt) => standbyNotNeeded(route, attempt))
  const passed = [...route.keys()].filter(
    (step) =>
      !remaining.includes(step) &&
      route[step]?.onRequest !== true &&
      !notNeeded.includes(step) &&
      attempts.every((attempt) => attempt.step !== step)
  )
  const passedIn = (from: number, to: number) =>
    passed.filter((step) => step > from && step < to).map((step) => skipped(run, step, locale))
  const furthest = (count: number) => Math.max(-1, ...attempts.slice(0, count).map(({ step }) => step))
  return [
    ...attempts.flatMap((attempt, index) => [
      ...passedIn(furthest(index), attempt.step),
      attempted(run, attempt, index, locale)
    ]),
    ...passedIn(furthest(attempts.length), route.length)
  ]
}

/** Why the next step waits, and for what. */
const waitText = ({ repeating, slotReserved }: Verification, { say }: Locale): string => {
  if (repeating) {
    return say(
      "Repeated with the same id, because the first response was lost.",
      "با همان شناسه تکرار می‌شود، چون پاسخ اول گم شد."
    )
  }
  return slotReserved
    ? say("At the slot of the account that is reserved for it.", "در نوبتی که برای آن در حساب رزرو شده است.")
    : say("Unless the code is entered before then.", "مگر این که کد قبل از آن وارد شود.")
}

/** The next step and the expiry of a code that has not ended. */
const nextMoments = ({ verification, now }: CodeRun, locale: Locale): ReadonlyArray<Moment> => {
  const { say } = locale
  const { remaining, nextStepAt, expiresAt } = verification
  if (isTerminal(effectiveStatus(verification, now))) return []
  const within = (at: Instant) => locale.duration((at - now) / 1000)
  const expiry: Moment = {
    at: expiresAt,
    tone: "plain",
    isToCome: true,
    what: say(`Expires in ${within(expiresAt)}`, `تا ${within(expiresAt)} دیگر منقضی می‌شود`)
  }
  const [next] = remaining
  if (next === undefined || nextStepAt === null) return [expiry]
  const step: Moment = {
    at: nextStepAt,
    tone: "plain",
    isToCome: true,
    what: say(
      `Next: ${stepName(verification, next, locale)} in ${within(nextStepAt)}`,
      `بعدی: ${stepName(verification, next, locale)}، تا ${within(nextStepAt)} دیگر`
    ),
    more: [waitText(verification, locale)]
  }
  return [step, expiry]
}

const endText = {
  verified: ["good", "Verified: the right code was entered", "تأیید شد: کد درست وارد شد"],
  locked: ["bad", "Locked: too many wrong codes", "قفل شد: تعداد کدهای اشتباه زیاد بود"],
  expired: ["plain", "Expired: the code was not entered in time", "منقضی شد: کد به‌موقع وارد نشد"],
  failed: ["bad", "Failed: no channel is left to try", "ناموفق: کانال دیگری نمانده است"],
  canceled: ["plain", "Canceled", "لغو شد"]
} as const

const eventTime = ({ history }: CodeRun, type: string): Instant | null =>
  history.events.find((event) => event.type === type)?.occurredAt ?? null

const endMoments = (run: CodeRun, locale: Locale): ReadonlyArray<Moment> => {
  const { verification, now } = run
  const status = effectiveStatus(verification, now)
  if (!isTerminal(status) || status === "pending" || status === "queued") return []
  const [tone, english, persian] = endText[status]
  const at =
    status === "verified"
      ? verification.verifiedAt
      : status === "expired"
        ? verification.expiresAt
        : eventTime(run, `verification.${status}`)
  const { captured } = verification
  const price = Math.max(0, ...verification.route.map((step) => step.price ?? 0))
  const charge =
    captured > 0
      ? locale.say(`Charged: ${locale.rials(captured)}.`, `${locale.rials(captured)} از کیف پول برداشت شد.`)
      : price > 0 &&
        locale.say(
          "Nothing was charged. The held amount was released.",
          "چیزی برداشت نشد و مبلغ رزروشده آزاد شد."
        )
  return [{ at, tone, what: locale.say(english, persian), more: [charge] }]
}

const accepted = ({ verification }: CodeRun, locale: Locale): Moment => {
  const { say } = locale
  const { route, createdAt, expiresAt } = verification
  const { source } = route[0]
  const origin =
    source === "saved"
      ? say("the saved order", "ترتیب ذخیره‌شده")
      : source === "request"
        ? say("the channels of the request", "کانال‌های درخواست")
        : null
  const price = Math.max(0, ...route.map((step) => step.price ?? 0))
  return {
    at: createdAt,
    tone: "info",
    what: say("Accepted", "پذیرفته شد"),
    more: [
      html`${say("Route", "مسیر")}:
      ${routeText(route, locale)}${origin !== null && ` · ${say("from", "از")} ${origin}`}`,
      say(
        `The code is valid for ${locale.duration((expiresAt - createdAt) / 1000)}.`,
        `کد ${locale.duration((expiresAt - createdAt) / 1000)} اعتبار دارد.`
      ),
      price > 0 &&
        say(`Held in the wallet: ${locale.rials(price)}.`, `${locale.rials(price)} در کیف پول رزرو شد.`)
    ]
  }
}

const reports = ({ verification }: CodeRun, locale: Locale): ReadonlyArray<Moment> =>
  verification.attempts.flatMap(({ step, delivery }) =>
    delivery === undefined ? [] : [deliveryMoment(delivery, stepName(verification, step, locale), locale)]
  )

const wrongCodes = ({ history, maxWrongCodes }: CodeRun, locale: Locale): ReadonlyArray<Moment> => {
  const { say, number } = locale
  const count = history.wrongCodes ?? 0
  if (count === 0) return []
  return [
    {
      at: null,
      tone: "warn",
      what:
        count === 1
          ? say("1 wrong code was entered", "۱ بار کد اشتباه وارد شد")
          : say(`${number(count)} wrong codes were entered`, `${number(count)} بار کد اشتباه وارد شد`),
      more: [
        maxWrongCodes !== null &&
          say(
            `After ${number(maxWrongCodes)} the code is locked.`,
            `بعد از ${number(maxWrongCodes)} بار، کد قفل می‌شود.`
          )
      ]
    }
  ]
}

/** The moments of a code, with its next event; `timeline` in `runs/Timeline.ts` puts them in order. */
export const verificationMoments = (run: CodeRun, locale: Locale): ReadonlyArray<Moment> => [
  accepted(run, locale),
  ...attemptMoments(run, locale),
  ...wrongCodes(run, locale),
  ...reports(run, locale),
  ...endMoments(run, locale),
  ...nextMoments(run, locale)
]
