import { Clock, Effect, Schema } from "effect"
import type { SecureRandom } from "effect/crypto"
import type { SqlClient } from "effect/sql"
import { SendingAccount } from "../../domain/people/Customer.ts"
import { type Management, ManagementError, type NewAccount } from "../../services/resources/Management.ts"
import type {
  BotInbox,
  ProviderAdapters,
  ProviderConnection
} from "../../services/provider/ProviderAdapter.ts"
import type { TimerKind } from "../../domain/Timer.ts"
import type { MasterKey } from "../crypto/MasterKey.ts"
import { sealSettings } from "../account/SealedSettings.ts"
import { InstantColumn, rowsOf, timestamp } from "../postgres/SqlRows.ts"
import { connectNewAccount } from "./NewAccountConnection.ts"
import { lockCustomer, requireCustomer } from "./RequireCustomer.ts"

type AccountMethods = Pick<
  Management["Service"],
  "sendingSettings" | "connectAccount" | "listAccounts" | "limitAccount" | "setAccountActive"
>

const StateRow = Schema.Struct({
  ...SendingAccount.fields,
  gapMillis: Schema.NullOr(Schema.Int),
  perMinute: Schema.NullOr(Schema.Int),
  failures: Schema.Int,
  coolingUntil: Schema.NullOr(InstantColumn)
})

const noAccount = (accountId: number) => new ManagementError({ message: `there is no account ${accountId}` })

const UPDATES_TIMER: TimerKind = "bot_updates"
/** The customer of the timers of shared accounts. */
const PLATFORM = 0

/** Its updates are checked at once, if there is a way to get them. */
export const openInbox = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  random: SecureRandom.SecureRandom["Service"],
  {
    accountId,
    customerId,
    inbox
  }: { readonly accountId: number; readonly customerId: number | null; readonly inbox: BotInbox }
) {
  const now = timestamp(yield* Clock.currentTimeMillis)
  const isLookedAfter = inbox.poll !== null || inbox.announceWebhook !== null
  yield* Effect.orDie(sql`
    with opened as (
      insert into account_inboxes (account_id, subject) values (${accountId}, ${yield* random.uuidV4()}::uuid)
      on conflict do nothing returning subject)
    insert into timers (customer_id, kind, subject, claimable_at)
    select ${customerId ?? PLATFORM}, ${UPDATES_TIMER}, subject, ${now} from opened where ${isLookedAfter}`)
})

export const accountManagement = (
  sql: SqlClient.SqlClient,
  random: SecureRandom.SecureRandom["Service"],
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
    const {
      customerId,
      channel,
      provider,
      label,
      settings,
      isDefault,
      allowsPrivateAddresses = true
    } = account
    const [created] = yield* accountRows(sql`
      insert into sending_accounts (customer_id, channel, provider, label, sealed_settings, is_default, sends_codes,
        sends_texts, deduplicates, reports_delivery, needs_contact, rests_by_kind, allows_private_addresses, created_at)
      values (${customerId}::int, ${channel}, ${provider}, ${label}, ${sealSettings(key, account, settings)},
        ${isDefault}, ${traits.sendsCodes}, ${traits.sendsTexts}, ${traits.deduplicates}, ${traits.reportsDelivery},
        ${traits.needsContact}, ${traits.cooldownByKind ?? false}, ${allowsPrivateAddresses}, ${now}) returning ${columns}`)
    return created ?? (yield* Effect.die("an insert returned no row"))
  })

  const stateColumns = sql.literal(`gap_ms as "gapMillis", rate_per_minute as "perMinute",
    greatest(failures, text_failures) as failures, greatest(cooling_until, texts_cooling_until) as "coolingUntil"`)

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

    sendingSettings: (provider) => adapters.get(provider)?.sendingSettings ?? null,

    connectAccount: Effect.fnUntraced(function* (account) {
      const connection = yield* connectNewAccount(account, adapters)
      const { customerId, isDefault } = account
      const connect = Effect.gen(function* () {
        if (customerId !== null) yield* lockCustomer(sql, customerId)
        if (isDefault) yield* clearDefault(account)
        const created = yield* insert(account, connection)
        if (connection.inbox !== null) {
          yield* openInbox(sql, random, { accountId: created.id, customerId, inbox: connection.inbox })
        }
        return created
      })
      return yield* sql.withTransaction(connect).pipe(Effect.catchTag("SqlError", Effect.die))
    }),

    setAccountActive: Effect.fnUntraced(function* (accountId, active) {
      const now = timestamp(yield* Clock.currentTimeMillis)
      // An account that is enabled again starts without earlier failures.
      const [row] = yield* stateRows(sql`
        with pace as (
          update account_pace set failures = case when ${active} then 0 else failures end,
            cooldowns = case when ${active} then 0 else cooldowns end,
            cooling_until = case when ${active} then null else cooling_until end,
            text_failures = case when ${active} then 0 else text_failures end,
            text_cooldowns = case when ${active} then 0 else text_cooldowns end,
            texts_cooling_until = case when ${active} then null else texts_cooling_until end
          where account_id = ${accountId} returning *),
        updates as (
          update timers t set claimable_at = ${now} from account_inboxes i
          where ${active} and i.account_id = ${accountId} and t.kind = ${UPDATES_TIMER} and t.subject = i.subject
            and t.lease_token is null)
        update sending_accounts set disabled_at = case when not ${active} then coalesce(disabled_at, ${now}) end
        from pace where id = ${accountId} and account_id = id returning ${columns}, ${stateColumns}`)
      return row === undefined ? yield* noAccount(accountId) : toState(row)
    })
  }
}
