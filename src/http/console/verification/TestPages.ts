import { Effect, Schedule } from "effect"
import { NotFound } from "../../../domain/Errors.ts"
import { isUuidPosition } from "../../../domain/Paging.ts"
import { effectiveStatus, isTerminal } from "../../../domain/verification/Verification.ts"
import type { ConsolePages } from "../ConsolePages.ts"
import { pathOf } from "../Navigation.ts"
import {
  errorSummary,
  type FieldErrors,
  fieldErrorsOf,
  inputField,
  noFieldErrors
} from "../forms/FormFields.ts"
import { csrfField, isOwnDraft, ownDraft } from "../forms/Forms.ts"
import { pageResponse, seeOther } from "../frame/Responses.ts"
import { html, type Html } from "../frame/Html.ts"
import type { Page } from "../frame/Layout.ts"
import { type ConsoleError, refusalOf } from "../frame/Refusals.ts"
import { change, page, type View } from "../frame/SignedRoutes.ts"
import { stateBadge, type Tone } from "../parts/Badge.ts"
import { facts, pageLink } from "../parts/Panels.ts"
import { hops } from "../parts/Runs.ts"
import { phoneNumber, phonePart, shortId } from "../parts/Text.ts"
import { tried } from "../runs/SentPages.ts"
import { choicesOf } from "../RoutingPage.ts"
import {
  channelsOf,
  checkRequest,
  snippets,
  TEST_PATH,
  testForm,
  type TestRequest,
  testRequestOf
} from "./TestForm.ts"
import { readCodeRun } from "./VerificationPages.ts"
import { verificationStory } from "./VerificationStory.ts"
import { performOnce } from "../../../services/Action.ts"
import { noteTestCode, noteTestMessage } from "../../../services/message/MessageActions.ts"
import { Messages, SandboxMessages } from "../../../services/message/Messages.ts"
import { SandboxVerifications, Verifications } from "../../../services/verification/Verifications.ts"

const ends = {
  verified: ["good", "Verified: the right code was entered.", "تأیید شد: کد درست وارد شد."],
  expired: ["warn", "The code has expired.", "کد منقضی شده است."],
  locked: ["bad", "Too many wrong codes: the code is locked.", "تعداد کدهای اشتباه زیاد بود و کد قفل شد."],
  failed: ["bad", "The code could not be sent.", "کد ارسال نشد."],
  canceled: ["info", "The code was canceled.", "کد لغو شده است."]
} as const satisfies Readonly<Record<string, readonly [Tone, string, string]>>

const isEnd = (status: string): status is keyof typeof ends => Object.hasOwn(ends, status)

/** How the verification ended: from its status, because an address must not make the page claim an outcome. */
const verdict = (status: string, { locale: { say } }: View): Html | null => {
  if (!isEnd(status)) return null
  const [tone, english, persian] = ends[status]
  return html`<p class="notice ${tone}" role="status">${say(english, persian)}</p>`
}

const isSandbox = (mode: string | null): boolean => mode !== "live"

/** The verifications of the mode that a page or a form names. */
const verificationsOf = (mode: string | null) =>
  Effect.gen(function* () {
    return isSandbox(mode) ? yield* SandboxVerifications : yield* Verifications
  })

const messagesOf = (mode: string | null) =>
  Effect.gen(function* () {
    return isSandbox(mode) ? yield* SandboxMessages : yield* Messages
  })

const codeForm = (view: View, id: string, errors: FieldErrors): Html => {
  const { say } = view.locale
  const mode = view.query.get("mode") ?? "sandbox"
  return html`<form class="fields inline" method="post" action="${TEST_PATH}/verify">
    ${csrfField(view.csrf)} ${errorSummary(errors, view.locale)}
    <input type="hidden" name="id" value="${id}" /><input type="hidden" name="mode" value="${mode}" />
    ${["target", "template"].flatMap((name) =>
      view.query.getAll(name).map((value) => html`<input type="hidden" name="${name}" value="${value}" />`)
    )}
    ${inputField({
      name: "code",
      label: isSandbox(mode)
        ? say("Code (in the sandbox: 123456)", "کد (در محیط آزمایشی: ۱۲۳۴۵۶)")
        : say("Code on the phone", "کدی که به گوشی رسید"),
      isLtr: true,
      isRequired: true,
      autocomplete: "one-time-code",
      errors
    })}
    <div><button class="button primary">${say("Verify", "تأیید")}</button></div>
  </form>`
}

