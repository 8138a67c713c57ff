import { Context, Effect, Layer, Option, Redacted, Semaphore } from "effect"
import { SecureRandom } from "effect/crypto"
import { argon2, timingSafeEqual } from "node:crypto"
import {
  CURRENT_COST,
  formatHash,
  type HashCost,
  isOutdated,
  NONCE_BYTES,
  parseHash,
  TAG_BYTES
} from "../../domain/PasswordHash.ts"
import { ServiceUnavailable } from "../../domain/Errors.ts"
import { normalizePassword } from "../../domain/User.ts"
import { Passwords } from "../../services/manage/Passwords.ts"

/** Each takes 19 MiB, and one of the few threads that signatures are checked on as well. */
const AT_ONCE = 2
/** Who came later would wait for seconds. */
const MAX_WAITING = 64

type Compute = (
  password: string,
  nonce: Uint8Array,
  cost: HashCost,
  tagLength: number
) => Effect.Effect<Uint8Array>

/** One computation of argon2id, beside the event loop. */
export const Argon2 = Context.Reference<Compute>("peyk/layers/manage/PasswordsArgon2/Argon2", {
  defaultValue: () => (message, nonce, cost, tagLength) =>
    Effect.callback((resume) =>
      argon2("argon2id", { message, nonce, ...cost, tagLength }, (error, tag) =>
        resume(error === null ? Effect.succeed(tag) : Effect.die(error))
      )
    )
})

const NOBODY = {
  cost: CURRENT_COST,
  nonce: new Uint8Array(NONCE_BYTES),
  tag: new Uint8Array(TAG_BYTES)
}

export const PasswordsArgon2 = Layer.effect(
  Passwords,
  Effect.gen(function* () {
    const random = yield* SecureRandom.SecureRandom
    const compute = yield* Argon2
    const room = yield* Semaphore.make(AT_ONCE)
    let present = 0
    const tagOf = (password: Redacted.Redacted, nonce: Uint8Array, cost: HashCost, tagLength: number) =>
      Effect.suspend(() => {
        present += 1
        const computed = room.withPermit(
          Effect.suspend(() => compute(normalizePassword(Redacted.value(password)), nonce, cost, tagLength))
        )
        return Effect.ensuring(
          computed,
          Effect.sync(() => {
            present -= 1
          })
        )
      })

    return Passwords.of({
      hash: Effect.fnUntraced(function* (password) {
        const nonce = yield* random.randomBytes(NONCE_BYTES)
        const tag = yield* tagOf(password, nonce, CURRENT_COST, TAG_BYTES)
        return formatHash({ cost: CURRENT_COST, nonce, tag })
      }),

      verify: Effect.fnUntraced(function* (password, encoded) {
        if (present >= AT_ONCE + MAX_WAITING) return yield* new ServiceUnavailable()
        const known = encoded === null ? null : Option.getOrNull(parseHash(encoded))
        const { cost, nonce, tag } = known ?? NOBODY
        const computed = yield* tagOf(password, nonce, cost, tag.length)
        const matches = timingSafeEqual(computed, tag)
        return known === null
          ? { matches: false, isOutdated: false }
          : { matches, isOutdated: matches && isOutdated(known) }
      })
    })
  })
)
