import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { errorCodeOf } from "../../errors/Envelope.ts"
import { CONSOLE_PATH } from "../ConsolePaths.ts"
import { answerRefusal } from "./Answers.ts"
import { readVisit } from "./Visit.ts"

const isBelowConsole = (url: string): boolean =>
  url.startsWith(CONSOLE_PATH) && ["", "/", "?"].includes(url.charAt(CONSOLE_PATH.length))

/** For browsers, an error below the console's path that no page of it could answer is a page, not an envelope. */
export const asErrorPage = Effect.fnUntraced(function* (response: HttpServerResponse.HttpServerResponse) {
  const { url, headers } = yield* HttpServerRequest.HttpServerRequest
  const code = errorCodeOf(response)
  if (code === undefined || !isBelowConsole(url) || headers["accept"]?.includes("text/html") !== true) {
    return response
  }
  const { allow } = response.headers
  const page = answerRefusal(yield* readVisit, { _tag: code })
  return allow === undefined ? page : HttpServerResponse.setHeader(page, "allow", allow)
})
