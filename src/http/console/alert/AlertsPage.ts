import { Effect } from "effect"
import { isUuidPosition } from "../../../domain/Paging.ts"
import {
  type AlertKind,
  type AlertRecipient,
  customerAlertKinds,
  isUrgent,
  platformAlertKinds,
  type RecipientType
} from "../../../domain/alert/Alert.ts"
import { formatMinute } from "../../../domain/alert/AlertPace.ts"
import { persianDigits } from "../../../domain/text/PastedText.ts"
import { alertKindName } from "../../../domain/alert/AlertText.ts"
import { PLATFORM } from "../../../domain/customer/Customer.ts"
import { pathOf } from "../Navigation.ts"
import {
  checkField,
  errorSummary,
  type FieldErrors,
  inputField,
  noFieldErrors,
  selectField,
  versionField
} from "../forms/FormFields.ts"
import { csrfField, onceField } from "../forms/Forms.ts"
import { html, type Html, type Part } from "../frame/Html.ts"
import type { Page } from "../frame/Layout.ts"
import type { Locale } from "../frame/Locale.ts"
import type { View } from "../frame/SignedRoutes.ts"
import { badge } from "../parts/Badge.ts"
import { confirmButton, postButton } from "../parts/Confirm.ts"
import { emptyState, pageRequest, table } from "../parts/Lists.ts"
import { pageLink } from "../parts/Panels.ts"
import { isolated, ltr, quoted } from "../parts/Text.ts"
import { historyPanel } from "./AlertHistoryPart.ts"
import { Alerts, type SavedAlertSettings } from "../../../services/alert/Alerts.ts"
import { Mailer } from "../../../services/alert/Mailer.ts"
import { Operators } from "../../../services/user/Operators.ts"
import { Users } from "../../../services/user/Users.ts"

export const ALERTS_PATH = pathOf("alerts")
export const RECIPIENTS_PATH = `${ALERTS_PATH}/recipients` as const
export const SETTINGS_PATH = `${ALERTS_PATH}/settings` as const

/** Which form was refused, with what was typed. `confirm:7`: the code of recipient 7. */
export interface RefusedForm {
  readonly form: string
  readonly submitted: URLSearchParams
  readonly errors: FieldErrors
}

const isWriter = ({ actor }: View): boolean => actor.scope === "full"

const kindsFor = ({ actor }: View): ReadonlyArray<AlertKind> =>
  actor.customerId === PLATFORM ? platformAlertKinds : customerAlertKinds

const refusedOf = (refused: RefusedForm | null, form: string) =>
  refused?.form === form ? refused : { submitted: new URLSearchParams(), errors: noFieldErrors }

const typeNames: Readonly<Record<RecipientType, readonly [english: string, persian: string]>> = {
  user: ["User", "کاربر"],
  email: ["Email", "ایمیل"],
  phone: ["Phone", "شماره"]
}

/** Only owners see the addresses of users, as on the page of users. */
const recipientName = ({ type, name, address }: AlertRecipient, { actor }: View): Html =>
  name === null
    ? html`<span class="${type === "phone" ? "nowrap" : "breakable"}">${ltr(address ?? "–")}</span>`
    : html`${isolated(name)}
      ${actor.isOwner && html`<span class="sub breakable">${ltr(address ?? "–")}</span>`}`

/** In one line, for questions. */
const recipientText = ({ name, address, id }: AlertRecipient): string => name ?? address ?? String(id)

const stateOf = ({ confirmedAt, isDisabled }: AlertRecipient, { say }: Locale): Html => {
  if (confirmedAt === null) return badge("warn", say("Waiting for its code", "در انتظار کد"))
  return isDisabled
    ? badge("plain", say("User disabled", "کاربر غیرفعال است"))
    : badge("good", say("Active", "فعال"))
}

