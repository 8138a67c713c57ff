import { Effect, Schema } from "effect"
import { fieldError } from "../../../domain/Errors.ts"
import { problem } from "../../../domain/Problem.ts"
import { Channel, isChannel } from "../../../domain/routing/Channel.ts"
import type { PageName } from "../Navigation.ts"
import { savedNotice, submittedConnection } from "./AccountForms.ts"
import { providerDescription, providerName } from "./ProviderNames.ts"
import { CHANNELS_PATH, CONNECT_PATH } from "./ChannelsPage.ts"
import { bySetting, settingInputs } from "./SettingInputs.ts"
import { creating, onceFormAction } from "../forms/ActionForms.ts"
import {
  checkField,
  errorSummary,
  type FieldErrors,
  fieldErrorsOf,
  inputField,
  noFieldErrors
} from "../forms/FormFields.ts"
import { csrfField, emptyForm, onceField } from "../forms/Forms.ts"
import { pageResponse, seeOther } from "../frame/Responses.ts"
import { icon } from "../frame/Document.ts"
import { html, type Html } from "../frame/Html.ts"
import type { Page } from "../frame/Layout.ts"
import { type ConsoleError, refusalOf } from "../frame/Refusals.ts"
import type { View } from "../frame/SignedRoutes.ts"
import { withNotice } from "../parts/Notice.ts"
import { channelName } from "../parts/Text.ts"
import { type AccountOwner, connectAccount as connect } from "../../../services/account/Accounts.ts"
import { type ProviderAdapter, ProviderAdapters } from "../../../services/provider/ProviderAdapter.ts"

/** Where an account is connected: a customer's own, or the platform's. */
export interface ConnectTarget {
  readonly owner: AccountOwner
  readonly name: PageName
  readonly connectPath: string
  readonly channels: ReadonlyArray<Channel>
  /** The page to show once the account is connected. */
  readonly pathOfAccount: (id: number) => string
}

const ownTarget = ({ actor }: View): ConnectTarget => ({
  owner: actor.customerId,
  name: "channels",
  connectPath: CONNECT_PATH,
  channels: Channel.literals,
  pathOfAccount: (id) => `${CHANNELS_PATH}/${id}`
})

interface Choice {
  readonly channel: Channel
  readonly adapter: ProviderAdapter
}

/** What its form asks: a call needs none of the settings that codes and messages by SMS need. */
const formOf = ({ channel, adapter }: Choice): Pick<ProviderAdapter, "settings" | "sendingSettings"> =>
  channel === "voice" ? { settings: adapter.settings } : adapter

/** The fields of the form; a new form has none. */
type Submitted = Pick<URLSearchParams, "get" | "has">

/** Those of one channel before those that serve any. */
const connectable = (adapters: ProviderAdapters["Service"]): ReadonlyArray<ProviderAdapter> =>
  [...adapters.values()]
    .filter(({ switchedOff }) => switchedOff === undefined)
    .toSorted((a, b) => a.channels.length - b.channels.length)

const choiceOf = (
  { channels }: ConnectTarget,
  adapters: ProviderAdapters["Service"],
  submitted: Submitted
): Choice | null => {
  const channel = submitted.get("channel") ?? ""
  const adapter = connectable(adapters).find(({ name }) => name === submitted.get("provider"))
  if (adapter === undefined || !isChannel(channel) || !channels.includes(channel)) return null
  return adapter.channels.includes(channel) ? { channel, adapter } : null
}

const choiceLink = (path: string, channel: Channel, { name }: ProviderAdapter, { locale }: View): Html =>
  html`<li>
    <a class="choice-card" href="${path}?${String(new URLSearchParams({ channel, provider: name }))}">
      <span
        >${providerName(name, locale)}<span class="choice-note"
          >${providerDescription(name, channel, locale)}</span
        ></span
      >
      <span class="onwards">${icon("arrow")}</span>
    </a>
  </li>`

/** SMS has twice as many providers as the others: in front of them its column would leave a hole below another. */
const longestLast = (channels: ReadonlyArray<Channel>): ReadonlyArray<Channel> =>
  channels.toSorted((one, other) => Number(one === "sms") - Number(other === "sms"))

/** The first step: what sends, and over which channel. */
const choose = (
  { channels: offered, connectPath }: ConnectTarget,
  adapters: ProviderAdapters["Service"],
  view: View
): Html =>
  html`<div class="choice-groups">
    ${longestLast(offered).map(
      (channel) =>
        html`<section class="panel" aria-labelledby="channel-${channel}">
          <div class="panel-head"><h2 id="channel-${channel}">${channelName(channel, view.locale)}</h2></div>
          <ul class="panel-body choice-cards">
            ${connectable(adapters)
              .filter(({ channels }) => channels.includes(channel))
              .map((adapter) => choiceLink(connectPath, channel, adapter, view))}
          </ul>
        </section>`
    )}
  </div>`

const settingsPart = (
  { locale }: View,
  adapter: ReturnType<typeof formOf>,
  submitted: Submitted,
  errors: FieldErrors
): Html => {
  const { say } = locale
  return html`<fieldset class="fields">
    <legend>${say("Provider settings", "تنظیمات سرویس‌دهنده")}</legend>
    <p class="hint">
      ${say(
        "Stored encrypted and never shown again, neither here nor by the API.",
        "رمزنگاری و ذخیره می‌شود و دیگر نشان داده نمی‌شود؛ نه اینجا و نه در API."
      )}
    </p>
    ${settingInputs(adapter, (name) => submitted.get(name), errors, locale)}
  </fieldset>`
}

