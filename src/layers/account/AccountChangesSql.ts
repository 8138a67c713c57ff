import { Clock, Effect, Result, Schema } from "effect"
import type { SecureRandom } from "effect/crypto"
import type { SqlClient } from "effect/sql"
import { fieldError, NotFound, PreconditionFailed } from "../../domain/Errors.ts"
import { problem } from "../../domain/Problem.ts"
import { changedSettings } from "../../domain/account/AccountState.ts"
import { standbyProblem } from "../../domain/account/Standby.ts"
import { Channel } from "../../domain/routing/Channel.ts"
import { allowsPrivateFor, forgetCheck, noteCheck } from "./AccountChecksSql.ts"
import { openSettings, sealSettings } from "../provider/ConnectedAccounts.ts"
import { findAccount, isOwnedBy, openInbox, sentBy, wakeInbox } from "./AccountRows.ts"
import { forgetError } from "./AccountSlotsSql.ts"
import type { MasterKey } from "../crypto/Crypto.ts"
import { lockCustomer, rowsOf, timestamp } from "../postgres/SqlRows.ts"
import type { AccountChange, AccountOwner, Accounts } from "../../services/account/Accounts.ts"
import type { ProviderAdapters } from "../../services/provider/ProviderAdapter.ts"

/** @param other the account that becomes the default; null: one that is about to be inserted */
export const clearDefault = (
  sql: SqlClient.SqlClient,
  owner: AccountOwner,
  channel: string,
  other: number | null
) =>
  Effect.orDie(sql`
    update sending_accounts a set is_default = false
    where ${isOwnedBy(sql, owner)} and a.channel = ${channel} and a.is_default
      and a.id is distinct from ${other}::int`)

const disableAccount = (sql: SqlClient.SqlClient, id: number, now: Date) =>
  Effect.orDie(sql`update sending_accounts set disabled_at = coalesce(disabled_at, ${now}) where id = ${id}`)

/** An account that is enabled again starts without earlier failures. */
const enableAccount = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, id: number, now: Date) {
  yield* Effect.orDie(sql`
    with pace as (
      update account_pace set failures = 0, cooldowns = 0, cooling_until = null, text_failures = 0,
        text_cooldowns = 0, texts_cooling_until = null
      where account_id = ${id})
    update sending_accounts set disabled_at = null where id = ${id}`)
  yield* wakeInbox(sql, id, now)
})

const StandbyRow = Schema.Struct({
  id: Schema.Int,
  channel: Channel,
  sendsCodes: Schema.Boolean,
  standby: Schema.Array(Schema.Int)
})

const standbyRows = rowsOf(StandbyRow)

/** The accounts of this owner stay as they are until the transaction ends, so no circle can come about. */
const setStandby = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  owner: AccountOwner,
  id: number,
  wanted: ReadonlyArray<number>
) {
  const accounts = yield* standbyRows(sql`
    select a.id, a.channel, a.sends_codes as "sendsCodes", a.standby from sending_accounts a
    where ${isOwnedBy(sql, owner)} order by a.id for update`)
  const account = accounts.find((each) => each.id === id) ?? (yield* new NotFound())
  const problem = standbyProblem(account, wanted, accounts)
  if (problem !== null) return yield* fieldError("account_ids", problem)
  yield* Effect.orDie(sql`update sending_accounts set standby = ${[...wanted]}::int[] where id = ${id}`)
})

/** The account whose settings are replaced. */
interface ReplacedAccount {
  readonly id: number
  readonly channel: string
  readonly provider: string
}

/** Replaces the settings of accounts, and what follows from them. */
const settingsReplacement = (
  sql: SqlClient.SqlClient,
  random: SecureRandom.SecureRandom["Service"],
  key: MasterKey["Service"],
  adapters: ProviderAdapters["Service"]
) =>
  Effect.fnUntraced(function* (
    customerId: AccountOwner,
    { id, channel, provider }: ReplacedAccount,
    settings: unknown,
    allowsPrivateAddresses: boolean
  ) {
    const adapter = adapters.get(provider)
    if (adapter === undefined) return yield* fieldError("settings", problem("provider_gone", { provider }))
    const connection = yield* Effect.mapError(
      Effect.fromResult(adapter.connect(settings, { channel, allowsPrivateAddresses })),
      ({ problems }) => fieldError("settings", problem("settings_refused", { provider: null, problems }))
    )
    const { deduplicatesCodes, deduplicatesTexts, reportsDelivery, needsContact } = connection.traits
    const { sendsCodes, sendsTexts } = sentBy({ channel, provider }, connection.traits)
    yield* Effect.orDie(sql`
      update sending_accounts set
        sealed_settings = ${sealSettings(key, { customerId, channel, provider }, settings)},
        sends_codes = ${sendsCodes}, sends_texts = ${sendsTexts}, deduplicates = ${deduplicatesCodes},
        deduplicates_texts = ${deduplicatesTexts},
        reports_delivery = ${reportsDelivery}, needs_contact = ${needsContact},
        allows_private_addresses = ${allowsPrivateAddresses}
      where id = ${id}`)
    if (connection.inbox !== null)
      yield* openInbox(sql, random, { accountId: id, customerId, inbox: connection.inbox })
  })