const confirmForm = (view: View, { id, type }: AlertRecipient, refused: RefusedForm | null): Html => {
  const { say } = view.locale
  const { submitted, errors } = refusedOf(refused, `confirm:${id}`)
  return html`<form class="confirm-code" method="post" action="${RECIPIENTS_PATH}/${id}/confirm">
    ${csrfField(view.csrf)}
    ${inputField({
      name: "code",
      key: `code-${id}`,
      label:
        type === "phone"
          ? say("Code sent to the phone", "کد ارسالی به شماره")
          : say("Code in the email", "کد داخل ایمیل"),
      value: submitted.get("code") ?? "",
      autocomplete: "one-time-code",
      isNumber: true,
      isRequired: true,
      errors: new Map([...errors].map(([, message]) => [`code-${id}`, message]))
    })}
    <button class="button">${say("Confirm", "تأیید")}</button>
  </form>`
}

const recipientActions = (view: View, recipient: AlertRecipient): Part => {
  const { say } = view.locale
  if (!isWriter(view)) return null
  return html`<div class="row-actions">
    ${
      recipient.confirmedAt !== null &&
      !recipient.isDisabled &&
      postButton(view, {
        action: `${RECIPIENTS_PATH}/${recipient.id}/test`,
        label: say("Send test", "ارسال آزمایشی"),
        isSmall: true
      })
    }
    ${confirmButton(view, {
      action: `${RECIPIENTS_PATH}/${recipient.id}/remove`,
      label: say("Remove", "حذف"),
      kind: "danger",
      isSmall: true,
      question: say(
        `${quoted(recipientText(recipient), view.locale)} gets no more alerts.`,
        `${quoted(recipientText(recipient), view.locale)} دیگر اعلانی نمی‌گیرد.`
      ),
      confirm: say("Remove recipient", "حذف گیرنده")
    })}
  </div>`
}

const recipientsPanel = (
  view: View,
  recipients: ReadonlyArray<AlertRecipient>,
  refused: RefusedForm | null
): Html => {
  const { say } = view.locale
  return html`<section class="panel" aria-labelledby="recipients-title">
    <div class="panel-head"><h2 id="recipients-title">${say("Recipients", "گیرنده‌ها")}</h2></div>
    ${
      recipients.length === 0
        ? emptyState(
            say("Nobody is alerted yet", "هنوز کسی اعلانی نمی‌گیرد"),
            say(
              "Add a person, so that trouble does not wait until somebody looks.",
              "کسی را بیفزایید تا مشکل منتظر نماند که کسی سر بزند."
            )
          )
        : table(
            say("Recipients of alerts", "گیرنده‌های اعلان"),
            [
              {
                header: say("Recipient", "گیرنده"),
                kind: "title",
                cell: (recipient: AlertRecipient) => recipientName(recipient, view)
              },
              { header: say("Type", "نوع"), cell: ({ type }: AlertRecipient) => say(...typeNames[type]) },
              {
                header: say("Status", "وضعیت"),
                cell: (recipient) =>
                  html`${stateOf(recipient, view.locale)}
                  ${recipient.confirmedAt === null && isWriter(view) && confirmForm(view, recipient, refused)}`
              },
              {
                header: say("Actions", "کارها"),
                kind: "actions",
                cell: (recipient) => recipientActions(view, recipient)
              }
            ],
            recipients
          )
    }
  </section>`
}

/** Somebody who can be added without a code. */
interface Person {
  readonly id: string
  readonly name: string
}

const userForm = (view: View, people: ReadonlyArray<Person>, refused: RefusedForm | null): Html => {
  const { say } = view.locale
  const { submitted, errors } = refusedOf(refused, "user")
  return html`<form class="panel-body fields" method="post" action="${RECIPIENTS_PATH}">
    ${csrfField(view.csrf)}${onceField()} ${errorSummary(errors, view.locale)}
    ${selectField({
      name: "user_id",
      label: say("User, by email", "کاربر، با ایمیل"),
      value: submitted.get("user_id") ?? "",
      choices: people.map(({ id, name }) => [id, name] as const),
      errors
    })}
    <div><button class="button">${say("Add user", "افزودن کاربر")}</button></div>
  </form>`
}

