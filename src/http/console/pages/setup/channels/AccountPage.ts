import { Clock, Effect } from "effect"
import type { AccountState } from "../../../../../domain/account/AccountState.ts"
import { blockageOf } from "../../../../../domain/account/AccountState.ts"
import type { Instant } from "../../../../../domain/Instant.ts"
import { type AccountRecord, Accounts } from "../../../../../services/resources/accounts/Accounts.ts"
import { AccountStates } from "../../../../../services/resources/accounts/AccountStates.ts"
import { csrfField } from "../../../frame/forms/Forms.ts"
import { html, type Html } from "../../../frame/Html.ts"
import type { Page } from "../../../frame/Layout.ts"
import type { View } from "../../../frame/SignedRoutes.ts"
import { badge } from "../../../parts/Badge.ts"
import { confirmButton, postButton } from "../../../parts/Confirm.ts"
import { type Fact, facts } from "../../../parts/Facts.ts"
import {
  CHANGED,
  checkField,
  errorSummary,
  type FieldErrors,
  inputField,
  noFieldErrors,
  versionField
} from "../../../parts/Fields.ts"
import { channelName, foreign } from "../../../parts/Text.ts"
import { fieldsOfProvider } from "./AccountForms.ts"
import { accountState, blockageWords, lastCheck, minuteOf, providerName, sendsWords } from "./AccountWords.ts"
import { CHANNELS_PATH } from "./ChannelsPage.ts"
import { contactsPanel } from "./ContactsPart.ts"
import { inboxPanel } from "./InboxPart.ts"
import { settingInputs } from "./SettingInputs.ts"
import { isSimulated, simulatorPanel } from "./SimulatorPart.ts"
import { standbyPanel } from "./StandbyPart.ts"

/** Which form of the page was refused, with what was typed. */
export interface Refused {
  readonly form: "details" | "settings" | "contacts" | "standby"
  readonly errors: FieldErrors
  readonly typed: URLSearchParams
}

const pathFor = ({ id }: AccountRecord, action = ""): string => `${CHANNELS_PATH}/${id}${action}`

const cooldownFacts = (state: AccountState, now: Instant, { locale }: View): ReadonlyArray<Fact | null> => {
  const { say } = locale
  const [codes, texts] = [blockageOf(state, "code", now), blockageOf(state, "text", now)]
  const isSame = state.codes === state.texts
  return [
    codes !== null && codes._tag === "Cooling"
      ? [
          isSame ? say("Cooldown", "استراحت") : say("Cooldown of codes", "استراحت کدها"),
          blockageWords(codes, locale)
        ]
      : null,
    !isSame && texts !== null && texts._tag === "Cooling"
      ? [say("Cooldown of messages", "استراحت پیام‌ها"), blockageWords(texts, locale)]
      : null
  ]
}

const nowPanel = (
  view: View,
  account: AccountRecord,
  state: AccountState | undefined,
  now: Instant
): Html => {
  const { locale } = view
  const { say, seconds, number, time } = locale
  return html`<section class="panel" aria-labelledby="now-title" id="now" data-live="5">
    <div class="panel-head"><h2 id="now-title">${say("Now", "اکنون")}</h2></div>
    <div class="panel-body">
      ${facts([
        [say("State", "وضعیت"), accountState(account, state, now, locale)],
        [say("Sends", "می‌فرستد"), sendsWords(account, locale)],
        [say("This minute", "این دقیقه"), minuteOf(state, locale)],
        ...(state === undefined
          ? []
          : ([
              [say("Gap between sends", "فاصلهٔ دو ارسال"), seconds(state.gapMillis / 1000)],
              [say("Failures in a row", "شکست‌های پشت سر هم"), number(account.failures)],
              ...cooldownFacts(state, now, view),
              [say("Last check", "آخرین بررسی"), lastCheck(state.lastCheck, locale)]
            ] satisfies ReadonlyArray<Fact | null>)),
        [say("Connected", "اتصال"), time(account.createdAt)]
      ])}
    </div>
  </section>`
}

/** What somebody else has saved meanwhile. */
const savedDetails = ({ label, gapMillis, perMinute }: AccountRecord, { locale }: View): Html => {
  const { say, number } = locale
  const orDefault = (value: number | null) => (value === null ? say("The default", "پیش‌فرض") : number(value))
  return html`<p class="hint">${say("Saved now:", "اکنون ذخیره است:")}</p>
    ${facts([
      [say("Label", "نام حساب"), foreign(label)],
      [say("Gap between two sends (ms)", "فاصلهٔ دو ارسال (میلی‌ثانیه)"), orDefault(gapMillis)],
      [say("Sends in a minute", "ارسال در دقیقه"), orDefault(perMinute)]
    ])}`
}

const detailsForm = (view: View, account: AccountRecord, refused: Refused | null): Html => {
  const { say } = view.locale
  const { typed, errors } = refused?.form === "details" ? refused : { typed: null, errors: noFieldErrors }
  const value = (name: string, stored: number | string | null) => typed?.get(name) ?? String(stored ?? "")
  return html`<section class="panel" aria-labelledby="details-title">
    <div class="panel-head"><h2 id="details-title">${say("Label and pace", "نام و آهنگ ارسال")}</h2></div>
    <form class="panel-body fields" method="post" action="${pathFor(account)}">
      ${csrfField(view.csrf)} ${versionField(account.version, typed, errors)}
      ${errorSummary(errors, view.locale)} ${errors.has(CHANGED) && savedDetails(account, view)}
      ${inputField({ name: "label", label: say("Label", "نام حساب"), value: value("label", account.label), isRequired: true, errors })}
      ${inputField({
        name: "gap_ms",
        label: say("Gap between two sends (ms)", "فاصلهٔ دو ارسال (میلی‌ثانیه)"),
        hint: say("Empty: the default of this installation.", "خالی: پیش‌فرض این نصب."),
        value: value("gap_ms", account.gapMillis),
        isNumber: true,
        errors
      })}
      ${inputField({
        name: "per_minute",
        label: say("Sends in a minute", "ارسال در دقیقه"),
        hint: say("Empty: the channel's default. 0: no limit.", "خالی: پیش‌فرض کانال. ۰: بی‌سقف."),
        value: value("per_minute", account.perMinute),
        isNumber: true,
        errors
      })}
      <div><button class="button primary">${say("Save", "ذخیره")}</button></div>
    </form>
  </section>`
}

