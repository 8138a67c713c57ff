import { Effect } from "effect"
import { tehranDay } from "../../domain/Calendar.ts"
import type { Instant } from "../../domain/Instant.ts"
import { daysOf, startOfDay, TEHRAN } from "../../domain/TimeZones.ts"
import { type Advice, adviceOf, type GuardDay, totalsOf } from "../../domain/guard/Alarm.ts"
import type { GuardMode } from "../../domain/guard/GuardSettings.ts"
import { GUARD_PATH, mayChange, modeText } from "./GuardForms.ts"
import { html, type Html } from "./frame/Html.ts"
import type { View } from "./frame/SignedRoutes.ts"
import type { Tone } from "./parts/Badge.ts"
import { chart } from "./parts/Chart.ts"
import { confirmButton } from "./parts/Confirm.ts"
import { GuardCeiling } from "../../services/guard/Guard.ts"
import type { SavedGuard } from "../../services/guard/GuardRecords.ts"

/** What the page says of a guard. */
export interface GuardFigures {
  /** The one that counts: the operator can allow less than is saved. */
  readonly mode: GuardMode
  readonly saved: SavedGuard
  /** Those with codes among the last thirty. */
  readonly days: ReadonlyArray<GuardDay>
  readonly now: Instant
  readonly open: number
}

/** The operator's setting is the strictest mode that counts. */
export const modeInForce = ({ mode }: SavedGuard): Effect.Effect<GuardMode> =>
  Effect.map(GuardCeiling, (ceiling) =>
    ceiling === "off" || (ceiling === "record" && mode === "enforcing") ? ceiling : mode
  )

const WEEK_DAYS = 7
const CHART_DAYS = 30

/** The days up to today, in Tehran as the store has them, the oldest first. */
const lastDays = (now: Instant, count: number): ReadonlyArray<string> =>
  daysOf({ from: startOfDay(now, TEHRAN, count - 1), to: now + 1 }, TEHRAN).map(tehranDay)

const weekOf = ({ days, now }: GuardFigures) => {
  const week = new Set(lastDays(now, WEEK_DAYS))
  return totalsOf(days.filter(({ day }) => week.has(day)))
}

const firstSentence = (figures: GuardFigures, { locale: { say, number } }: View): string => {
  const { refused, denied, flagged, flaggedVerified, codes } = weekOf(figures)
  if (figures.mode === "off") {
    return say(
      `The guard is disabled: only the deny list refuses codes (${number(denied)} in the last 7 days).`,
      `نگهبان غیرفعال است: فقط فهرست ممنوع کد رد می‌کند (${number(denied)} در ۷ روز گذشته).`
    )
  }
  if (figures.mode === "enforcing") {
    return say(
      `Enforcing refused ${number(refused)} codes of the last 7 days, and the deny list ${number(denied)}.`,
      `در ۷ روز گذشته «مسدودسازی» ${number(refused)} کد را رد کرد، و فهرست ممنوع ${number(denied)} کد را.`
    )
  }
  return flagged === 0
    ? say(
        `Enforcing would have refused no code of the last 7 days, of ${number(codes)} evaluated.`,
        `در ۷ روز گذشته «مسدودسازی» هیچ کدی را رد نمی‌کرد، از ${number(codes)} کد بررسی‌شده.`
      )
    : say(
        `Enforcing would have refused ${number(flagged)} codes of the last 7 days, ${number(flaggedVerified)} of them later verified.`,
        `در ۷ روز گذشته «مسدودسازی» ${number(flagged)} کد را رد می‌کرد که ${number(flaggedVerified)} تا بعداً تأیید شد.`
      )
}

const recordAdvice = (
  { cleanDays, cleanVerified, isAdvised }: Advice,
  isWrong: boolean,
  { locale: { say, number } }: View
): string => {
  if (isAdvised) {
    return say(
      `Start enforcing: for ${number(cleanDays)} days with ${number(cleanVerified)} verified codes it would have refused no real user.`,
      `مسدودسازی را شروع کنید: در ${number(cleanDays)} روز با ${number(cleanVerified)} کد تأییدشده، هیچ کاربر واقعی رد نمی‌شد.`
    )
  }
  const soFar = say(
    `So far ${number(cleanDays)} ${cleanDays === 1 ? "day" : "days"} and ${number(cleanVerified)} verified ${cleanVerified === 1 ? "code" : "codes"}.`,
    `تا حالا ${number(cleanDays)} روز و ${number(cleanVerified)} کد تأییدشده.`
  )
  return isWrong
    ? say(
        `Open the alarms, and allow the networks and numbers of your users. Enforce after 7 days without a false refusal. ${soFar}`,
        `هشدارها را باز کنید و شبکه‌ها و شماره‌های کاربران خود را مجاز کنید. بعد از ۷ روز بدون رد اشتباه، مسدودسازی را شروع کنید. ${soFar}`
      )
    : say(
        `Keep recording for 7 days and 3,000 verified codes without a false refusal, then enforce. ${soFar}`,
        `تا ۷ روز و ۳٬۰۰۰ کد تأییدشده بدون رد اشتباه فقط ثبت کنید، بعد مسدودسازی را شروع کنید. ${soFar}`
      )
}

