import type { ShownAlarm } from "../../../../domain/guard/Alarm.ts"
import {
  type Advice,
  type GuardDay,
  type GuardTotals,
  totalsOf
} from "../../../../domain/guard/GuardReport.ts"
import { EntryType, type GuardList, GuardMode } from "../../../../domain/guard/GuardSettings.ts"
import type { SavedGuard, StoredEntry } from "../../../../services/resources/activity/GuardRecords.ts"
import { csrfField } from "../../frame/forms/Forms.ts"
import { html, type Html } from "../../frame/Html.ts"
import type { View } from "../../frame/SignedRoutes.ts"
import { pathOf } from "../../Navigation.ts"
import { badge } from "../../parts/Badge.ts"
import { confirmButton, postButton } from "../../parts/Confirm.ts"
import { facts } from "../../parts/Facts.ts"
import {
  CONFLICT,
  errorSummary,
  type FieldErrors,
  inputField,
  noFieldErrors,
  selectField
} from "../../parts/Fields.ts"
import { table } from "../../parts/lists/Table.ts"
import { mono } from "../../parts/Text.ts"
import { tiles } from "../../parts/Tiles.ts"
import { actionWords, modeWords, reasonWords, segmentWords, typeWords } from "./GuardWords.ts"

export const GUARD_PATH = pathOf("guard")

/** A form of the page; after it was refused, with what was typed. */
export interface ShownForm {
  readonly errors: FieldErrors
  readonly typed: URLSearchParams | null
}

export const untouched: ShownForm = { errors: noFieldErrors, typed: null }

/** Whether the person may change the set-up. */
const mayChange = ({ actor }: View): boolean => actor.scope === "full"

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
            `${number(advice.cleanDays)} clean days, ${number(advice.cleanVerified)} verified codes`,
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

export const alarmTable = (alarms: ReadonlyArray<ShownAlarm>, view: View): Html => {
  const { locale } = view
  const { say, number, time } = locale
  return table(
    say("Alarms", "هشدارها"),
    [
      {
        header: say("Segment", "بخش"),
        kind: "title",
        cell: (alarm: ShownAlarm) => segmentWords(alarm, locale)
      },
      { header: say("Why", "چرا"), cell: (alarm) => reasonWords(alarm, locale) },
      { header: say("Action", "اقدام"), cell: (alarm) => actionWords(alarm, locale) },
      {
        header: say("Verified", "تأییدشده"),
        kind: "number",
        cell: ({ codes, verified }) =>
          say(`${number(verified)} of ${number(codes)}`, `${number(verified)} از ${number(codes)}`)
      },
      { header: say("Since", "از"), cell: ({ startedAt }) => time(startedAt) },
      {
        header: say("Until", "تا"),
        cell: ({ until, clearedAt }) =>
          clearedAt === null ? html`${time(until)} ${badge("warn", say("Open", "باز"))}` : time(clearedAt)
      },
      {
        header: say("Actions", "کارها"),
        kind: "actions",
        cell: ({ id, clearedAt }) =>
          clearedAt === null &&
          mayChange(view) &&
          confirmButton(view, {
            action: `${GUARD_PATH}/alarms/${id}/clear`,
            label: say("Clear", "پایان"),
            isSmall: true,
            question: say(
              "For a false alarm: the guard forgets what it has counted of this segment.",
              "برای هشدار نادرست: نگهبان آنچه از این بخش شمرده فراموش می‌کند."
            ),
            confirm: say("Clear the alarm", "پایان هشدار")
          })
      }
    ],
    alarms
  )
}

const settingLabels = ({ say }: View["locale"]) => ({
  mode: say("Mode", "حالت"),
  unverifiedHour: say("Unverified codes in an hour", "کدهای تأییدنشده در ساعت"),
  smsPrice: say("Price of an SMS, in rials", "بهای یک پیامک به ریال")
})

/** The settings for those who may only read. */
const savedSettings = ({ mode, unverifiedHour, smsPrice }: SavedGuard, { locale }: View): Html => {
  const { say, number } = locale
  const labels = settingLabels(locale)
  return html`<section class="panel panel-body" aria-label="${say("Settings", "تنظیمات")}">
    ${facts([
      [labels.mode, modeWords(mode, locale)],
      [
        labels.unverifiedHour,
        unverifiedHour === null
          ? say("By your traffic", "بر پایهٔ ترافیک شما")
          : unverifiedHour === 0
            ? say("No limit", "بی‌حد")
            : number(unverifiedHour)
      ],
      [labels.smsPrice, smsPrice === null ? "–" : number(smsPrice)]
    ])}
  </section>`
}