const settingsForm = Effect.fnUntraced(function* (
  view: View,
  account: AccountRecord,
  refused: Refused | null
) {
  const { say } = view.locale
  const fields = yield* fieldsOfProvider(account.provider)
  const { typed, errors } = refused?.form === "settings" ? refused : { typed: null, errors: noFieldErrors }
  return html`<section class="panel" aria-labelledby="settings-title">
    <details class="panel-details" ${typed !== null && html`open`}>
      <summary class="panel-head">
        <h2 id="settings-title">${say("Provider settings", "تنظیمات سرویس‌دهنده")}</h2>
      </summary>
      <form class="panel-body fields" method="post" action="${pathFor(account, "/settings")}">
        ${csrfField(view.csrf)} ${versionField(account.version, typed, errors)}
        ${errorSummary(errors, view.locale)}
        <p class="hint">
          ${say(
            "What is stored is never shown. Saving replaces all of it: fill in every field that you need.",
            "آنچه نگه داشته شده نشان داده نمی‌شود. ذخیره، همه را جایگزین می‌کند: هر فیلد لازم را پر کنید."
          )}
        </p>
        ${settingInputs(fields, (name) => typed?.get(name) ?? null, errors, view.locale)}
        ${checkField({
          name: "check",
          label: say("Ask the provider first", "نخست از سرویس‌دهنده پرسیده شود"),
          isChecked: typed === null || typed.has("check")
        })}
        <div><button class="button">${say("Replace the settings", "جایگزینی تنظیمات")}</button></div>
      </form>
    </details>
  </section>`
})

const actions = (view: View, account: AccountRecord): Html => {
  const { say } = view.locale
  return html`${postButton(view, {
    action: pathFor(account, "/check"),
    label: say("Check now", "بررسی کن"),
    kind: "primary"
  })}
  ${
    !account.isDefault &&
    account.active &&
    postButton(view, {
      action: pathFor(account, "/default"),
      label: say("Make it the default", "پیش‌فرض شود")
    })
  }
  ${
    account.active
      ? confirmButton(view, {
          action: pathFor(account, "/disable"),
          label: say("Switch off", "خاموش کردن"),
          kind: "danger",
          question: say(
            "Nothing more is sent over it. Routes that name it skip or refuse the step.",
            "دیگر چیزی با آن فرستاده نمی‌شود. مسیرهایی که نامش را برده‌اند از آن می‌گذرند یا رد می‌شوند."
          ),
          confirm: say("Switch it off", "خاموش شود")
        })
      : postButton(view, { action: pathFor(account, "/enable"), label: say("Switch on", "روشن کردن") })
  }
  ${confirmButton(view, {
    action: pathFor(account, "/delete"),
    label: say("Delete", "حذف"),
    kind: "quiet",
    question: say(
      "The account goes, with its settings and its contacts. The history keeps its label. This cannot be undone.",
      "حساب با تنظیمات و مخاطبانش حذف می‌شود. نامش در تاریخچه می‌ماند. این کار برگشت ندارد."
    ),
    confirm: say("Delete the account", "حساب حذف شود")
  })}`
}

/** One account; after a form that was refused, with what was typed. */
export const accountPage = Effect.fnUntraced(function* (view: View, id: number, refused: Refused | null) {
  const { actor, locale } = view
  const { say } = locale
  const account = yield* (yield* Accounts).find(actor.customerId, id)
  const now = yield* Clock.currentTimeMillis
  const state = (yield* (yield* AccountStates).read(actor.customerId, [id], now)).get(id)
  const mayWrite = actor.scope === "full"
  const refusedIf = (form: Refused["form"]) =>
    refused?.form === form ? refused : { errors: noFieldErrors, typed: null }
  const contacts = refusedIf("contacts")
  const made: Page = {
    title: account.label,
    name: "channels",
    lead: html`<a href="${CHANNELS_PATH}">${say("Channels", "کانال‌ها")}</a> /
      ${channelName(account.channel, locale)} · ${foreign(providerName(account.provider, locale))} ·
      ${say("account", "حساب")} ${locale.number(account.id)}
      ${account.isDefault && badge("info", say("Default", "پیش‌فرض"))}`,
    actions: mayWrite ? actions(view, account) : null,
    content: html`<div class="columns">
      <div class="stack">
        ${nowPanel(view, account, state, now)} ${yield* standbyPanel(view, account, refusedIf("standby"))}
        ${isSimulated(account) && (yield* simulatorPanel(view, account))}
        ${account.needsContact && (yield* contactsPanel(view, account, contacts.errors, contacts.typed))}
        ${yield* inboxPanel(view, account)}
      </div>
      ${
        mayWrite &&
        html`<div class="stack">
          ${detailsForm(view, account, refused)} ${yield* settingsForm(view, account, refused)}
        </div>`
      }
    </div>`
  }
  return made
})
