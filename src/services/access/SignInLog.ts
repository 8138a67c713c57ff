import { Effect } from "effect"
import { operatorActor, scopeOfRole } from "../../domain/user/Actor.ts"
import { userActor } from "../../domain/user/Sessions.ts"
import type { UserRecord } from "../../domain/user/User.ts"
import { ManagementWrites, type Origin } from "../resources/ManagementWrites.ts"

/** Writes into the audit log what users do with their sessions. */
export const makeSignInLog = Effect.map(
  ManagementWrites,
  (writes) =>
    (verb: string, user: UserRecord, origin: Origin, details: Readonly<Record<string, unknown>> = {}) =>
      writes
        .write(
          {
            actor:
              user.isOperator === true
                ? { ...operatorActor(user.customerId), id: user.id, name: user.name }
                : userActor(user, scopeOfRole(user.role)),
            origin,
            operation: `user.${verb}`,
            status: 200,
            idempotency: undefined
          },
          Effect.succeed({
            body: null,
            audit: { action: `user.${verb}`, subjectType: "user", subjectId: user.id, details }
          })
        )
        .pipe(Effect.catchTag("idempotency_key_conflict", Effect.die), Effect.asVoid)
)
