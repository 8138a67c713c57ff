import type { RequestClass, RouteTraits } from "../RouteTable.ts"
import { LARGE_BODY_FACTOR } from "../BodyLimits.ts"
import type { OutgoingResponse } from "./IncomingRequest.ts"
import { type Link, LinkedSet } from "../../services/concurrency/Collections.ts"
import type { Load, RequestTime, Waiting } from "../../services/concurrency/Workers.ts"

/** Unless the operator sets others. */
export const defaultOverload = {
  maxRequestsInFlight: 4096,
  overloadDelayMillis: 500,
  /** After about so many requests the code of a send is compiled, and its connections are open. */
  coldRequests: 10_000
}

export interface OverloadBounds {
  /** Requests in flight, including those that wait for a provider. */
  readonly maxInFlight: number
  /** If a response would take longer than this (without the provider's part), the request is refused at once. */
  readonly maxDelayMillis: number
  /** Until a new process has finished so many requests, it may take `COLD_FACTOR` times as long. */
  readonly coldRequests: number
}

export interface OverloadSnapshot {
  /** A response that the application has ended, and its client has not read, is not in flight. */
  readonly inFlight: Readonly<Record<RequestClass, number>>
  /** Refused since the start. */
  readonly shed: Readonly<Record<RequestClass, number>>
  /** In flight, without those that wait: for a provider, an account's slot, or the hash of a password. */
  readonly working: number
  readonly waiting: number
  /** How many requests can be working now. */
  readonly limit: number
  readonly maxInFlight: number
}

/**
 * The part of the room that each class can fill. Each class is compared only with its own count, so a full class
 * blocks no other.
 */
const SHARES: Readonly<Record<RequestClass, number>> = {
  vital: 1,
  check: 1,
  send: 0.5,
  manage: 0.25,
  public: 0.125,
  asset: 0.125
}

/** Which of those that wait belong to a class. */
const WAITING: Readonly<Partial<Record<RequestClass, Waiting>>> = {
  send: "send",
  manage: "password",
  public: "sign_in"
}

/** The minimum of working requests: so few finish in time, or nothing does. */
const LEAST_LIMIT = 128
const GROWTH = 1.25

/** A new process is slower than it will be: its first seconds do not tell how much it can do. */
const COLD_FACTOR = 4

const roomIn = (total: number, kind: RequestClass): number => Math.max(1, Math.floor(total * SHARES[kind]))

const zeros = (): Record<RequestClass, number> => ({
  vital: 0,
  check: 0,
  send: 0,
  manage: 0,
  public: 0,
  asset: 0
})

/**
 * Decides, before any other work, whether to admit a request.
 *
 * There are two bounds: on all requests in flight, and on working ones, which do not wait for others. The second
 * one follows the throughput (Little's law). Every `maxDelayMillis`, or four times that while the process is new, it is compared: if more requests are working than
 * arrived since, some have worked for longer than that, and the bound becomes the number finished in that time.
 * Otherwise it grows again. When the load falls nothing needs to recover: a request that finds room is admitted.
 *
 * Times are monotonic milliseconds. A call costs well under a microsecond.
 */
export const makeOverloadGate = (
  { maxInFlight, maxDelayMillis, coldRequests }: OverloadBounds,
  load: Load
) => {
  const inFlight = zeros()
  const shed = zeros()
  const leastLimit = Math.min(LEAST_LIMIT, maxInFlight)
  let entered = 0
  let finished = 0
  let limit = maxInFlight
  let windowStart = 0
  let workingAtStart = 0
  let cameIn = 0

  const waiting = () => load.waiting.send + load.waiting.sign_in + load.waiting.password
  const working = () => Math.max(0, entered - waiting())

  // Only sends have work that outlives their requests.
  const inFlightOf = (kind: RequestClass) =>
    kind === "send" ? Math.max(inFlight.send, load.running) : inFlight[kind]
  const workingOf = (kind: RequestClass) => {
    const who = WAITING[kind]
    return who === undefined ? inFlight[kind] : Math.max(0, inFlight[kind] - load.waiting[who])
  }

  const count = (kind: RequestClass) => {
    inFlight[kind] += 1
    if (kind === "vital") return
    entered += 1
    cameIn += 1
  }

  const windowMillis = () => (finished < coldRequests ? COLD_FACTOR : 1) * maxDelayMillis

  const adapt = (now: number) => {
    const atWork = working()
    const done = workingAtStart + cameIn - atWork
    const next = atWork > cameIn ? done : Math.max(done, limit * GROWTH)
    limit = Math.min(maxInFlight, Math.max(leastLimit, next))
    windowStart = now
    workingAtStart = atWork
    cameIn = 0
  }

  /** Whether to admit a request; one that is not admitted counts as refused. */
  const hasRoom = (kind: RequestClass, now: number): boolean => {
    if (now - windowStart >= windowMillis()) adapt(now)
    if (kind === "vital") return true
    const isFull = inFlightOf(kind) >= roomIn(maxInFlight, kind)
    if (!isFull && workingOf(kind) < roomIn(limit, kind)) return true
    shed[kind] += 1
    return false
  }

  return {
    hasRoom,
    enter: (kind: RequestClass, now: number): boolean => {
      if (!hasRoom(kind, now)) return false
      count(kind)
      return true
    },
    /** A request goes on that left while its client was reading. It was admitted, so it is never refused. */
    enterAgain: count,
    leave: (kind: RequestClass): void => {
      inFlight[kind] -= 1
      if (kind === "vital") return
      entered -= 1
      finished += 1
    },
    snapshot: (): OverloadSnapshot => ({
      inFlight: { ...inFlight },
      shed: { ...shed },
      working: working(),
      waiting: waiting(),
      limit: Math.floor(limit),
      maxInFlight
    })
  }
}