/** Where the code can be read, if it went over a simulated account. */
const simulatedPhone = (view: View, phone: string): Html | null =>
  view.navigation.some(({ pages }) => pages.some(({ name }) => name === "simulator"))
    ? html`<p class="hint">
        ${view.locale.say("Sent over a simulated account?", "با حساب شبیه‌سازی‌شده ارسال شد؟")}
        ${pageLink(
          view,
          "simulator",
          view.locale.say("Read it on the simulated phone", "کد را در گوشی شبیه‌سازی‌شده بخوانید"),
          `?phone=${encodeURIComponent(phone)}`
        )}
      </p>`
    : null

/** Everything of it follows the code to its end: what was tried, what is next, and the field for the code. */
const codeResult = Effect.fnUntraced(function* (view: View, id: string, errors: FieldErrors) {
  const { locale } = view
  const { say, time } = locale
  const { run, isLive } = yield* readCodeRun(view, id)
  const { verification, now } = run
  const status = effectiveStatus(verification, now)
  const isOver = isTerminal(status)
  const [first, ...further] = verificationStory(run, locale).sentences
  return html`<div id="test-result" class="stack-tight" ${!isOver && html`data-live="2"`}>
    ${verdict(status, view)}
    ${
      isLive &&
      html`<div class="told">
        <p><strong>${first}</strong></p>
        ${further.map((sentence) => html`<p class="muted">${sentence}</p>`)}
      </div>`
    }
    ${facts([
      [say("Code", "کد"), html`<a href="${pathOf("verifications")}/${id}">${shortId(id)}</a>`],
      [say("Status", "وضعیت"), stateBadge(status, locale)],
      [say("Phone", "شماره"), phonePart(verification.phone, locale)],
      isLive ? [say("Channels", "کانال‌ها"), hops(tried(verification), locale)] : null,
      isOver ? null : [say("Valid until", "اعتبار تا"), time(verification.expiresAt)]
    ])}
    ${isLive && simulatedPhone(view, verification.phone)}
    ${!isOver && view.actor.scope === "full" && codeForm(view, id, errors)}
  </div>`
})

const messageResult = Effect.fnUntraced(function* (view: View, id: string) {
  const { say } = view.locale
  const messages = yield* messagesOf(view.query.get("mode"))
  const found = yield* messages.status({ customerId: view.actor.customerId, id })
  const isOver = found.status !== "queued" && found.status !== "sending"
  return html`<div id="test-result" ${!isOver && html`data-live="3"`}>
    ${facts([
      [say("Message", "پیام"), html`<a href="${pathOf("messages")}/${id}">${shortId(id)}</a>`],
      [say("Status", "وضعیت"), stateBadge(found.status, view.locale)],
      [say("Phone", "شماره"), phoneNumber(found.phone)]
    ])}
    ${!isSandbox(view.query.get("mode")) && simulatedPhone(view, found.phone)}
  </div>`
})

/** The result of the test that the address names. */
const resultPanel = Effect.fnUntraced(function* (view: View, errors: FieldErrors) {
  const { query, locale } = view
  const { say } = locale
  const id = query.get("id") ?? ""
  if (!isUuidPosition(id)) return null
  const isMessage = query.get("kind") === "message"
  const shown = yield* isMessage ? messageResult(view, id) : codeResult(view, id, errors)
  const run = `${pathOf(isMessage ? "messages" : "verifications")}/${id}`
  return html`<section class="panel" aria-labelledby="result-title">
    <div class="panel-head">
      <h2 id="result-title">${say("Result", "نتیجه")}</h2>
      <a href="${run}">${say("See each step", "دیدن همهٔ گام‌ها")}</a>
    </div>
    <div class="panel-body stack-tight">${shown}</div>
  </section>`
})

/** After a send its form has its phone again, for the next one: from the store, as an address has no phone. */
const sentPhone = Effect.fnUntraced(function* (view: View) {
  const { query, actor } = view
  const id = query.get("id") ?? ""
  if (!isUuidPosition(id) || !isOwnDraft(view)) return ""
  const mode = query.get("mode")
  const sent = { customerId: actor.customerId, id }
  const { phone } = yield* query.get("kind") === "message"
    ? (yield* messagesOf(mode)).status(sent)
    : (yield* verificationsOf(mode)).status(sent)
  return /^\+98\d{10}$/.test(phone) ? `0${phone.slice("+98".length)}` : ""
})

