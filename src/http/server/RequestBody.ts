import { Effect, Fiber } from "effect"
import { HttpServerRequest } from "effect/http"
import type { CodedError } from "../errors/Envelope.ts"
import type { Admission } from "./Gate.ts"
import { IncomingRequest } from "./IncomingRequest.ts"
import { type Link, LinkedSet } from "../../services/concurrency/Collections.ts"

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

/** Larger bodies get this many times the usual time. */
const LARGE_BODY_FACTOR = 2
const LARGE_BODIES = /^\/v1\/(?:(?:sandbox\/)?messages\/batch|manage\/accounts\/[^/?]+\/contacts)(?:$|\?)/

/** Requests that wait for their bodies, limited in time and, because of memory, in number. */
export class BodyWaits {
  readonly #timeoutMillis: number
  readonly #maxWaiting: number
  /** The oldest first. */
  readonly #waiting = new LinkedSet<Admission>()
  #givenUp = 0

  constructor(timeoutMillis: number, maxWaiting: number) {
    this.#timeoutMillis = timeoutMillis
    this.#maxWaiting = maxWaiting
  }

  /** When too many wait, the one that has waited longest is given up: other bodies arrive within milliseconds. */
  add(admission: Admission): Link<Admission> {
    if (this.#waiting.size >= this.#maxWaiting) {
      const [oldest] = this.#waiting
      oldest?.giveUpWaiting()
    }
    return this.#waiting.add(admission)
  }

  /** False if the wait ended before. */
  remove(link: Link<Admission>): boolean {
    return this.#waiting.remove(link)
  }

  giveUp(link: Link<Admission>): void {
    if (this.#waiting.remove(link)) this.#givenUp += 1
  }

  /** When a request's body must have arrived. */
  deadlineOf({ since, response: { req } }: Admission): number {
    const factor = LARGE_BODIES.test(req.url ?? "") ? LARGE_BODY_FACTOR : 1
    return since + this.#timeoutMillis * factor
  }

  giveUpOverdue(now: number): void {
    for (const admission of this.#waiting) {
      if (admission.since + this.#timeoutMillis > now) continue
      if (this.deadlineOf(admission) <= now) admission.giveUpWaiting()
    }
  }

  get size(): number {
    return this.#waiting.size
  }

  /** Bodies that did not arrive in time, since the start. */
  get givenUp(): number {
    return this.#givenUp
  }
}
