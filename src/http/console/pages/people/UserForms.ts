import { Clock, Effect, Option, Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { NotFound } from "../../../../domain/Errors.ts"
import { Instant } from "../../../../domain/Instant.ts"
import { hashingOrigin, Passwords } from "../../../../services/access/Passwords.ts"
import { SignInLinks } from "../../../../services/access/SignInLinks.ts"
import { Workers } from "../../../../services/concurrency/Workers.ts"
import { auditEntriesOf } from "../../../../services/resources/ManagementWrites.ts"
import type { View } from "../../frame/SignedRoutes.ts"
import { writeOnce } from "../../frame/forms/Writes.ts"

export const userEntry = auditEntriesOf("user")

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

/** What the page of a sign-in link shows. */
const ShownLink = Schema.Struct({
  secret: Schema.RedactedFromValue(Schema.String),
  expiresAt: Instant
})
export type ShownLink = typeof ShownLink.Type

/** A link that signs this user in once. */
export const newSignInLink = Effect.fnUntraced(function* (view: View, email: string) {
  const links = yield* SignInLinks
  const now = yield* Clock.currentTimeMillis
  return yield* writeOnce(
    view,
    "user.create_sign_in_link",
    ShownLink,
    Effect.flatMap(
      links.create(view.actor.customerId, email, now),
      Option.match({
        onNone: () => Effect.fail(new NotFound()),
        onSome: ({ userId, secret, expiresAt }) =>
          Effect.succeed({
            result: { secret, expiresAt },
            audit: userEntry("create_sign_in_link", userId)
          })
      })
    )
  )
})
