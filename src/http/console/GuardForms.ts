import { EntryType, type GuardList, GuardMode } from "../../domain/guard/GuardSettings.ts"
import { pathOf } from "./Navigation.ts"
import {
  CHANGED,
  CONFLICT,
  errorSummary,
  type FieldErrors,
  inputField,
  noFieldErrors,
  selectField,
  versionField
} from "./forms/FormFields.ts"
import { csrfField } from "./forms/Forms.ts"
import { html, type Html } from "./frame/Html.ts"
import type { Locale } from "./frame/Locale.ts"
import type { View } from "./frame/SignedRoutes.ts"
import { postButton } from "./parts/Confirm.ts"
import { table } from "./parts/Lists.ts"
import { facts } from "./parts/Panels.ts"
import { mono } from "./parts/Text.ts"
import { mayPerform } from "../../services/Action.ts"
import { changeGuard } from "../../services/guard/GuardActions.ts"
import type { SavedGuard, StoredEntry } from "../../services/guard/GuardRecords.ts"

type Texts = readonly [english: string, persian: string]

const modes: Readonly<Record<GuardMode, Texts>> = {
  off: ["Disabled", "غیرفعال"],
  record: ["Record only", "فقط ثبت"],
  enforcing: ["Enforcing", "مسدودسازی"]
}

export const modeText = (mode: GuardMode, { say }: Locale): string => say(...modes[mode])

const types: Readonly<Record<EntryType, Texts>> = {
  phone: ["Phone", "شماره"],
  prefix: ["Number prefix", "پیش‌شماره"],
  ip: ["IP address or network", "نشانی IP یا شبکه"]
}

const typeText = (type: EntryType, { say }: Locale): string => say(...types[type])

export const GUARD_PATH = pathOf("guard")

/** A form of the page; after it was refused, with what was typed. */
export interface ShownForm {
  readonly errors: FieldErrors
  readonly submitted: URLSearchParams | null
}

export const empty: ShownForm = { errors: noFieldErrors, submitted: null }

/** Whether the person may change the set-up. */
export const mayChange = ({ actor }: View): boolean => mayPerform(actor, changeGuard.access)

const settingLabels = ({ say }: View["locale"]) => ({
  mode: say("Mode", "حالت"),
  unverifiedHour: say("Unverified codes per hour", "کد تأییدنشده در ساعت"),
  smsPrice: say("SMS price (rials)", "قیمت هر پیامک (ریال)")
})

/** The settings as they are stored. */
const savedFacts = ({ mode, unverifiedHour, smsPrice }: SavedGuard, { locale }: View): Html => {
  const { say, number } = locale
  const labels = settingLabels(locale)
  return facts([
    [labels.mode, modeText(mode, locale)],
    [
      labels.unverifiedHour,
      unverifiedHour === null
        ? say("From your traffic", "بر اساس ترافیک شما")
        : unverifiedHour === 0
          ? say("No limit", "بدون سقف")
          : number(unverifiedHour)
    ],
    [labels.smsPrice, smsPrice === null ? "–" : number(smsPrice)]
  ])
}

/** The settings for those who may only read. */
const savedSettings = (saved: SavedGuard, view: View): Html =>
  html`<section class="panel" aria-labelledby="settings-title">
    <div class="panel-head"><h2 id="settings-title">${view.locale.say("Settings", "تنظیمات")}</h2></div>
    <div class="panel-body">${savedFacts(saved, view)}</div>
  </section>`

export const settingsForm = (saved: SavedGuard, { errors, submitted }: ShownForm, view: View): Html => {
  if (!mayChange(view)) return savedSettings(saved, view)
  const { locale } = view
  const { say } = locale
  const labels = settingLabels(locale)
  return html`<section class="panel" aria-labelledby="settings-title">
    <div class="panel-head"><h2 id="settings-title">${say("Settings", "تنظیمات")}</h2></div>
    <form class="panel-body fields" method="post" action="${GUARD_PATH}">
      ${csrfField(view.csrf)} ${versionField(saved.version, submitted, errors)}
      ${errorSummary(errors, locale)}
      ${
        errors.has(CHANGED) &&
        html`<p class="hint">${say("Saved value:", "مقدار ذخیره‌شده:")}</p>
          ${savedFacts(saved, view)}`
      }
      ${selectField({
        name: "mode",
        label: labels.mode,
        value: submitted?.get("mode") ?? saved.mode,
        choices: GuardMode.literals.map((mode) => [mode, modeText(mode, locale)] as const),
        hint: say(
          "“Record only” refuses nothing. It counts what “Enforcing” would refuse.",
          "«فقط ثبت» چیزی را رد نمی‌کند و فقط می‌شمارد «مسدودسازی» چه چیزهایی را رد می‌کرد."
        ),
        errors
      })}
      ${inputField({
        name: "unverified_hour",
        label: labels.unverifiedHour,
        isNumber: true,
        value: submitted?.get("unverified_hour") ?? String(saved.unverifiedHour ?? ""),
        hint: say("Empty: from your traffic. 0: no limit.", "خالی: بر اساس ترافیک شما. ۰: بدون سقف."),
        errors
      })}
      ${inputField({
        name: "sms_price",
        label: labels.smsPrice,
        isNumber: true,
        value: submitted?.get("sms_price") ?? String(saved.smsPrice ?? ""),
        hint: say("For the savings report.", "برای گزارش صرفه‌جویی."),
        errors
      })}
      <div class="actions"><button class="button primary">${say("Save", "ذخیره")}</button></div>
    </form>
  </section>`
}

/** Both lists have a form on the page: the names of their fields differ. */
export const fieldOf = (list: GuardList, field: string): string => `${list}_${field}`

const entryForm = (list: GuardList, view: View, { errors: given, submitted }: ShownForm): Html => {
  const { locale } = view
  const errors = new Map(
    [...given].map(
      ([field, message]) => [field === CONFLICT ? field : fieldOf(list, field), message] as const
    )
  )
  const { say } = locale
  return html`<form class="panel-body fields inline" method="post" action="${GUARD_PATH}/${list}/add">
    ${csrfField(view.csrf)} ${errorSummary(errors, locale)}
    ${selectField({
      name: fieldOf(list, "type"),
      label: say("Type", "نوع"),
      value: submitted?.get(fieldOf(list, "type")) ?? "prefix",
      choices: EntryType.literals.map((type) => [type, typeText(type, locale)] as const),
      errors
    })}
    ${inputField({
      name: fieldOf(list, "value"),
      label: say("Value", "مقدار"),
      value: submitted?.get(fieldOf(list, "value")) ?? "",
      isLtr: true,
      isRequired: true,
      errors
    })}
    <div><button class="button">${say("Add", "افزودن")}</button></div>
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
  const title = list === "allow" ? say("Allow list", "فهرست مجاز") : say("Deny list", "فهرست ممنوع")
  const use =
    list === "allow"
      ? say("Never refused by the guard.", "نگهبان هرگز رد نمی‌کند.")
      : say("Always refused, in every mode.", "همیشه رد می‌شود، در هر حالتی.")
  return html`<div class="panel">
    <div class="panel-head">
      <h2>${title}</h2>
      <span class="muted">${use}</span>
    </div>
    ${
      entries.length > 0 &&
      table(
        title,
        [
          { header: say("Value", "مقدار"), kind: "title", cell: ({ value }: StoredEntry) => mono(value) },
          { header: say("Type", "نوع"), cell: ({ type }) => typeText(type, locale) },
          {
            header: say("Actions", "عملیات"),
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
  </div>`
}
