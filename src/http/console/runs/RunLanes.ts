import { type Instant, MINUTE_MILLIS } from "../../../domain/Instant.ts"
import type { LoggedRequest } from "../../../domain/LoggedRequest.ts"
import { type MessageAttempt, sendTime } from "../../../domain/message/Message.ts"
import { effectiveStatus, isTerminal, wasCalled } from "../../../domain/verification/Verification.ts"
import { pathOf } from "../Navigation.ts"
import { html } from "../frame/Html.ts"
import type { Locale } from "../frame/Locale.ts"
import type { MessageRun } from "../message/MessageTimeline.ts"
import { stateText, stateTone } from "../parts/Badge.ts"
import { attemptState } from "../parts/Runs.ts"
import { channelName, mono } from "../parts/Text.ts"
import type { CodeRun } from "../verification/VerificationStory.ts"
import type { RunEvent } from "../../../services/activity/RunHistories.ts"
import type { Bar, Lane, Mark } from "./Waterfall.ts"

const MICROS_PER_MILLI = 1000
/** A shorter wait for a slot is part of the request. */
const SHOWN_WAIT_MILLIS = 300

const SECOND_MILLIS = 1000
const NO_BREAK_SPACE = "\u00a0"

const seconds = (millis: number, { duration, number, say }: Locale): string =>
  millis < SECOND_MILLIS
    ? `${number(Math.max(1, Math.round(millis)))} ${say("ms", "میلی‌ثانیه")}`
    : duration(millis / SECOND_MILLIS)

const barText = ({ kind, from, to }: Bar, now: Instant, locale: Locale): string => {
  const took = seconds((to ?? now) - from, locale)
  return kind === "call"
    ? locale.say(`call ${took}`, `درخواست ${took}`)
    : locale.say(`wait ${took}`, `انتظار ${took}`)
}

/** A time stays beside its unit where the words need two lines. */
const laneText = (state: string, bars: ReadonlyArray<Bar>, now: Instant, locale: Locale): string =>
  [
    stateText(state, locale),
    ...bars.map((bar) => barText(bar, now, locale).replaceAll(" ", NO_BREAK_SPACE))
  ].join(" · ")

/** The requests to the API that were about the send, each a link to its page. */
export const requestLanes = (requests: ReadonlyArray<LoggedRequest>, locale: Locale): ReadonlyArray<Lane> =>
  requests
    .toSorted((one, other) => one.at - other.at)
    .map(({ id, at, micros, route, status, code }): Lane => {
      const tone = status < 400 ? "good" : status < 500 ? "warn" : "bad"
      return {
        name: html`<a href="${pathOf("requests")}/${id}">${mono(route.replace("/v1/", ""))}</a>`,
        tone,
        bars: [{ kind: "call", from: at - Math.ceil(micros / MICROS_PER_MILLI), to: at, tone: "info" }],
        marks: [],
        text: `${status}${code === null ? "" : ` ${code}`} · ${seconds(micros / MICROS_PER_MILLI, locale)}`
      }
    })

const ATTEMPT_EVENTS = new Set([
  "verification.attempt_sent",
  "verification.attempt_failed",
  "verification.attempt_unknown"
])

/** When the provider's answer to each call was recorded; nothing if events are missing. */
const answersIn = (events: ReadonlyArray<RunEvent>, calls: number): ReadonlyArray<Instant> => {
  const times = events.filter(({ type }) => ATTEMPT_EVENTS.has(type)).map(({ occurredAt }) => occurredAt)
  return times.length === calls ? times : []
}

/** When a code ended; null while it may still be entered. */
const endOf = ({ verification, history, now }: CodeRun): Instant | null => {
  const status = effectiveStatus(verification, now)
  if (!isTerminal(status)) return null
  if (status === "verified") return verification.verifiedAt
  if (status === "expired") return verification.expiresAt
  return history.events.find(({ type }) => type === `verification.${status}`)?.occurredAt ?? null
}

/** A later report would make all else too small to see; the timeline has it. */
const MAX_REPORT_MILLIS = 5 * MINUTE_MILLIS

const deliveryMark = (delivery: MessageAttempt["delivery"], after: Instant): ReadonlyArray<Mark> =>
  delivery === undefined || delivery.at === null || delivery.at > after + MAX_REPORT_MILLIS
    ? []
    : [{ at: delivery.at, tone: delivery.status === "delivered" ? "good" : "bad" }]

/** The calls of a code, the wait after each, and its end. */
export const codeLanes = (run: CodeRun, locale: Locale): ReadonlyArray<Lane> => {
  const { verification, history, now } = run
  const { route, createdAt } = verification
  const called = verification.attempts.filter(wasCalled)
  const answers = answersIn(history.events, called.length)
  const end = endOf(run)
  const lanes = called.map((attempt, index): Lane => {
    const start = attempt.attempted_at ?? createdAt
    const state = attemptState(attempt)
    const answered = answers[index] ?? start
    const next = called[index + 1]?.attempted_at ?? end
    const isSlot = index === 0 && start - createdAt > SHOWN_WAIT_MILLIS
    const bars: ReadonlyArray<Bar> = [
      ...(isSlot ? [{ kind: "wait", from: createdAt, to: start, tone: "plain" } as const] : []),
      { kind: "call", from: start, to: answered, tone: stateTone(state) },
      ...(attempt.status === "sent" && (next === null || next > answered)
        ? [{ kind: "wait", from: answered, to: next, tone: "plain" } as const]
        : [])
    ]
    return {
      name: channelName((route[attempt.step] ?? route[0]).channel, locale),
      tone: stateTone(state),
      bars,
      marks: deliveryMark(attempt.delivery, verification.expiresAt),
      text: laneText(state, isSlot ? bars.slice(1) : bars, now, locale)
    }
  })
  if (end === null) return lanes
  const status = effectiveStatus(verification, now)
  const name = stateText(status, locale)
  const tone = stateTone(status)
  const text = locale.say(
    `after ${seconds(end - createdAt, locale)}`,
    `بعد از ${seconds(end - createdAt, locale)}`
  )
  return [...lanes, { name, tone, bars: [], marks: [{ at: end, tone }], text }]
}

/** The calls of a message, each with the wait for its account. */
export const messageLanes = ({ message, now }: MessageRun, locale: Locale): ReadonlyArray<Lane> =>
  message.attempts
    .filter(({ status, due_at }) => status !== "pending" || due_at <= now)
    .map((attempt): Lane => {
      const state = attemptState(attempt)
      const { attempted_at: start, finished_at: end, due_at: due } = attempt
      // A channel of a broadcast waits for its account from the beginning.
      const begin = sendTime(message)
      const from = message.strategy === "broadcast" ? begin : Math.max(due, begin)
      const isWait = (start ?? end ?? now) - from > SHOWN_WAIT_MILLIS
      const bars: ReadonlyArray<Bar> = [
        ...(isWait ? [{ kind: "wait", from, to: start ?? end, tone: "plain" } as const] : []),
        ...(start === null ? [] : [{ kind: "call", from: start, to: end, tone: stateTone(state) } as const])
      ]
      return {
        name: channelName((message.route[attempt.step] ?? message.route[0]).channel, locale),
        tone: stateTone(state),
        bars,
        marks: deliveryMark(attempt.delivery, end ?? now),
        text: laneText(state, bars, now, locale)
      }
    })
