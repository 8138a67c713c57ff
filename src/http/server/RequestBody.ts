import { Effect, Fiber } from "effect"
import { HttpServerRequest } from "effect/http"
import type { CodedError } from "../errors/Envelope.ts"
import { IncomingRequest } from "./IncomingRequest.ts"

const tooLate: CodedError = { _tag: "request_timeout" }
const noRoom: CodedError = { _tag: "service_unavailable" }

const comeToWork = (source: IncomingRequest) =>
  Effect.suspend(() => (source.endBodyWait() ? Effect.void : Effect.fail(noRoom)))

/** Whether a request's headers announce a body. */
export const announcesBody = (
  headers: Readonly<Record<string, string | Array<string> | undefined>>
): boolean => headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) !== 0

/**
 * Waits until the request's whole body has arrived, and stores it. The next reader handles what is wrong with the
 * body.
 */
export const awaitBody = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  const { source } = request
  if (!(source instanceof IncomingRequest)) return
  if (source.complete) return yield* comeToWork(source)
  const givenUp = Effect.callback<never, CodedError>((resume) => {
    source.waitForBody(() => resume(Effect.fail(tooLate)))
  })
  // Interrupting the read would close the connection before the response.
  const reading = yield* Effect.forkDetach(request.arrayBuffer)
  return yield* Effect.raceFirst(givenUp, Effect.andThen(Fiber.await(reading), comeToWork(source)))
})
