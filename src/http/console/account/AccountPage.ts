import { Clock, Effect } from "effect"
import type { Instant } from "../../../domain/Instant.ts"
import { type AccountState, blockageOf } from "../../../domain/account/AccountState.ts"
import {
  detailsForm,
  isSimulated,
  type Refused,
  settingsForm,
  simulatorPanel,
  standbyPanel
} from "./AccountParts.ts"
import {
  accountState,
  blockageText,
  lastCheck,
  lastError,
  minuteOf,
  sendsText,
  skipsText
} from "./AccountText.ts"
import { providerName } from "./ProviderNames.ts"
import { accountPath, CHANNELS_PATH } from "./ChannelsPage.ts"
import { contactsPanel } from "./ContactsPart.ts"
import { noFieldErrors } from "../forms/FormFields.ts"
import { html, type Html } from "../frame/Html.ts"
import type { Page } from "../frame/Layout.ts"
import type { View } from "../frame/SignedRoutes.ts"
import { badge } from "../parts/Badge.ts"
import { codeBlock } from "../parts/Code.ts"
import { confirmButton, postButton } from "../parts/Confirm.ts"
import { type Fact, facts } from "../parts/Panels.ts"
import { channelName, isolated, quoted } from "../parts/Text.ts"
import { type AccountRecord, Accounts, AccountStates } from "../../../services/account/Accounts.ts"

const cooldownFacts = (state: AccountState, now: Instant, { locale }: View): ReadonlyArray<Fact | null> => {
  const { say } = locale
  const [codes, texts] = [blockageOf(state, "code", now), blockageOf(state, "text", now)]
  const isSame = state.codes === state.texts
  return [
    codes !== null && codes._tag === "Cooling"
      ? [
          isSame ? say("Cooldown", "توقف موقت") : say("Cooldown for codes", "توقف موقت کدها"),
          blockageText(codes, locale)
        ]
      : null,
    !isSame && texts !== null && texts._tag === "Cooling"
      ? [say("Cooldown for messages", "توقف موقت پیام‌ها"), blockageText(texts, locale)]
      : null
  ]
}

