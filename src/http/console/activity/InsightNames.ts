import { Effect } from "effect"
import { NO_TEMPLATE, SANDBOX_ACCOUNT, SHARED_ACCOUNT } from "../../../domain/Insights.ts"
import { html, type Part } from "../frame/Html.ts"
import type { Locale } from "../frame/Locale.ts"
import type { View } from "../frame/SignedRoutes.ts"
import { pageLink } from "../parts/Panels.ts"
import { channelName, isolated, ltr } from "../parts/Text.ts"
import { Accounts, FIRST_ACCOUNTS } from "../../../services/account/Accounts.ts"
import { TemplateRecords } from "../../../services/message/Templates.ts"

const operators: Readonly<Record<string, readonly [english: string, persian: string]>> = {
  mci: ["MCI", "همراه اول"],
  irancell: ["Irancell", "ایرانسل"],
  rightel: ["Rightel", "رایتل"],
  other: ["Others", "بقیه"]
}

export const operatorName = (key: string, { say }: Locale): string => {
  const names = operators[key]
  return names === undefined ? key : say(...names)
}

/** What is deleted is still known by its number. */
const numbered = (key: string) => ltr(`#${key}`)

/** What people call the channel, account, operator or template of a key. */
export const namesOf = Effect.fnUntraced(function* (view: View) {
  const { actor, locale } = view
  const { say } = locale
  const [accounts, templates] = [yield* Accounts, yield* TemplateRecords]
  const [{ items: ownAccounts }, { items: ownTemplates }] = yield* Effect.all(
    [accounts.list(actor.customerId, FIRST_ACCOUNTS), templates.list(actor.customerId, FIRST_ACCOUNTS)],
    { concurrency: "unbounded" }
  )
  const accountName = (key: string): Part => {
    if (key === SANDBOX_ACCOUNT) return say("Sandbox", "آزمایشی")
    if (key.startsWith(SHARED_ACCOUNT)) {
      const channel = channelName(key.slice(SHARED_ACCOUNT.length), locale)
      return say(`Shared (${channel})`, `مشترک (${channel})`)
    }
    const known = ownAccounts.find(({ id }) => String(id) === key)
    if (known === undefined) return numbered(key)
    const text = html`${isolated(known.label)}`
    return html`${pageLink(view, "channels", text, `/${key}`)} ${numbered(key)}`
  }
  const templateName = (key: string): Part => {
    if (key === NO_TEMPLATE) return say("No template", "بدون قالب")
    const known = ownTemplates.find(({ id }) => String(id) === key)
    return known === undefined ? numbered(key) : pageLink(view, "templates", isolated(known.name), `/${key}`)
  }
  return {
    channel: (key: string): Part =>
      pageLink(view, "verifications", channelName(key, locale), `?channel=${encodeURIComponent(key)}`),
    account: accountName,
    operator: (key: string): Part => operatorName(key, locale),
    template: templateName
  }
})
