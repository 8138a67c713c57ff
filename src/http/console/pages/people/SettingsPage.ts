import { Effect } from "effect"
import { PLATFORM } from "../../../../domain/people/Customer.ts"
import { CustomerRecords } from "../../../../services/resources/CustomerRecords.ts"
import { html } from "../../frame/Html.ts"
import type { Page } from "../../frame/Layout.ts"
import type { View } from "../../frame/SignedRoutes.ts"
import { customerPanel } from "./CustomerPanel.ts"
import { displayPanel } from "./DisplayPanel.ts"
import type { Refused } from "./SettingsForms.ts"
import { passwordForm, sessionsPanel } from "./SignInPanels.ts"

/** An operator, who has entered no customer's console, sees only what is their own. */
export const settingsPage = Effect.fnUntraced(function* (view: View, refused: Refused | null) {
  const { say } = view.locale
  const { customerId } = view.actor
  const customer = customerId === PLATFORM ? null : yield* (yield* CustomerRecords).find(customerId)
  const made: Page = {
    title: say("Settings", "تنظیمات"),
    name: "settings",
    content: html`<div class="columns">
      ${customer !== null && customerPanel(view, customer, refused)}
      <div class="stack">${displayPanel(view)} ${passwordForm(view, refused)} ${sessionsPanel(view)}</div>
    </div>`
  }
  return made
})
