import { Clock, Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { SendingAccount } from "../../domain/Customer.ts"
import { type Management, ManagementError, type NewAccount } from "../../services/Management.ts"
import type { ProviderAdapters, ProviderConnection } from "../../services/ProviderAdapter.ts"
import type { MasterKey } from "../MasterKey.ts"
import { sealSettings } from "../SealedSettings.ts"
import { rowsOf, timestamp } from "../SqlRows.ts"
import { lockCustomer, requireCustomer } from "./RequireCustomer.ts"

type AccountMethods = Pick<Management["Service"], "connectAccount" | "listAccounts" | "setAccountActive">

const checkNewAccount = Effect.fnUntraced(function* (
  { channel, provider, settings, customerId, isDefault }: NewAccount,
  adapters: ProviderAdapters["Service"]
) {
  const refuse = (message: string) => new ManagementError({ message })
  const adapter = adapters.get(provider)
  if (adapter === undefined) {
    return yield* refuse(`unknown provider ${provider}; there are: ${[...adapters.keys()].join(", ")}`)
  }
  if (!adapter.channels.includes(channel)) {
    return yield* refuse(
      `provider ${provider} does not serve ${channel}, but: ${adapter.channels.join(", ")}`
    )
  }
  if (customerId === null && channel === "sms") return yield* refuse("there are no shared sms accounts")
  if (customerId === null && isDefault) return yield* refuse("a shared account is nobody's default")
  return yield* Effect.mapError(Effect.fromResult(adapter.connect(settings)), ({ message }) =>
    refuse(`settings of ${provider}: ${message}`)
  )
})

export const accountManagement = (
  sql: SqlClient.SqlClient,
  key: MasterKey["Service"],
  adapters: ProviderAdapters["Service"]
): AccountMethods => {
  const accountRows = rowsOf(SendingAccount)
  const columns =
    sql.literal(`id, channel, provider, label, is_default as "isDefault", disabled_at is null as active,
    customer_id is null as shared, sends_codes as "sendsCodes", sends_texts as "sendsTexts"`)

  const clearDefault = ({ customerId, channel }: NewAccount) =>
    sql`update sending_accounts set is_default = false
      where customer_id = ${customerId} and channel = ${channel} and is_default`

  const insert = Effect.fnUntraced(function* (account: NewAccount, connection: ProviderConnection) {
    const now = timestamp(yield* Clock.currentTimeMillis)
    const { customerId, channel, provider, label, settings, isDefault } = account
    const [created] = yield* accountRows(sql`
      insert into sending_accounts (customer_id, channel, provider, label, sealed_settings, is_default, sends_codes,
        sends_texts, created_at)
      values (${customerId}::int, ${channel}, ${provider}, ${label}, ${sealSettings(key, account, settings)},
        ${isDefault}, ${connection.sendsCodes}, ${connection.sendsTexts}, ${now}) returning ${columns}`)
    return created ?? (yield* Effect.die("an insert returned no row"))
  })

  return {
    connectAccount: Effect.fnUntraced(function* (account) {
      const connection = yield* checkNewAccount(account, adapters)
      const { customerId, isDefault } = account
      const connect = Effect.gen(function* () {
        if (customerId !== null) yield* lockCustomer(sql, customerId)
        if (isDefault) yield* clearDefault(account)
        return yield* insert(account, connection)
      })
      return yield* sql.withTransaction(connect).pipe(Effect.catchTag("SqlError", Effect.die))
    }),

    listAccounts: Effect.fnUntraced(function* (customerId) {
      if (customerId !== null) yield* requireCustomer(sql, customerId)
      return yield* accountRows(sql`
        select ${columns} from sending_accounts where customer_id is not distinct from ${customerId}::int order by id`)
    }),

    setAccountActive: Effect.fnUntraced(function* (accountId, active) {
      const now = timestamp(yield* Clock.currentTimeMillis)
      const [account] = yield* accountRows(sql`
        update sending_accounts set disabled_at = case when not ${active} then coalesce(disabled_at, ${now}) end
        where id = ${accountId} returning ${columns}`)
      return account ?? (yield* new ManagementError({ message: `there is no account ${accountId}` }))
    })
  }
}
