import type { Instant } from "../../../../../domain/Instant.ts"
import { effectiveStatus, isTerminal } from "../../../../../domain/verification/Verification.ts"
import type { Locale } from "../../../frame/Locale.ts"
import type { Moment } from "../Timeline.ts"
import type { CodeRun } from "./CodeRun.ts"

const endWords = {
  verified: ["good", "Verified: the right code was entered", "تأیید شد: کد درست وارد شد"],
  locked: ["bad", "Locked: too many wrong codes", "قفل شد: کدهای نادرست زیاد"],
  expired: ["plain", "Expired: its time was over", "منقضی شد: زمانش به سر رسید"],
  failed: ["bad", "Failed: no channel is left", "ناموفق: کانالی نمانده است"],
  canceled: ["plain", "Canceled", "لغو شد"]
} as const

const eventTime = ({ history }: CodeRun, type: string): Instant | null =>
  history.events.find((event) => event.type === type)?.occurredAt ?? null

export const endMoments = (run: CodeRun, locale: Locale): ReadonlyArray<Moment> => {
  const { verification, now } = run
  const status = effectiveStatus(verification, now)
  if (!isTerminal(status) || status === "pending" || status === "queued") return []
  const [tone, english, persian] = endWords[status]
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
      ? locale.say(`${locale.rials(captured)} were charged.`, `${locale.rials(captured)} برداشته شد.`)
      : price > 0 &&
        locale.say(
          "Nothing was charged; what was held is free again.",
          "هزینه‌ای برداشته نشد؛ آنچه نگه داشته شده بود آزاد شد."
        )
  return [{ at, tone, what: locale.say(english, persian), more: [charge] }]
}
