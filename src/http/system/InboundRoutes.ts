import { Effect, Result } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { readExactJson } from "../../domain/text/ExactJson.ts"
import { BotInboxes } from "../../services/account/BotInboxes.ts"
import { type CodedError, orEnvelope } from "../Envelope.ts"
import { awaitBody } from "../server/RequestBody.ts"
import type { ServedRoute } from "../RouteTable.ts"

/** Where platforms post what people do with a bot; the account's token follows. */
export const INBOUND_PATH = "/v1/inbound"

export const inboundRoutes: ReadonlyArray<ServedRoute> = [{ method: "POST", path: `${INBOUND_PATH}/:token` }]

const notJson: CodedError = {
  _tag: "validation_error",
  details: { errors: [{ path: "body", message: "Expected a valid JSON body" }] }
}

const readBody = Effect.gen(function* () {
  yield* awaitBody
  const request = yield* HttpServerRequest.HttpServerRequest
  const body = readExactJson(yield* request.text)
  return Result.isFailure(body) ? yield* Effect.fail(notJson) : body.success
})

const receive = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  const { token = "" } = yield* HttpRouter.params
  const inboxes = yield* BotInboxes
  yield* inboxes.receive({ token, header: (name) => request.headers[name], body: readBody })
  return HttpServerResponse.jsonUnsafe({ status: "ok" })
}).pipe(
  Effect.catchTags({
    UnknownInbox: () => Effect.fail<CodedError>({ _tag: "not_found" }),
    HttpServerError: Effect.die
  })
)

/** For messengers, not for customers: an unknown address and a forged post are both 404. */
export const InboundRoutes = HttpRouter.add("POST", `${INBOUND_PATH}/:token`, orEnvelope(receive))
