import { Clock, Effect } from "effect"
import { formatInstant, formatNullableInstant } from "../../../domain/Instant.ts"
import { type Message, MessageStatus, sendTime, Strategy } from "../../../domain/message/Message.ts"
import { Channel } from "../../../domain/routing/Channel.ts"
import type { ConsolePages } from "../ConsolePages.ts"
import { pathOf } from "../Navigation.ts"
import { formAction } from "../forms/ActionForms.ts"
import { seeOther } from "../frame/Responses.ts"
import { html } from "../frame/Html.ts"
import { change, page, raw, type View } from "../frame/SignedRoutes.ts"
import { messageMoments, type MessageRun, messageStory } from "./MessageTimeline.ts"
import { badge, stateBadge } from "../parts/Badge.ts"
import { confirmButton } from "../parts/Confirm.ts"
import type { Column } from "../parts/Lists.ts"
import { withNotice } from "../parts/Notice.ts"
import { hops } from "../parts/Runs.ts"
import { phoneText } from "../parts/Text.ts"
import {
  eventsPart,
  findRun,
  replayEvents,
  requestedId,
  runContent,
  runFacts,
  runPeriods,
  storyPart
} from "../runs/RunParts.ts"
import { costColumn, createdColumn, isStatus, phoneColumn, sentPages, tried } from "../runs/SentPages.ts"
import { RunHistories } from "../../../services/activity/RunHistories.ts"
import { cancelMessage } from "../../../services/message/MessageActions.ts"
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
    question: say("Peyk tries no further route.", "مسیرهای مانده امتحان نمی‌شوند."),
    confirm: say("Cancel this message", "این پیام را لغو کن")
  })
}

const details = (view: View, { message }: MessageRun, isLive: boolean) => {
  const { locale } = view
  const { say } = locale
  const { status, strategy, completedAt } = message
  const order = strategy === "broadcast" ? say("Broadcast", "هم‌زمان") : say("In order", "به‌ترتیب")
  return runFacts(view, message, {
    status,
    isLive,
    phone: say("To", "گیرنده"),
    behindId: [[say("Strategy", "روش"), order]],
    end: [say("Completed", "پایان"), locale.time(completedAt)],
    further: []
  })
}

const show = Effect.fnUntraced(function* (view: View) {
  const { locale } = view
  const { say } = locale
  const { run, isLive } = yield* readRun(view)
  const { message, history } = run
  return {
    title: `${say("Message to", "پیام به")} ${phoneText(message.phone, locale)}`,
    name: "messages",
    lead: html`<a href="${PATH}">${say("Messages", "پیام‌ها")}</a>`,
    content: runContent(view, {
      isActive: isActive(message),
      story: storyPart(view, messageStory(run, locale), isLive ? cancelButton(view, run) : null),
      moments: messageMoments(run, locale),
      details: details(view, run, isLive),
      more: html`<section class="panel">
          <div class="panel-head"><h2>${say("Text", "متن")}</h2></div>
          <p class="panel-body message-text" dir="auto">${message.text}</p>
        </section>
        ${eventsPart(view, history.events, `${PATH}/${message.id}`)}`
    })
  } as const
})

const cancel = formAction(cancelMessage, {
  target: requestedId,
  done: (_, { id }) => seeOther(withNotice(`${PATH}/${id}`, "canceled"))
})

const replay = Effect.fnUntraced(function* (view: View) {
  const { message, history } = (yield* readRun(view)).run
  return yield* replayEvents(view, history.events, `${PATH}/${message.id}`)
})

export const messagePages = {
  name: null,
  routes: [
    page(`${PATH}/:id`, show),
    change(`${PATH}/:id/cancel`, cancel),
    change(`${PATH}/:id/replay`, replay)
  ]
} as const satisfies ConsolePages
