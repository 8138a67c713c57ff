import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../Api.ts"
import { toEntry, toHold, toWallet } from "./WalletApi.ts"
import { CurrentActor } from "../wire/ManageAuth.ts"
import { pageRequest, toWirePage } from "../wire/ManageWire.ts"
import { Wallets } from "../../services/money/Wallets.ts"

export const WalletHandlers = HttpApiBuilder.group(
  Api,
  "wallet",
  Effect.fnUntraced(function* (handlers) {
    const wallets = yield* Wallets
    return handlers.handleAll({
      read: Effect.fnUntraced(function* () {
        const { actor } = yield* CurrentActor
        return toWallet(yield* wallets.balance(actor.customerId))
      }),

      holds: Effect.fnUntraced(function* ({ query }) {
        const { actor } = yield* CurrentActor
        return toWirePage(
          "holds",
          yield* wallets.holds(actor.customerId, pageRequest("holds", query)),
          toHold
        )
      }),

      ledger: Effect.fnUntraced(function* ({ query }) {
        const { actor } = yield* CurrentActor
        const { kind, from, to } = query
        const search = { ...pageRequest("ledger", query), kind, from, to }
        return toWirePage("ledger", yield* wallets.ledger(actor.customerId, search), toEntry)
      })
    })
  })
)
