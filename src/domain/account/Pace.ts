import { Schema } from "effect"
import type { Channel } from "../routing/Channel.ts"
import { type Instant, MINUTE_MILLIS } from "../Instant.ts"

/** How fast an account sends, unless the operator or the account has other numbers. */
export const defaultPace = {
  /** The shortest time between two sends of an account. */
  accountGapMillis: 1000,
  /** Sends of an account in any minute; 0: no limit. */
  accountRateEitaa: 30,
  accountRateBale: 30,
  accountRateSoroushplus: 20,
  accountRateRubika: 20,
  accountRateTelegram: 20,
  accountRateSms: 0,
  accountRateVoice: 20,
  /** A send waits this long for an account's slot. If the slot is later, another channel goes first. */
  slotWaitMillis: 5000,
  /** A code waits in the background for a slot at most this far away. */
  slotHorizonMillis: 30_000
}

/** A slot that passed longer ago is lost. Otherwise slots reserved one after the other would be used all at once. */
const MAX_LATENESS_MILLIS = 500

/** How much later than its recorded start a call can begin: slots have twice as much added to the gap. */
const MAX_START_DELAY_MILLIS = 50

export const isStartInTime = (startsAt: Instant, now: Instant): boolean =>
  now >= startsAt && now - startsAt <= MAX_START_DELAY_MILLIS

export const isSlotUsable = (at: Instant, now: Instant): boolean => now - at <= MAX_LATENESS_MILLIS

/** The kinds of sends of an account. */
export type SendKind = "code" | "text"

/**
 * Why a step is skipped: the account's next slot is too far away (`gap`), or comes only once its minute has room (`rate`);
 * it cools down; too many calls to its provider are under way (`busy`); or its channel has hours, and these are others.
 */
export const SkipReason = Schema.Literals(["gap", "rate", "cooldown", "busy", "hours"])
export type SkipReason = typeof SkipReason.Type

/** Whether a step that is skipped for this reason is not tried by itself any more, but can still be asked for. */
export const canBeAskedAgain = (reason: SkipReason | undefined): boolean => reason === "hours"

/** The reasons in words, for people: the end of a sentence, in English and in Persian. */
export const skipWords: Readonly<Record<SkipReason, readonly [english: string, persian: string]>> = {
  gap: [
    "the account leaves a gap between two sends, and its next turn was too far away",
    "حساب بین دو ارسال فاصله می‌گذارد و نوبت بعدی‌اش دیر بود"
  ],
  rate: ["the account had sent all that it may in a minute", "سقف ارسال حساب در دقیقه پر بود"],
  cooldown: [
    "the account was cooling down after failures, or because its provider asked to slow down",
    "حساب بعد از چند خطا، یا به درخواست سرویس‌دهنده، در توقف موقت بود"
  ],
  busy: ["too many calls to its provider were under way", "تعداد درخواست‌های هم‌زمان به سرویس‌دهنده زیاد بود"],
  hours: ["the channel is not used by itself at this hour", "این کانال در این ساعت خودبه‌خود استفاده نمی‌شود"]
}

/** How many steps skipped an account, by reason. */
export type SkipCounts = Readonly<Partial<Record<SkipReason, number>>>

/** Calls arrive at a provider later or earlier than they left, so the gap is wider than the provider demands. */
export const GAP_MARGIN_MILLIS = 100

/** The time between two sends of an account with this gap. */
export const spacingOf = (gapMillis: number): number => (gapMillis === 0 ? 0 : gapMillis + GAP_MARGIN_MILLIS)

/** When an account with this gap has its next turn; null: at once. */
export const nextTurnAt = ({
  gapMillis,
  lastSlotAt
}: {
  readonly gapMillis: number
  readonly lastSlotAt: Instant | null
}): Instant | null => (lastSlotAt === null || gapMillis === 0 ? null : lastSlotAt + spacingOf(gapMillis))

/** The most that an account can send in a minute, by its gap and its rate; null: any number. */
export const mostPerMinute = ({
  gapMillis,
  perMinute
}: {
  readonly gapMillis: number
  /** 0: no limit. */
  readonly perMinute: number
}): number | null => {
  const byGap = gapMillis === 0 ? Infinity : Math.floor(MINUTE_MILLIS / spacingOf(gapMillis))
  const most = Math.min(byGap, perMinute === 0 ? Infinity : perMinute)
  return Number.isFinite(most) ? most : null
}

/** Sends of an account in any minute, by channel; 0: no limit. */
export type DefaultRates = Readonly<Record<Channel, number>>
