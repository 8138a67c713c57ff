import { type Clock, Effect, type Option } from "effect"
import { type Instant, MINUTE_MILLIS } from "../../domain/Instant.ts"
import { type Link, LinkedSet } from "../concurrency/Collections.ts"

/** How many requests this process makes at once to one endpoint, and to all of one customer's. */
const MAX_OF_ENDPOINT = 8
const MAX_OF_CUSTOMER = 16
/** How many deliveries of one customer are in this process: those requests, and those that wait for their turn. */
export const MAX_ADMITTED_OF_CUSTOMER = 128
/** As many wait as the endpoint takes in this time, so a slow one has few. None waits longer. */
const MAX_TURN_MILLIS = 500
/** The assumed time of a request before an endpoint's speed is known. */
const FIRST_GUESS_MILLIS = 50
const MIN_WAIT_MILLIS = 50
const MAX_WAIT_MILLIS = 15 * MINUTE_MILLIS

interface Queue {
  /** When each of the running requests began, the oldest first. */
  readonly running: LinkedSet<{ readonly at: Instant }>
  admitted: number
  /** The duration of the last request. */
  lastMillis: number
  /** When the next delivery that was turned away can expect a turn. */
  nextTurnAt: Instant
}

interface Customer {
  readonly queues: Map<number, Queue>
  running: number
  admitted: number
  /** In the order of their arrival. */
  readonly waiting: LinkedSet<Turn>
}

/** A delivery that waits. */
interface Turn {
  readonly queue: Queue
  readonly begin: () => void
  readonly turnAway: () => void
}

/** A delivery that may wait in this process for its turn. */
export interface Admission {
  /** Makes a request when it is its turn; none if that takes too long. */
  readonly withPermit: <A, E, R>(request: Effect.Effect<A, E, R>) => Effect.Effect<Option.Option<A>, E, R>
  /** When a delivery whose turn did not come comes back. */
  readonly comeBackAt: (now: Instant) => Instant
  /** The endpoint accepts nothing any more: the turns of others that wait for it do not come. */
  readonly turnOthersAway: () => void
  readonly leave: () => void
}

const hasRoom = ({ running }: Customer, queue: Queue): boolean =>
  running < MAX_OF_CUSTOMER && queue.running.size < MAX_OF_ENDPOINT

/** A request that hangs shows how slow the endpoint is before it ends. */
const millisOf = ({ running, lastMillis }: Queue, now: Instant): number => {
  const [oldest] = running
  return Math.max(lastMillis, oldest === undefined ? 0 : now - oldest.at)
}

const mostAdmitted = (queue: Queue, now: Instant): number =>
  MAX_OF_ENDPOINT + Math.floor((MAX_TURN_MILLIS * MAX_OF_ENDPOINT) / Math.max(1, millisOf(queue, now)))

/** Begins those that wait, in their order, where there is room. */
const beginWaiting = (customer: Customer) => {
  for (const turn of customer.waiting) {
    if (customer.running >= MAX_OF_CUSTOMER) return
    if (hasRoom(customer, turn.queue)) turn.begin()
  }
}

const turnAway = (customer: Customer, queue: Queue) => {
  for (const turn of customer.waiting) if (turn.queue === queue) turn.turnAway()
}

const comeBackAt = (queue: Queue, now: Instant): Instant => {
  const at = Math.min(Math.max(queue.nextTurnAt, now + MIN_WAIT_MILLIS), now + MAX_WAIT_MILLIS)
  queue.nextTurnAt = at + Math.ceil(millisOf(queue, now) / MAX_OF_ENDPOINT)
  return at
}

/** One delivery's permit to be among the running requests, which it takes when there is room. */
const makePermit = (clock: Clock.Clock, customer: Customer, queue: Queue) => {
  let taken: { readonly at: Instant; readonly link: Link<{ readonly at: Instant }> } | undefined
  const take = () => {
    const at = clock.currentTimeMillisUnsafe()
    taken = { at, link: queue.running.add({ at }) }
    customer.running += 1
  }
  const leave = () => {
    if (taken === undefined) return
    queue.running.remove(taken.link)
    customer.running -= 1
    queue.lastMillis = clock.currentTimeMillisUnsafe() - taken.at
    taken = undefined
    beginWaiting(customer)
  }
  const turn = Effect.callback<void>((resume) => {
    const turnAway = () => {
      customer.waiting.remove(link)
      resume(Effect.void)
    }
    const begin = () => {
      take()
      turnAway()
    }
    const link = customer.waiting.add({ queue, begin, turnAway })
    return Effect.sync(() => void customer.waiting.remove(link))
  })
  const entered = Effect.suspend(() => {
    if (!hasRoom(customer, queue)) return Effect.asVoid(Effect.timeoutOption(turn, MAX_TURN_MILLIS))
    take()
    return Effect.void
  })
  return {
    leave,
    withPermit: <A, E, R>(request: Effect.Effect<A, E, R>): Effect.Effect<Option.Option<A>, E, R> =>
      Effect.flatMap(entered, () =>
        taken === undefined ? Effect.succeedNone : Effect.asSome(Effect.ensuring(request, Effect.sync(leave)))
      )
  }
}

/**
 * The deliveries of this process: how many requests it makes at once for each endpoint and each customer, so that
 * hanging ones do not take the permits of others. Some wait here for their turn, while the endpoint is quick. A further
 * one gets a time to come back, one after the other, at the endpoint's speed. So a backlog is not read all the time.
 */
export const makeWebhookQueues = (clock: Clock.Clock) => {
  const customers = new Map<number, Customer>()

  const customerOf = (customerId: number): Customer => {
    const known = customers.get(customerId)
    if (known !== undefined) return known
    const customer: Customer = { queues: new Map(), running: 0, admitted: 0, waiting: new LinkedSet() }
    customers.set(customerId, customer)
    return customer
  }

  const queueOf = ({ queues }: Customer, lane: number): Queue => {
    const known = queues.get(lane)
    if (known !== undefined) return known
    const running = new LinkedSet<{ readonly at: Instant }>()
    const queue: Queue = { running, admitted: 0, lastMillis: FIRST_GUESS_MILLIS, nextTurnAt: 0 }
    queues.set(lane, queue)
    return queue
  }

  return {
    /** Admits it, or says when to come back. The customer and the lane identify an endpoint. */
    enter: (customerId: number, lane: number, now: Instant): Admission | Instant => {
      const customer = customerOf(customerId)
      const queue = queueOf(customer, lane)
      const isFull =
        customer.admitted >= MAX_ADMITTED_OF_CUSTOMER || queue.admitted >= mostAdmitted(queue, now)
      if (isFull) return comeBackAt(queue, now)
      queue.admitted += 1
      customer.admitted += 1
      const permit = makePermit(clock, customer, queue)
      return {
        withPermit: permit.withPermit,
        comeBackAt: (later) => comeBackAt(queue, later),
        turnOthersAway: () => turnAway(customer, queue),
        leave: () => {
          permit.leave()
          queue.admitted -= 1
          customer.admitted -= 1
          if (queue.admitted === 0) customer.queues.delete(lane)
          if (customer.admitted === 0) customers.delete(customerId)
        }
      }
    }
  }
}
