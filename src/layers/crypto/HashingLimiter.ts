import { Effect } from "effect"
import { ServiceUnavailable, TooManySignIns } from "../../domain/Errors.ts"
import { FairQueue, type Place } from "../../services/concurrency/FairQueue.ts"
import type { HashingOrigin, HashingRefusal } from "../../services/access/Passwords.ts"

/** A thread computes them, at most one core in all. */
const AT_ONCE = 1
/**
 * Running or waiting, in this process. One customer cannot use up a network's share, and neither can use everything.
 * Waiting hashes keep the core busy for others' sends, so requests beyond this are refused at once, with Retry-After.
 */
const MAX_OF_CUSTOMER = 8
const MAX_OF_NETWORK = 32
const MAX_OF_BROWSER = 4
/** More would wait for seconds. */
const MAX_PRESENT = 128
/** Further ones by browsers that are known: a flood of unknown ones does not keep them out. */
const RESERVED_FOR_BROWSERS = 16
const RETRY_AFTER_SECONDS = 1

/** The number of entries per key. */
const makeCounts = () => {
  const counts = new Map<string | number, number>()
  const change = (key: string | number | null, by: number) => {
    if (key === null) return
    const count = (counts.get(key) ?? 0) + by
    if (count === 0) counts.delete(key)
    else counts.set(key, count)
  }
  return {
    of: (key: string | number | null): number => (key === null ? 0 : (counts.get(key) ?? 0)),
    change
  }
}

/** Where hashes are computed: one at a time, the others wait in a queue. */
export const makeHashingLimiter = () => {
  const queue = new FairQueue(AT_ONCE)
  const customers = makeCounts()
  const networks = makeCounts()
  const browsers = makeCounts()
  let present = 0
  const change = ({ customerId, network, browser = null }: HashingOrigin, by: number) => {
    customers.change(customerId, by)
    networks.change(network, by)
    browsers.change(browser, by)
    present += by
  }
  const refusal = ({ customerId, network, browser = null }: HashingOrigin): HashingRefusal | null => {
    const isOwnFault =
      customers.of(customerId) >= MAX_OF_CUSTOMER ||
      networks.of(network) >= MAX_OF_NETWORK ||
      browsers.of(browser) >= MAX_OF_BROWSER
    if (isOwnFault) return new TooManySignIns({ retryAfterSeconds: RETRY_AFTER_SECONDS })
    const bound = browser === null ? MAX_PRESENT : MAX_PRESENT + RESERVED_FOR_BROWSERS
    return present >= bound ? new ServiceUnavailable() : null
  }
  const enter = (lane: string, origin: HashingOrigin) => {
    change(origin, 1)
    return queue.join(lane)
  }
  const leave = (place: Place, origin: HashingOrigin) => {
    queue.leave(place)
    change(origin, -1)
  }

  const refuseIfFull = (origin: HashingOrigin): Effect.Effect<void, HashingRefusal> => {
    const refused = refusal(origin)
    return refused === null ? Effect.void : Effect.fail(refused)
  }

  const inTurn = <A, E>(lane: string, origin: HashingOrigin, work: Effect.Effect<A, E>) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.suspend((): Effect.Effect<A, E | HashingRefusal> => {
        const refused = refusal(origin)
        if (refused !== null) return Effect.fail(refused)
        const place = enter(lane, origin)
        return Effect.ensuring(
          restore(Effect.andThen(place.latch.await, work)),
          Effect.sync(() => leave(place, origin))
        )
      })
    )

  return { refuseIfFull, inTurn }
}
