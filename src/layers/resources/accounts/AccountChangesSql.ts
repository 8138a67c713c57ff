import { Clock, Effect, Schema } from "effect"
import type { SecureRandom } from "effect/crypto"
import type { SqlClient } from "effect/sql"
import { NotFound, PreconditionFailed } from "../../../domain/Errors.ts"
import type { ProviderAdapters } from "../../../services/provider/ProviderAdapter.ts"
import type { AccountChange, AccountOwner, Accounts } from "../../../services/resources/accounts/Accounts.ts"
import type { MasterKey } from "../../crypto/MasterKey.ts"
import { rowsOf, timestamp } from "../../postgres/SqlRows.ts"
import { forgetError } from "../../account/AccountSlotsSql.ts"
import { lockCustomer } from "../OwnerSql.ts"
import { findAccount, isOwnedBy } from "./AccountRows.ts"
import { settingsReplacement } from "./AccountSettingsSql.ts"
import { setStandby } from "./AccountStandbySql.ts"
import { disableAccount, enableAccount } from "./AccountSwitchSql.ts"
import { clearDefault } from "./DefaultAccountSql.ts"
import { forgetCheck, noteCheck } from "./LastChecksSql.ts"

const LockedRow = Schema.Struct({
  id: Schema.Int,
  version: Schema.Int,
  channel: Schema.String,
  provider: Schema.String
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
    select a.id, a.version, a.channel, a.provider from sending_accounts a
    where ${isOwnedBy(sql, owner)} and a.id = ${id} for update`)
  if (row === undefined) return yield* new NotFound()
  if (version !== null && row.version !== version) {
    return yield* new PreconditionFailed({ details: { version: row.version } })
  }
  return row
})

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
    const { label, settings, finding, isDefault, active, gapMillis, perMinute, standby } = change
    if (settings !== undefined) {
      yield* replaceSettings(owner, account, settings, change.allowsPrivateAddresses ?? privateAddresses)
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
