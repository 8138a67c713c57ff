import { Clock, Effect } from "effect"
import { type AccountRecord, Accounts, AccountStates } from "../../../../../services/account/Accounts.ts"
import { html, type Html } from "../../../frame/Html.ts"
import type { Page } from "../../../frame/Layout.ts"
import type { View } from "../../../frame/SignedRoutes.ts"
import { badge } from "../../../parts/Badge.ts"
import { confirmButton, postButton } from "../../../parts/Confirm.ts"
import { noFieldErrors } from "../../../parts/fields/FieldErrors.ts"
import { channelName, foreign } from "../../../parts/Text.ts"
import { detailsForm, type Refused, settingsForm } from "./AccountChangeForms.ts"
import { providerName } from "./AccountWords.ts"
import { CHANNELS_PATH, accountPath } from "./ChannelsPage.ts"
import { contactsPanel } from "./ContactsPart.ts"
import { inboxPanel } from "./InboxPart.ts"
import { nowPanel } from "./NowPanel.ts"
import { isSimulated, simulatorPanel } from "./SimulatorPart.ts"
import { standbyPanel } from "./StandbyPart.ts"

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
