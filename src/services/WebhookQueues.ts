import type { Instant } from "../domain/Instant.ts"

/** Deliveries to one endpoint that this process makes at once. */
const MAX_CONCURRENT = 8
/** Before it is known how fast an endpoint answers. */
const FIRST_GUESS_MILLIS = 100
const MIN_WAIT_MILLIS = 50
const MAX_WAIT_MILLIS = 30_000

interface Queue {
  running: number
  /** How long the last delivery took. */
  lastMillis: number
  /** When the next of those who wait may expect a place. */
  nextPlaceAt: Instant
}

export interface Place {
  readonly leave: (tookMillis: number) => void
}

/**
 * How many deliveries of each endpoint this process makes at once: one that hangs does not take the room of the others.
 * Who finds no place is told when to come again, one after the other, at the pace at which the endpoint answers.
 */
export const makeWebhookQueues = () => {
  const queues = new Map<number, Queue>()

  const queueOf = (endpointId: number): Queue => {
    const known = queues.get(endpointId)
    if (known !== undefined) return known
    const queue: Queue = { running: 0, lastMillis: FIRST_GUESS_MILLIS, nextPlaceAt: 0 }
    queues.set(endpointId, queue)
    return queue
  }

  const placeIn = (queue: Queue, endpointId: number): Place => {
    queue.running += 1
    return {
      leave: (tookMillis) => {
        queue.running -= 1
        queue.lastMillis = tookMillis
        if (queue.running === 0) queues.delete(endpointId)
      }
    }
  }

  return {
    /** A place, or when to come again. */
    enter: (endpointId: number, now: Instant): Place | Instant => {
      const queue = queueOf(endpointId)
      if (queue.running < MAX_CONCURRENT) return placeIn(queue, endpointId)
      const at = Math.min(Math.max(queue.nextPlaceAt, now + MIN_WAIT_MILLIS), now + MAX_WAIT_MILLIS)
      queue.nextPlaceAt = at + Math.ceil(queue.lastMillis / MAX_CONCURRENT)
      return at
    }
  }
}
