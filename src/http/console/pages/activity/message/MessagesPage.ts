import { Effect } from "effect"
import { formatInstant, type Instant } from "../../../../../domain/Instant.ts"
import { type Message, MessageStatus, Strategy } from "../../../../../domain/message/Message.ts"
import { Channel } from "../../../../../domain/routing/Channel.ts"
import {
  MessageRecords,
  type MessageSearch
} from "../../../../../services/resources/activity/MessageRecords.ts"
import type { ConsolePages } from "../../../ConsolePages.ts"
import { answerPage, seeOther } from "../../../frame/Answers.ts"
import { allRows, csvFile } from "../../../frame/CsvFile.ts"
import { html } from "../../../frame/Html.ts"
import { raw, type View } from "../../../frame/SignedRoutes.ts"
import { pathOf } from "../../../Navigation.ts"
import { badge, stateBadge } from "../../../parts/Badge.ts"
import { hops } from "../../../parts/Hops.ts"
import type { Column } from "../../../parts/lists/Table.ts"
import { ltr, shortId } from "../../../parts/Text.ts"
import { messageAttemptState } from "../AttemptStates.ts"
import { sentList } from "../SentList.ts"
import { isStatus, readSearch, searchFilters, type SentSearch, sentPage } from "../SentSearch.ts"

const PATH = pathOf("messages")
const statuses = MessageStatus.literals
const statusIn = isStatus(statuses)
const strategyIn = isStatus(Strategy.literals)

const searchOf = (
  { query }: View,
  { mode, phone, channel, from, to, metadata }: SentSearch
): MessageSearch => ({
  mode,
  phone,
  status: statusIn(query.get("status")),
  strategy: strategyIn(query.get("strategy")),
  channel,
  metadata,
  from,
  to
})

const tried = ({ attempts, route }: Message) =>
  attempts.map((attempt) => ({
    channel: (route[attempt.step] ?? route[0]).channel,
    state: messageAttemptState(attempt)
  }))

const columns = ({ locale }: View): ReadonlyArray<Column<Message>> => {
  const { say } = locale
  return [
    {
      header: say("To", "گیرنده"),
      kind: "title",
      cell: ({ id, phone }) =>
        html`<a class="row-link" href="${PATH}/${id}">${ltr(phone)}</a
          ><span class="sub">${shortId(id)}</span>`
    },
    {
      header: say("Status", "وضعیت"),
      cell: ({ status, scheduledFor, attempts }) =>
        status === "queued" && scheduledFor !== null && attempts.length === 0
          ? html`${stateBadge("scheduled", locale)}<span class="sub">${locale.time(scheduledFor)}</span>`
          : stateBadge(status, locale)
    },
    {
      header: say("Channels", "کانال‌ها"),
      cell: (each) =>
        html`${hops(tried(each), locale)}
        ${each.strategy === "broadcast" && badge("plain", say("Broadcast", "هم‌زمان"))}`
    },
    {
      header: say("Cost", "هزینه"),
      kind: "number",
      cell: ({ captured }) => (captured === 0 ? html`<span class="muted">–</span>` : locale.rials(captured))
    },
    { header: say("Created", "زمان ایجاد"), kind: "number", cell: ({ createdAt }) => locale.time(createdAt) }
  ]
}

const list = Effect.fnUntraced(function* (view: View) {
  const { say } = view.locale
  const records = yield* MessageRecords
  const search = yield* readSearch(view)
  if (search.id !== null) return seeOther(`${PATH}/${search.id}`)
  const request = yield* sentPage(view)
  const { items, next } =
    search.problems.length > 0
      ? { items: [], next: null }
      : yield* records.list(view.actor.customerId, { ...request, ...searchOf(view, search) })
  const strategies: ReadonlyArray<readonly [string, string]> = [
    ["failover", say("In order", "به‌ترتیب")],
    ["broadcast", say("Broadcast", "هم‌زمان")]
  ]
  return answerPage(view, {
    title: say("Messages", "پیام‌ها"),
    name: "messages",
    lead: say(
      "Messages to one phone each, the newest first.",
      "پیام‌ها، هر کدام به یک شماره؛ تازه‌ترین در بالا."
    ),
    content: html`${searchFilters(view, statuses, Channel.literals, [
      { name: "strategy", label: say("Strategy", "روش"), any: say("All", "همه"), choices: strategies }
    ])}
    ${sentList(view, {
      caption: say("Messages", "پیام‌ها"),
      columns: columns(view),
      items,
      next,
      problems: search.problems,
      path: PATH,
      none: {
        title: say("No message has been sent yet", "هنوز پیامی فرستاده نشده است"),
        text: say(
          "Send one with POST /v1/messages/send, or try it here first.",
          "با POST /v1/messages/send یکی بفرستید، یا نخست همین‌جا امتحان کنید."
        )
      }
    })}`
  })
})

const time = (at: Instant | null): string | null => (at === null ? null : formatInstant(at))

const exportCsv = Effect.fnUntraced(function* (view: View) {
  const records = yield* MessageRecords
  const search = yield* readSearch(view)
  const conditions = searchOf(view, search)
  const rows = allRows<Message>((page) =>
    search.problems.length > 0
      ? Effect.succeed({ items: [], next: null })
      : records.list(view.actor.customerId, { ...page, ...conditions })
  )
  return csvFile<Message>(
    "messages.csv",
    [
      ["message_id", ({ id }) => id],
      ["to", ({ phone }) => phone],
      ["status", ({ status }) => status],
      ["strategy", ({ strategy }) => strategy],
      ["created_at", ({ createdAt }) => time(createdAt)],
      ["scheduled_for", ({ scheduledFor }) => time(scheduledFor)],
      ["completed_at", ({ completedAt }) => time(completedAt)],
      [
        "channels",
        (each) =>
          tried(each)
            .map(({ channel }) => channel)
            .join(" ")
      ],
      [
        "attempts",
        (each) =>
          tried(each)
            .map(({ state }) => state)
            .join(" ")
      ],
      ["error_code", ({ attempts }) => attempts.at(-1)?.error_code ?? null],
      ["cost_rials", ({ captured }) => captured],
      ["metadata", ({ metadata }) => metadata]
    ],
    rows
  )
})

export const messagesPages = {
  name: "messages",
  routes: [raw(PATH, list), raw(`${PATH}/export.csv`, exportCsv)]
} as const satisfies ConsolePages
