import { Effect, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { formatInstant } from "../../../../../domain/Instant.ts"
import { type WebhookChange, Webhooks } from "../../../../../services/resources/Webhooks.ts"
import { auditedChange } from "../../../../../services/resources/WebhookWrites.ts"
import { Timers } from "../../../../../services/timer/Timers.ts"
import { ReplayBody, WebhookChangeBody } from "../../../../manage/setup/WebhooksApi.ts"
import type { ConsolePages } from "../../../ConsolePages.ts"
import { answerPage, seeOther } from "../../../frame/Answers.ts"
import { pathId } from "../../../frame/PathIds.ts"
import { showAgain } from "../../../frame/forms/ShownAgain.ts"
import { change, page, type View, writerPage } from "../../../frame/SignedRoutes.ts"
import { decodeInput } from "../../../../errors/SchemaErrors.ts"
import { writeAs, writeOnce } from "../../../frame/forms/Writes.ts"
import { byField, type FieldErrors, noFieldErrors } from "../../../parts/fields/FieldErrors.ts"
import { type NoticeKey, withNotice } from "../../../parts/Notice.ts"
import { typedTime } from "../keys/KeyForms.ts"
import { showDelivery } from "./DeliveryPage.ts"
import { typedWebhook } from "./WebhookForms.ts"
import { webhookPage } from "./WebhookPage.ts"
import { pathFor, WEBHOOKS_PATH } from "./WebhookPaths.ts"
import {
  createWebhook,
  NEW_WEBHOOK_PATH,
  showNewWebhook,
  shownWebhook,
  ShownWebhook,
  showWebhooks,
  webhookEntry,
  webhookSecretPage
} from "./WebhooksPage.ts"

const WEBHOOK_PATH = `${WEBHOOKS_PATH}/:id` as const
const EVENT_PATH = `${WEBHOOK_PATH}/events/:event_id` as const

const backTo = (id: number, key: NoticeKey, below = "") => seeOther(withNotice(pathFor(id, below), key))

/** Something is due. */
const wake = Effect.map(Timers, (timers) => timers.wakeAt(0))

const update = (view: View, id: number, change: WebhookChange, version: number | null) =>
  Effect.flatMap(Webhooks, (webhooks) =>
    writeAs(
      view,
      "webhook.update",
      Effect.map(webhooks.update(view.actor.customerId, id, change, version), (result) => ({
        result,
        audit: webhookEntry("update", id, auditedChange(change))
      }))
    )
  ).pipe(Effect.andThen(wake))

const versionIn = (fields: URLSearchParams): number | null => {
  const version = Number(fields.get("version") ?? "")
  return Number.isSafeInteger(version) && version > 0 ? version : null
}

const showWebhook = (view: View) => Effect.flatMap(pathId, (id) => webhookPage(view, id, null, noFieldErrors))

const changeWebhook = (view: View, fields: URLSearchParams) =>
  Effect.flatMap(pathId, (id) =>
    Effect.gen(function* () {
      const { url, events, description } = yield* decodeInput(WebhookChangeBody, typedWebhook(fields))
      if (url != null) yield* Effect.flatMap(Webhooks, (webhooks) => webhooks.checkUrl(url))
      const change = {
        ...(url == null ? {} : { url }),
        ...(events == null ? {} : { events }),
        ...(description == null ? {} : { description })
      }
      yield* update(view, id, change, versionIn(fields))
      return backTo(id, "saved")
    }).pipe(Effect.catch(showAgain(view, (errors) => webhookPage(view, id, fields, byField(errors)))))
  )

const setDisabled = (isDisabled: boolean) => (view: View) =>
  Effect.flatMap(pathId, (id) =>
    Effect.as(update(view, id, { isDisabled }, null), backTo(id, isDisabled ? "disabled" : "enabled"))
  )

const removeWebhook = Effect.fnUntraced(function* (view: View) {
  const id = yield* pathId
  const webhooks = yield* Webhooks
  yield* writeAs(
    view,
    "webhook.remove",
    Effect.as(webhooks.remove(view.actor.customerId, id, null), {
      result: null,
      audit: webhookEntry("remove", id)
    })
  )
  return seeOther(withNotice(WEBHOOKS_PATH, "deleted"))
})

const sendTest = Effect.fnUntraced(function* (view: View) {
  const id = yield* pathId
  const webhooks = yield* Webhooks
  yield* writeOnce(
    view,
    "webhook.test",
    Schema.Null,
    Effect.as(webhooks.test(view.actor.customerId, id), { result: null, audit: webhookEntry("test", id) })
  )
  yield* wake
  return backTo(id, "sent")
})

const rotateSecret = Effect.fnUntraced(function* (view: View) {
  const id = yield* pathId
  const webhooks = yield* Webhooks
  const created = yield* writeOnce(
    view,
    "webhook.rotate_secret",
    ShownWebhook,
    Effect.map(webhooks.rotateSecret(view.actor.customerId, id), (webhook) => ({
      result: shownWebhook(webhook),
      audit: webhookEntry("rotate_secret", id)
    }))
  )
  return answerPage(
    view,
    webhookSecretPage(view, created, view.locale.say("The new secret", "کلید امضای تازه"))
  )
})

const replayOne = Effect.fnUntraced(function* (view: View) {
  const id = yield* pathId
  const { event_id: eventId = "" } = yield* HttpRouter.params
  const webhooks = yield* Webhooks
  yield* writeOnce(
    view,
    "webhook.replay",
    Schema.Null,
    Effect.map(webhooks.replay(view.actor.customerId, id, eventId), (delivery) => ({
      result: null,
      audit: webhookEntry("replay", id, { event_id: delivery.eventId })
    }))
  )
  yield* wake
  return backTo(id, "replayed", `/events/${eventId}`)
})

/** The form has one field: every error is said there. */
const ofSince = (errors: FieldErrors): FieldErrors =>
  new Map([...errors.values()].map((message) => ["since", message]))

const replaySince = (view: View, fields: URLSearchParams) =>
  Effect.flatMap(pathId, (id) =>
    Effect.gen(function* () {
      const webhooks = yield* Webhooks
      const { since } = yield* decodeInput(ReplayBody, {
        since: typedTime(fields.get("since"), view.locale.zone) ?? ""
      })
      const replayed = yield* writeOnce(
        view,
        "webhook.replay",
        Schema.Int,
        Effect.map(webhooks.replaySince(view.actor.customerId, id, since), (result) => ({
          result: result.replayed,
          audit: webhookEntry("replay", id, { since: formatInstant(since), replayed: result.replayed })
        }))
      )
      yield* wake
      return backTo(id, replayed === 0 ? "nothing_to_replay" : "replayed")
    }).pipe(Effect.catch(showAgain(view, (errors) => webhookPage(view, id, null, ofSince(errors)))))
  )

/** Webhook endpoints, and what was delivered to them. */
export const webhookPages = {
  name: "webhooks",
  routes: [
    page(WEBHOOKS_PATH, showWebhooks),
    writerPage(NEW_WEBHOOK_PATH, showNewWebhook),
    change(NEW_WEBHOOK_PATH, createWebhook),
    page(WEBHOOK_PATH, showWebhook),
    change(WEBHOOK_PATH, changeWebhook),
    change(`${WEBHOOK_PATH}/enable`, setDisabled(false)),
    change(`${WEBHOOK_PATH}/disable`, setDisabled(true)),
    change(`${WEBHOOK_PATH}/delete`, removeWebhook),
    change(`${WEBHOOK_PATH}/test`, sendTest),
    change(`${WEBHOOK_PATH}/secret`, rotateSecret),
    change(`${WEBHOOK_PATH}/replay`, replaySince),
    page(EVENT_PATH, showDelivery),
    change(`${EVENT_PATH}/replay`, replayOne)
  ]
} as const satisfies ConsolePages
