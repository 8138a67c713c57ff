import type { Instant } from "../../domain/Instant.ts"

/** How many deliveries this process makes at once to one endpoint, and to all of one customer's. */
const MAX_OF_ENDPOINT = 8
const MAX_OF_CUSTOMER = 16
/** The assumed time before an endpoint's speed is known. */
const FIRST_GUESS_MILLIS = 100
const MIN_WAIT_MILLIS = 50
const MAX_WAIT_MILLIS = 15 * 60_000

interface Queue {
  running: number
  /** The duration of the last delivery. */
  lastMillis: number
  /** When the next waiting delivery can expect a place. */
  nextPlaceAt: Instant
}

export interface Place {
  readonly leave: (tookMillis: number) => void
}

/**
 * How many deliveries this process makes at once for each endpoint and each customer: hanging ones do not take the
 * places of others. A delivery without a place gets a time to come back, one after the other, at the endpoint's
 * speed. So a backlog is not read all the time.
 */
export const makeWebhookQueues = () => {
  const queues = new Map<string, Queue>()
  const ofCustomers = new Map<number, number>()

  const queueOf = (key: string): Queue => {
    const known = queues.get(key)
    if (known !== undefined) return known
    const queue: Queue = { running: 0, lastMillis: FIRST_GUESS_MILLIS, nextPlaceAt: 0 }
    queues.set(key, queue)
    return queue
  }

  const count = (customerId: number, change: number) => {
    const running = (ofCustomers.get(customerId) ?? 0) + change
    if (running === 0) ofCustomers.delete(customerId)
    else ofCustomers.set(customerId, running)
  }

  const placeIn = (queue: Queue, key: string, customerId: number): Place => {
    queue.running += 1
    count(customerId, 1)
    return {
      leave: (tookMillis) => {
        queue.running -= 1
        count(customerId, -1)
        queue.lastMillis = tookMillis
        if (queue.running === 0) queues.delete(key)
      }
    }
  }

  return {
    /** A place, or when to come back. The customer and the lane identify an endpoint. */
    enter: (customerId: number, lane: number, now: Instant): Place | Instant => {
      const key = `${customerId}:${lane}`
      const queue = queueOf(key)
      const hasRoom = queue.running < MAX_OF_ENDPOINT && (ofCustomers.get(customerId) ?? 0) < MAX_OF_CUSTOMER
      if (hasRoom) return placeIn(queue, key, customerId)
      const at = Math.min(Math.max(queue.nextPlaceAt, now + MIN_WAIT_MILLIS), now + MAX_WAIT_MILLIS)
      queue.nextPlaceAt = at + Math.ceil(queue.lastMillis / MAX_OF_ENDPOINT)
      return at
    }
  }
}
