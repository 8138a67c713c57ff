import { Effect } from "effect"
import { HttpRouter } from "effect/http"
import { NotFound } from "../../domain/Errors.ts"
import { isIdPosition } from "../../domain/Paging.ts"
import { ROUTING_PATH } from "./RoutingEditor.ts"
import { orderText, routingChanges } from "./RoutingChanges.ts"
import { formAction } from "./forms/ActionForms.ts"
import { html, type Html } from "./frame/Html.ts"
import type { Page } from "./frame/Layout.ts"
import { seeOther } from "./frame/Responses.ts"
import { change, page, type View } from "./frame/SignedRoutes.ts"
import { badge } from "./parts/Badge.ts"
import { confirmButton } from "./parts/Confirm.ts"
import { emptyState, pager, pageRequest, table } from "./parts/Lists.ts"
import { withNotice } from "./parts/Notice.ts"
import { actorText } from "./activity/AuditSentences.ts"
import { isolated } from "./parts/Text.ts"
import { restoreRouting } from "../../services/routing/RoutingActions.ts"
import {
  RoutingOrders,
  type RoutingVersion,
  type SavedRouting
} from "../../services/routing/RoutingOrders.ts"

const HISTORY_PATH = `${ROUTING_PATH}/history` as const

/** A saved order, and the one before it; null: it is the first that is known. */
interface Step {
  readonly version: RoutingVersion
  readonly before: RoutingVersion | null
}

const changesText = ({ version, before }: Step, { locale }: View): string => {
  if (before === null) return locale.say("the first order", "اولین ترتیب")
  const changes = routingChanges(before, version, locale)
  return changes.length === 0
    ? locale.say("nothing is different", "چیزی فرق نکرد")
    : changes.join(locale.say(", ", "، "))
}

/** The changes to the saved order if this one is restored. */
const question = (version: RoutingVersion, saved: SavedRouting, { locale }: View): string => {
  const { say, number } = locale
  const changes = routingChanges(saved, version, locale).join(say(", ", "، "))
  const name = number(version.version)
  return changes === ""
    ? say(`Version ${name} is the same as the order now.`, `نسخهٔ ${name} با ترتیب فعلی یکی است.`)
    : say(
        `Version ${name} becomes the order again. What changes: ${changes}.`,
        `نسخهٔ ${name} دوباره ترتیب ارسال می‌شود. تغییرها: ${changes}.`
      )
}

const restoreButton = (version: RoutingVersion, saved: SavedRouting, view: View): Html | null => {
  const { say, number } = view.locale
  if (version.version === saved.version) return badge("good", say("Saved now", "ترتیب فعلی"))
  if (view.actor.scope !== "full") return null
  const name = number(version.version)
  return confirmButton(view, {
    action: `${HISTORY_PATH}/${version.version}/restore`,
    label: say("Compare and restore", "مقایسه و بازگرداندن"),
    fields: { version: String(saved.version) },
    isSmall: true,
    question: question(version, saved, view),
    confirm: say(`Restore version ${name}`, `بازگرداندن نسخهٔ ${name}`)
  })
}

const historyTable = (steps: ReadonlyArray<Step>, saved: SavedRouting, view: View): Html => {
  const { say, number, time } = view.locale
  return table<Step>(
    say("Saved orders", "ترتیب‌های ذخیره‌شده"),
    [
      {
        header: say("What changed", "تغییر"),
        kind: "title",
        cell: (step) =>
          html`<span class="sentence">${changesText(step, view)}</span>
            <span class="sub">${orderText(step.version, view.locale)}</span>`
      },
      { header: say("Version", "نسخه"), kind: "number", cell: ({ version }) => number(version.version) },
      {
        header: say("Saved by", "ذخیره‌کننده"),
        cell: ({ version: { savedBy } }) =>
          savedBy === null ? html`<span class="muted">–</span>` : isolated(actorText(savedBy, view.locale))
      },
      { header: say("Time", "زمان"), cell: ({ version }) => time(version.savedAt) },
      {
        header: say("Actions", "عملیات"),
        kind: "actions",
        cell: ({ version }) => restoreButton(version, saved, view)
      }
    ],
    steps
  )
}

/** Each with the one before it, which the next page begins with. */
const stepsOf = Effect.fnUntraced(function* (
  customerId: number,
  items: ReadonlyArray<RoutingVersion>,
  next: string | null
) {
  const routing = yield* RoutingOrders
  const older = next === null ? [] : (yield* routing.versions(customerId, { limit: 1, after: next })).items
  return items.map((version, index): Step => ({ version, before: items[index + 1] ?? older[0] ?? null }))
})

const SHOWN = 3

/** The last orders, below the editor; null where nothing was saved. */
export const lastVersions = Effect.fnUntraced(function* (view: View) {
  const { customerId } = view.actor
  const { say } = view.locale
  const routing = yield* RoutingOrders
  const { items, next } = yield* routing.versions(customerId, { limit: SHOWN, after: null })
  if (items.length === 0) return null
  const saved = yield* routing.find(customerId)
  return html`<section class="panel">
    <div class="panel-head">
      <h2>${say("Saved orders", "ترتیب‌های ذخیره‌شده")}</h2>
      ${next !== null && html`<a href="${HISTORY_PATH}">${say("Show all", "نمایش همه")}</a>`}
    </div>
    ${historyTable(yield* stepsOf(customerId, items, next), saved, view)}
  </section>`
})

const showHistory = Effect.fnUntraced(function* (view: View) {
  const { customerId } = view.actor
  const { say } = view.locale
  const routing = yield* RoutingOrders
  const { items, next } = yield* routing.versions(customerId, yield* pageRequest(view, isIdPosition))
  const saved = yield* routing.find(customerId)
  return {
    title: say("Saved orders", "ترتیب‌های ذخیره‌شده"),
    name: "routing",
    lead: html`<a href="${ROUTING_PATH}">${say("Routing", "ترتیب ارسال")}</a>`,
    content: html`<div class="panel">
      ${
        items.length > 0
          ? historyTable(yield* stepsOf(customerId, items, next), saved, view)
          : emptyState(
              say("Nothing saved yet", "هنوز چیزی ذخیره نشده است"),
              say("Each saved order is kept here.", "هر ترتیبی که ذخیره شود اینجا می‌ماند.")
            )
      }
      ${pager(view, next)}
    </div>`
  } satisfies Page
})

const versionInPath = Effect.gen(function* () {
  const { id = "" } = yield* HttpRouter.params
  return isIdPosition(id) ? Number(id) : yield* new NotFound()
})

const restore = formAction(restoreRouting, {
  target: versionInPath,
  done: () => seeOther(withNotice(ROUTING_PATH, "restored"))
})

/** The orders that were saved. */
export const historyRoutes = [
  page(HISTORY_PATH, showHistory),
  change(`${HISTORY_PATH}/:id/restore`, restore)
] as const
