import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { randomUUID } from "node:crypto"
import { isUuidPosition } from "../../../domain/Paging.ts"
import { pasted, plainNumber, withoutFormat } from "../../../domain/text/PastedText.ts"
import { awaitBody } from "../../RequestGuards.ts"
import { maxBodyBytes } from "../../BodyLimits.ts"
import { draftMark, isSameToken } from "../frame/Cookies.ts"
import { html } from "../frame/Html.ts"
import type { View } from "../frame/SignedRoutes.ts"
import type { CodedError } from "../../errors/Envelope.ts"
import type { IdempotentRequest } from "../../../services/customer/Idempotency.ts"

const isForm = (contentType = ""): boolean =>
  contentType.split(";")[0]?.trim().toLowerCase() === "application/x-www-form-urlencoded"

const notForm: CodedError = { _tag: "unsupported_media_type" }
const tooLarge: CodedError = { _tag: "payload_too_large" }

/** The fields of a form that was posted. */
export const readForm = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  if (!isForm(request.headers["content-type"])) return yield* Effect.fail(notForm)
  if (Number(request.headers["content-length"]) > (yield* maxBodyBytes)) return yield* Effect.fail(tooLarge)
  yield* awaitBody
  return new URLSearchParams(yield* request.text)
}).pipe(Effect.catchTag("HttpServerError", Effect.die))

export const csrfField = (token: string) => html`<input type="hidden" name="csrf" value="${token}" />`

/** What was entered one a line, without spaces in it; null: nothing. */
export const submittedEntries = (text: string | null): ReadonlyArray<string> | null => {
  const entries = withoutFormat(text ?? "")
    .split(/[\s,،]+/)
    .filter((entry) => entry !== "")
  return entries.length === 0 ? null : entries
}

/** The field by which an address that keeps a form (`data-kept`) is known as the page's own. */
const DRAFT = "draft"
const markOf = ({ csrf, actor }: Pick<View, "csrf" | "actor">): string => draftMark(csrf, actor.customerId)
export const draftField = (view: View) =>
  html`<input type="hidden" name="${DRAFT}" value="${markOf(view)}" />`

/** The address of a page with its form filled in, as this console makes it. */
export const ownDraft = (view: View, fields: Readonly<Record<string, string>>): URLSearchParams =>
  new URLSearchParams({ ...fields, [DRAFT]: markOf(view) })

/** Whether the console itself put into the address what a form is filled in from; anybody can make a link. */
export const isOwnDraft = (view: View): boolean => isSameToken(view.query.get(DRAFT), markOf(view))

/** The fields of a form that is opened: what a link has for them is not taken. */
export const emptyForm = (): URLSearchParams => new URLSearchParams()

/**
 * Makes what a form creates or sends happen once, however often this form is sent. A browser that restores the fields of
 * a page must not restore this one.
 */
export const onceField = () =>
  html`<input type="hidden" name="once" value="${randomUUID()}" autocomplete="off" />`

/**
 * A form that was sent, as a request with an idempotency key; undefined if the form has no `once`. Its CSRF token
 * distinguishes sessions: no other session gets the stored result, which can contain a secret.
 */
export const sentForm = (url: string, fields: URLSearchParams): IdempotentRequest | undefined => {
  const key = fields.get("once") ?? ""
  return isUuidPosition(key) ? { key, body: { url, fields: [...fields] } } : undefined
}

/** A number that was typed, in any digits; what is none stays text, so that its schema says what it expected. */
export const submittedNumber = (text: string | null): unknown => {
  const trimmed = plainNumber(pasted(text ?? ""))
  if (trimmed === "") return null
  return /^-?\d{1,15}$/.test(trimmed) ? Number(trimmed) : trimmed
}
