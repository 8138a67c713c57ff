import { Clock, Effect } from "effect"
import { formatInstant, formatNullableInstant, type Instant } from "../../../domain/Instant.ts"
import { type Message, MessageStatus, sendTime, Strategy } from "../../../domain/message/Message.ts"
import { textChannels } from "../../../domain/routing/Channel.ts"
import type { ConsolePages } from "../ConsolePages.ts"
import { pathOf } from "../Navigation.ts"
import { formAction } from "../forms/ActionForms.ts"
import { html } from "../frame/Html.ts"
import { page, raw, type View } from "../frame/SignedRoutes.ts"
import { messageMoments, type MessageRun, messageStory } from "./MessageTimeline.ts"
import { badge, stateBadge } from "../parts/Badge.ts"
import { confirmButton } from "../parts/Confirm.ts"
import type { Column } from "../parts/Lists.ts"
import { hops } from "../parts/Runs.ts"
import { isolated, phoneText } from "../parts/Text.ts"
import {
  eventsPart,
  findRun,
  formOfRun,
  requestedId,
  runContent,
  runFacts,
  runForms,
  runPeriods,
  storyPart
} from "../runs/RunParts.ts"
import { messageLanes, requestLanes } from "../runs/RunLanes.ts"
import { chargesPart, readRunRequests, requestsPart } from "../runs/RunLinks.ts"
import { waterfall } from "../runs/Waterfall.ts"
import { costColumn, createdColumn, phoneColumn, sentPages, tried } from "../runs/SentPages.ts"
import { isStatus } from "../runs/SentSearch.ts"
import { RunHistories } from "../../../services/activity/RunHistories.ts"
import { cancelMessage } from "../../../services/message/MessageActions.ts"
import { MessageRecords } from "../../../services/message/MessageRecords.ts"

const statusIn = isStatus(MessageStatus.literals)
const strategyIn = isStatus(Strategy.literals)

const isScheduled = ({ status, scheduledFor, attempts }: Message): boolean =>
  status === "queued" && scheduledFor !== null && attempts.length === 0

/** The status as people see it: a message that waits for its time is not in progress. */
export const shownMessageStatus = (message: Message): string =>
  isScheduled(message) ? "scheduled" : message.status

const none = html`<span class="muted none">–</span>`

const columns = (view: View, now: Instant): ReadonlyArray<Column<Message>> => {
  const { locale } = view
  const { say } = locale
  return [
    phoneColumn(view, "messages", say("Recipient", "گیرنده")),
    {
      header: say("Status", "وضعیت"),
      card: "state",
      cell: (each) =>
        html`${stateBadge(shownMessageStatus(each), locale)}
        ${isScheduled(each) && html`<span class="sub">${locale.time(each.scheduledFor)}</span>`}`
    },
    {
      header: say("Channels", "کانال‌ها"),
      card: "detail",
      cell: (each) =>
        html`${hops(tried(each), locale, each.strategy === "broadcast")}
        ${each.strategy === "broadcast" && badge("plain", say("Broadcast", "هم‌زمان"))}`
    },
    {
      header: say("Template", "قالب"),
      isOptional: true,
      cell: ({ template }) => (template === null ? none : isolated(template.name))
    },
    costColumn(view),
    createdColumn(view, now)
  ]
}

const ownFilters = ({ query }: View) => ({
  status: statusIn(query.get("status")),
  strategy: strategyIn(query.get("strategy"))
})

