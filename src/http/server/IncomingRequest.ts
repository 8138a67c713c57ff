import { randomInt, randomUUID } from "node:crypto"
import { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { Admission } from "./Gate.ts"
import type { ServedPath } from "../RouteTable.ts"
import type { RequestTime } from "../../services/concurrency/Workers.ts"

interface BodyReader {
  /** The announced length. */
  readonly length: number
  /** Takes the whole body; returns false to put it back and decline the request. */
  readonly take: (bytes: Buffer) => boolean
  readonly decline: () => void
  /** Answers a request for whose work there is no room. */
  readonly refuse: () => void
}

/** One for all: a listener of each request's own would be kept, with all it refers to, while the request is answered. */
const readArrived = function (this: IncomingRequest): void {
  this.readArrived()
}

/** Node's request, with its admission. */
export class IncomingRequest extends IncomingMessage {
  #admission: Admission | undefined = undefined
  /** Null once the body has been taken. */
  #reader: BodyReader | null = null
  /** The route of its path; undefined if there is none. */
  served: ServedPath | undefined = undefined

  admittedAs(admission: Admission): void {
    this.#admission = admission
  }

  /** Undefined if it was not admitted. */
  get time(): RequestTime | undefined {
    return this.#admission
  }

  /** Reads a body of known length at once when all of it has arrived; declines a request whose body comes too late. */
  readWholeBody(reader: BodyReader): void {
    this.#reader = reader
    this.on("readable", readArrived)
    this.waitForBody(() => {
      this.#reader = null
      this.off("readable", readArrived)
      reader.decline()
    })
  }

  readArrived(): void {
    const reader = this.#reader
    // Only its end is left.
    if (reader === null) return void this.read()
    if (this.readableLength < reader.length) return
    this.#reader = null
    if (!this.endBodyWait()) return reader.refuse()
    const bytes: Buffer = this.read()
    if (reader.take(bytes)) return
    this.off("readable", readArrived).unshift(bytes)
    reader.decline()
  }

  /** `giveUp` is called if the body does not arrive in time. */
  waitForBody(giveUp: () => void): void {
    this.#admission?.waitForBody(giveUp)
  }

  /** The body has arrived. False if there is no room now for the request's work. */
  endBodyWait(): boolean {
    return this.#admission?.endBodyWait() ?? true
  }

  /**
   * Node destroys the requests that wait for their turn when their client goes, each with an error. Nobody sees it, and
   * to format the stacks of a hundred takes milliseconds.
   */
  override destroy(error?: Error): this {
    return super.destroy(this.#admission === undefined ? undefined : error)
  }

  /** The request counts as load once its whole body has arrived, even if it is never read. */
  override push(chunk: unknown, encoding?: BufferEncoding): boolean {
    if (chunk === null) this.endBodyWait()
    return super.push(chunk, encoding)
  }
}

/**
 * Node's response, which reports its turn on the connection, and when the application has done its part: it has ended
 * the response, or waits until the client has read some of it.
 */
export class OutgoingResponse<
  Request extends IncomingMessage = IncomingMessage
> extends ServerResponse<Request> {
  #admission: Admission | null = null
  #onTurn: (() => void) | null = null

  admittedAs(admission: Admission): void {
    this.#admission = admission
  }

  /** The class and state of its request, once that is admitted. */
  get admission(): Admission | null {
    return this.#admission
  }

  /** Called once all responses to earlier requests of the connection are sent. */
  whenItsTurnComes(onTurn: () => void): void {
    this.#onTurn = onTurn
  }

  override assignSocket(socket: Socket): void {
    super.assignSocket(socket)
    const onTurn = this.#onTurn
    if (onTurn === null) return
    this.#onTurn = null
    onTurn()
  }

  override write(
    chunk: unknown,
    encodingOrCallback?: BufferEncoding | ((error: Error | null | undefined) => void),
    callback?: (error: Error | null | undefined) => void
  ): boolean {
    const hasRoom =
      typeof encodingOrCallback === "string"
        ? super.write(chunk, encodingOrCallback, callback)
        : super.write(chunk, encodingOrCallback)
    const admission = this.#admission
    if (hasRoom) admission?.progress()
    else if (admission?.pause() === true) this.once("drain", () => admission.resume())
    return hasRoom
  }

  override end(callback?: () => void): this
  override end(chunk: unknown, callback?: () => void): this
  override end(chunk: unknown, encoding: BufferEncoding, callback?: () => void): this
  override end(...args: [chunk?: unknown, encoding?: unknown, callback?: unknown]): this {
    // Node tells these forms apart itself.
    super.end(...(args as [chunk: unknown, encoding: BufferEncoding, callback?: () => void]))
    this.#admission?.leave()
    return this
  }
}

const GIVEN_ID = /^[A-Za-z0-9._-]{1,128}$/
const NUMBER_DIGITS = 8
const NUMBERS = 2 ** (4 * NUMBER_DIGITS)

/** The caller's own id, if it is valid. */
export const givenRequestId = (header: string | ReadonlyArray<string> | undefined): string | undefined =>
  typeof header === "string" && GIVEN_ID.test(header) ? header : undefined

/**
 * Unique UUIDs: numbers after a random prefix, because drawing each costs a fiftieth of a request. The numbers are
 * permuted, so that they do not show how many requests there are.
 */
export const makeRequestIds = (): (() => string) => {
  let beginning = ""
  let step = 1
  let taken = NUMBERS
  return () => {
    if (taken === NUMBERS) {
      beginning = randomUUID().slice(0, -NUMBER_DIGITS)
      // Odd, so that it reaches each number once.
      step = randomInt(NUMBERS / 2) * 2 + 1
      taken = 0
    }
    taken++
    return beginning + (Math.imul(taken, step) >>> 0).toString(16).padStart(NUMBER_DIGITS, "0")
  }
}

const nextRequestId = makeRequestIds()

/** For responses that are sent before a request reaches the router. */
export const requestIdFor = (header: string | ReadonlyArray<string> | undefined): string =>
  givenRequestId(header) ?? nextRequestId()

/** Whether a request's headers announce a body. */
export const announcesBody = (
  headers: Readonly<Record<string, string | Array<string> | undefined>>
): boolean => headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) !== 0
