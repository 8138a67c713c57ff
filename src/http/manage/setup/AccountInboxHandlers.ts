import { Effect } from "effect"
import { ScopeInsufficient } from "../../../domain/Errors.ts"
import { Accounts } from "../../../services/resources/accounts/Accounts.ts"
import { accountEntry } from "../../../services/resources/accounts/AccountWrites.ts"
import { answerError, orEnvelope } from "../../errors/Envelope.ts"
import { CurrentActor } from "../access/ManageAuth.ts"
import { answerResource, makeWrite } from "../wire/ManageWire.ts"
import type { OfAccount } from "../wire/SetUpWire.ts"

/** The handlers of the path that an account's updates are posted to. */
export const makeInboxHandlers = Effect.gen(function* () {
  const accounts = yield* Accounts
  const write = yield* makeWrite

  return {
    // Anyone with the path can post a contact as a person's own, so a read-only credential must not see it.
    inbox: Effect.fnUntraced(function* ({ params }: OfAccount) {
      const { actor } = yield* CurrentActor
      if (actor.scope !== "full") return yield* answerError(new ScopeInsufficient())
      const path = accounts.inboxPath(actor.customerId, params.id, false)
      return yield* orEnvelope(Effect.map(path, (found) => answerResource({ path: found })))
    }),

    rotateInbox: ({ params }: OfAccount) =>
      write(
        { operation: "account.rotate_inbox", status: 200 },
        Effect.gen(function* () {
          const { actor } = yield* CurrentActor
          const path = yield* accounts.inboxPath(actor.customerId, params.id, true)
          return { body: { path }, audit: accountEntry("rotate_inbox", params.id) }
        })
      ).pipe(orEnvelope)
  }
})
