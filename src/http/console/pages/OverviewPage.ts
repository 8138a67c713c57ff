import { Effect } from "effect"
import { AccountSummaries } from "../../../services/customer/AccountSummaries.ts"
import { html } from "../frame/Html.ts"
import type { SignedPages } from "../frame/SignedPages.ts"
import { pathOf } from "../Navigation.ts"

/** What happens now, and what is wrong. */
export const overviewPage = Effect.fnUntraced(function* ({ page }: SignedPages) {
  const summaries = yield* AccountSummaries
  return [
    page(
      pathOf("overview"),
      Effect.fnUntraced(function* ({ actor, locale }) {
        const { say } = locale
        const { customer, wallet, quota } = yield* summaries.read(actor.customerId, null)
        return {
          title: say("Overview", "نمای کلی"),
          name: "overview",
          lead: customer.name,
          content: html`<dl class="tiles">
            ${
              wallet !== null &&
              html`<div class="panel tile">
                <dt>${say("Wallet", "کیف پول")}</dt>
                <dd>${locale.rials(wallet.balance - wallet.held)}</dd>
              </div>`
            }
            ${
              quota !== null &&
              html`<div class="panel tile">
                <dt>${say("Used this month", "مصرف این ماه")}</dt>
                <dd>${locale.number(quota.used)} / ${locale.number(quota.limit)}</dd>
              </div>`
            }
          </dl>`
        } as const
      })
    )
  ]
})
