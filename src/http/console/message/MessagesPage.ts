import { Effect } from "effect"
import { formatInstant, formatNullableInstant } from "../../../domain/Instant.ts"
import { type Message, MessageStatus, Strategy } from "../../../domain/message/Message.ts"
import { Channel } from "../../../domain/routing/Channel.ts"
import type { ConsolePages } from "../ConsolePages.ts"
import { html } from "../frame/Html.ts"
import { raw, type View } from "../frame/SignedRoutes.ts"
import { badge, stateBadge } from "../parts/Badge.ts"
import type { Column } from "../parts/Lists.ts"
import { hops } from "../parts/Runs.ts"
import { costColumn, createdColumn, phoneColumn, sentPages, tried } from "../runs/SentPages.ts"
import { isStatus } from "../runs/SentSearch.ts"
import { MessageRecords } from "../../../services/message/MessageRecords.ts"

const statusIn = isStatus(MessageStatus.literals)
const strategyIn = isStatus(Strategy.literals)

const columns = (view: View): ReadonlyArray<Column<Message>> => {
  const { locale } = view
  const { say } = locale
  return [
    phoneColumn(view, "messages", say("To", "گیرنده")),
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
    costColumn(view),
    createdColumn(view, say("Created", "زمان ایجاد"))
  ]
}

const { path, list, exportCsv } = sentPages<Message, MessageRecords>({
  name: "messages",
  words: (say) => ({
    title: say("Messages", "پیام‌ها"),
    lead: say(
      "Messages to one phone each, the newest first.",
      "پیام‌ها، هر کدام به یک شماره؛ تازه‌ترین در بالا."
    ),
    none: {
      title: say("No message has been sent yet", "هنوز پیامی فرستاده نشده است"),
      text: say(
        "Send one with POST /v1/messages/send, or try it here first.",
        "با POST /v1/messages/send یکی بفرستید، یا نخست همین‌جا امتحان کنید."
      )
    }
  }),
  statuses: MessageStatus.literals,
  channels: Channel.literals,
  moreFilters: (say) => [
    {
      name: "strategy",
      label: say("Strategy", "روش"),
      any: say("All", "همه"),
      choices: [
        ["failover", say("In order", "به‌ترتیب")],
        ["broadcast", say("Broadcast", "هم‌زمان")]
      ]
    }
  ],
  columns,
  csvColumns: () => [
    ["message_id", ({ id }) => id],
    ["to", ({ phone }) => phone],
    ["status", ({ status }) => status],
    ["strategy", ({ strategy }) => strategy],
    ["created_at", ({ createdAt }) => formatInstant(createdAt)],
    ["scheduled_for", ({ scheduledFor }) => formatNullableInstant(scheduledFor)],
    ["completed_at", ({ completedAt }) => formatNullableInstant(completedAt)]
  ],
  find: ({ actor, query }, search) =>
    Effect.flatMap(MessageRecords, (records) =>
      records.list(actor.customerId, {
        ...search,
        status: statusIn(query.get("status")),
        strategy: strategyIn(query.get("strategy"))
      })
    )
})

export const messagesPages = {
  name: "messages",
  routes: [raw(path, list), raw(`${path}/export.csv`, exportCsv)]
} as const satisfies ConsolePages