const { path, list, exportCsv } = sentPages<Message, MessageRecords>({
  name: "messages",
  words: (say) => ({
    title: say("Messages", "پیام‌ها"),
    lead: say("Each message goes to one phone.", "هر پیام به یک شماره است."),
    none: {
      title: say("No messages yet", "هنوز پیامی ارسال نشده است"),
      text: say(
        "Send one with POST /v1/messages/send, or try it here first.",
        "با POST /v1/messages/send پیام بفرستید، یا اول همین‌جا امتحان کنید."
      )
    }
  }),
  statuses: MessageStatus.literals,
  channels: textChannels,
  moreFilters: (say) => [
    {
      name: "strategy",
      label: say("Strategy", "روش ارسال"),
      any: say("All", "همه"),
      choices: [
        ["failover", say("Failover", "به ترتیب")],
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
  find: (view, search) =>
    MessageRecords.use((records) => records.list(view.actor.customerId, { ...search, ...ownFilters(view) })),
  count: (view, search) =>
    MessageRecords.use((records) => records.count(view.actor.customerId, { ...search, ...ownFilters(view) }))
})

export const messagesPages = {
  name: "messages",
  routes: [raw(path, list), raw(`${path}/export.csv`, exportCsv)]
} as const satisfies ConsolePages

const PATH = pathOf("messages")

const isActive = ({ status }: Message): boolean => status === "queued" || status === "sending"

const readRun = Effect.fnUntraced(function* ({ actor }: View) {
  const records = yield* MessageRecords
  const histories = yield* RunHistories
  const id = yield* requestedId
  const { found: message, isLive } = yield* findRun((mode) => records.find(actor.customerId, id, mode))
  const now = yield* Clock.currentTimeMillis
  const times = {
    createdAt: message.createdAt,
    startsAt: sendTime(message),
    instants: [message.completedAt, ...message.attempts.map(({ finished_at: at }) => at)],
    isActive: isActive(message)
  }
  const history = yield* histories.read(actor.customerId, { kind: "message", id, ...runPeriods(times, now) })
  const run: MessageRun = { message, history, now }
  return { run, isLive }
})

const cancelButton = (view: View, { message }: MessageRun) => {
  const { say } = view.locale
  const isUnsent = message.attempts.every(({ status }) => status !== "sent")
  if (view.actor.scope !== "full" || !isActive(message) || !isUnsent) return null
  return confirmButton(view, {
    action: `${PATH}/${message.id}/cancel`,
    label: say("Cancel", "لغو"),
    kind: "danger",
    question: say(
      `No more channels are tried for the message to ${phoneText(message.phone, view.locale)}. This cannot be undone.`,
      `برای پیام ${phoneText(message.phone, view.locale)} کانال دیگری امتحان نمی‌شود. این کار برگشت ندارد.`
    ),
    confirm: say("Cancel message", "لغو پیام"),
    dismiss: say("Keep it", "منصرف شدم")
  })
}

const details = (view: View, { message }: MessageRun, isLive: boolean) => {
  const { locale } = view
  const { say } = locale
  const { strategy, completedAt } = message
  const order = strategy === "broadcast" ? say("Broadcast", "هم‌زمان") : say("Failover", "به ترتیب")
  return runFacts(view, message, {
    status: shownMessageStatus(message),
    isLive,
    phone: say("Recipient", "گیرنده"),
    behindId: [[say("Strategy", "روش ارسال"), order]],
    end: [say("Completed", "زمان پایان"), locale.time(completedAt)],
    further: []
  })
}

const show = Effect.fnUntraced(function* (view: View) {
  const { locale } = view
  const { say } = locale
  const { run, isLive } = yield* readRun(view)
  const { message, history } = run
  const requests = yield* readRunRequests(view.actor.customerId, {
    id: message.id,
    createdAt: message.createdAt,
    endedAt: message.status === "canceled" ? message.completedAt : null
  })
  return {
    title: `${say("Message to", "پیام برای")} ${phoneText(message.phone, locale)}`,
    name: "messages",
    lead: html`<a href="${PATH}">${say("Messages", "پیام‌ها")}</a>`,
    content: runContent(view, {
      isActive: isActive(message),
      story: storyPart(view, messageStory(run, locale), isLive ? cancelButton(view, run) : null),
      moments: messageMoments(run, locale),
      chart: waterfall([...requestLanes(requests, locale), ...messageLanes(run, locale)], run.now, locale),
      details: details(view, run, isLive),
      more: html`<section class="panel">
          <div class="panel-head"><h2>${say("Text", "متن")}</h2></div>
          <p class="panel-body message-text" dir="auto">${message.text}</p>
        </section>
        ${requestsPart(view, message.id, requests)}
        ${eventsPart(view, history.events, `${PATH}/${message.id}`)} ${chargesPart(view, history)}`
    })
  } as const
})

const forms = runForms(PATH, {
  cancel: formAction(cancelMessage, formOfRun(PATH, "canceled")),
  events: (view) =>
    Effect.map(readRun(view), ({ run: { message, history } }) => ({ id: message.id, events: history.events }))
})

export const messagePages = {
  name: null,
  routes: [page(`${PATH}/:id`, show), ...forms]
} as const satisfies ConsolePages