const nextStep = (figures: GuardFigures, advice: Advice, view: View): string => {
  const { say } = view.locale
  if (figures.mode === "record") return recordAdvice(advice, weekOf(figures).flaggedVerified > 0, view)
  if (figures.mode === "off") {
    return say(
      "Choose “Record only”: it refuses nothing, and shows what enforcing would refuse.",
      "«فقط ثبت» را انتخاب کنید: چیزی را رد نمی‌کند و نشان می‌دهد مسدودسازی چه چیزهایی را رد می‌کرد."
    )
  }
  return figures.open > 0
    ? say(
        "Look at the open alarms. Clear one only if its codes are of your users.",
        "هشدارهای باز را ببینید. فقط هشداری را ببندید که کدهایش از کاربران شماست."
      )
    : say("Nothing: no alarm is open.", "هیچ: هشدار بازی نیست.")
}

const toneOf = (figures: GuardFigures, { isAdvised }: Advice): Tone => {
  if (figures.mode === "off") return "plain"
  if (figures.mode === "enforcing") return figures.open > 0 ? "warn" : "good"
  return isAdvised ? "info" : weekOf(figures).flaggedVerified > 0 ? "warn" : "plain"
}

const modeButton = (figures: GuardFigures, { isAdvised }: Advice, view: View): Html | null => {
  const { say } = view.locale
  if (!mayChange(view) || figures.mode !== figures.saved.mode) return null
  const to: GuardMode | null =
    figures.mode === "off" ? "record" : figures.mode === "record" && isAdvised ? "enforcing" : null
  if (to === null) return null
  const label = say(`Switch to “${modeText(to, view.locale)}”`, `تغییر به «${modeText(to, view.locale)}»`)
  return html`<div class="actions">
    ${confirmButton(view, {
      action: `${GUARD_PATH}/mode`,
      label,
      fields: { mode: to },
      kind: "primary",
      question:
        to === "record"
          ? say(
              "The mode of the guard becomes “Record only”. Nothing is refused that was not before.",
              "حالت نگهبان «فقط ثبت» می‌شود. چیزی که تا حالا رد نمی‌شد رد نمی‌شود."
            )
          : say(
              "The mode of the guard becomes “Enforcing”: codes that look like abuse are refused from now on.",
              "حالت نگهبان «مسدودسازی» می‌شود: از این پس کدهایی که شبیه سوءاستفاده است رد می‌شود."
            ),
      confirm: label
    })}
  </div>`
}

/** The mode, what it did or would have done, and what to do next. */
export const modeStory = (figures: GuardFigures, view: View): Html => {
  const { say } = view.locale
  const { mode, saved } = figures
  const advice = adviceOf(figures.days)
  return html`<section class="story ${toneOf(figures, advice)}" aria-labelledby="mode-title">
    <h2 id="mode-title">${say("Mode", "حالت")}: ${modeText(mode, view.locale)}</h2>
    <p class="first">${firstSentence(figures, view)}</p>
    ${
      mode === "record" &&
      html`<p class="muted">
        ${say("Codes that would go without SMS count too.", "کدهایی که بدون پیامک ارسال می‌شد هم حساب شده است.")}
      </p>`
    }
    ${
      mode !== saved.mode &&
      html`<p>
        ${say(
          `“${modeText(saved.mode, view.locale)}” is saved, but the operator of this installation allows no more than “${modeText(mode, view.locale)}”.`,
          `«${modeText(saved.mode, view.locale)}» ذخیره شده است، ولی مدیر سامانه بیشتر از «${modeText(mode, view.locale)}» اجازه نمی‌دهد.`
        )}
      </p>`
    }
    <p class="todo">
      <strong>${say("What to do:", "چه باید کرد:")}</strong> ${nextStep(figures, advice, view)}
    </p>
    ${modeButton(figures, advice, view)}
  </section>`
}

/** Each day's refusals, and of those that enforcing would have made, which were of real users. */
export const daysChart = ({ days, now }: GuardFigures, { locale }: View): Html | null => {
  const { say } = locale
  const byDay = new Map(days.map((day) => [day.day, day]))
  const totals = totalsOf(days)
  const hasRefused = totals.refused > 0
  if (totals.codes === 0 && !hasRefused) return null
  const title = say("Refusals against verified codes", "ردها در برابر کدهای تأییدشده")
  return html`<section class="panel" aria-labelledby="days-title">
    <div class="panel-head">
      <h2 id="days-title">${title}</h2>
      <span class="muted">${say("30 days (Tehran time)", "۳۰ روز (به وقت تهران)")}</span>
    </div>
    <div class="panel-body">
      ${chart(
        {
          title,
          unit: say("Day", "روز"),
          series: [
            { label: say("Would be refused, never verified", "رد می‌شد و تأیید نشد"), kind: "bar" },
            {
              label: say("Would be refused, later verified", "رد می‌شد ولی تأیید شد"),
              kind: "bar",
              tone: "bad"
            },
            ...(hasRefused ? [{ label: say("Refused", "رد شد"), kind: "bar" as const }] : [])
          ],
          points: lastDays(now, CHART_DAYS).map((day) => {
            const { flagged = 0, flaggedVerified = 0, refused = 0 } = byDay.get(day) ?? {}
            return {
              label: locale.day(day),
              values: [flagged - flaggedVerified, flaggedVerified, ...(hasRefused ? [refused] : [])]
            }
          })
        },
        locale
      )}
    </div>
  </section>`
}
