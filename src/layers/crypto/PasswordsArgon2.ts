import { Context, Effect, Layer, Option, Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { argon2, timingSafeEqual } from "node:crypto"
import { Worker } from "node:worker_threads"
import { ServiceUnavailable, TooManySignIns } from "../../domain/Errors.ts"
import {
  CURRENT_COST,
  formatHash,
  type HashCost,
  isOutdated,
  NONCE_BYTES,
  normalizePassword,
  parseHash,
  TAG_BYTES
} from "../../domain/user/Password.ts"
import { FairQueue, type Permit } from "../../services/concurrency/FairQueue.ts"
import { type HashingOrigin, type HashingRefusal, Passwords } from "../../services/user/Passwords.ts"

/** What argon2id is computed of. */
interface HashParameters {
  readonly message: string
  readonly nonce: Uint8Array
  readonly memory: number
  readonly passes: number
  readonly parallelism: number
  readonly tagLength: number
}

type Settle = (tag: Uint8Array | null) => void

const decodeResponse = Schema.decodeUnknownOption(
  Schema.Struct({ id: Schema.Int, tag: Schema.NullOr(Schema.Uint8Array) })
)

const WORKER = new URL("./HashingWorker.js", import.meta.url)

/**
 * A thread of low priority for this process, made when the first hash needs it. Node's own pool has four threads, and
 * signatures, files and names wait behind their hashes; all cores computed hashes while sends waited.
 */
export class HashingThread {
  #worker: Worker | null = null
  #next = 0
  readonly #jobs = new Map<number, Settle>()

  /** Null is settled if the thread has failed; the next hash starts another one. Throws if there can be no thread. */
  compute(parameters: HashParameters, settle: Settle): void {
    const worker = (this.#worker ??= this.#start())
    const id = this.#next
    this.#next += 1
    this.#jobs.set(id, settle)
    // only a hash in progress keeps the process from its end
    worker.ref()
    worker.postMessage({ id, ...parameters })
  }

  #start(): Worker {
    // it needs nothing of the environment, which has secrets
    const worker = new Worker(WORKER, { env: {}, execArgv: [] })
    worker.on("message", (response: unknown) => {
      Option.map(decodeResponse(response), ({ id, tag }) => this.#settle(worker, id, tag))
    })
    worker.on("error", () => this.#fail(worker))
    worker.on("exit", () => this.#fail(worker))
    return worker
  }

  #settle(worker: Worker, id: number, tag: Uint8Array | null): void {
    this.#jobs.get(id)?.(tag)
    this.#jobs.delete(id)
    if (this.#jobs.size === 0) worker.unref()
  }

  #fail(worker: Worker): void {
    if (this.#worker !== worker) return
    this.#worker = null
    const settles = [...this.#jobs.values()]
    this.#jobs.clear()
    for (const settle of settles) settle(null)
  }
}

/** On one of Node's own threads, where this process may start none. */
const computeInPool = ({ message, ...parameters }: HashParameters, settle: Settle) =>
  argon2("argon2id", { message, ...parameters }, (error, tag) => settle(error === null ? tag : null))

/** A computation cannot be stopped: until it ends, no other may begin in its place. */
export const hashOn = (
  thread: HashingThread,
  parameters: HashParameters
): Effect.Effect<Uint8Array, ServiceUnavailable> =>
  Effect.uninterruptible(
    Effect.callback((resume) => {
      const settle: Settle = (tag) =>
        resume(tag === null ? Effect.fail(new ServiceUnavailable()) : Effect.succeed(tag))
      try {
        thread.compute(parameters, settle)
      } catch {
        computeInPool(parameters, settle)
      }
    })
  )

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
const makeHashingLimiter = () => {
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
  const leave = (permit: Permit, origin: HashingOrigin) => {
    queue.leave(permit)
    change(origin, -1)
  }

  const refuseIfFull = (origin: HashingOrigin): Effect.Effect<void, HashingRefusal> => {
    const refused = refusal(origin)
    return refused === null ? Effect.void : Effect.fail(refused)
  }

  const withPermit = <A, E>(lane: string, origin: HashingOrigin, work: Effect.Effect<A, E>) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.suspend((): Effect.Effect<A, E | HashingRefusal> => {
        const refused = refusal(origin)
        if (refused !== null) return Effect.fail(refused)
        const permit = enter(lane, origin)
        return Effect.ensuring(
          restore(Effect.andThen(permit.latch.await, work)),
          Effect.sync(() => leave(permit, origin))
        )
      })
    )

  return { refuseIfFull, withPermit }
}

type Compute = (
  password: string,
  nonce: Uint8Array,
  cost: HashCost,
  tagLength: number
) => Effect.Effect<Uint8Array, ServiceUnavailable>

const thread = new HashingThread()

/** One computation of argon2id, outside the event loop. */
export const Argon2 = Context.Reference<Compute>("peyk/layers/crypto/PasswordsArgon2/Argon2", {
  defaultValue: () => (message, nonce, cost, tagLength) =>
    hashOn(thread, { message, nonce, ...cost, tagLength })
})

const NOBODY = {
  cost: CURRENT_COST,
  nonce: new Uint8Array(NONCE_BYTES),
  tag: new Uint8Array(TAG_BYTES)
}

/** By customer: a person who sets passwords is signed in. */
const settingLane = ({ customerId }: HashingOrigin): string => `customer:${customerId}`
/** By network: if it were by customer, the wait would reveal whether an e-mail address exists. */
const checkingLane = ({ network, browser = null }: HashingOrigin): string =>
  browser === null ? `network:${network}` : `browser:${browser}`

export const PasswordsArgon2 = Layer.effect(
  Passwords,
  Effect.gen(function* () {
    const random = yield* SecureRandom.SecureRandom
    const compute = yield* Argon2
    const limiter = makeHashingLimiter()
    const { withPermit } = limiter
    const tagOf = (password: Redacted.Redacted, nonce: Uint8Array, cost: HashCost, tagLength: number) =>
      Effect.suspend(() => compute(normalizePassword(Redacted.value(password)), nonce, cost, tagLength))

    return Passwords.of({
      refuseIfFull: (origin) => Effect.suspend(() => limiter.refuseIfFull(origin)),

      hash: Effect.fnUntraced(function* (password, origin) {
        const nonce = yield* random.randomBytes(NONCE_BYTES)
        const work = tagOf(password, nonce, CURRENT_COST, TAG_BYTES)
        const tag = yield* withPermit(settingLane(origin), origin, work)
        return formatHash({ cost: CURRENT_COST, nonce, tag })
      }),

      verify: Effect.fnUntraced(function* (password, encoded, origin) {
        const known = encoded === null ? null : Option.getOrNull(parseHash(encoded))
        const { cost, nonce, tag } = known ?? NOBODY
        const work = tagOf(password, nonce, cost, tag.length)
        const computed = yield* withPermit(checkingLane(origin), origin, work)
        const matches = timingSafeEqual(computed, tag)
        return known === null
          ? { matches: false, isOutdated: false }
          : { matches, isOutdated: matches && isOutdated(known) }
      })
    })
  })
)
