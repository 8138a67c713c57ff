import { Effect, Result, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { AccountFinding } from "../../../domain/account/AccountFinding.ts"
import { keptText } from "../../../domain/account/ProviderOutcome.ts"
import { NotFound } from "../../../domain/Errors.ts"
import type { ProviderAdapters, ProviderConnection } from "../../../services/provider/ProviderAdapter.ts"
import type { Accounts } from "../../../services/resources/Accounts.ts"
import { openSettings } from "../../account/SealedSettings.ts"
import type { MasterKey } from "../../crypto/MasterKey.ts"
import { rowsOf } from "../../postgres/SqlRows.ts"
import { maskCredentials } from "../../providers/MaskedConnection.ts"
import { isOwnedBy } from "./AccountRows.ts"
import { noteCheck } from "./LastChecksSql.ts"
import { connectionOf } from "./NewAccounts.ts"

const CONCURRENCY = 8

const StoredRow = Schema.Struct({
  id: Schema.Int,
  customerId: Schema.NullOr(Schema.Int),
  channel: Schema.String,
  provider: Schema.String,
  label: Schema.String,
  sealedSettings: Schema.Uint8Array,
  allowsPrivateAddresses: Schema.Boolean
})

const ask = ({ check }: ProviderConnection): Effect.Effect<AccountFinding> =>
  check === null
    ? Effect.succeed(AccountFinding.CannotBeChecked())
    : Effect.match(check, {
        onSuccess: (detail) => AccountFinding.Works({ detail: keptText(detail) }),
        onFailure: ({ message, isDefinite }) =>
          isDefinite
            ? AccountFinding.Refused({ reason: keptText(message) })
            : AccountFinding.NotReached({ reason: keptText(message) })
      })

/**
 * Asks providers whether accounts work, by calls that change nothing.
 *
 * @param privateAddresses whether settings may lead into a private network, where the account does not say
 */
export const accountChecks = (
  sql: SqlClient.SqlClient,
  key: MasterKey["Service"],
  adapters: ProviderAdapters["Service"],
  privateAddresses: boolean
): Pick<Accounts["Service"], "examine" | "check" | "checkAll"> => {
  const storedRows = rowsOf(StoredRow)
  const selectStored = sql`select a.id, a.customer_id as "customerId", a.channel, a.provider, a.label,
    a.sealed_settings as "sealedSettings", a.allows_private_addresses as "allowsPrivateAddresses"
    from sending_accounts a`

  const checkStored = (row: typeof StoredRow.Type): Effect.Effect<AccountFinding> => {
    const adapter = adapters.get(row.provider)
    if (adapter === undefined) {
      return Effect.succeed(AccountFinding.Refused({ reason: `there is no provider ${row.provider}` }))
    }
    const connection = Result.try(() => openSettings(key, row, row.sealedSettings)).pipe(
      Result.mapError(() => "its settings cannot be opened with this master secret"),
      Result.flatMap((settings) =>
        Result.mapBoth(adapter.connect(settings, row), {
          onFailure: ({ message }) => message,
          onSuccess: (connected) => maskCredentials(connected, settings)
        })
      )
    )
    return Result.match(connection, {
      onFailure: (reason) => Effect.succeed(AccountFinding.Refused({ reason })),
      onSuccess: ask
    })
  }

  return {
    examine: (owner, account) =>
      Effect.flatMap(
        connectionOf(adapters, owner, account, account.allowsPrivateAddresses ?? privateAddresses),
        (connection) => ask(maskCredentials(connection, account.settings))
      ),

    check: Effect.fnUntraced(function* (owner, id) {
      const [row] = yield* storedRows(sql`${selectStored} where ${isOwnedBy(sql, owner)} and a.id = ${id}`)
      if (row === undefined) return yield* new NotFound()
      return yield* Effect.tap(checkStored(row), (finding) => noteCheck(sql, id, finding))
    }),

    checkAll: Effect.gen(function* () {
      const rows = yield* storedRows(sql`${selectStored} where a.disabled_at is null order by a.id`)
      return yield* Effect.forEach(
        rows,
        (row) =>
          Effect.map(checkStored(row), (finding) => ({
            ...row,
            accountId: row.id,
            owner: row.customerId,
            finding
          })),
        { concurrency: CONCURRENCY }
      )
    })
  }
}
