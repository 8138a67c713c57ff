import type { Instant } from "../../domain/Instant.ts"

/** Deliveries to one endpoint, and to all of one customer's, that this process makes at once. */
const MAX_OF_ENDPOINT = 8
const MAX_OF_CUSTOMER = 16
/** Before it is known how fast an endpoint answers. */
const FIRST_GUESS_MILLIS = 100
const MIN_WAIT_MILLIS = 50
const MAX_WAIT_MILLIS = 15 * 60_000

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
 * How many deliveries of each endpoint, and of each customer, this process makes at once: those that hang do not take the
 * room of others. Who finds no place is told when to come again, one after the other, at the pace at which the endpoint
 * answers: a backlog is not looked at all the time.
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
    /** A place, or when to come again. An endpoint is known by its customer and its lane. */
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
