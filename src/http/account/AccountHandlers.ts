import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { AccountSummaries } from "../../services/activity/AccountSummaries.ts"
import { Api } from "../Api.ts"
import { orEnvelope } from "../errors/Envelope.ts"
import { CurrentActor } from "../wire/ManageAuth.ts"
import { CurrentPrincipal } from "../ServiceKeys.ts"
import { toAccount } from "./AccountApi.ts"

export const AccountHandlers = HttpApiBuilder.group(
  Api,
  "account",
  Effect.fnUntraced(function* (handlers) {
    const accounts = yield* AccountSummaries
    return handlers.handleAll({
      read: Effect.fnUntraced(function* () {
        const { customerId, mode, requestsPerMinute, confirm } = yield* CurrentPrincipal
        yield* confirm
        return toAccount(yield* accounts.read(customerId, requestsPerMinute), mode)
      }, orEnvelope)
    })
  })
)

export const ManagedAccountHandlers = HttpApiBuilder.group(
  Api,
  "managed-account",
  Effect.fnUntraced(function* (handlers) {
    const accounts = yield* AccountSummaries
    return handlers.handleAll({
      read: Effect.fnUntraced(function* () {
        const { actor } = yield* CurrentActor
        return toAccount(yield* accounts.read(actor.customerId, null), "live")
      })
    })
  })
)
