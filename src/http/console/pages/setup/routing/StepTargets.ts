import type { Template } from "../../../../../domain/message/Template.ts"
import type { Plan, SendingAccount } from "../../../../../domain/customer/Customer.ts"
import { type Channel, codeChannels } from "../../../../../domain/routing/Channel.ts"
import { carries } from "../../../../../domain/routing/RouteAccount.ts"
import { html, type Html } from "../../../frame/Html.ts"
import type { Locale } from "../../../frame/Locale.ts"
import { channelName } from "../../../parts/Text.ts"

/** The choices for a step. */
export interface Choices {
  readonly plan: Plan
  readonly accounts: ReadonlyArray<SendingAccount>
  readonly sharedChannels: ReadonlySet<Channel>
  readonly templates: ReadonlyArray<Template>
}

const targets = (channel: Channel, chosen: string, choices: Choices, { say }: Locale) => [
  [`${channel}:`, say("default", "پیش‌فرض")] as const,
  ...choices.accounts
    .filter((account) => account.channel === channel && carries("code", account))
    .map(({ id, label, active }) => ({ value: `${channel}:${id}`, label, active }))
    .filter(({ value, active }) => active || value === chosen)
    .map(
      ({ value, label, active }) => [value, active ? label : `${label} (${say("off", "خاموش")})`] as const
    ),
  ...(choices.plan === "start" && choices.sharedChannels.has(channel)
    ? [[`${channel}:shared`, say("shared sender", "فرستندهٔ اشتراکی")] as const]
    : [])
]

/** Codes go over telegram only where an account opens it. */
const offered = ({ accounts }: Choices): ReadonlyArray<Channel> =>
  accounts.some(({ channel, sendsCodes }) => channel === "telegram" && sendsCodes)
    ? [...codeChannels, "telegram"]
    : codeChannels

export const targetOptions = (chosen: string, choices: Choices, locale: Locale): Html => {
  const groups = offered(choices).map((channel) => ({
    name: channelName(channel, locale),
    options: targets(channel, chosen, choices, locale)
  }))
  const isKnown = groups.some(({ options }) => options.some(([value]) => value === chosen))
  return html`${
    !isKnown && chosen !== "" && html`<option value="${chosen}" selected>${chosen}</option>`
  }${groups.map(
    ({ name, options }) =>
      html`<optgroup label="${name}">
        ${options.map(
          ([value, label]) =>
            html`<option value="${value}" ${value === chosen && html`selected`}>${name} · ${label}</option>`
        )}
      </optgroup>`
  )}`
}
