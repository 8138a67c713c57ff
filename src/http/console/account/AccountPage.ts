import { Clock, Effect } from "effect"
import type { Instant } from "../../../domain/Instant.ts"
import { type AccountState, blockageOf, type SendingSettings } from "../../../domain/account/AccountState.ts"
import { type RoutingStep, sendsNothing } from "../../../domain/customer/Customer.ts"
import { pathOf } from "../Navigation.ts"
import { ROUTING_PATH } from "../RoutingEditor.ts"
import { historyParts } from "./AccountHistoryPart.ts"
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
import { settingLabel } from "./SettingInputs.ts"
import { noFieldErrors } from "../forms/FormFields.ts"
import { ownDraft } from "../forms/Forms.ts"
import { html, type Html } from "../frame/Html.ts"
import type { Page } from "../frame/Layout.ts"
import type { View } from "../frame/SignedRoutes.ts"
import { badge } from "../parts/Badge.ts"
import { codeBlock } from "../parts/Code.ts"
import { confirmButton, postButton } from "../parts/Confirm.ts"
import { type Fact, facts } from "../parts/Panels.ts"
import { channelName, isolated, listed, quoted } from "../parts/Text.ts"
import { AccountStates } from "../../../services/account/AccountHistories.ts"
import { type AccountRecord, Accounts } from "../../../services/account/Accounts.ts"
import { RoutingOrders } from "../../../services/routing/RoutingOrders.ts"

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
        state === undefined || state.perMinute === 0
          ? null
          : [
              say("Left this minute", "مانده در این دقیقه"),
              number(Math.max(0, state.perMinute - state.usedOfMinute))
            ],
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

/** The address of the test page with this account as the route. */
const testAddress = (view: View, { id, channel, sendsCodes }: AccountRecord): string => {
  const kind = sendsCodes ? "code" : "message"
  return `${pathOf("test")}?${String(ownDraft(view, { mode: "live", kind, target: `${channel}:${id}` }))}`
}

const actions = (view: View, account: AccountRecord): Html => {
  const { say } = view.locale
  const maySend = account.active && !sendsNothing(account)
  return html`${
    maySend &&
    html`<a class="button primary" href="${testAddress(view, account)}">
      ${say("Send a test with it", "ارسال آزمایشی با آن")}
    </a>`
  }
  ${
    !account.active &&
    postButton(view, {
      action: accountPath(account, "/enable"),
      label: say("Enable", "فعال کردن"),
      kind: "primary"
    })
  }
  ${postButton(view, { action: accountPath(account, "/check"), label: say("Check now", "بررسی حساب") })}
  ${
    !account.isDefault &&
    account.active &&
    postButton(view, {
      action: accountPath(account, "/default"),
      label: say("Make default", "انتخاب به عنوان پیش‌فرض")
    })
  }
  ${
    account.active &&
    confirmButton(view, {
      action: accountPath(account, "/disable"),
      label: say("Disable", "غیرفعال کردن"),
      question: say(
        `Nothing more is sent over ${quoted(account.label, view.locale)}. Routes that name it skip it, or are refused.`,
        `دیگر چیزی با ${quoted(account.label, view.locale)} فرستاده نمی‌شود. مسیرهایی که این حساب را دارند، آن را امتحان نمی‌کنند یا پذیرفته نمی‌شوند.`
      ),
      confirm: say("Disable account", "غیرفعال کردن حساب")
    })
  }
  ${confirmButton(view, {
    action: accountPath(account, "/delete"),
    label: say("Delete", "حذف"),
    kind: "danger",
    question: say(
      `${quoted(account.label, view.locale)} is deleted with its settings and contacts. The history keeps its name. This cannot be undone.`,
      `${quoted(account.label, view.locale)} با تنظیمات و مخاطب‌هایش حذف می‌شود. نام آن در سابقه می‌ماند. این کار برگشت ندارد.`
    ),
    confirm: say("Delete account", "حذف حساب")
  })}`
}

/** What a setting is called on the page, in a list of them. */
const settingNames = (names: ReadonlyArray<string>, { locale }: View): string =>
  listed(
    names.map((name) => settingLabel(name, locale)),
    locale
  )

const neededText = (view: View, { provider }: AccountRecord, needed: SendingSettings | null | undefined) => {
  const { say } = view.locale
  if (needed == null)
    return say(
      `${providerName(provider, view.locale)} sends neither codes nor messages over this channel.`,
      `${providerName(provider, view.locale)} روی این کانال نه کد می‌فرستد و نه پیام.`
    )
  const [codes, texts] = [settingNames(needed.codes, view), settingNames(needed.texts, view)]
  return say(
    `It needs ${codes} for codes, and ${texts} for messages.`,
    `برای کد به ${codes} و برای پیام به ${texts} نیاز دارد.`
  )
}