const checksPart = ({ locale: { say } }: View, owner: AccountOwner, submitted: Submitted): Html =>
  html`${
    owner !== null &&
    checkField({
      name: "default",
      label: say("Default account of this channel", "حساب پیش‌فرض این کانال"),
      hint: say(
        "Used when a request or the routing order names only the channel.",
        "وقتی درخواست یا ترتیب ارسال فقط کانال را تعیین کند، از این حساب استفاده می‌شود."
      ),
      isChecked: submitted.has("default")
    })
  }
  ${checkField({
    name: "check",
    label: say("Check with the provider first", "اول با سرویس‌دهنده بررسی شود"),
    isChecked: submitted.has("check") || !submitted.has("label")
  })}`

const connectForm = (
  view: View,
  { owner, connectPath }: ConnectTarget,
  { channel, adapter }: Choice,
  submitted: Submitted,
  errors: FieldErrors
): Html => {
  const { say } = view.locale
  const suggested = `${channelName(channel, view.locale)} · ${providerName(adapter.name, view.locale)}`
  return html`<form class="panel panel-body fields narrow" method="post" action="${connectPath}">
    ${csrfField(view.csrf)}${onceField()} ${errorSummary(errors, view.locale)}
    <input type="hidden" name="channel" value="${channel}" />
    <input type="hidden" name="provider" value="${adapter.name}" />
    ${inputField({
      name: "label",
      label: say("Name", "نام حساب"),
      hint: say("Only you see it; your users do not.", "فقط خودتان می‌بینید؛ کاربران شما آن را نمی‌بینند."),
      value: submitted.get("label") ?? suggested,
      isRequired: true,
      errors
    })}
    ${settingsPart(view, formOf({ channel, adapter }), submitted, errors)}
    ${checksPart(view, owner, submitted)}
    <div class="actions">
      <button class="button primary">${say("Connect", "اتصال")}</button>
      <a class="button quiet" href="${connectPath}"
        >${say("Choose another provider", "انتخاب سرویس‌دهندهٔ دیگر")}</a
      >
    </div>
  </form>`
}

const connectPage = (
  view: View,
  target: ConnectTarget,
  adapters: ProviderAdapters["Service"],
  submitted: Submitted,
  errors: FieldErrors
): Page => {
  const { say } = view.locale
  const choice = choiceOf(target, adapters, submitted)
  return {
    title: say("Connect account", "اتصال حساب"),
    name: target.name,
    lead:
      choice === null
        ? say("Choose a channel and a provider.", "کانال و سرویس‌دهنده را انتخاب کنید.")
        : say(
            `${providerName(choice.adapter.name, view.locale)}, for ${channelName(choice.channel, view.locale)}`,
            `${providerName(choice.adapter.name, view.locale)}، برای ${channelName(choice.channel, view.locale)}`
          ),
    content:
      choice === null ? choose(target, adapters, view) : connectForm(view, target, choice, submitted, errors)
  }
}

export const connectPageAt = Effect.fnUntraced(function* (view: View, target: ConnectTarget) {
  const chosen = emptyForm()
  for (const name of ["channel", "provider"]) chosen.set(name, view.query.get(name) ?? "")
  return connectPage(view, target, yield* ProviderAdapters, chosen, noFieldErrors)
})

export const showConnect = (view: View) => connectPageAt(view, ownTarget(view))

const wrongFields = (error: ConsoleError, { locale }: View): FieldErrors => {
  const errors = fieldErrorsOf(error, locale)
  return errors.size > 0 ? errors : new Map([["settings", refusalOf(error, locale).text]])
}

/** The account, and what its page says of it. */
const Connected = Schema.Struct({
  id: Schema.Int,
  notice: Schema.Literals(["created", "created_incomplete", "created_not_reached"])
})

/** Connects the account that a form describes, unless its provider refuses it. `view` is whose change it is. */
export const connectAt = (view: View, target: ConnectTarget, submitted: URLSearchParams) =>
  Effect.gen(function* () {
    const choice = choiceOf(target, yield* ProviderAdapters, submitted)
    if (choice === null) return yield* fieldError("provider", problem("provider_required"))
    const { channel, adapter } = choice
    const { fields, input } = yield* submittedConnection(adapter.name, submitted)
    const save = onceFormAction(connect, {
      target: creating,
      input: () => ({
        ...input,
        channel,
        provider: adapter.name,
        label: submitted.get("label")?.trim(),
        default: target.owner !== null && submitted.has("default")
      }),
      shown: Connected,
      show: (saved) => ({ id: saved.account.id, notice: savedNotice("created", saved) }),
      done: (_, { id, notice }) => seeOther(withNotice(target.pathOfAccount(id), notice))
    })
    return yield* Effect.mapError(save(view, submitted), bySetting(fields))
  }).pipe(
    Effect.catch((error: ConsoleError) =>
      Effect.map(ProviderAdapters, (adapters) => {
        const { status, headers } = refusalOf(error, view.locale)
        return pageResponse(view, connectPage(view, target, adapters, submitted, wrongFields(error, view)), {
          status,
          headers
        })
      })
    )
  )

export const connectAccount = (view: View, submitted: URLSearchParams) =>
  connectAt(view, ownTarget(view), submitted)