export type OverloadGate = ReturnType<typeof makeOverloadGate>

/** How often the time for a request begins again while its response goes on. Other writes cost nothing. */
const PROGRESS_MILLIS = 250

/** Where admitted requests are counted. */
export interface Counts {
  readonly gate: OverloadGate
  readonly waits: BodyWaits
  /** The requests that the application works on, the oldest first. */
  readonly open: LinkedSet<Admission>
  /** How to end the responses that are streams. */
  readonly streams: LinkedSet<() => void>
}

const ignore = () => {}

/**
 * A request from its headers until the application has ended its response. The gate counts it, except while it waits for
 * its body, or for its client to read: neither is work.
 */
export class Admission implements RequestTime {
  readonly response: OutgoingResponse
  readonly traits: RouteTraits
  readonly #counts: Counts
  #since: number
  #isCounted = false
  #hasRoom = true
  #wait: Link<Admission> | null = null
  #link: Link<Admission> | null = null
  #stream: Link<() => void> | null = null
  /** Waits for others, which can overlap. */
  #waitsOutside = 0
  #outsideSince = 0
  #outsideMillis = 0
  #isPaused = false
  #isGivenUp = false
  #giveUp = ignore

  constructor(response: OutgoingResponse, traits: RouteTraits, since: number, counts: Counts) {
    this.response = response
    this.traits = traits
    this.#since = since
    this.#counts = counts
  }

  /** Monotonic milliseconds: since when the application has worked on it, or on the next part of its response. */
  get since(): number {
    return this.#since
  }

  /** How long it has taken of that, without its body and without waits for others. */
  ownMillis(now: number): number {
    if (this.#wait !== null) return 0
    const outside = this.#waitsOutside > 0 ? now - this.#outsideSince : 0
    return now - this.#since - this.#outsideMillis - outside
  }

  stop(): void {
    if (this.#waitsOutside === 0) this.#outsideSince = performance.now()
    this.#waitsOutside += 1
  }

  goOn(): void {
    this.#waitsOutside -= 1
    if (this.#waitsOutside === 0) this.#outsideMillis += performance.now() - this.#outsideSince
  }

  /** False if there is no room. A request with a body counts once its body has arrived. */
  begin(hasBody: boolean): boolean {
    const { gate, waits, open } = this.#counts
    if (hasBody) {
      if (!gate.hasRoom(this.traits.load, this.#since)) return false
      this.#wait = waits.add(this)
    } else {
      this.#isCounted = gate.enter(this.traits.load, this.#since)
      if (!this.#isCounted) return false
    }
    this.#link = open.add(this)
    return true
  }

  waitForBody(giveUp: () => void): void {
    if (this.#isGivenUp) giveUp()
    else this.#giveUp = giveUp
  }

  giveUpWaiting(): void {
    this.#isGivenUp = true
    if (this.#wait !== null) this.#counts.waits.giveUp(this.#wait)
    this.#giveUp()
  }

  /** False if there was no room when the body had arrived. */
  endBodyWait(): boolean {
    if (this.#wait !== null) {
      this.#counts.waits.remove(this.#wait)
      this.#wait = null
      this.#giveUp = ignore
      const now = performance.now()
      this.#outsideMillis = now - this.#since
      this.#hasRoom = this.#counts.gate.enter(this.traits.load, now)
      this.#isCounted = this.#hasRoom
    }
    return this.#hasRoom
  }

  /** The client has to read before the application can go on. False if the request does not count anyway. */
  pause(): boolean {
    if (this.#link === null || this.#isPaused || this.#wait !== null) return false
    this.#isPaused = true
    this.#counts.open.remove(this.#link)
    if (this.#isCounted) this.#counts.gate.leave(this.traits.load)
    return true
  }

  /** The client has read. */
  resume(): void {
    if (!this.#isPaused) return
    this.#isPaused = false
    this.#since = performance.now()
    this.#outsideMillis = 0
    this.#link = this.#counts.open.add(this)
    if (this.#isCounted) this.#counts.gate.enterAgain(this.traits.load)
  }

  /** The rest of the response is no work that others wait for: it is as if the client were reading until the end. */
  stream(end: () => void): void {
    if (!this.pause()) return
    this.#stream = this.#counts.streams.add(end)
  }

  /** The application has written a part of the response: the next has as much time as a whole response. */
  progress(): void {
    if (this.#link === null || this.#isPaused || this.#wait !== null) return
    const now = performance.now()
    if (now - this.#since < PROGRESS_MILLIS) return
    this.#since = now
    this.#outsideMillis = 0
    this.#outsideSince = now
    this.#counts.open.remove(this.#link)
    this.#link = this.#counts.open.add(this)
  }

  /** The application has ended the response, or the client is gone. */
  leave(): void {
    if (this.#link === null) return
    const { gate, waits, open, streams } = this.#counts
    if (this.#stream !== null) streams.remove(this.#stream)
    this.#stream = null
    if (this.#wait !== null) waits.remove(this.#wait)
    this.#wait = null
    if (!this.#isPaused) {
      open.remove(this.#link)
      if (this.#isCounted) gate.leave(this.traits.load)
    }
    this.#isPaused = false
    this.#link = null
  }
}

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
  deadlineOf({ since, traits }: Admission): number {
    return since + this.#timeoutMillis * (traits.hasLargeBody ? LARGE_BODY_FACTOR : 1)
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