const noMailNotice = ({ say }: Locale): Html =>
  html`<p class="notice warn">
    ${say("Email is not set up on this installation:", "ایمیل در این سامانه راه‌اندازی نشده است:")}
    ${ltr("PEYK_SMTP_URL")}
  </p>`

const addressForm = (view: View, hasMail: boolean, refused: RefusedForm | null): Html => {
  const { say } = view.locale
  const { submitted, errors } = refusedOf(refused, "address")
  const isPlatform = view.actor.customerId === PLATFORM
  return html`<form class="panel-body fields" method="post" action="${RECIPIENTS_PATH}">
    ${csrfField(view.csrf)}${onceField()} ${!hasMail && noMailNotice(view.locale)}
    ${errorSummary(errors, view.locale)}
    ${inputField({
      name: "address",
      label: isPlatform
        ? say("Email address", "نشانی ایمیل")
        : say("Email address or phone", "نشانی ایمیل یا شمارهٔ موبایل"),
      hint: isPlatform
        ? say("It gets a code that confirms it.", "کدی به آن فرستاده می‌شود که تأییدش می‌کند.")
        : say(
            "It gets a code that confirms it. Alerts to a phone go over your own accounts, and are charged like messages.",
            "کدی به آن فرستاده می‌شود که تأییدش می‌کند. اعلان به شماره با حساب‌های خود شما فرستاده می‌شود و هزینهٔ پیام دارد."
          ),
      value: submitted.get("address") ?? "",
      isRequired: true,
      isLtr: true,
      errors
    })}
    <div><button class="button">${say("Send code", "ارسال کد")}</button></div>
  </form>`
}

const addPanel = (
  view: View,
  people: ReadonlyArray<Person>,
  hasMail: boolean,
  refused: RefusedForm | null
): Html | null => {
  const { say } = view.locale
  if (!isWriter(view)) return null
  return html`<section class="panel" aria-labelledby="add-title">
    <div class="panel-head"><h2 id="add-title">${say("Add a recipient", "افزودن گیرنده")}</h2></div>
    ${hasMail && people.length > 0 && userForm(view, people, refused)} ${addressForm(view, hasMail, refused)}
  </section>`
}

const kindBoxes = (view: View, chosen: ReadonlyArray<string>): Html => {
  const { say, language } = view.locale
  return html`<fieldset class="fields">
    <legend>${say("Alert of", "اعلان برای")}</legend>
    ${kindsFor(view).map(
      (kind) =>
        html`<label class="check">
          <input type="checkbox" name="kinds" value="${kind}" ${chosen.includes(kind) && html`checked`} />
          <span
            >${alertKindName(kind, language)}
            ${isUrgent(kind) && html`<span class="muted">· ${say("urgent", "فوری")}</span>`}</span
          >
        </label>`
    )}
  </fieldset>`
}

