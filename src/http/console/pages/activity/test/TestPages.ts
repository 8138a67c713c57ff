import { Effect, Schedule } from "effect"
import { NotFound } from "../../../../../domain/Errors.ts"
import { isUuidPosition } from "../../../../../domain/Paging.ts"
import { performOnce } from "../../../../../services/Action.ts"
import { noteTestCode, noteTestMessage } from "../../../../../services/message/MessageActions.ts"
import type { ConsolePages } from "../../../ConsolePages.ts"
import { answerPage, seeOther } from "../../../frame/Answers.ts"
import { html } from "../../../frame/Html.ts"
import type { Page } from "../../../frame/Layout.ts"
import { type ConsoleError, refusalOf } from "../../../frame/Refusals.ts"
import { change, page, type View } from "../../../frame/SignedRoutes.ts"
import { type FieldErrors, fieldErrorsOf, noFieldErrors } from "../../../parts/fields/FieldErrors.ts"
import { choicesOf } from "../../setup/routing/RoutingPage.ts"
import { messagesOf, resultPanel, verificationsOf } from "./ResultPart.ts"
import { snippets } from "./Snippets.ts"
import { TEST_PATH, testForm } from "./TestForm.ts"
import { channelsOf, checkRequest, type TestRequest, testRequestOf } from "./TestRequest.ts"

const testPage = Effect.fnUntraced(function* (
  view: View,
  request: TestRequest,
  errors: FieldErrors,
  codeErrors: FieldErrors = noFieldErrors
) {
  const { say } = view.locale
  const choices = yield* choicesOf(view.actor.customerId)
  const result = yield* resultPanel(view, codeErrors)
  const made: Page = {
    title: say("Send a test", "ارسال آزمایشی"),
    name: "test",
    lead: say(
      "Send a code or a message, and see what becomes of it.",
      "کد یا پیامی بفرستید و ببینید چه می‌شود."
    ),
    content: html`<div class="columns even">
      <div class="stack">
        ${result} ${view.actor.scope === "full" && testForm(view, request, choices, errors)}
      </div>
      <div class="stack">${snippets(view, request)}</div>
    </div>`
  }
  return made
})

const showTest = (view: View) => testPage(view, testRequestOf(view.query), noFieldErrors)

const sendCode = Effect.fnUntraced(function* ({ actor, sent }: View, request: TestRequest) {
  const channels = channelsOf(request)
  const verifications = yield* verificationsOf(request.mode)
  const { verificationId } = yield* verifications.send({
    customerId: actor.customerId,
    idempotency: sent,
    phone: request.phone,
    channels: channels.length === 0 ? undefined : channels,
    templateId: request.mode === "live" ? (request.templateId ?? undefined) : undefined
  })
  return verificationId
})

const sendMessage = Effect.fnUntraced(function* ({ actor, sent }: View, request: TestRequest) {
  const { mode, phone: to, message, templateId, parameters } = request
  const messages = yield* messagesOf(mode)
  const content =
    templateId === null
      ? { message }
      : { template: { id: templateId, parameters, given: Object.fromEntries(parameters) } }
  const { messageId } = yield* messages.send({
    customerId: actor.customerId,
    idempotency: sent,
    to,
    ...content,
    channels: channelsOf(request)
  })
  return messageId
})

/** Longer than a provider takes, unless its time-out was raised. */
const UNTIL_ANSWERED = Schedule.upTo(Schedule.spaced("250 millis"), { duration: "30 seconds" })

/** If the form is sent again, it gets the id of the first time, once that was answered. */
const sendOnce = Effect.fnUntraced(
  function* (view: View, request: TestRequest) {
    return request.kind === "code" ? yield* sendCode(view, request) : yield* sendMessage(view, request)
  },
  Effect.retry({ while: ({ _tag }) => _tag === "idempotency_key_in_progress", schedule: UNTIL_ANSWERED })
)

/** Sends what the form says, and notes in the audit log who did: without the phone and the text. */
const send = Effect.fnUntraced(function* (view: View, request: TestRequest) {
  const { mode, kind } = request
  yield* checkRequest(request)
  const id = yield* sendOnce(view, request)
  const { actor, origin, sent } = view
  const input = { mode, channels: channelsOf(request).map(({ channel }) => channel) }
  const call = { actor, origin, target: id, input, version: null }
  yield* performOnce(kind === "code" ? noteTestCode : noteTestMessage, call, {
    status: 200,
    idempotency: sent,
    encode: () => Effect.succeed(null)
  })
  return seeOther(`${TEST_PATH}?${String(new URLSearchParams({ mode, kind, id }))}`)
})

/** The field to blame for a refusal; of the others, no field. */
const fieldOf: Readonly<Partial<Record<ConsoleError["_tag"], string>>> = {
  invalid_phone: "phone",
  blocked_phone: "phone",
  too_many_requests_phone_hour: "phone",
  too_many_requests_phone_day: "phone",
  message_required: "message",
  message_too_long: "message",
  channels_required: "target.0",
  fallback_order_required: "target.0"
}

const errorsOf = (error: ConsoleError, view: View): FieldErrors => {
  const errors = fieldErrorsOf(error, view.locale)
  if (errors.size > 0) return errors
  const { text, reasons } = refusalOf(error, view.locale)
  return new Map([[fieldOf[error._tag] ?? "send", [text, ...reasons].join(" ")]])
}

const submitTest = Effect.fnUntraced(function* (view: View, typed: URLSearchParams) {
  const request = testRequestOf(typed)
  if (typed.get("do") === "preview") return answerPage(view, yield* testPage(view, request, noFieldErrors))
  return yield* send(view, request).pipe(
    Effect.catch((error: ConsoleError) => {
      const { status, headers } = refusalOf(error, view.locale)
      return Effect.map(testPage(view, request, errorsOf(error, view)), (shown) =>
        answerPage(view, shown, { status, headers })
      )
    })
  )
})

/** Compares the code that somebody typed; it counts as any other entry does. */
const verify = Effect.fnUntraced(function* (view: View, typed: URLSearchParams) {
  const id = typed.get("id") ?? ""
  if (!isUuidPosition(id)) return yield* new NotFound()
  const mode = typed.get("mode") === "live" ? "live" : "sandbox"
  const { customerId } = view.actor
  const code = typed.get("code") ?? ""
  const verifications = yield* verificationsOf(mode)
  const { reason } = yield* verifications.verify({ customerId, id, code })
  const query = new URLSearchParams({ mode, kind: "code", id })
  if (reason !== "invalid_code") return seeOther(`${TEST_PATH}?${String(query)}`)
  const wrong = view.locale.say("The code is wrong. Try again.", "کد نادرست است. دوباره امتحان کنید.")
  const shown = yield* testPage(
    { ...view, query },
    testRequestOf(query),
    noFieldErrors,
    new Map([["code", wrong]])
  )
  return answerPage({ ...view, query }, shown, { status: 422 })
})

/** Sending from the console, through the same use cases as the API. */
export const testPages = {
  name: "test",
  routes: [page(TEST_PATH, showTest), change(TEST_PATH, submitTest), change(`${TEST_PATH}/verify`, verify)]
} as const satisfies ConsolePages
