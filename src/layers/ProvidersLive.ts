import { Cache, Cause, Effect, Layer, Result, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { ProviderOutcome } from "../domain/ProviderOutcome.ts"
import type { RouteAccount } from "../domain/RouteAccount.ts"
import { ProviderAdapters, type ProviderConnection } from "../services/ProviderAdapter.ts"
import { Providers } from "../services/Providers.ts"
import { cachedLookup } from "./CachedLookup.ts"
import { ChangeFeed } from "./ChangeFeed.ts"
import { MasterKey } from "./MasterKey.ts"
import { openSettings } from "./SealedSettings.ts"
import { rowsOf } from "./SqlRows.ts"

const AccountRow = Schema.Struct({
  customerId: Schema.NullOr(Schema.Int),
  channel: Schema.String,
  provider: Schema.String,
  sealedSettings: Schema.Uint8Array,
  active: Schema.Boolean
})

const answering = (outcome: ProviderOutcome): ProviderConnection => ({
  sendCode: () => Effect.succeed(outcome),
  sendText: () => Effect.succeed(outcome),
  sendsCodes: true,
  sendsTexts: true
})

const unusable = (providerError: string) =>
  answering(ProviderOutcome.Rejected({ blame: "configuration", providerError }))

const unreadable = answering(ProviderOutcome.Unavailable({ providerError: "the account could not be read" }))

/** Sends through the customers' connected accounts. */
export const ProvidersLive = Layer.effect(
  Providers,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const key = yield* MasterKey
    const adapters = yield* ProviderAdapters
    const feed = yield* ChangeFeed
    const accountRows = rowsOf(AccountRow)

    const connectAccount = (row: typeof AccountRow.Type): ProviderConnection => {
      const adapter = adapters.get(row.provider)
      if (!row.active) return unusable("the account was switched off")
      if (adapter === undefined) return unusable(`no adapter for provider ${row.provider}`)
      return Result.getOrElse(adapter.connect(openSettings(key, row, row.sealedSettings)), ({ message }) =>
        unusable(message)
      )
    }

    const lookup = Effect.fnUntraced(function* (accountId: number) {
      const [row] = yield* accountRows(sql`
        select customer_id as "customerId", channel, provider, sealed_settings as "sealedSettings", disabled_at is null as active
        from sending_accounts where id = ${accountId}`)
      return row === undefined ? unusable("the account is gone") : connectAccount(row)
    })
    const cache = yield* cachedLookup(lookup)
    yield* feed.subscribe((change) =>
      change._tag === "KeyChanged" ? Effect.void : Cache.invalidateAll(cache)
    )

    const connectionOf = ({ account_id }: RouteAccount): Effect.Effect<ProviderConnection> =>
      account_id === null
        ? Effect.die("a live step names its account")
        : Cache.get(cache, account_id).pipe(
            // Nothing has left yet: another channel may do.
            Effect.catchCauseIf(
              (cause) => !Cause.hasInterrupts(cause),
              (cause) => Effect.as(Effect.logError("an account could not be read", cause), unreadable)
            )
          )

    return Providers.of({
      sendCode: (delivery) =>
        Effect.flatMap(connectionOf(delivery.step), ({ sendCode }) => sendCode(delivery)),
      sendText: (delivery) =>
        Effect.flatMap(connectionOf(delivery.step), ({ sendText }) => sendText(delivery))
    })
  })
)