const settingsPanel = (view: View, settings: SavedAlertSettings, refused: RefusedForm | null): Html => {
  const { say, language } = view.locale
  const form = refused?.form === "settings" ? refused : null
  const { submitted, errors } = form ?? { submitted: null, errors: noFieldErrors }
  const quiet = settings.quietHours
  const clock = (text: string) => (language === "fa" ? persianDigits(text) : text)
  const timeOf = (name: string, minute: number | undefined) =>
    submitted?.get(name) ?? (minute === undefined ? "" : clock(formatMinute(minute)))
  const time = (name: string, label: string, minute: number | undefined, example: string) =>
    inputField({ name, label, value: timeOf(name, minute), placeholder: clock(example), isLtr: true, errors })
  return html`<section class="panel" aria-labelledby="settings-title">
    <div class="panel-head"><h2 id="settings-title">${say("What and when", "چه چیزی و کی")}</h2></div>
    <form class="panel-body fields" method="post" action="${SETTINGS_PATH}">
      ${csrfField(view.csrf)} ${versionField(settings.version, submitted, errors)}
      ${errorSummary(errors, view.locale)} ${kindBoxes(view, submitted?.getAll("kinds") ?? settings.kinds)}
      ${time("quiet_from", say("Quiet hours from (Tehran)", "ساعت‌های سکوت از (به وقت تهران)"), quiet?.from, "22:00")}
      ${time("quiet_until", say("Quiet hours until", "ساعت‌های سکوت تا"), quiet?.until, "08:00")}
      <p class="hint">
        ${say("Alerts, and their webhook events, wait until quiet hours end. Leave both empty for none.", "اعلان‌ها و رویدادهای وب‌هوکشان تا پایان ساعت‌های سکوت می‌مانند. بدون سکوت: هر دو را خالی بگذارید.")}
      </p>
      ${checkField({
        name: "urgent_passes",
        label: say("Send urgent alerts in quiet hours too", "اعلان‌های فوری در ساعت‌های سکوت هم ارسال شوند"),
        isChecked: submitted === null ? settings.urgentPasses : submitted.has("urgent_passes")
      })}
      ${isWriter(view) && html`<div><button class="button primary">${say("Save", "ذخیره")}</button></div>`}
    </form>
  </section>`
}

/** Active people who get no alerts yet. */
const peopleFor = Effect.fnUntraced(function* ({ actor }: View, recipients: ReadonlyArray<AlertRecipient>) {
  const all =
    actor.customerId === PLATFORM
      ? yield* (yield* Operators).list
      : (yield* (yield* Users).list(actor.customerId, { limit: 100, after: null })).items
  const there = new Set(recipients.map(({ userId }) => userId))
  return all.flatMap(({ id, name, email, disabledAt }): ReadonlyArray<Person> =>
    // Only owners see other users.
    disabledAt !== null || there.has(id) || (!actor.isOwner && id !== actor.id)
      ? []
      : [{ id, name: actor.isOwner && name !== email ? `${name} · ${email}` : name }]
  )
})

/** Who is alerted, of what and when, and what was raised; after a form that was refused, with what was typed. */
export const alertsPage = Effect.fnUntraced(function* (view: View, refused: RefusedForm | null) {
  const { actor, locale } = view
  const { say } = locale
  const alerts = yield* Alerts
  const { isOn } = yield* Mailer
  const request = yield* pageRequest(view, isUuidPosition)
  const recipients = yield* alerts.recipients(actor.customerId)
  const settings = yield* alerts.settings(actor.customerId)
  const { items, next } = yield* alerts.list(actor.customerId, request)
  const people = yield* peopleFor(view, recipients)
  const names = new Map(
    recipients.map((each) => [each.id, each.name === null ? ltr(recipientText(each)) : isolated(each.name)])
  )
  return {
    title: say("Alerts", "اعلان‌ها"),
    name: "alerts",
    lead:
      actor.customerId === PLATFORM
        ? say(
            "Who hears by email when something is wrong with the installation.",
            "وقتی مشکلی در سامانه پیش می‌آید، چه کسی با ایمیل باخبر می‌شود."
          )
        : html`${say("Who hears of trouble by email or message. Programs get", "وقتی مشکلی پیش می‌آید، چه کسی با ایمیل یا پیام باخبر می‌شود. برنامه‌ها رویدادهای")}
          ${ltr("alert.*")} ${say("events over", "را می‌گیرند، با")}
          ${pageLink(view, "webhooks", say("webhooks", "وب‌هوک"))}.`,
    content: html`<div class="stack">
      <div class="columns">
        <div class="stack">
          ${recipientsPanel(view, recipients, refused)} ${addPanel(view, people, isOn, refused)}
        </div>
        ${settingsPanel(view, settings, refused)}
      </div>
      ${historyPanel(view, items, next, names)}
    </div>`
  } satisfies Page
})
