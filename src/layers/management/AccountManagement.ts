import { Clock, Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { SendingAccount } from "../../domain/Customer.ts"
import { type Management, ManagementError, type NewAccount } from "../../services/Management.ts"
import type { ProviderAdapters, ProviderConnection } from "../../services/ProviderAdapter.ts"
import type { MasterKey } from "../MasterKey.ts"
import { sealSettings } from "../SealedSettings.ts"
import { InstantColumn, rowsOf, timestamp } from "../SqlRows.ts"
import { lockCustomer, requireCustomer } from "./RequireCustomer.ts"

type AccountMethods = Pick<
  Management["Service"],
  "connectAccount" | "listAccounts" | "limitAccount" | "setAccountActive"
>

const StateRow = Schema.Struct({
  ...SendingAccount.fields,
  gapMillis: Schema.NullOr(Schema.Int),
  perMinute: Schema.NullOr(Schema.Int),
  failures: Schema.Int,
  coolingUntil: Schema.NullOr(InstantColumn)
})

const noAccount = (accountId: number) => new ManagementError({ message: `there is no account ${accountId}` })

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
  return yield* Effect.mapError(
    Effect.fromResult(adapter.connect(settings, { allowsPrivateAddresses: true })),
    ({ message }) => refuse(`settings of ${provider}: ${message}`)
  )
})

export const accountManagement = (
  sql: SqlClient.SqlClient,
  key: MasterKey["Service"],
  adapters: ProviderAdapters["Service"]
): AccountMethods => {
  const accountRows = rowsOf(SendingAccount)
  const stateRows = rowsOf(StateRow)
  const columns =
    sql.literal(`id, channel, provider, label, is_default as "isDefault", disabled_at is null as active,
    customer_id is null as shared, sends_codes as "sendsCodes", sends_texts as "sendsTexts",
    deduplicates, reports_delivery as "reportsDelivery", needs_contact as "needsContact"`)

  const clearDefault = ({ customerId, channel }: NewAccount) =>
    sql`update sending_accounts set is_default = false
      where customer_id = ${customerId} and channel = ${channel} and is_default`

  const insert = Effect.fnUntraced(function* (account: NewAccount, { traits }: ProviderConnection) {
    const now = timestamp(yield* Clock.currentTimeMillis)
    const { customerId, channel, provider, label, settings, isDefault } = account
    const [created] = yield* accountRows(sql`
      insert into sending_accounts (customer_id, channel, provider, label, sealed_settings, is_default, sends_codes,
        sends_texts, deduplicates, reports_delivery, needs_contact, created_at)
      values (${customerId}::int, ${channel}, ${provider}, ${label}, ${sealSettings(key, account, settings)},
        ${isDefault}, ${traits.sendsCodes}, ${traits.sendsTexts}, ${traits.deduplicates}, ${traits.reportsDelivery},
        ${traits.needsContact}, ${now}) returning ${columns}`)
    return created ?? (yield* Effect.die("an insert returned no row"))
  })

  const stateColumns = sql.literal(`gap_ms as "gapMillis", rate_per_minute as "perMinute", failures,
    cooling_until as "coolingUntil"`)

  const toState = ({ gapMillis, perMinute, failures, coolingUntil, ...account }: typeof StateRow.Type) => ({
    account,
    gapMillis,
    perMinute,
    failures,
    coolingUntil
  })

  return {
    listAccounts: Effect.fnUntraced(function* (customerId) {
      if (customerId !== null) yield* requireCustomer(sql, customerId)
      const rows = yield* stateRows(sql`
        select ${columns}, ${stateColumns} from sending_accounts join account_pace on account_id = id
        where customer_id is not distinct from ${customerId}::int order by id`)
      return rows.map(toState)
    }),

    limitAccount: Effect.fnUntraced(function* (accountId, { gapMillis, perMinute }) {
      const [row] = yield* stateRows(sql`
        update sending_accounts set
          gap_ms = case when ${gapMillis === undefined} then gap_ms else ${gapMillis ?? null}::int end,
          rate_per_minute = case when ${perMinute === undefined} then rate_per_minute else ${perMinute ?? null}::int end
        from account_pace where id = ${accountId} and account_id = id returning ${columns}, ${stateColumns}`)
      return row === undefined ? yield* noAccount(accountId) : toState(row)
    }),

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

    setAccountActive: Effect.fnUntraced(function* (accountId, active) {
      const now = timestamp(yield* Clock.currentTimeMillis)
      // Switched on again, it starts afresh.
      const [row] = yield* stateRows(sql`
        with pace as (
          update account_pace set failures = case when ${active} then 0 else failures end,
            cooldowns = case when ${active} then 0 else cooldowns end,
            cooling_until = case when ${active} then null else cooling_until end
          where account_id = ${accountId} returning *)
        update sending_accounts set disabled_at = case when not ${active} then coalesce(disabled_at, ${now}) end
        from pace where id = ${accountId} and account_id = id returning ${columns}, ${stateColumns}`)
      return row === undefined ? yield* noAccount(accountId) : toState(row)
    })
  }
}