const skipsFact = (state: AccountState, { locale }: View): Fact | null => {
  const words = skipsText(state, locale)
  return words === null ? null : [locale.say("Skipped by codes", "استفاده نشد برای کد"), words]
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
    <div class="panel-head"><h2 id="now-title">${say("Current status", "وضعیت فعلی")}</h2></div>
    <div class="panel-body">
      ${facts([
        [say("Status", "وضعیت"), accountState(account, state, now, locale)],
        [say("Can send", "قابلیت ارسال"), sendsText(account, locale)],
        [say("This minute", "این دقیقه"), minuteOf(state, locale)],
        ...(state === undefined
          ? []
          : ([
              [say("Gap between sends", "فاصلهٔ دو ارسال"), seconds(state.gapMillis / 1000)],
              skipsFact(state, view),
              [say("Consecutive failures", "خطای پشت‌سرهم"), number(account.failures)],
              ...cooldownFacts(state, now, view),
              [say("Last check", "آخرین بررسی"), lastCheck(state.lastCheck, locale)],
              account.lastError === null
                ? null
                : [say("Last error", "آخرین خطا"), lastError(account.lastError, locale)]
            ] satisfies ReadonlyArray<Fact | null>)),
        [say("Connected", "زمان اتصال"), time(account.createdAt)]
      ])}
    </div>
  </section>`
}

/**
 * The secret path that updates of an account's bot are posted to; null where nobody writes to it. Not for viewers:
 * who has the path can post a contact as a person's own.
 */
const inboxPanel = Effect.fnUntraced(function* (view: View, { id, label }: AccountRecord) {
  const { say } = view.locale
  if (view.actor.scope !== "full") return null
  const path = yield* (yield* Accounts)
    .inboxPath(view.actor.customerId, id, false)
    .pipe(Effect.catchTag("conflict", () => Effect.succeed(null)))
  if (path === null) return null
  return html`<section class="panel" aria-labelledby="inbox-title">
    <div class="panel-head">
      <h2 id="inbox-title">${say("Inbox path", "مسیر دریافت پیام‌ها")}</h2>
      ${confirmButton(view, {
        action: `${CHANNELS_PATH}/${id}/inbox/rotate`,
        label: say("Rotate path", "تعویض مسیر"),
        isSmall: true,
        question: say(
          `The current path of ${quoted(label, view.locale)} stops working at once.`,
          `مسیر فعلی ${quoted(label, view.locale)} فوراً از کار می‌افتد.`
        ),
        confirm: say("Rotate path", "تعویض مسیر")
      })}
    </div>
    <div class="panel-body stack-tight">
      <p class="muted">
        ${say(
          "The messenger, or the backend of your mini-app, posts the bot's updates to this path. Keep it secret.",
          "پیام‌رسان یا سرور برنامک شما پیام‌های کاربران به ربات را به این مسیر می‌فرستد. آن را محرمانه نگه دارید."
        )}
      </p>
      ${codeBlock(say("Path", "مسیر"), path, view.locale)}
    </div>
  </section>`
})

const actions = (view: View, account: AccountRecord): Html => {
  const { say } = view.locale
  return html`${postButton(view, {
    action: accountPath(account, "/check"),
    label: say("Check now", "بررسی حساب"),
    kind: "primary"
  })}
  ${
    !account.isDefault &&
    account.active &&
    postButton(view, {
      action: accountPath(account, "/default"),
      label: say("Make default", "انتخاب به عنوان پیش‌فرض")
    })
  }
  ${
    account.active
      ? confirmButton(view, {
          action: accountPath(account, "/disable"),
          label: say("Disable", "غیرفعال کردن"),
          kind: "danger",
          question: say(
            `Nothing more is sent over ${quoted(account.label, view.locale)}. Routes that name it skip it, or are refused.`,
            `دیگر چیزی با ${quoted(account.label, view.locale)} فرستاده نمی‌شود. مسیرهایی که این حساب را دارند، آن را امتحان نمی‌کنند یا پذیرفته نمی‌شوند.`
          ),
          confirm: say("Disable account", "غیرفعال کردن حساب")
        })
      : postButton(view, { action: accountPath(account, "/enable"), label: say("Enable", "فعال کردن") })
  }
  ${confirmButton(view, {
    action: accountPath(account, "/delete"),
    label: say("Delete", "حذف"),
    kind: "quiet",
    question: say(
      `${quoted(account.label, view.locale)} is deleted with its settings and contacts. The history keeps its name. This cannot be undone.`,
      `${quoted(account.label, view.locale)} با تنظیمات و مخاطب‌هایش حذف می‌شود. نام آن در سابقه می‌ماند. این کار برگشت ندارد.`
    ),
    confirm: say("Delete account", "حذف حساب")
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
    refused?.form === form ? refused : { errors: noFieldErrors, submitted: null }
  const contacts = refusedIf("contacts")
  return {
    title: account.label,
    name: "channels",
    lead: html`<a href="${CHANNELS_PATH}">${say("Channels", "کانال‌ها")}</a> /
      ${channelName(account.channel, locale)} · ${isolated(providerName(account.provider, locale))} ·
      ${say("account", "حساب")} ${locale.number(account.id)}
      ${account.isDefault && badge("info", say("Default", "پیش‌فرض"))}`,
    actions: mayWrite ? actions(view, account) : null,
    content: html`<div class="columns">
      <div class="stack">
        ${nowPanel(view, account, state, now)} ${yield* standbyPanel(view, account, refusedIf("standby"))}
        ${isSimulated(account) && (yield* simulatorPanel(view, account))}
        ${account.needsContact && (yield* contactsPanel(view, account, contacts.errors, contacts.submitted))}
        ${yield* inboxPanel(view, account)}
      </div>
      ${
        mayWrite &&
        html`<div class="stack">
          ${detailsForm(view, account, refused)} ${yield* settingsForm(view, account, refused)}
        </div>`
      }
    </div>`
  } satisfies Page
})
