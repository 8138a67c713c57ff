import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import type { CodedError } from "../../../Envelope.ts"
import { awaitBody } from "../../../server/RequestBody.ts"
import { html } from "../Html.ts"

const isForm = (contentType = ""): boolean =>
  contentType.split(";")[0]?.trim().toLowerCase() === "application/x-www-form-urlencoded"

const notForm: CodedError = { _tag: "unsupported_media_type" }

/** The fields of a form that was posted. */
export const readForm = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  if (!isForm(request.headers["content-type"])) return yield* Effect.fail(notForm)
  yield* awaitBody
  return new URLSearchParams(yield* request.text)
}).pipe(Effect.catchTag("HttpServerError", Effect.die))

export const csrfField = (token: string) => html`<input type="hidden" name="csrf" value="${token}" />`
