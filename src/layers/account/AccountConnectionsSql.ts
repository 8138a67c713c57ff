import { Effect, Layer, Option, Result, Schema } from "effect"
import { MasterKey } from "../crypto/MasterKey.ts"
import { makeLookupBatch } from "../postgres/batching/LoadBatchSql.ts"
import { cachedLookup } from "../postgres/cache/CachedLookup.ts"
import { ChangeFeed, endedBy, ofCustomer } from "../postgres/cache/ChangeFeed.ts"
import { setUpColumns, SetUpFields, SetUpVersions } from "../postgres/cache/SetUpVersions.ts"
import { maskCredentials } from "../provider/ProviderConnections.ts"
import { AccountConnections, AccountUnusable } from "../../services/account/AccountSlots.ts"
import { ProviderAdapters, type ProviderConnection } from "../../services/provider/ProviderAdapter.ts"

/** The context of the seal: settings sealed for one account cannot be opened for another owner or provider. */
interface SettingsOwner {
  readonly customerId: number | null
  readonly channel: string
  readonly provider: string
}

const contextOf = ({ customerId, channel, provider }: SettingsOwner): string =>
  `sending_accounts:${customerId ?? "shared"}:${channel}:${provider}`

/** An account's settings as they are stored: encrypted under the master secret. */
export const sealSettings = (
  key: MasterKey["Service"],
  owner: SettingsOwner,
  settings: unknown
): Uint8Array => key.seal("account-settings", contextOf(owner), JSON.stringify(settings))

export const openSettings = (key: MasterKey["Service"], owner: SettingsOwner, sealed: Uint8Array): unknown =>
  JSON.parse(key.open("account-settings", contextOf(owner), sealed))

const AccountRow = Schema.Struct({
  customerId: Schema.NullOr(Schema.Int),
  channel: Schema.String,
  provider: Schema.String,
  sealedSettings: Schema.Uint8Array,
  allowsPrivateAddresses: Schema.Boolean,
  active: Schema.Boolean,
  ...SetUpFields
})

export const AccountConnectionsSql = Layer.effect(
  AccountConnections,
  Effect.gen(function* () {
    const key = yield* MasterKey
    const adapters = yield* ProviderAdapters
    const feed = yield* ChangeFeed
    const versions = yield* SetUpVersions
    const rowOf = yield* makeLookupBatch<number, typeof AccountRow>({
      name: "account_connection",
      key: { name: "account_id", type: "int4", of: (id) => id },
      row: AccountRow,
      statement: (keys) => `
        select r.nth, a.customer_id as "customerId", a.channel, a.provider, a.sealed_settings as "sealedSettings",
          a.allows_private_addresses as "allowsPrivateAddresses", a.disabled_at is null as active,
          ${setUpColumns("a.customer_id")}
        from ${keys} join sending_accounts a on a.id = r.account_id`
    })

    const unusable = (message: string) => Result.fail(new AccountUnusable({ message }))

    const connect = (row: typeof AccountRow.Type): Result.Result<ProviderConnection, AccountUnusable> => {
      const adapter = adapters.get(row.provider)
      if (!row.active) return unusable("the account was switched off")
      if (adapter === undefined) return unusable(`no adapter for provider ${row.provider}`)
      return Result.try(() => openSettings(key, row, row.sealedSettings)).pipe(
        Result.mapError(() => new AccountUnusable({ message: "its settings cannot be opened" })),
        Result.flatMap((settings) =>
          Result.map(adapter.connect(settings, row), (connection) => maskCredentials(connection, settings))
        ),
        Result.mapError(({ message }) => new AccountUnusable({ message }))
      )
    }

    const lookup = (accountId: number) =>
      Effect.map(
        rowOf(accountId),
        Option.match({
          onNone: () => ({ customerId: null, setUpVersion: 0, connection: unusable("the account is gone") }),
          onSome: (row) => {
            const { customerId, setUpVersion } = row
            versions.note(customerId, row)
            return { customerId, setUpVersion, connection: connect(row) }
          }
        })
      )
    const cache = yield* cachedLookup(lookup, { isUpToDate: feed.isUpToDate, isCurrent: versions.isCurrent })
    yield* feed.subscribe(endedBy(cache, { customer: ofCustomer(cache) }))

    return AccountConnections.of({
      of: (accountId) =>
        Effect.flatMap(cache.get(accountId), ({ connection }) => Effect.fromResult(connection))
    })
  })
)
