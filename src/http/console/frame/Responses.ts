import { Effect } from "effect"
import { createHash } from "node:crypto"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { CONSOLE_PATH } from "../ConsolePaths.ts"
import { PAGE_HEADERS, signInDocument } from "./Document.ts"
import { html, type Html } from "./Html.ts"
import { layout, type Page, type Signed } from "./Layout.ts"
import { type ConsoleError, refusalOf } from "./Refusals.ts"
import { readVisit, rememberChoices, type Visit } from "./Visit.ts"
import { errorCodeOf } from "../../errors/Envelope.ts"

type Response = HttpServerResponse.HttpServerResponse

interface ResponseOptions {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
}

export const documentResponse = (visit: Visit, text: string, options: ResponseOptions = {}): Response =>
  rememberChoices(visit)(
    HttpServerResponse.text(text, {
      status: options.status ?? 200,
      contentType: "text/html; charset=utf-8",
      headers: { ...PAGE_HEADERS, ...options.headers }
    })
  )

const LIVE = 'data-live="'
/** Keys of forms are others each time, and the console's script says itself how long ago something was. */
const CHANGING = /name="once" value="[^"]*"|data-ago>[^<]*</g

/** Equal for equal pages: an open console that is kept up to date is not sent again what it has. */
const versionOf = (text: string): string =>
  `"${createHash("sha256").update(text.replaceAll(CHANGING, "")).digest("base64url")}"`

/** A page for somebody who is signed in; with another status, a form that is shown again. */
export const pageResponse = (view: Signed, page: Page, options: ResponseOptions = {}): Response => {
  const text = layout(view, page)
  if (options.status !== undefined || !text.includes(LIVE)) return documentResponse(view, text, options)
  const etag = versionOf(text)
  return view.request.headers["if-none-match"] === etag
    ? HttpServerResponse.empty({ status: 304, headers: { ...PAGE_HEADERS, etag } })
    : documentResponse(view, text, { headers: { ...options.headers, etag } })
}

/** After a form: the browser goes there with GET. */
export const seeOther = (location: string): Response =>
  HttpServerResponse.redirect(location, { status: 303, headers: PAGE_HEADERS })

export const redirectTo = (visit: Visit, location: string): Response =>
  rememberChoices(visit)(HttpServerResponse.redirect(location, { headers: PAGE_HEADERS }))

/** Where somebody whose address leads nowhere can go on. */
const waysOn = ({ locale: { say } }: Visit): Html =>
  html`<p class="actions">
    <a class="button primary" href="${CONSOLE_PATH}">${say("Console", "کنسول")}</a>
    <a class="button" href="/docs">${say("Documentation", "مستندات")}</a>
  </p>`

/** The error page for a visitor who is not signed in. */
export const refusalResponse = (visit: Visit, error: ConsoleError): Response => {
  const { status, text, headers } = refusalOf(error, visit.locale)
  const { say } = visit.locale
  if (error._tag === "not_found") {
    const content = html`<p>
        ${say("The address may be mistyped, or what was there was deleted.", "شاید نشانی اشتباه است، یا آنچه آنجا بود حذف شده است.")}
      </p>
      ${waysOn(visit)}`
    const document = signInDocument(visit, say("Page not found", "صفحه پیدا نشد"), content)
    return documentResponse(visit, document, { status, headers })
  }
  const title = say("Something went wrong", "انجام نشد")
  return documentResponse(visit, signInDocument(visit, title, html`<p>${text}</p>`), { status, headers })
}

const isBelowConsole = (url: string): boolean =>
  url.startsWith(CONSOLE_PATH) && ["", "/", "?"].includes(url.charAt(CONSOLE_PATH.length))

const isApi = (url: string): boolean => /^\/v1(?:[/?]|$)/.test(url)

/**
 * For browsers, an error below the console's path that no page of it could answer is a page, not an envelope; and so is
 * an address that nothing serves, but for those of the API.
 */
export const asErrorPage = Effect.fnUntraced(function* (response: HttpServerResponse.HttpServerResponse) {
  const { url, headers } = yield* HttpServerRequest.HttpServerRequest
  const code = errorCodeOf(response)
  const isPage = isBelowConsole(url) || (code === "not_found" && !isApi(url))
  if (code === undefined || !isPage || headers["accept"]?.includes("text/html") !== true) return response
  const { allow } = response.headers
  const page = refusalResponse(yield* readVisit, { _tag: code })
  return allow === undefined ? page : HttpServerResponse.setHeader(page, "allow", allow)
})
