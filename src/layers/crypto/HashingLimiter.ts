import { Effect } from "effect"
import { ServiceUnavailable, TooManySignIns } from "../../domain/Errors.ts"
import { FairQueue, type Place } from "../../services/concurrency/FairQueue.ts"
import type { HashingOrigin, HashingRefusal } from "../../services/access/Passwords.ts"

/** Each hash takes 19 MiB and one of a few threads, which also check signatures. */
const AT_ONCE = 2
/**
 * Running or waiting, in this process. One customer cannot use up a network's share, and neither can use everything.
 */
const MAX_OF_CUSTOMER = 32
const MAX_OF_NETWORK = 96
/** More would wait for seconds. */
const MAX_PRESENT = 192
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

/** Where hashes are computed: a few at once, the others wait in a queue. */
export const makeHashingLimiter = () => {
  const queue = new FairQueue(AT_ONCE)
  const customers = makeCounts()
  const networks = makeCounts()
  let present = 0
  const change = ({ customerId, network }: HashingOrigin, by: number) => {
    customers.change(customerId, by)
    networks.change(network, by)
    present += by
  }
  const refusal = ({ customerId, network }: HashingOrigin): HashingRefusal | null => {
    const isOwnFault = customers.of(customerId) >= MAX_OF_CUSTOMER || networks.of(network) >= MAX_OF_NETWORK
    if (isOwnFault) return new TooManySignIns({ retryAfterSeconds: RETRY_AFTER_SECONDS })
    return present >= MAX_PRESENT ? new ServiceUnavailable() : null
  }
  const enter = (lane: string, origin: HashingOrigin) => {
    change(origin, 1)
    return queue.join(lane)
  }
  const leave = (place: Place, origin: HashingOrigin) => {
    queue.leave(place)
    change(origin, -1)
  }

  return <A>(lane: string, origin: HashingOrigin, work: Effect.Effect<A>) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.suspend((): Effect.Effect<A, HashingRefusal> => {
        const refused = refusal(origin)
        if (refused !== null) return Effect.fail(refused)
        const place = enter(lane, origin)
        return Effect.ensuring(
          restore(Effect.andThen(place.latch.await, work)),
          Effect.sync(() => leave(place, origin))
        )
      })
    )
}
