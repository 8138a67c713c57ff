import { Effect, Result, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { AccountFinding } from "../../domain/account/AccountFinding.ts"
import { keptText } from "../../domain/account/ProviderOutcome.ts"
import { type Management, ManagementError } from "../../services/resources/Management.ts"
import type { ProviderAdapters, ProviderConnection } from "../../services/provider/ProviderAdapter.ts"
import type { MasterKey } from "../crypto/MasterKey.ts"
import { maskCredentials } from "../providers/MaskedConnection.ts"
import { openSettings } from "../account/SealedSettings.ts"
import { rowsOf } from "../postgres/SqlRows.ts"
import { connectNewAccount } from "./NewAccountConnection.ts"

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

const examine = ({ check }: ProviderConnection): Effect.Effect<AccountFinding> =>
  check === null
    ? Effect.succeed(AccountFinding.CannotBeChecked())
    : Effect.match(check, {
        onSuccess: (detail) => AccountFinding.Works({ detail: keptText(detail) }),
        onFailure: ({ message, isDefinite }) =>
          isDefinite
            ? AccountFinding.Refused({ reason: keptText(message) })
            : AccountFinding.NotReached({ reason: keptText(message) })
      })

/** Asks providers whether accounts work, by calls that change nothing. */
export const accountChecks = (
  sql: SqlClient.SqlClient,
  key: MasterKey["Service"],
  adapters: ProviderAdapters["Service"]
): Pick<Management["Service"], "checkNewAccount" | "checkAccount" | "checkAccounts"> => {
  const storedRows = rowsOf(StoredRow)
  const columns = sql.literal(`id, customer_id as "customerId", channel, provider, label,
    sealed_settings as "sealedSettings", allows_private_addresses as "allowsPrivateAddresses"`)

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
      onSuccess: examine
    })
  }

  return {
    checkNewAccount: (account) =>
      Effect.flatMap(connectNewAccount(account, adapters), (connection) =>
        examine(maskCredentials(connection, account.settings))
      ),

    checkAccount: Effect.fnUntraced(function* (accountId) {
      const [row] = yield* storedRows(sql`select ${columns} from sending_accounts where id = ${accountId}`)
      return row === undefined
        ? yield* new ManagementError({ message: `there is no account ${accountId}` })
        : yield* checkStored(row)
    }),

    checkAccounts: Effect.gen(function* () {
      const rows = yield* storedRows(
        sql`select ${columns} from sending_accounts where disabled_at is null order by id`
      )
      return yield* Effect.forEach(
        rows,
        (row) => Effect.map(checkStored(row), (finding) => ({ ...row, accountId: row.id, finding })),
        { concurrency: CONCURRENCY }
      )
    })
  }
}
