import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { InvalidPhone, ScopeInsufficient } from "../../domain/Errors.ts"
import { formatInstant } from "../../domain/Instant.ts"
import { isIdPosition } from "../../domain/Paging.ts"
import { parsePhone, type Phone } from "../../domain/Phone.ts"
import type { ConsoleSessions } from "../../services/user/ConsoleSessions.ts"
import type { Accounts } from "../../services/account/Accounts.ts"
import { Simulator } from "../../services/system/Simulator.ts"
import { refusalResponse, seeOther } from "../console/frame/Responses.ts"
import { isSameToken } from "../console/frame/Cookies.ts"
import { readForm } from "../console/forms/Forms.ts"
import { type ConsoleError, csrfFailed } from "../console/frame/Refusals.ts"
import { readVisit, type Visit } from "../console/frame/Visit.ts"
import { respondWithError, orEnvelope } from "../errors/Envelope.ts"
import type { ServedRoute } from "../RouteTable.ts"
import { acceptsHtml } from "./DocumentationPage.ts"
import { SIMULATOR_PATH } from "../console/Navigation.ts"
import { DELETE_PATH, personOf, simulatorPage } from "./SimulatorPage.ts"

const MESSAGES_PATH = "/simulator/messages"

export const simulatorRoutes: ReadonlyArray<ServedRoute> = [
  { method: "GET", path: SIMULATOR_PATH },
  { method: "GET", path: MESSAGES_PATH },
  { method: "POST", path: DELETE_PATH }
]

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

/** For people an error is a page, too; a program gets the envelope. */
const asPage = <R>(
  response: (visit: Visit) => Effect.Effect<HttpServerResponse.HttpServerResponse, ConsoleError, R>
) =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const visit = yield* readVisit
    return yield* Effect.catch(response(visit), (error: ConsoleError) =>
      error._tag === "csrf_failed" || acceptsHtml(request)
        ? Effect.succeed(refusalResponse(visit, error))
        : respondWithError(error)
    )
  })

/** Deletes a message, or all: for those who may change things of a customer's. */
const remove = Effect.fnUntraced(function* (visit: Visit) {
  const typed = yield* readForm
  const person = yield* personOf(visit)
  if (!isSameToken(typed.get("csrf"), person?.csrf ?? null))
    return yield* Effect.fail<ConsoleError>(csrfFailed)
  if (person?.actor.scope !== "full") return yield* Effect.fail<ConsoleError>(new ScopeInsufficient())
  const simulator = yield* Simulator
  const id = typed.get("id") ?? ""
  if (isIdPosition(id)) yield* simulator.remove(Number(id))
  else if (typed.get("all") === "true") yield* simulator.removeAll(null)
  return seeOther(SIMULATOR_PATH)
})

/** The simulator's page and its messages as JSON; mounted only if the simulator is on. */
export const SimulatorRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const services = yield* Effect.context<Accounts | ConsoleSessions | Simulator>()
    return Layer.mergeAll(
      HttpRouter.add("GET", SIMULATOR_PATH, Effect.provideContext(asPage(simulatorPage), services)),
      HttpRouter.add("POST", DELETE_PATH, Effect.provideContext(asPage(remove), services)),
      HttpRouter.add("GET", MESSAGES_PATH, messages)
    )
  })
)
