import { Clock, Effect } from "effect"
import { type Message, sendTime } from "../../../domain/message/Message.ts"
import type { ConsolePages } from "../ConsolePages.ts"
import { pathOf } from "../Navigation.ts"
import { formAction } from "../forms/ActionForms.ts"
import { seeOther } from "../frame/Answers.ts"
import { html } from "../frame/Html.ts"
import { change, page, type View } from "../frame/SignedRoutes.ts"
import { messageMoments, type MessageRun, messageStory } from "./MessageTimeline.ts"
import { confirmButton } from "../parts/Confirm.ts"
import { withNotice } from "../parts/Notice.ts"
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
import { RunHistories } from "../../../services/activity/RunHistories.ts"
import { cancelMessage } from "../../../services/message/MessageActions.ts"
import { MessageRecords } from "../../../services/message/MessageRecords.ts"

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