const testPage = Effect.fnUntraced(function* (
  view: View,
  given: TestRequest,
  errors: FieldErrors,
  codeErrors: FieldErrors = noFieldErrors
) {
  const { say } = view.locale
  const request = given.phone === "" ? { ...given, phone: yield* sentPhone(view) } : given
  const choices = yield* choicesOf(view.actor.customerId)
  const result = yield* resultPanel(view, codeErrors)
  return {
    title: say("Send a test", "ارسال آزمایشی"),
    name: "test",
    lead: say("Send a code or a message and follow it.", "یک کد یا پیام بفرستید و نتیجه را ببینید."),
    content: html`<div class="columns even">
      <div class="stack">
        ${result} ${view.actor.scope === "full" && testForm(view, request, choices, errors)}
      </div>
      <div class="stack">${snippets(view, request)}</div>
    </div>`
  } satisfies Page
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
const UNTIL_DONE = Schedule.upTo(Schedule.spaced("250 millis"), { duration: "30 seconds" })

/** If the form is sent again, it gets the id of the first time, once that was answered. */
const sendOnce = Effect.fnUntraced(
  function* (view: View, request: TestRequest) {
    return request.kind === "code" ? yield* sendCode(view, request) : yield* sendMessage(view, request)
  },
  Effect.retry({ while: ({ _tag }) => _tag === "idempotency_key_in_progress", schedule: UNTIL_DONE })
)

/** The address of a result: with the route and the template of its form, for the next send. */
const resultQuery = (
  view: View,
  { mode, kind, targets, templateId }: Pick<TestRequest, "mode" | "kind" | "targets" | "templateId">,
  id: string
): URLSearchParams => {
  const query = ownDraft(view, { mode, kind, id })
  for (const target of targets.filter((each) => each !== "")) query.append("target", target)
  if (templateId !== null) query.append("template", String(templateId))
  return query
}

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
  return seeOther(`${TEST_PATH}?${String(resultQuery(view, request, id))}`)
})

/** The field that a refusal is about; of the others, no field. */
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

const submitTest = Effect.fnUntraced(function* (view: View, submitted: URLSearchParams) {
  const request = testRequestOf(submitted)
  if (submitted.get("do") === "preview")
    return pageResponse(view, yield* testPage(view, request, noFieldErrors))
  return yield* send(view, request).pipe(
    Effect.catch((error: ConsoleError) => {
      const { status, headers } = refusalOf(error, view.locale)
      return Effect.map(testPage(view, request, errorsOf(error, view)), (shown) =>
        pageResponse(view, shown, { status, headers })
      )
    })
  )
})

/** Compares the code that somebody typed; it counts as any other entry does. */
const verify = Effect.fnUntraced(function* (view: View, submitted: URLSearchParams) {
  const id = submitted.get("id") ?? ""
  if (!isUuidPosition(id)) return yield* new NotFound()
  const mode = submitted.get("mode") === "live" ? "live" : "sandbox"
  const { customerId } = view.actor
  const code = submitted.get("code") ?? ""
  const verifications = yield* verificationsOf(mode)
  const { reason } = yield* verifications.verify({ customerId, id, code })
  const query = resultQuery(view, { ...testRequestOf(submitted), mode, kind: "code" }, id)
  if (reason !== "invalid_code") return seeOther(`${TEST_PATH}?${String(query)}`)
  const wrong = view.locale.say("Wrong code. Try again.", "کد اشتباه است. دوباره امتحان کنید.")
  const shown = yield* testPage(
    { ...view, query },
    testRequestOf(query),
    noFieldErrors,
    new Map([["code", wrong]])
  )
  return pageResponse({ ...view, query }, shown, { status: 422 })
})

/** Sending from the console, through the same use cases as the API. */
export const testPages = {
  name: "test",
  routes: [page(TEST_PATH, showTest), change(TEST_PATH, submitTest), change(`${TEST_PATH}/verify`, verify)]
} as const satisfies ConsolePages
