import { Effect, Schema } from "effect"
import { HttpRouter } from "effect/http"
import {
  changeWebhook,
  createWebhook,
  removeWebhook,
  replayEvent,
  replaySince,
  rotateSecret,
  testWebhook
} from "../../../../../services/webhook/WebhookActions.ts"
import type { ConsolePages } from "../../../ConsolePages.ts"
import { answerPage, seeOther } from "../../../frame/Answers.ts"
import { creating, formAction, onceFormAction } from "../../../frame/forms/ActionForms.ts"
import { pathId } from "../../../frame/PathIds.ts"
import { change, page, type View, writerPage } from "../../../frame/SignedRoutes.ts"
import { byField, type FieldErrors, noFieldErrors } from "../../../parts/fields/FieldErrors.ts"
import { type NoticeKey, withNotice } from "../../../parts/Notice.ts"
import { typedTime } from "../keys/KeyForms.ts"
import { showDelivery } from "./DeliveryPage.ts"
import { typedWebhook } from "./WebhookForms.ts"
import { webhookPage } from "./WebhookPage.ts"
import { pathFor, WEBHOOKS_PATH } from "./WebhookPaths.ts"
import {
  NEW_WEBHOOK_PATH,
  newWebhookPage,
  showNewWebhook,
  shownWebhook,
  ShownWebhook,
  showWebhooks,
  webhookSecretPage
} from "./WebhooksPage.ts"

const WEBHOOK_PATH = `${WEBHOOKS_PATH}/:id` as const
const EVENT_PATH = `${WEBHOOK_PATH}/events/:event_id` as const

const backTo = (id: number, key: NoticeKey, below = "") => seeOther(withNotice(pathFor(id, below), key))

const showWebhook = (view: View) => Effect.flatMap(pathId, (id) => webhookPage(view, id, null, noFieldErrors))

const submitNew = onceFormAction(createWebhook, {
  target: creating,
  input: (fields) => ({ ...typedWebhook(fields), mode: fields.get("mode") }),
  shown: ShownWebhook,
  show: shownWebhook,
  done: (view, created) =>
    answerPage(
      view,
      webhookSecretPage(view, created, view.locale.say("The webhook is made", "وب‌هوک ساخته شد"))
    ),
  again: (view, fields, errors) => newWebhookPage(view, fields, byField(errors))
})

const submitChange = formAction(changeWebhook, {
  target: pathId,
  input: typedWebhook,
  done: (_, { id }) => backTo(id, "saved"),
  again: (view, fields, errors) =>
    Effect.flatMap(pathId, (id) => webhookPage(view, id, fields, byField(errors)))
})

const switchTo = (active: boolean) =>
  formAction(changeWebhook, {
    target: pathId,
    input: () => ({ active }),
    done: (_, { id }) => backTo(id, active ? "enabled" : "disabled")
  })

const submitRemoval = formAction(removeWebhook, {
  target: pathId,
  done: () => seeOther(withNotice(WEBHOOKS_PATH, "deleted"))
})

const submitTest = (view: View, fields: URLSearchParams) =>
  Effect.flatMap(pathId, (id) =>
    onceFormAction(testWebhook, {
      target: Effect.succeed(id),
      shown: Schema.Null,
      show: () => null,
      done: () => backTo(id, "sent")
    })(view, fields)
  )

const submitRotation = onceFormAction(rotateSecret, {
  target: pathId,
  shown: ShownWebhook,
  show: shownWebhook,
  done: (view, created) =>
    answerPage(view, webhookSecretPage(view, created, view.locale.say("The new secret", "کلید امضای تازه")))
})

const eventInPath = Effect.gen(function* () {
  const { event_id = "" } = yield* HttpRouter.params
  return { id: yield* pathId, event_id }
})

const submitReplay = (view: View, fields: URLSearchParams) =>
  Effect.flatMap(eventInPath, (target) =>
    onceFormAction(replayEvent, {
      target: Effect.succeed(target),
      shown: Schema.Null,
      show: () => null,
      done: () => backTo(target.id, "replayed", `/events/${target.event_id}`)
    })(view, fields)
  )

/** The form has one field: every error is said there. */
const ofSince = (errors: FieldErrors): FieldErrors =>
  new Map([...errors.values()].map((message) => ["since", message]))

const submitReplaySince = (view: View, fields: URLSearchParams) =>
  Effect.flatMap(pathId, (id) =>
    onceFormAction(replaySince, {
      target: Effect.succeed(id),
      input: () => ({ since: typedTime(fields.get("since"), view.locale.zone) ?? "" }),
      shown: Schema.Int,
      show: ({ replayed }) => replayed,
      done: (_, replayed) => backTo(id, replayed === 0 ? "nothing_to_replay" : "replayed"),
      again: (_, __, errors) => webhookPage(view, id, null, ofSince(errors))
    })(view, fields)
  )

/** Webhook endpoints, and what was delivered to them. */
export const webhookPages = {
  name: "webhooks",
  routes: [
    page(WEBHOOKS_PATH, showWebhooks),
    writerPage(NEW_WEBHOOK_PATH, showNewWebhook),
    change(NEW_WEBHOOK_PATH, submitNew),
    page(WEBHOOK_PATH, showWebhook),
    change(WEBHOOK_PATH, submitChange),
    change(`${WEBHOOK_PATH}/enable`, switchTo(true)),
    change(`${WEBHOOK_PATH}/disable`, switchTo(false)),
    change(`${WEBHOOK_PATH}/delete`, submitRemoval),
    change(`${WEBHOOK_PATH}/test`, submitTest),
    change(`${WEBHOOK_PATH}/secret`, submitRotation),
    change(`${WEBHOOK_PATH}/replay`, submitReplaySince),
    page(EVENT_PATH, showDelivery),
    change(`${EVENT_PATH}/replay`, submitReplay)
  ]
} as const satisfies ConsolePages
