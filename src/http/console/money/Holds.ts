import { Effect } from "effect"
import { isTimePosition } from "../../../domain/Paging.ts"
import { pathOf } from "../Navigation.ts"
import { html, type Html } from "../frame/Html.ts"
import type { Page } from "../frame/Layout.ts"
import type { View } from "../frame/SignedRoutes.ts"
import { emptyState, pager, pageRequest, table } from "../parts/Lists.ts"
import { shortId } from "../parts/Text.ts"
import { type Hold, type LedgerEntry, Wallets } from "../../../services/money/Wallets.ts"

const WALLET_PATH = pathOf("wallet")
export const HOLDS_PATH = `${WALLET_PATH}/holds` as const

/** The page of what was paid for. */
export const subjectLink = (
  { subjectType, subjectId }: Pick<LedgerEntry, "subjectType" | "subjectId">,
  { navigation }: View
): Html => {
  if (subjectType === null || subjectId === null) return html`<span class="muted">–</span>`
  const name = subjectType === "message" ? "messages" : "verifications"
  return navigation.some(({ pages }) => pages.some((each) => each.name === name))
    ? html`<a href="${pathOf(name)}/${subjectId}">${shortId(subjectId)}</a>`
    : shortId(subjectId)
}

const titleOf = ({ say }: View["locale"]): string =>
  say("Held for sends under way", "نگه‌داشته برای ارسال‌های در جریان")

const holdsTable = (holds: ReadonlyArray<Hold>, view: View): Html => {
  const { say, time, rials } = view.locale
  return table(
    say("Held", "نگه‌داشته"),
    [
      { header: say("Since", "از"), kind: "title", cell: ({ createdAt }: Hold) => time(createdAt) },
      { header: say("For", "بابت"), cell: (hold) => subjectLink(hold, view) },
      { header: say("Amount", "مبلغ"), kind: "number", cell: ({ amount }) => rials(amount) }
    ],
    holds
  )
}

const MAX_SHOWN = 10

/** A part of the page of the wallet; null if nothing is held. */
export const newestHolds = Effect.fnUntraced(function* (view: View) {
  const { say, number } = view.locale
  const wallets = yield* Wallets
  const { items, next } = yield* wallets.holds(view.actor.customerId, { limit: MAX_SHOWN, after: null })
  if (items.length === 0) return null
  return html`<section class="panel" aria-labelledby="holds-title">
    <div class="panel-head">
      <h2 id="holds-title">${titleOf(view.locale)}</h2>
      ${
        next !== null &&
        html`<span class="muted">
          ${say(`The newest ${number(MAX_SHOWN)}.`, `${number(MAX_SHOWN)} مورد تازه‌تر.`)}
          <a href="${HOLDS_PATH}">${say("Show all", "نمایش همه")}</a>
        </span>`
      }
    </div>
    ${holdsTable(items, view)}
  </section>`
})

/** Everything that is held. */
export const showHolds = Effect.fnUntraced(function* (view: View) {
  const { say } = view.locale
  const wallets = yield* Wallets
  const { items, next } = yield* wallets.holds(
    view.actor.customerId,
    yield* pageRequest(view, isTimePosition)
  )
  const made: Page = {
    title: titleOf(view.locale),
    name: "wallet",
    lead: html`<a href="${WALLET_PATH}">${say("Wallet", "کیف پول")}</a>`,
    content: html`<div class="panel">
      ${
        items.length > 0
          ? holdsTable(items, view)
          : emptyState(
              say("Nothing is held", "چیزی نگه داشته نشده"),
              say(
                "The price of a send is held until it is charged or free again.",
                "هزینهٔ هر ارسال تا برداشت یا آزاد شدن نگه داشته می‌شود."
              )
            )
      }
      ${pager(view, next)}
    </div>`
  }
  return made
})
