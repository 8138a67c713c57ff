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
  providerName,
  sendsText,
  skipsText
} from "./AccountText.ts"
import { accountPath, CHANNELS_PATH } from "./ChannelsPage.ts"
import { contactsPanel } from "./ContactsPart.ts"
import { noFieldErrors } from "../forms/Fields.ts"
import { html, type Html } from "../frame/Html.ts"
import type { Page } from "../frame/Layout.ts"
import type { View } from "../frame/SignedRoutes.ts"
import { badge } from "../parts/Badge.ts"
import { codeBlock } from "../parts/Code.ts"
import { confirmButton, postButton } from "../parts/Confirm.ts"
import { type Fact, facts } from "../parts/Panels.ts"
import { channelName, isolated } from "../parts/Text.ts"
import { type AccountRecord, Accounts, AccountStates } from "../../../services/account/Accounts.ts"

const cooldownFacts = (state: AccountState, now: Instant, { locale }: View): ReadonlyArray<Fact | null> => {
  const { say } = locale
  const [codes, texts] = [blockageOf(state, "code", now), blockageOf(state, "text", now)]
  const isSame = state.codes === state.texts
  return [
    codes !== null && codes._tag === "Cooling"
      ? [
          isSame ? say("Cooldown", "استراحت") : say("Cooldown of codes", "استراحت کدها"),
          blockageText(codes, locale)
        ]
      : null,
    !isSame && texts !== null && texts._tag === "Cooling"
      ? [say("Cooldown of messages", "استراحت پیام‌ها"), blockageText(texts, locale)]
      : null
  ]
}

const skipsFact = (state: AccountState, { locale }: View): Fact | null => {
  const words = skipsText(state, locale)
  return words === null
    ? null
    : [locale.say("Steps of codes that skipped it", "مرحله‌های کد که از آن گذشتند"), words]
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
        [say("Sends", "می‌فرستد"), sendsText(account, locale)],
        [say("This minute", "این دقیقه"), minuteOf(state, locale)],
        ...(state === undefined
          ? []
          : ([
              [say("Gap between sends", "فاصلهٔ دو ارسال"), seconds(state.gapMillis / 1000)],
              skipsFact(state, view),
              [say("Failures in a row", "شکست‌های پشت سر هم"), number(account.failures)],
              ...cooldownFacts(state, now, view),
              [say("Last check", "آخرین بررسی"), lastCheck(state.lastCheck, locale)],
              account.lastError === null
                ? null
                : [say("Last error", "آخرین خطا"), lastError(account.lastError, locale)]
            ] satisfies ReadonlyArray<Fact | null>)),
        [say("Connected", "اتصال"), time(account.createdAt)]
      ])}
    </div>
  </section>`
}

/**
 * The secret path that updates of an account's bot are posted to; null where nobody writes to it. Not for viewers:
 * who has the path can post a contact as a person's own.
 */
const inboxPanel = Effect.fnUntraced(function* (view: View, { id }: AccountRecord) {
  const { say } = view.locale
  if (view.actor.scope !== "full") return null
  const path = yield* (yield* Accounts)
    .inboxPath(view.actor.customerId, id, false)
    .pipe(Effect.catchTag("conflict", () => Effect.succeed(null)))
  if (path === null) return null
  return html`<section class="panel" aria-labelledby="inbox-title">
    <div class="panel-head">
      <h2 id="inbox-title">${say("Inbox", "صندوق ورودی")}</h2>
      ${confirmButton(view, {
        action: `${CHANNELS_PATH}/${id}/inbox/rotate`,
        label: say("New path", "مسیر تازه"),
        isSmall: true,
        question: say("The current path stops working at once.", "مسیر کنونی بی‌درنگ از کار می‌افتد."),
        confirm: say("Make a new path", "مسیر تازه بساز")
      })}
    </div>
    <div class="panel-body stack-tight">
      <p class="muted">
        ${say(
          "The platform, or your mini-app's backend, posts what people do with the bot to this path. Keep it secret.",
          "پیام‌رسان یا سرور مینی‌اپ شما کارهای مردم با بات را به این مسیر می‌فرستد. آن را پنهان نگه دارید."
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
    label: say("Check now", "بررسی کن"),
    kind: "primary"
  })}
  ${
    !account.isDefault &&
    account.active &&
    postButton(view, {
      action: accountPath(account, "/default"),
      label: say("Make it the default", "پیش‌فرض شود")
    })
  }
  ${
    account.active
      ? confirmButton(view, {
          action: accountPath(account, "/disable"),
          label: say("Switch off", "خاموش کردن"),
          kind: "danger",
          question: say(
            "Nothing more is sent over it. Routes that name it skip or refuse the step.",
            "دیگر چیزی با آن فرستاده نمی‌شود. مسیرهایی که نامش را برده‌اند از آن می‌گذرند یا رد می‌شوند."
          ),
          confirm: say("Switch it off", "خاموش شود")
        })
      : postButton(view, { action: accountPath(account, "/enable"), label: say("Switch on", "روشن کردن") })
  }
  ${confirmButton(view, {
    action: accountPath(account, "/delete"),
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