const LockedRow = Schema.Struct({
  id: Schema.Int,
  version: Schema.Int,
  channel: Schema.String,
  provider: Schema.String,
  sealedSettings: Schema.Uint8Array,
  allowsPrivateAddresses: Schema.Boolean
})
type Locked = typeof LockedRow.Type

const lockedRows = rowsOf(LockedRow)

/** Locks the account until the transaction ends, if it has the expected version. */
const lockAccount = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  owner: AccountOwner,
  id: number,
  version: number | null
) {
  const [row] = yield* lockedRows(sql`
    select a.id, a.version, a.channel, a.provider, a.sealed_settings as "sealedSettings",
      a.allows_private_addresses as "allowsPrivateAddresses" from sending_accounts a
    where ${isOwnedBy(sql, owner)} and a.id = ${id} for update`)
  if (row === undefined) return yield* new NotFound()
  if (version !== null && row.version !== version) {
    return yield* new PreconditionFailed({ details: { version: row.version } })
  }
  return row
})

/** With these no address is kept. */
const ALL_REPLACED = { url: null }

/** The settings of the account after the change; undefined: they stay. Those that cannot be opened are lost. */
const settingsAfter = (
  key: MasterKey["Service"],
  customerId: AccountOwner,
  { channel, provider, sealedSettings }: Locked,
  { settings, settingsChange }: AccountChange
): unknown => {
  if (settingsChange === undefined) return settings
  const stored = Result.try(() => openSettings(key, { customerId, channel, provider }, sealedSettings))
  return changedSettings(
    Result.getOrElse(stored, () => ({})),
    settingsChange
  )
}

const rename = (sql: SqlClient.SqlClient, id: number, { label, isDefault }: AccountChange) =>
  Effect.orDie(sql`
    update sending_accounts set label = coalesce(${label ?? null}::text, label),
      is_default = coalesce(${isDefault ?? null}::boolean, is_default)
    where id = ${id}`)

const setPace = (sql: SqlClient.SqlClient, id: number, { gapMillis, perMinute }: AccountChange) =>
  Effect.orDie(sql`
    update sending_accounts set
      gap_ms = case when ${gapMillis === undefined} then gap_ms else ${gapMillis ?? null}::int end,
      rate_per_minute = case when ${perMinute === undefined} then rate_per_minute else ${perMinute ?? null}::int end
    where id = ${id}`)

/** @param privateAddresses whether settings may lead into a private network, where the change does not say */
export const accountChanges = (
  sql: SqlClient.SqlClient,
  random: SecureRandom.SecureRandom["Service"],
  key: MasterKey["Service"],
  adapters: ProviderAdapters["Service"],
  privateAddresses: boolean
): Pick<Accounts["Service"], "update"> => {
  const find = findAccount(sql)
  const replaceSettings = settingsReplacement(sql, random, key, adapters)

  const apply = Effect.fnUntraced(function* (owner: AccountOwner, account: Locked, change: AccountChange) {
    const { label, finding, isDefault, active, gapMillis, perMinute, standby } = change
    const settings = settingsAfter(key, owner, account, change)
    if (settings !== undefined) {
      const usual = allowsPrivateFor(account, change.settingsChange ?? ALL_REPLACED, privateAddresses)
      yield* replaceSettings(owner, account, settings, change.allowsPrivateAddresses ?? usual)
      yield* forgetError(sql, account.id)
      yield* finding === undefined ? forgetCheck(sql, account.id) : noteCheck(sql, account.id, finding)
    }
    if (isDefault === true) yield* clearDefault(sql, owner, account.channel, account.id)
    if (label !== undefined || isDefault !== undefined) yield* rename(sql, account.id, change)
    if (gapMillis !== undefined || perMinute !== undefined) yield* setPace(sql, account.id, change)
    if (standby !== undefined) yield* setStandby(sql, owner, account.id, standby)
    if (active === undefined) return
    const now = timestamp(yield* Clock.currentTimeMillis)
    yield* active ? enableAccount(sql, account.id, now) : disableAccount(sql, account.id, now)
  })

  return {
    update: Effect.fnUntraced(function* (owner, id, change, version) {
      // The customer before its accounts: connecting locks them in the same order.
      const locksOthers = change.isDefault === true || change.standby !== undefined
      if (locksOthers && owner !== null) yield* lockCustomer(sql, owner)
      const account = yield* lockAccount(sql, owner, id, version)
      yield* apply(owner, account, change)
      return yield* find(owner, id)
    })
  }
}
