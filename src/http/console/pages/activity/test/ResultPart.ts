import { Effect } from "effect"
import { isUuidPosition } from "../../../../../domain/Paging.ts"
import { isTerminal } from "../../../../../domain/verification/Verification.ts"
import { Messages, SandboxMessages } from "../../../../../services/message/Messages.ts"
import { SandboxVerifications, Verifications } from "../../../../../services/verification/Verifications.ts"
import { csrfField } from "../../../frame/forms/Forms.ts"
import { html, type Html } from "../../../frame/Html.ts"
import type { View } from "../../../frame/SignedRoutes.ts"
import { pathOf } from "../../../Navigation.ts"
import { type Tone, stateBadge } from "../../../parts/Badge.ts"
import { facts } from "../../../parts/Facts.ts"
import { errorSummary } from "../../../parts/fields/ErrorSummary.ts"
import type { FieldErrors } from "../../../parts/fields/FieldErrors.ts"
import { inputField } from "../../../parts/fields/Fields.ts"
import { pageLink } from "../../../parts/PageLink.ts"
import { foreign, phoneNumber, shortId } from "../../../parts/Text.ts"
import { TEST_PATH } from "./TestForm.ts"

const ends = {
  verified: ["good", "Verified: the right code was entered.", "تأیید شد: کد درست وارد شد."],
  expired: ["warn", "The code has expired.", "کد منقضی شده است."],
  locked: ["bad", "Too many wrong codes: the verification is locked.", "کد نادرست زیاد بود: قفل شد."],
  failed: ["bad", "The verification has failed.", "ارسال این کد ناموفق بود."],
  canceled: ["info", "It was canceled.", "لغو شده است."]
} as const satisfies Readonly<Record<string, readonly [Tone, string, string]>>

const isEnd = (status: string): status is keyof typeof ends => Object.hasOwn(ends, status)

/** How the verification ended: from its status, because an address must not make the page claim an outcome. */
const verdict = (status: string, { locale: { say } }: View): Html | null => {
  if (!isEnd(status)) return null
  const [tone, english, persian] = ends[status]
  return html`<p class="notice ${tone}" role="status">${say(english, persian)}</p>`
}

export const isSandbox = (mode: string | null): boolean => mode !== "live"

/** The verifications of the mode that a page or a form names. */
export const verificationsOf = (mode: string | null) =>
  Effect.gen(function* () {
    return isSandbox(mode) ? yield* SandboxVerifications : yield* Verifications
  })

export const messagesOf = (mode: string | null) =>
  Effect.gen(function* () {
    return isSandbox(mode) ? yield* SandboxMessages : yield* Messages
  })

const codeForm = (view: View, id: string, errors: FieldErrors): Html => {
  const { say } = view.locale
  const mode = view.query.get("mode") ?? "sandbox"
  return html`<form class="fields inline" method="post" action="${TEST_PATH}/verify">
    ${csrfField(view.csrf)} ${errorSummary(errors, view.locale)}
    <input type="hidden" name="id" value="${id}" /><input type="hidden" name="mode" value="${mode}" />
    ${inputField({
      name: "code",
      label: isSandbox(mode)
        ? say("The code that arrived: 123456 in the sandbox", "کدی که رسید: در محیط آزمایشی ۱۲۳۴۵۶")
        : say("The code that arrived", "کدی که رسید"),
      isLtr: true,
      isRequired: true,
      autocomplete: "one-time-code",
      errors
    })}
    <div><button class="button primary">${say("Verify", "بررسی کد")}</button></div>
  </form>`
}

/** Where the code can be read, if it went over a simulated account. */
const simulatedPhone = (view: View, phone: string): Html | null =>
  view.navigation.some(({ pages }) => pages.some(({ name }) => name === "simulator"))
    ? html`<p class="hint">
        ${view.locale.say("Sent over a simulated account?", "از حسابی شبیه‌سازی‌شده رفت؟")}
        ${pageLink(
          view,
          "simulator",
          view.locale.say("Read it on the simulated phone", "آن را در تلفن شبیه‌سازی‌شده بخوانید"),
          `?phone=${encodeURIComponent(phone)}`
        )}
      </p>`
    : null

const codeResult = Effect.fnUntraced(function* (view: View, id: string, errors: FieldErrors) {
  const { say, time } = view.locale
  const verifications = yield* verificationsOf(view.query.get("mode"))
  const found = yield* verifications.status({ customerId: view.actor.customerId, id })
  const isOver = isTerminal(found.status)
  const isLive = !isSandbox(view.query.get("mode"))
  return html`<div id="test-result" class="stack-tight" ${!isOver && html`data-live="3"`}>
      ${verdict(found.status, view)}
      ${facts([
        [say("Code", "کد"), html`<a href="${pathOf("verifications")}/${id}">${shortId(id)}</a>`],
        [say("Status", "وضعیت"), stateBadge(found.status, view.locale)],
        [say("Phone", "شماره"), phoneNumber(found.phone)],
        isLive ? [say("Channel", "کانال"), foreign(found.currentChannel.label)] : null,
        [say("Valid until", "اعتبار تا"), time(found.expiresAt)]
      ])}
    </div>
    ${isLive && simulatedPhone(view, found.phone)}
    ${!isOver && view.actor.scope === "full" && codeForm(view, id, errors)}`
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
export const resultPanel = Effect.fnUntraced(function* (view: View, errors: FieldErrors) {
  const { query, locale } = view
  const { say } = locale
  const id = query.get("id") ?? ""
  if (!isUuidPosition(id)) return null
  const isMessage = query.get("kind") === "message"
  const shown = yield* isMessage ? messageResult(view, id) : codeResult(view, id, errors)
  const run = `${pathOf(isMessage ? "messages" : "verifications")}/${id}`
  return html`<section class="panel" aria-labelledby="result-title">
    <div class="panel-head">
      <h2 id="result-title">${say("What became of it", "نتیجه")}</h2>
      <a href="${run}">${say("What happened, step by step", "چه شد، گام به گام")}</a>
    </div>
    <div class="panel-body stack-tight">${shown}</div>
  </section>`
})
