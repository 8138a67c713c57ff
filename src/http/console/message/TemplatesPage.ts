import { Effect } from "effect"
import { isIdPosition } from "../../../domain/Paging.ts"
import { placeholders, templateProblem } from "../../../domain/message/Template.ts"
import { pathOf } from "../Navigation.ts"
import { icon } from "../frame/Document.ts"
import { html } from "../frame/Html.ts"
import type { View } from "../frame/SignedRoutes.ts"
import { badge, stateBadge } from "../parts/Badge.ts"
import { type Column, emptyState, pager, pageRequest, table } from "../parts/Lists.ts"
import { foreign, mono } from "../parts/Text.ts"
import { type TemplateRecord, TemplateRecords } from "../../../services/message/Templates.ts"

export const TEMPLATES_PATH = pathOf("templates")
export const NEW_TEMPLATE_PATH = `${TEMPLATES_PATH}/new` as const

const columns = ({ locale }: View): ReadonlyArray<Column<TemplateRecord>> => {
  const { say, number, time } = locale
  return [
    {
      header: say("Name", "نام"),
      kind: "title",
      cell: ({ id, name, body }) =>
        html`<a href="${TEMPLATES_PATH}/${id}">${foreign(name)}</a>
          <span class="sub clip">${foreign(body)}</span>`
    },
    { header: say("Id", "شناسه"), cell: ({ id }) => mono(String(id)) },
    {
      header: say("Placeholders", "جای‌نماها"),
      cell: ({ body }) => {
        const names = placeholders(body)
        return names.length === 0 ? html`<span class="muted">–</span>` : mono(names.join(", "))
      }
    },
    {
      header: say("Characters", "نویسه"),
      kind: "number",
      cell: ({ body }) => number(Array.from(body).length)
    },
    {
      header: say("State", "وضعیت"),
      cell: ({ active, body }) =>
        active && templateProblem(body) !== null
          ? badge("bad", say("Unusable", "به‌کارنرفتنی"))
          : stateBadge(active ? "active" : "inactive", locale)
    },
    { header: say("Created", "ساخته شده"), cell: ({ createdAt }) => time(createdAt) }
  ]
}

/** The customer's texts. */
export const showTemplates = Effect.fnUntraced(function* (view: View) {
  const { actor, locale } = view
  const { say } = locale
  const templates = yield* TemplateRecords
  const { items, next } = yield* templates.list(actor.customerId, yield* pageRequest(view, isIdPosition))
  const create = { href: NEW_TEMPLATE_PATH, label: say("New template", "قالب تازه") }
  const mayWrite = actor.scope === "full"
  const title = say("Templates", "قالب‌ها")
  return {
    title,
    name: "templates",
    lead: say(
      "Your texts, for codes on messengers and for messages.",
      "متن‌های شما، برای کد در پیام‌رسان‌ها و برای پیام."
    ),
    actions: mayWrite
      ? html`<a class="button primary" href="${create.href}">${icon("plus")}${create.label}</a>`
      : null,
    content: html`<div class="panel">
      ${
        items.length === 0
          ? emptyState(
              say("No template yet", "هنوز قالبی نیست"),
              say(
                "Messengers send Peyk's own text with a code until you write another one.",
                "تا متن دیگری ننویسید، پیام‌رسان‌ها کد را با متن خود پیک می‌فرستند."
              ),
              mayWrite ? create : null
            )
          : table(title, columns(view), items)
      }
      ${pager(view, next)}
    </div>`
  } as const
})
