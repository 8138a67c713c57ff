import { Effect, Layer, Result } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { readExactJson } from "../../domain/text/Fingerprints.ts"
import { BotInboxes } from "../../services/account/BotInboxes.ts"
import { PostedReports } from "../../services/provider/PostedReports.ts"
import { type CodedError, orEnvelope } from "../errors/Envelope.ts"
import { awaitBody } from "../RequestGuards.ts"
import type { ServedRoute } from "../RouteTable.ts"
import { problem } from "../../domain/Problem.ts"
import { ValidationError } from "../../domain/Errors.ts"

/** Where platforms post what people do with a bot; the account's token follows. */
export const INBOUND_PATH = "/v1/inbound"

/** Where providers post what became of a code; the account's id follows. Their signatures identify them. */
export const REPORT_PATH = `${INBOUND_PATH}/reports`

export const inboundRoutes: ReadonlyArray<ServedRoute> = [
  { method: "POST", path: `${INBOUND_PATH}/:token` },
  { method: "POST", path: `${REPORT_PATH}/:account` }
]

const notJson = new ValidationError({ problems: [{ path: "body", problem: problem("not_json") }] })

const readText = Effect.gen(function* () {
  yield* awaitBody
  return yield* (yield* HttpServerRequest.HttpServerRequest).text
})

const readBody = Effect.flatMap(readText, (text) => {
  const body = readExactJson(text)
  return Result.isFailure(body) ? Effect.fail(notJson) : Effect.succeed(body.success)
})

const received = HttpServerResponse.jsonUnsafe({ status: "ok" })
const notFound = () => Effect.fail<CodedError>({ _tag: "not_found" })

const receiveUpdate = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  const { token = "" } = yield* HttpRouter.params
  const inboxes = yield* BotInboxes
  yield* inboxes.receive({ token, header: (name) => request.headers[name], body: readBody })
  return received
}).pipe(Effect.catchTags({ UnknownInbox: notFound, HttpServerError: Effect.die }))

const ACCOUNT_ID = /^[1-9]\d{0,8}$/

const receiveReport = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  const { account = "" } = yield* HttpRouter.params
  if (!ACCOUNT_ID.test(account)) return yield* notFound()
  const reports = yield* PostedReports
  const header = (name: string) => request.headers[name]
  yield* reports.receive({ accountId: Number(account), header, body: readText })
  return received
}).pipe(Effect.catchTags({ UnknownReporter: notFound, HttpServerError: Effect.die }))

/** For messengers, not for customers: an unknown address and a forged post are both 404. */
export const InboundRoutes = Layer.mergeAll(
  HttpRouter.add("POST", `${INBOUND_PATH}/:token`, orEnvelope(receiveUpdate)),
  HttpRouter.add("POST", `${REPORT_PATH}/:account`, orEnvelope(receiveReport))
)
