import { Effect, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { hashingOrigin, Passwords } from "../../../../services/access/Passwords.ts"
import { Workers } from "../../../../services/concurrency/Workers.ts"
import type { View } from "../../frame/SignedRoutes.ts"

/** Takes long: before any transaction. */
export const hashed = (view: View, password: Redacted.Redacted) =>
  Effect.gen(function* () {
    const passwords = yield* Passwords
    const workers = yield* Workers
    const origin = hashingOrigin(view.actor.customerId, view.origin.ip)
    return yield* workers.waitOutside("password")(passwords.hash(password, origin))
  })

const BYTES = 32

/** The password of somebody who was invited by a link: nobody knows it. */
export const unknownPassword = Effect.flatMap(SecureRandom.SecureRandom, (random) =>
  Effect.map(random.randomBytes(BYTES), (bytes) => Redacted.make(Buffer.from(bytes).toString("base64url")))
)
