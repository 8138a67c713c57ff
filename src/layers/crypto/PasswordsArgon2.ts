import { Context, Effect, Layer, Option, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { timingSafeEqual } from "node:crypto"
import type { ServiceUnavailable } from "../../domain/Errors.ts"
import {
  CURRENT_COST,
  formatHash,
  type HashCost,
  isOutdated,
  NONCE_BYTES,
  parseHash,
  TAG_BYTES
} from "../../domain/people/PasswordHash.ts"
import { normalizePassword } from "../../domain/people/User.ts"
import { type HashingOrigin, Passwords } from "../../services/access/Passwords.ts"
import { makeHashingLimiter } from "./HashingLimiter.ts"
import { HashingThread, hashOn } from "./HashingThread.ts"

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
    const { inTurn } = limiter
    const tagOf = (password: Redacted.Redacted, nonce: Uint8Array, cost: HashCost, tagLength: number) =>
      Effect.suspend(() => compute(normalizePassword(Redacted.value(password)), nonce, cost, tagLength))

    return Passwords.of({
      refuseIfFull: (origin) => Effect.suspend(() => limiter.refuseIfFull(origin)),

      hash: Effect.fnUntraced(function* (password, origin) {
        const nonce = yield* random.randomBytes(NONCE_BYTES)
        const work = tagOf(password, nonce, CURRENT_COST, TAG_BYTES)
        const tag = yield* inTurn(settingLane(origin), origin, work)
        return formatHash({ cost: CURRENT_COST, nonce, tag })
      }),

      verify: Effect.fnUntraced(function* (password, encoded, origin) {
        const known = encoded === null ? null : Option.getOrNull(parseHash(encoded))
        const { cost, nonce, tag } = known ?? NOBODY
        const work = tagOf(password, nonce, cost, tag.length)
        const computed = yield* inTurn(checkingLane(origin), origin, work)
        const matches = timingSafeEqual(computed, tag)
        return known === null
          ? { matches: false, isOutdated: false }
          : { matches, isOutdated: matches && isOutdated(known) }
      })
    })
  })
)
