import { MAX_LATENESS_MILLIS, standbyNotNeeded } from "../../../../../domain/verification/Step.ts"
import type { Attempt } from "../../../../../domain/verification/Verification.ts"
import { html, type Html } from "../../../frame/Html.ts"
import type { Locale } from "../../../frame/Locale.ts"
import { channelName, foreign, mono } from "../../../parts/Text.ts"
import { callWords } from "../AttemptParts.ts"
import { attemptState } from "../AttemptStates.ts"
import { whatWentWrong, whySkipped } from "../ErrorWords.ts"
import type { Moment } from "../Timeline.ts"
import { type CodeRun, stepName } from "./CodeRun.ts"

const SLOT_SHOWN_MILLIS = 300

const slotWords = (millis: number, locale: Locale): string | null =>
  millis < SLOT_SHOWN_MILLIS
    ? null
    : locale.say(
        `Waited ${locale.duration(millis / 1000)} for a slot of its account.`,
        `${locale.duration(millis / 1000)} در انتظار نوبت حسابش ماند.`
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
  if (previous?.attempted_at == null) return slotWords(current.attempted_at - createdAt, locale)
  const waitedMillis = current.attempted_at - previous.attempted_at
  const waited = locale.duration(waitedMillis / 1000)
  const name = stepName(verification, previous.step, locale)
  if (previous.status === "failed")
    return say(`Tried because ${name} failed.`, `چون ${name} ناموفق بود، امتحان شد.`)
  const waitSeconds = (route[previous.step] ?? route[0]).wait
  if (isAskedFor(waitedMillis, waitSeconds))
    return say(
      `Tried because the next channel was asked for, ${waited} after ${name}.`,
      `چون ${waited} پس از ${name} کانال بعدی خواسته شد، امتحان شد.`
    )
  const wait = locale.duration(waitSeconds)
  return say(
    `Tried because the code was not entered within ${waited} of ${name} (the wait there is ${wait}).`,
    `چون کد تا ${waited} پس از ${name} وارد نشد (انتظار آنجا ${wait} است)، امتحان شد.`
  )
}

/** “Standby: SMS.ir, not needed.” */
const standbyWords = ({ verification }: CodeRun, attempt: Attempt, { say }: Locale): Html | null => {
  const { route, attempts } = verification
  const labels = standbyNotNeeded(route, attempt).flatMap((step) =>
    attempts.some((each) => each.step === step) ? [] : [route[step]?.descriptor.label ?? ""]
  )
  return labels.length === 0
    ? null
    : html`${say("Standby", "پشتیبان")}:
      ${labels.map((label, index) => [index > 0 && say(", ", "، "), foreign(label)])}${say(
        ", not needed.",
        "، نیازی نشد."
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
  const name = channelName(step.channel, locale)
  const state = attemptState(attempt)
  const call = callWords(step, attempt.provider_message_id, locale)
  return {
    at: attempt.attempted_at,
    tone: attempt.status === "sent" ? "good" : state === "unknown" ? "warn" : "bad",
    what:
      attempt.status === "sent"
        ? say(`Sent over ${name}`, `از ${name} فرستاده شد`)
        : attempt.attempted_at === null
          ? say(`${name} was not called`, `${name} فراخوانی نشد`)
          : state === "unknown"
            ? say(`${name}: outcome unknown`, `${name}: نتیجه نامعلوم`)
            : say(`${name} failed`, `${name} ناموفق بود`),
    more: [
      call,
      reasonOf(run, index, locale),
      standbyWords(run, attempt, locale),
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
    what: say(`${name} was skipped`, `از ${name} گذشت`),
    more: [
      html`${foreign(account)} · ${say("its account could not send in time", "حسابش به‌موقع نمی‌توانست بفرستد")}`
    ]
  }
}

/** The attempts, each after the steps that were skipped on the way to it. */
export const attemptMoments = (run: CodeRun, locale: Locale): ReadonlyArray<Moment> => {
  const { route, attempts, remaining } = run.verification
  const notNeeded = attempts.flatMap((attempt) => standbyNotNeeded(route, attempt))
  const passed = [...route.keys()].filter(
    (step) =>
      !remaining.includes(step) &&
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
