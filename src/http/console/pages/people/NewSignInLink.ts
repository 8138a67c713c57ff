import { Clock, Effect, Option, Schema } from "effect"
import { NotFound } from "../../../../domain/Errors.ts"
import { Instant } from "../../../../domain/Instant.ts"
import { SignInLinks } from "../../../../services/access/SignInLinks.ts"
import { auditEntriesOf } from "../../../../services/resources/ManagementWrites.ts"
import { writeOnce } from "../../frame/forms/Writes.ts"
import { requireFresh, type View } from "../../frame/SignedRoutes.ts"

const userEntry = auditEntriesOf("user")

/** What the page of a sign-in link shows. */
const ShownLink = Schema.Struct({
  secret: Schema.RedactedFromValue(Schema.String),
  expiresAt: Instant
})
export type ShownLink = typeof ShownLink.Type

/** A link that signs this user in once, for those who signed in a moment ago. */
export const newSignInLink = Effect.fnUntraced(function* (view: View, email: string) {
  yield* requireFresh(view)
  const { user, epoch, signedInAt } = view.session
  const links = yield* SignInLinks
  const now = yield* Clock.currentTimeMillis
  return yield* writeOnce(
    view,
    "user.create_sign_in_link",
    ShownLink,
    Effect.flatMap(
      links.create(view.actor.customerId, email, now, { userId: user.id, epoch, signedInAt }),
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
