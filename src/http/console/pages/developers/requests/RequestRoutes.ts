import { Effect } from "effect"
import { Keys } from "../../../../../services/key/Keys.ts"
import type { ConsolePages } from "../../../ConsolePages.ts"
import type { Page } from "../../../frame/Layout.ts"
import { operatorPage, page, type View } from "../../../frame/SignedRoutes.ts"
import { pathOf } from "../../../Navigation.ts"
import { requestList } from "./RequestList.ts"
import { requestPage } from "./RequestPage.ts"

const MAX_KEYS = 100

const showRequests = Effect.fnUntraced(function* (view: View) {
  const { say } = view.locale
  const { customerId } = view.actor
  const keys = yield* (yield* Keys).list(customerId, { limit: MAX_KEYS, after: null })
  const made: Page = {
    title: say("Requests", "درخواست‌ها"),
    name: "requests",
    lead: say(
      "Requests with your service keys, the newest first.",
      "درخواست‌های با کلیدهای سرویس شما، تازه‌ترین در بالا."
    ),
    content: yield* requestList(view, customerId, keys.items)
  }
  return made
})

const showAllRequests = Effect.fnUntraced(function* (view: View) {
  const { say } = view.locale
  const made: Page = {
    title: say("All requests", "همهٔ درخواست‌ها"),
    name: "all-requests",
    lead: say("Requests of all customers, the newest first.", "درخواست‌های همهٔ مشتریان، تازه‌ترین در بالا."),
    content: yield* requestList(view, null, [])
  }
  return made
})

/** What customers asked of the API in the last days. */
export const requestPages = {
  name: "requests",
  routes: [
    page(pathOf("requests"), showRequests),
    page(`${pathOf("requests")}/:id`, (view) => requestPage(view, view.actor.customerId, "requests"))
  ]
} as const satisfies ConsolePages

export const allRequestPages = {
  name: "all-requests",
  routes: [
    operatorPage(pathOf("all-requests"), showAllRequests),
    operatorPage(`${pathOf("all-requests")}/:id`, (view) => requestPage(view, null, "all-requests"))
  ]
} as const satisfies ConsolePages
