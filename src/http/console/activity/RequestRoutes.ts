import { Effect } from "effect"
import { HttpRouter } from "effect/http"
import type { LoggedRequest } from "../../../domain/LoggedRequest.ts"
import { subjectKindOf } from "../../Api.ts"
import type { ConsolePages } from "../ConsolePages.ts"
import { canRepeat, curlOf } from "./RequestCurl.ts"
import { type PageName, pathOf } from "../Navigation.ts"
import { maskedPhone, refusalText, requestList, routeOf, statusBadge, tookText } from "./RequestList.ts"
import { html, type Html } from "../frame/Html.ts"
import type { Page } from "../frame/Layout.ts"
import { operatorPage, page, type View } from "../frame/SignedRoutes.ts"
import { visibleKey } from "../key/KeysPage.ts"
import { stateBadge } from "../parts/Badge.ts"
import { codeBlock, copyButton } from "../parts/Code.ts"
import { type Fact, facts, pageLink } from "../parts/Panels.ts"
import { isolated, mono } from "../parts/Text.ts"
import { RequestRecords } from "../../../services/activity/RequestLog.ts"
import { Keys } from "../../../services/key/Keys.ts"

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
  const name = html`${isolated(key.name)} ${visibleKey(key)}`
  return view.actor.customerId === customerId ? pageLink(view, "keys", name, `/${key.id}`) : name
}

const factsOf = (view: View, request: LoggedRequest): Html => {
  const { locale } = view
  const { say } = locale
  const isOperator = view.actor.customerId !== request.customerId
  return facts([
    [say("Request id", "شناسهٔ درخواست"), withCopy(request.requestId, say("Copy id", "کپی شناسه"), view)],
    [say("Status", "وضعیت"), statusBadge(request)],
    request.code === null ? null : [say("Error code", "کد خطا"), mono(request.code)],
    [say("Time", "زمان"), locale.time(request.at)],
    [say("Duration", "مدت"), tookText(request, locale)],
    isOperator
      ? [
          say("Customer", "مشتری"),
          html`<a href="${pathOf("customers")}/${request.customerId}">${isolated(request.customerName)}</a>`
        ]
      : null,
    [say("Mode", "حالت"), stateBadge(request.mode, locale)],
    [say("Key", "کلید"), keyFact(view, request)],
    [say("Phone", "شماره"), maskedPhone(request)],
    subjectFact(view, request)
  ])
}

/** The fields of the body that are kept. */
const fieldsPart = ({ locale }: View, { fields }: LoggedRequest): Html | null => {
  if (fields === null) return null
  return html`<section class="panel" aria-labelledby="fields-title">
    <div class="panel-head">
      <h2 id="fields-title">${locale.say("Fields of the request", "فیلدهای درخواست")}</h2>
    </div>
    <div class="panel-body">
      ${facts(
        Object.entries(fields).map(([name, value]) => [
          mono(name),
          mono(typeof value === "string" ? value : JSON.stringify(value))
        ])
      )}
    </div>
  </section>`
}

const curlPart = (view: View, request: LoggedRequest): Html | null => {
  const { say } = view.locale
  if (!canRepeat(request)) return null
  return html`<section class="panel panel-body" aria-label="${say("Repeat", "تکرار")}">
    ${codeBlock(say("Repeat as curl", "تکرار با curl"), curlOf(request, view.baseUrl), view.locale)}
    <p class="hint">
      ${say(
        "Set the variables first: the log has no key, phone, code or text.",
        "اول متغیرها را مقدار بدهید: کلید، شماره، کد و متن در گزارش نیست."
      )}
    </p>
  </section>`
}

/** One request of the log; of a customer, or of any (null). */
const requestPage = Effect.fnUntraced(function* (view: View, customerId: number | null, name: PageName) {
  const { say } = view.locale
  const { id = "" } = yield* HttpRouter.params
  const request = yield* (yield* RequestRecords).find(customerId, id)
  const text = refusalText(request, view.locale)
  return {
    title: say("Request", "درخواست"),
    name,
    lead: html`<a href="${pathOf(name)}">${say("Requests", "درخواست‌ها")}</a> / ${routeOf(request)}`,
    content: html`${text !== null && html`<p class="notice ${request.status < 500 ? "warn" : "bad"}">${text}</p>`}
      <div class="columns">
        <section class="panel panel-body" aria-label="${say("Request", "درخواست")}">
          ${factsOf(view, request)}
        </section>
        <div class="stack">${fieldsPart(view, request)} ${curlPart(view, request)}</div>
      </div>
      <p class="hint below-list">
        ${say(
          "The log stores no code, text, parameters, metadata, client or full phone number.",
          "کد، متن، متغیرها، متادیتا، کاربر و شمارهٔ کامل ذخیره نمی‌شود."
        )}
      </p>`
  } satisfies Page
})

const MAX_KEYS = 100

const showRequests = Effect.fnUntraced(function* (view: View) {
  const { say } = view.locale
  const { customerId } = view.actor
  const keys = yield* (yield* Keys).list(customerId, { limit: MAX_KEYS, after: null })
  return {
    title: say("Requests", "درخواست‌ها"),
    name: "requests",
    lead: say("Requests with your API keys.", "درخواست‌های کلیدهای API شما."),
    content: yield* requestList(view, customerId, keys.items)
  } satisfies Page
})

const showAllRequests = Effect.fnUntraced(function* (view: View) {
  const { say } = view.locale
  return {
    title: say("All requests", "همهٔ درخواست‌ها"),
    name: "all-requests",
    lead: say("Requests of all customers.", "درخواست‌های همهٔ مشتری‌ها."),
    content: yield* requestList(view, null, [])
  } satisfies Page
})

/** What customers asked of the API in the last days. */
export const requestPages = {
  name: "requests",
  routes: [
    page(pathOf("requests"), showRequests),
    page(`${pathOf("requests")}/:id`, (view) => requestPage(view, view.actor.customerId, "requests"))
  ]
} as const satisfies ConsolePages

export const allRequestPages = {
  name: "all-requests",
  routes: [
    operatorPage(pathOf("all-requests"), showAllRequests),
    operatorPage(`${pathOf("all-requests")}/:id`, (view) => requestPage(view, null, "all-requests"))
  ]
} as const satisfies ConsolePages
