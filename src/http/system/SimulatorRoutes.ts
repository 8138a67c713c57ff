import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { readFileSync } from "node:fs"
import { InvalidPhone } from "../../domain/Errors.ts"
import { formatInstant } from "../../domain/Instant.ts"
import { parsePhone, type Phone } from "../../domain/Phone.ts"
import { Simulator } from "../../services/Simulator.ts"
import { orEnvelope } from "../Envelope.ts"
import type { ServedRoute } from "../RouteTable.ts"
import { serveFixed } from "./FixedPage.ts"

const PAGE_PATH = "/simulator"
const MESSAGES_PATH = "/simulator/messages"

/** In the folder next to this file. */
const files: ReadonlyArray<{
  readonly path: `/${string}`
  readonly name: string
  readonly contentType: string
}> = [
  { path: PAGE_PATH, name: "index.html", contentType: "text/html; charset=utf-8" },
  { path: `${PAGE_PATH}/simulator.css`, name: "simulator.css", contentType: "text/css; charset=utf-8" },
  { path: `${PAGE_PATH}/simulator.js`, name: "simulator.js", contentType: "text/javascript; charset=utf-8" }
]

export const simulatorRoutes: ReadonlyArray<ServedRoute> = [...files, { path: MESSAGES_PATH }].map(
  ({ path }) => ({ method: "GET", path })
)

/** Message texts are untrusted: the page's script inserts them as text, and no other script runs. */
const HEADERS = {
  "content-security-policy": [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    "connect-src 'self'",
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'"
  ].join("; "),
  "referrer-policy": "no-referrer",
  "x-frame-options": "DENY"
}

const page = Layer.unwrap(
  Effect.sync(() => {
    const [first, ...rest] = files.map(({ path, name, contentType }) => {
      const bytes = readFileSync(new URL(`simulator/${name}`, import.meta.url))
      return HttpRouter.add("GET", path, HttpServerResponse.uint8Array(bytes)).pipe(
        Layer.provide(serveFixed({ contentType, headersOf: () => HEADERS }).layer)
      )
    })
    return first === undefined ? Layer.empty : Layer.mergeAll(first, ...rest)
  })
)

/** Read from the raw query: a `+` in it is part of the number, not a space. */
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
  const data = received.map((message) => ({ ...message, at: formatInstant(message.at) }))
  return HttpServerResponse.jsonUnsafe({ data }, { headers: { "cache-control": "no-store" } })
}).pipe(orEnvelope)

/** The simulator's page and its messages as JSON; mounted only if the simulator is on. */
export const SimulatorRoutes = Layer.mergeAll(page, HttpRouter.add("GET", MESSAGES_PATH, messages))
