import { type Advice, type GuardDay, type GuardTotals, totalsOf } from "../../../../domain/guard/Alarm.ts"
import type { SavedGuard } from "../../../../services/guard/GuardRecords.ts"
import type { View } from "../../frame/SignedRoutes.ts"
import { tiles } from "../../parts/Tiles.ts"
import { modeWords } from "./GuardWords.ts"

/** Messengers have their price; an SMS has one if the customer said so. */
const savedRials = ({ smsPrice }: SavedGuard, totals: GuardTotals, { locale }: View) => {
  const { say, number } = locale
  const rials = totals.flaggedCharges + totals.flaggedSms * (smsPrice ?? 0)
  return smsPrice === null
    ? say(`${number(rials)} rials of messengers`, `${number(rials)} ریال پیام‌رسان‌ها`)
    : say(`${number(rials)} rials`, `${number(rials)} ریال`)
}

export const guardTiles = (saved: SavedGuard, advice: Advice, days: ReadonlyArray<GuardDay>, view: View) => {
  const { say, number } = view.locale
  const totals = totalsOf(days)
  const isEnforcing = saved.mode === "enforcing"
  return tiles([
    {
      label: say("Mode", "حالت"),
      value: modeWords(saved.mode, view.locale),
      ...(isEnforcing ? { tone: "good" as const } : {}),
      note: advice.isAdvised
        ? say("Enforcing is advised", "اعمال توصیه می‌شود")
        : say(
            `${number(advice.cleanDays)} clean ${advice.cleanDays === 1 ? "day" : "days"}, ${number(advice.cleanVerified)} verified ${advice.cleanVerified === 1 ? "code" : "codes"}`,
            `${number(advice.cleanDays)} روز پاک، ${number(advice.cleanVerified)} کد تأییدشده`
          )
    },
    {
      label: say("Refused in 30 days", "ردشده در ۳۰ روز"),
      value: number(totals.refused),
      note: say(`and ${number(totals.denied)} by the deny list`, `و ${number(totals.denied)} با فهرست ممنوع`)
    },
    {
      label: say("Would be refused", "رد می‌شد"),
      value: number(totals.flagged),
      note: say(
        `of them verified: ${number(totals.flaggedVerified)}`,
        `از آن‌ها تأییدشده: ${number(totals.flaggedVerified)}`
      )
    },
    {
      label: say("Would be saved", "صرفه‌جویی می‌شد"),
      value: say(`${number(totals.flaggedSms)} SMS`, `${number(totals.flaggedSms)} پیامک`),
      note: savedRials(saved, totals, view)
    },
    { label: say("Codes judged", "کدهای بررسی‌شده"), value: number(totals.codes) }
  ])
}
