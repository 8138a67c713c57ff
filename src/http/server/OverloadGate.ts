import type { RequestClass } from "./RequestClass.ts"

export interface OverloadBounds {
  /** Requests in flight, with those that wait for a provider. */
  readonly maxInFlight: number
  /** An answer that would take longer than this (not counting the provider's part) is refused at once instead. */
  readonly maxDelayMillis: number
}

/** What of the requests' work outlives, or waits outside of, the HTTP server. */
export interface WorkLoad {
  /** Requests whose work has to come to its end, also when the client has hung up. */
  readonly running: number
  /** Those of them that wait for others: a provider, an account's slot. */
  readonly waiting: number
}

export interface OverloadSnapshot {
  readonly inFlight: Readonly<Record<RequestClass, number>>
  /** Refused since the start. */
  readonly shed: Readonly<Record<RequestClass, number>>
  /** In flight without those that wait for others. */
  readonly working: number
  readonly waiting: number
  /** How many may be working now. */
  readonly limit: number
  readonly maxInFlight: number
}

/**
 * The part of the room that each class may fill. Each is compared with its own count alone, so that a class that is full
 * stops no other.
 */
const SHARES: Readonly<Record<RequestClass, number>> = {
  vital: 1,
  check: 1,
  send: 0.5,
  manage: 0.25,
  public: 0.125
}

/** Never fewer at work than this: so few are answered in time, or nothing is. */
const LEAST_LIMIT = 128
const GROWTH = 1.25

const roomIn = (total: number, kind: RequestClass): number => Math.max(1, Math.floor(total * SHARES[kind]))

const zeros = (): Record<RequestClass, number> => ({ vital: 0, check: 0, send: 0, manage: 0, public: 0 })

/**
 * Decides, before anything else is done for a request, whether to take it on.
 *
 * Two bounds: on all that is in flight, and on what is at work, that is without what waits for a provider. The second one
 * follows the pace (Little's law): looked at every `maxDelayMillis`, if more are at work than came in since, some have
 * been at work for longer than that, and as many are let in as were done in that time; otherwise it grows again. When
 * load falls nothing has to recover: whoever finds room is let in.
 *
 * Times are monotonic milliseconds. A call costs well under a microsecond.
 */
export const makeOverloadGate = ({ maxInFlight, maxDelayMillis }: OverloadBounds, load: WorkLoad) => {
  const inFlight = zeros()
  const shed = zeros()
  const leastLimit = Math.min(LEAST_LIMIT, maxInFlight)
  let entered = 0
  let limit = maxInFlight
  let windowStart = 0
  let workingAtStart = 0
  let cameIn = 0

  const working = () => Math.max(0, entered - load.waiting)

  // Only sends have work that outlives their requests, or waits for others.
  const inFlightOf = (kind: RequestClass) =>
    kind === "send" ? Math.max(inFlight.send, load.running) : inFlight[kind]
  const workingOf = (kind: RequestClass) =>
    kind === "send" ? Math.max(0, inFlight.send - load.waiting) : inFlight[kind]

  const adapt = (now: number) => {
    const atWork = working()
    const done = workingAtStart + cameIn - atWork
    const next = atWork > cameIn ? done : Math.max(done, limit * GROWTH)
    limit = Math.min(maxInFlight, Math.max(leastLimit, next))
    windowStart = now
    workingAtStart = atWork
    cameIn = 0
  }

  /** Whether a request would be let in; one that would not counts as refused. */
  const hasRoom = (kind: RequestClass, now: number): boolean => {
    if (now - windowStart >= maxDelayMillis) adapt(now)
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
      inFlight[kind] += 1
      if (kind === "vital") return true
      entered += 1
      cameIn += 1
      return true
    },
    leave: (kind: RequestClass): void => {
      inFlight[kind] -= 1
      if (kind !== "vital") entered -= 1
    },
    snapshot: (): OverloadSnapshot => ({
      inFlight: { ...inFlight },
      shed: { ...shed },
      working: working(),
      waiting: load.waiting,
      limit: Math.floor(limit),
      maxInFlight
    })
  }
}

export type OverloadGate = ReturnType<typeof makeOverloadGate>