export const settingsForm = (saved: SavedGuard, { errors, typed }: ShownForm, view: View): Html => {
  if (!mayChange(view)) return savedSettings(saved, view)
  const { locale } = view
  const { say } = locale
  const labels = settingLabels(locale)
  return html`<form class="panel panel-body fields narrow" method="post" action="${GUARD_PATH}">
    ${csrfField(view.csrf)} ${errorSummary(errors, locale)}
    ${selectField({
      name: "mode",
      label: labels.mode,
      value: typed?.get("mode") ?? saved.mode,
      choices: GuardMode.literals.map((mode) => [mode, modeWords(mode, locale)] as const),
      hint: say(
        "Record only counts what enforcing would refuse.",
        "فقط ثبت، آنچه را اعمال رد می‌کرد می‌شمارد."
      ),
      errors
    })}
    ${inputField({
      name: "unverified_hour",
      label: labels.unverifiedHour,
      isNumber: true,
      value: typed?.get("unverified_hour") ?? String(saved.unverifiedHour ?? ""),
      hint: say("Empty: by your traffic. 0: no limit.", "خالی: بر پایهٔ ترافیک شما. ۰: بی‌حد."),
      errors
    })}
    ${inputField({
      name: "sms_price",
      label: labels.smsPrice,
      isNumber: true,
      value: typed?.get("sms_price") ?? String(saved.smsPrice ?? ""),
      hint: say("For the report of what was saved.", "برای گزارش صرفه‌جویی."),
      errors
    })}
    <div class="actions"><button class="button primary">${say("Save", "ذخیره")}</button></div>
  </form>`
}

/** Both lists have a form on the page: the names of their fields differ. */
export const fieldOf = (list: GuardList, field: string): string => `${list}_${field}`

const entryForm = (list: GuardList, view: View, { errors: given, typed }: ShownForm): Html => {
  const { locale } = view
  const errors = new Map(
    [...given].map(
      ([field, message]) => [field === CONFLICT ? field : fieldOf(list, field), message] as const
    )
  )
  const { say } = locale
  return html`<form class="panel-body fields" method="post" action="${GUARD_PATH}/${list}/add">
    ${csrfField(view.csrf)} ${errorSummary(errors, locale)}
    ${selectField({
      name: fieldOf(list, "type"),
      label: say("What", "چه"),
      value: typed?.get(fieldOf(list, "type")) ?? "prefix",
      choices: EntryType.literals.map((type) => [type, typeWords(type, locale)] as const),
      errors
    })}
    ${inputField({
      name: fieldOf(list, "value"),
      label: say("Value", "مقدار"),
      value: typed?.get(fieldOf(list, "value")) ?? "",
      isLtr: true,
      isRequired: true,
      errors
    })}
    <div class="actions"><button class="button">${say("Add", "افزودن")}</button></div>
  </form>`
}

export const entryPanel = (
  list: GuardList,
  entries: ReadonlyArray<StoredEntry>,
  view: View,
  shown: ShownForm
): Html => {
  const { locale } = view
  const { say } = locale
  const title = list === "allow" ? say("Always let pass", "همیشه مجاز") : say("Always refuse", "همیشه ممنوع")
  return html`<section class="panel">
    <h2 class="panel-body">${title}</h2>
    ${
      entries.length > 0 &&
      table(
        title,
        [
          { header: say("Value", "مقدار"), kind: "title", cell: ({ value }: StoredEntry) => mono(value) },
          { header: say("What", "چه"), cell: ({ type }) => typeWords(type, locale) },
          {
            header: say("Actions", "کارها"),
            kind: "actions",
            cell: ({ type, value }) =>
              mayChange(view) &&
              postButton(view, {
                action: `${GUARD_PATH}/${list}/remove`,
                label: say("Remove", "حذف"),
                fields: { type, value },
                isSmall: true
              })
          }
        ],
        entries
      )
    }
    ${mayChange(view) && entryForm(list, view, shown)}
  </section>`
}
