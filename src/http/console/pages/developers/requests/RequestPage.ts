import { Effect } from "effect"
import { HttpRouter } from "effect/http"
import { type LoggedRequest, subjectKindOf } from "../../../../../domain/activity/LoggedRequest.ts"
import { RequestRecords } from "../../../../../services/activity/RequestRecords.ts"
import { type ErrorCode, errorTable } from "../../../../errors/ErrorTable.ts"
import { html, type Html } from "../../../frame/Html.ts"
import type { Page } from "../../../frame/Layout.ts"
import { refusalOf } from "../../../frame/Refusals.ts"
import type { View } from "../../../frame/SignedRoutes.ts"
import { type PageName, pathOf } from "../../../Navigation.ts"
import { stateBadge } from "../../../parts/Badge.ts"
import { copyButton } from "../../../parts/CopyButton.ts"
import { type Fact, facts } from "../../../parts/Facts.ts"
import { pageLink } from "../../../parts/PageLink.ts"
import { foreign, mono } from "../../../parts/Text.ts"
import { visibleKey } from "../VisibleKey.ts"
import { maskedPhone, routeOf, statusBadge, tookWords } from "./RequestParts.ts"

const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(errorTable, code)

const withCopy = (id: string, label: string, view: View): Html =>
  html`<span class="with-copy">${mono(id)}${copyButton(id, label, view.locale)}</span>`

/** The send that the request was about, which has a page of its own. */
const subjectFact = (view: View, { route, subjectId }: LoggedRequest): Fact | null => {
  const { say } = view.locale
  const kind = subjectKindOf(route)
  if (kind === null || subjectId === null) return null
  const isVerification = kind === "verification"
  const label = isVerification ? say("Verification", "کد تأیید") : say("Message", "پیام")
  return [
    label,
    pageLink(view, isVerification ? "verifications" : "messages", mono(subjectId), `/${subjectId}`)
  ]
}

const keyFact = (view: View, { key, customerId }: LoggedRequest): Html => {
  if (key === null) return html`<span class="muted">–</span>`
  const name = html`${foreign(key.name)} ${visibleKey(key)}`
  return view.actor.customerId === customerId ? pageLink(view, "keys", name, `/${key.id}`) : name
}

const factsOf = (view: View, request: LoggedRequest): Html => {
  const { locale } = view
  const { say } = locale
  const isOperator = view.actor.customerId !== request.customerId
  return facts([
    [say("Request id", "شناسهٔ درخواست"), withCopy(request.requestId, say("Copy the id", "کپی شناسه"), view)],
    [say("Status", "وضعیت"), statusBadge(request)],
    request.code === null ? null : [say("Error code", "کد خطا"), mono(request.code)],
    [say("Answered at", "زمان پاسخ"), locale.time(request.at)],
    [say("Took", "مدت"), tookWords(request, locale)],
    isOperator
      ? [
          say("Customer", "مشتری"),
          html`<a href="${pathOf("customers")}/${request.customerId}">${foreign(request.customerName)}</a>`
        ]
      : null,
    [say("Environment", "محیط"), stateBadge(request.mode, locale)],
    [say("Key", "کلید"), keyFact(view, request)],
    [say("Phone", "شماره"), maskedPhone(request)],
    subjectFact(view, request)
  ])
}

/** One request of the log; of a customer, or of any (null). */
export const requestPage = Effect.fnUntraced(function* (
  view: View,
  customerId: number | null,
  name: PageName
) {
  const { say } = view.locale
  const { id = "" } = yield* HttpRouter.params
  const request = yield* (yield* RequestRecords).find(customerId, id)
  const { code } = request
  const text = code !== null && isErrorCode(code) ? refusalOf({ _tag: code }, view.locale).text : null
  const made: Page = {
    title: say("Request", "درخواست"),
    name,
    lead: html`<a href="${pathOf(name)}">${say("Requests", "درخواست‌ها")}</a> / ${routeOf(request)}`,
    content: html`${text !== null && html`<p class="notice ${request.status < 500 ? "warn" : "bad"}">${text}</p>`}
      <section class="panel panel-body" aria-label="${say("The request", "درخواست")}">
        ${factsOf(view, request)}
      </section>
      <p class="hint below-list">
        ${say(
          "Bodies, codes and whole phone numbers are not in the log.",
          "متن درخواست، کدها و شمارهٔ کامل در این فهرست نیست."
        )}
      </p>`
  }
  return made
})
