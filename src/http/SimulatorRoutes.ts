import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { InvalidPhone } from "../domain/Errors.ts"
import { formatInstant } from "../domain/Instant.ts"
import { parsePhone, type Phone } from "../domain/Phone.ts"
import { Simulator } from "../services/Simulator.ts"
import { orEnvelope } from "./Envelope.ts"
import type { ServedRoute } from "./RouteTable.ts"
import { simulatorPage } from "./SimulatorPage.ts"

const PAGE_PATH = "/simulator"
const MESSAGES_PATH = "/simulator/messages"

export const simulatorRoutes: ReadonlyArray<ServedRoute> = [
  { method: "GET", path: PAGE_PATH },
  { method: "GET", path: MESSAGES_PATH }
]

const CONTENT_SECURITY_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; img-src data:"

const page = HttpServerResponse.text(simulatorPage, {
  contentType: "text/html; charset=utf-8",
  headers: { "content-security-policy": CONTENT_SECURITY_POLICY }
})

/** Read from the raw query: a `+` in it is the number's own, not a space. */
const phoneParameter = (url: string): Effect.Effect<Phone | null, InvalidPhone> => {
  const raw = /[?&]phone=([^&#]*)/.exec(url)?.[1] ?? ""
  if (raw === "") return Effect.succeed(null)
  return Effect.try({ try: () => decodeURIComponent(raw), catch: () => new InvalidPhone() }).pipe(
    Effect.flatMap((phone) => Effect.fromResult(parsePhone(phone)))
  )
}

const messages = Effect.gen(function* () {
  const { url } = yield* HttpServerRequest.HttpServerRequest
  const simulator = yield* Simulator
  const received = yield* simulator.messages(yield* phoneParameter(url))
  const data = received.map((message) => ({
    ...message,
    at: formatInstant(message.at)
  }))
  return HttpServerResponse.jsonUnsafe({ data }, { headers: { "cache-control": "no-store" } })
}).pipe(orEnvelope)

/** The simulator's page and its messages as JSON; mounted only where the simulator is on. */
export const SimulatorRoutes = Layer.mergeAll(
  HttpRouter.add("GET", PAGE_PATH, page),
  HttpRouter.add("GET", MESSAGES_PATH, messages)
)
