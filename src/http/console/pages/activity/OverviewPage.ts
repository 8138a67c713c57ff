import { Effect } from "effect"
import { AccountSummaries } from "../../../../services/customer/AccountSummaries.ts"
import type { ConsolePages } from "../../ConsolePages.ts"
import { page, type View } from "../../frame/SignedRoutes.ts"
import { pathOf } from "../../Navigation.ts"
import { tiles } from "../../parts/Tiles.ts"

/** What happens now, and what is wrong. */
const showOverview = Effect.fnUntraced(function* ({ actor, locale }: View) {
  const { say } = locale
  const summaries = yield* AccountSummaries
  const { customer, wallet, quota } = yield* summaries.read(actor.customerId, null)
  return {
    title: say("Overview", "نمای کلی"),
    name: "overview",
    lead: customer.name,
    content: tiles([
      ...(wallet === null
        ? []
        : [{ label: say("Wallet", "کیف پول"), value: locale.rials(wallet.balance - wallet.held) }]),
      ...(quota === null
        ? []
        : [
            {
              label: say("Used this month", "مصرف این ماه"),
              value: `${locale.number(quota.used)} / ${locale.number(quota.limit)}`
            }
          ])
    ])
  } as const
})

export const overviewPages = {
  name: "overview",
  routes: [page(pathOf("overview"), showOverview)]
} as const satisfies ConsolePages