/** What keeps the account from sending, with the provider's own words, and what to do. */
const troublePart = Effect.fnUntraced(function* (
  view: View,
  account: AccountRecord,
  state: AccountState | undefined
) {
  const { say } = view.locale
  if (!account.active) return null
  if (sendsNothing(account)) {
    const needed = (yield* Accounts).sendingSettings(account.provider)
    return html`<div class="notice warn">
      <strong>${say("It cannot send yet.", "هنوز نمی‌تواند بفرستد.")}</strong>
      ${neededText(view, account, needed)}
      ${view.actor.scope === "full" && needed != null && html`<a href="#settings">${say("Fill in the settings", "تکمیل تنظیمات")}</a>`}
    </div>`
  }
  const check = state?.lastCheck ?? null
  if (check === null || (check.result !== "refused" && check.result !== "not_reached")) return null
  const isRefused = check.result === "refused"
  return html`<div class="notice ${isRefused ? "bad" : "warn"}">
    <strong
      >${
        isRefused
          ? say(
              "The provider refused this account at the last check.",
              "سرویس‌دهنده در آخرین بررسی این حساب را رد کرد."
            )
          : say(
              "The provider was unreachable at the last check.",
              "در آخرین بررسی، سرویس‌دهنده در دسترس نبود."
            )
      }</strong
    >
    ${check.detail !== null && html`${say("Its words:", "متن پاسخ:")} ${isolated(check.detail)}`}
  </div>`
})

/** Whether a code can go over the account without a request that names it. */
const isInOrder = ({ id, channel, isDefault }: AccountRecord, steps: ReadonlyArray<RoutingStep>): boolean =>
  steps.some(
    (step) =>
      step.channel === channel &&
      step.sender === undefined &&
      (step.account_id === id || (step.account_id === undefined && isDefault))
  )

/** The way on for an account that codes do not use yet. */
const nextPart = Effect.fnUntraced(function* (view: View, account: AccountRecord) {
  const { say } = view.locale
  const { active, sendsCodes, channel, id } = account
  if (!active || !sendsCodes || view.actor.scope !== "full") return null
  const { steps } = yield* (yield* RoutingOrders).find(view.actor.customerId)
  if (isInOrder(account, steps)) return null
  const address = `${ROUTING_PATH}?${String(ownDraft(view, { add: `${channel}:${id}` }))}`
  // an order has each channel once
  const isOtherThere = steps.some((step) => step.channel === channel)
  const text = isOtherThere
    ? say(
        "The saved order sends over another account of this channel. Choose this one there, or make it that account’s standby.",
        "ترتیب ذخیره‌شده از حساب دیگری در این کانال استفاده می‌کند. آنجا این حساب را انتخاب کنید، یا آن را جایگزین آن حساب کنید."
      )
    : steps.length === 0
      ? say(
          "No order is saved yet. Begin it with this account.",
          "هنوز ترتیبی ذخیره نشده است. با این حساب شروعش کنید."
        )
      : say(
          "It is not in the saved order: codes use it only if a request names it.",
          "در ترتیب ذخیره‌شده نیست: کدها فقط وقتی از آن استفاده می‌کنند که درخواست نامش را ببرد."
        )
  return html`<section class="panel next-steps" aria-label="${say("Next step", "گام بعد")}">
    <p>${text}</p>
    ${
      isOtherThere
        ? html`<a class="button" href="${ROUTING_PATH}">${say("Open routing", "ترتیب ارسال")}</a>`
        : html`<a class="button" href="${address}"
            >${say("Add it to the routing", "افزودن به ترتیب ارسال")}</a
          >`
    }
  </section>`
})

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
  const history = yield* historyParts(view, account)
  return {
    title: account.label,
    name: "channels",
    lead: html`<a href="${CHANNELS_PATH}">${say("Channels", "کانال‌ها")}</a> /
      ${channelName(account.channel, locale)} · ${isolated(providerName(account.provider, locale))} ·
      ${say("account", "حساب")} ${locale.number(account.id)}
      ${account.isDefault && badge("info", say("Default", "پیش‌فرض"))}`,
    actions: mayWrite ? actions(view, account) : null,
    content: html`<div class="sections">
      ${yield* troublePart(view, account, state)} ${yield* nextPart(view, account)}
      <div class="columns">
        <div class="stack">
          ${nowPanel(view, account, state, now)} ${history.sends}
          ${account.needsContact && (yield* contactsPanel(view, account, contacts.errors, contacts.submitted))}
          ${yield* inboxPanel(view, account)} ${yield* standbyPanel(view, account, refusedIf("standby"))}
        </div>
        <div class="stack">
          ${history.balance}
          ${mayWrite && html`${detailsForm(view, account, refused)} ${yield* settingsForm(view, account, refused)}`}
          ${isSimulated(account) && (yield* simulatorPanel(view, account))}
        </div>
      </div>
    </div>`
  } satisfies Page
})
