import { Clock, Effect, Schema } from "effect"
import type { SecureRandom } from "effect/crypto"
import type { SqlClient } from "effect/sql"
import { standbyProblem } from "../../../domain/account/Standby.ts"
import { Channel } from "../../../domain/routing/Channel.ts"
import { fieldError, NotFound, PreconditionFailed } from "../../../domain/Errors.ts"
import type { ProviderAdapters, ProviderConnection } from "../../../services/provider/ProviderAdapter.ts"
import type {
  AccountChange,
  AccountOwner,
  Accounts,
  NewAccount
} from "../../../services/resources/accounts/Accounts.ts"
import { sealSettings } from "../../account/SealedSettings.ts"
import type { MasterKey } from "../../crypto/MasterKey.ts"
import { rowsOf, timestamp } from "../../postgres/SqlRows.ts"
import { lockCustomer } from "../OwnerSql.ts"
import { openInbox, wakeInbox } from "./AccountInboxesSql.ts"
import { findAccount, isOwnedBy } from "./AccountRows.ts"
import { forgetCheck, noteCheck } from "./LastChecksSql.ts"
import { connectionOf } from "./NewAccounts.ts"

const IdRow = Schema.Struct({ id: Schema.Int })
const LockedRow = Schema.Struct({
  id: Schema.Int,
  version: Schema.Int,
  channel: Schema.String,
  provider: Schema.String
})
const StandbyRow = Schema.Struct({
  id: Schema.Int,
  channel: Channel,
  sendsCodes: Schema.Boolean,
  standby: Schema.Array(Schema.Int)
})
type Locked = typeof LockedRow.Type

/** @param privateAddresses whether settings may lead into a private network, where the account does not say */
export const accountChanges = (
  sql: SqlClient.SqlClient,
  random: SecureRandom.SecureRandom["Service"],
  key: MasterKey["Service"],
  adapters: ProviderAdapters["Service"],
  privateAddresses: boolean
): Pick<Accounts["Service"], "connect" | "update"> => {
  const idRows = rowsOf(IdRow)
  const lockedRows = rowsOf(LockedRow)
  const standbyRows = rowsOf(StandbyRow)
  const find = findAccount(sql)

  const inOneTransaction = <A, E>(effect: Effect.Effect<A, E>) =>
    sql.withTransaction(effect).pipe(Effect.catchTag("SqlError", Effect.die))

  /** @param other the account that becomes the default; null: one that is about to be inserted */
  const clearDefault = (owner: AccountOwner, channel: string, other: number | null) =>
    Effect.orDie(sql`
      update sending_accounts a set is_default = false
      where ${isOwnedBy(sql, owner)} and a.channel = ${channel} and a.is_default
        and a.id is distinct from ${other}::int`)

  const insert = Effect.fnUntraced(function* (
    customerId: AccountOwner,
    { channel, provider, label, settings, isDefault }: NewAccount,
    { traits }: ProviderConnection,
    allowsPrivateAddresses: boolean
  ) {
    const now = timestamp(yield* Clock.currentTimeMillis)
    const [created] = yield* idRows(sql`
      insert into sending_accounts (customer_id, channel, provider, label, sealed_settings, is_default, sends_codes,
        sends_texts, deduplicates, deduplicates_texts, reports_delivery, needs_contact, rests_by_kind,
        allows_private_addresses, created_at)
      values (${customerId}::int, ${channel}, ${provider}, ${label},
        ${sealSettings(key, { customerId, channel, provider }, settings)}, ${isDefault}, ${traits.sendsCodes},
        ${traits.sendsTexts}, ${traits.deduplicatesCodes}, ${traits.deduplicatesTexts}, ${traits.reportsDelivery}, ${traits.needsContact},
        ${traits.cooldownByKind ?? false}, ${allowsPrivateAddresses}, ${now}) returning id`)
    return created?.id ?? (yield* Effect.die("an insert returned no row"))
  })

  /** Locks the account until the transaction ends, if it has the expected version. */
  const lock = Effect.fnUntraced(function* (owner: AccountOwner, id: number, version: number | null) {
    const [row] = yield* lockedRows(sql`
      select a.id, a.version, a.channel, a.provider from sending_accounts a
      where ${isOwnedBy(sql, owner)} and a.id = ${id} for update`)
    if (row === undefined) return yield* new NotFound()
    if (version !== null && row.version !== version) {
      return yield* new PreconditionFailed({ details: { version: row.version } })
    }
    return row
  })

  const replaceSettings = Effect.fnUntraced(function* (
    customerId: AccountOwner,
    { id, channel, provider }: Locked,
    settings: unknown
  ) {
    const adapter = adapters.get(provider)
    if (adapter === undefined) return yield* fieldError("settings", `there is no provider ${provider}`)
    const connection = yield* Effect.mapError(
      Effect.fromResult(adapter.connect(settings, { allowsPrivateAddresses: privateAddresses })),
      ({ message }) => fieldError("settings", message)
    )
    const { sendsCodes, sendsTexts, deduplicatesCodes, deduplicatesTexts, reportsDelivery, needsContact } =
      connection.traits
    yield* Effect.orDie(sql`
      update sending_accounts set
        sealed_settings = ${sealSettings(key, { customerId, channel, provider }, settings)},
        sends_codes = ${sendsCodes}, sends_texts = ${sendsTexts}, deduplicates = ${deduplicatesCodes},
        deduplicates_texts = ${deduplicatesTexts},
        reports_delivery = ${reportsDelivery}, needs_contact = ${needsContact},
        allows_private_addresses = ${privateAddresses}
      where id = ${id}`)
    if (connection.inbox !== null)
      yield* openInbox(sql, random, { accountId: id, customerId, inbox: connection.inbox })
  })

  const rename = (id: number, { label, isDefault }: AccountChange) =>
    Effect.orDie(sql`
      update sending_accounts set label = coalesce(${label ?? null}::text, label),
        is_default = coalesce(${isDefault ?? null}::boolean, is_default)
      where id = ${id}`)

  const setPace = (id: number, { gapMillis, perMinute }: AccountChange) =>
    Effect.orDie(sql`
      update sending_accounts set
        gap_ms = case when ${gapMillis === undefined} then gap_ms else ${gapMillis ?? null}::int end,
        rate_per_minute = case when ${perMinute === undefined} then rate_per_minute else ${perMinute ?? null}::int end
      where id = ${id}`)

  /** The accounts of this owner stay as they are until the transaction ends, so no circle can come about. */
  const setStandby = Effect.fnUntraced(function* (
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

  const disable = (id: number, now: Date) =>
    Effect.orDie(
      sql`update sending_accounts set disabled_at = coalesce(disabled_at, ${now}) where id = ${id}`
    )

  /** An account that is enabled again starts without earlier failures. */
  const enable = Effect.fnUntraced(function* (id: number, now: Date) {
    yield* Effect.orDie(sql`
      with pace as (
        update account_pace set failures = 0, cooldowns = 0, cooling_until = null, text_failures = 0,
          text_cooldowns = 0, texts_cooling_until = null
        where account_id = ${id})
      update sending_accounts set disabled_at = null where id = ${id}`)
    yield* wakeInbox(sql, id, now)
  })

  const apply = Effect.fnUntraced(function* (owner: AccountOwner, account: Locked, change: AccountChange) {
    const { label, settings, finding, isDefault, active, gapMillis, perMinute, standby } = change
    if (settings !== undefined) {
      yield* replaceSettings(owner, account, settings)
      yield* finding === undefined ? forgetCheck(sql, account.id) : noteCheck(sql, account.id, finding)
    }
    if (isDefault === true) yield* clearDefault(owner, account.channel, account.id)
    if (label !== undefined || isDefault !== undefined) yield* rename(account.id, change)
    if (gapMillis !== undefined || perMinute !== undefined) yield* setPace(account.id, change)
    if (standby !== undefined) yield* setStandby(owner, account.id, standby)
    if (active === undefined) return
    const now = timestamp(yield* Clock.currentTimeMillis)
    yield* active ? enable(account.id, now) : disable(account.id, now)
  })

  return {
    connect: Effect.fnUntraced(function* (owner, account) {
      const allowsPrivate = account.allowsPrivateAddresses ?? privateAddresses
      const connection = yield* connectionOf(adapters, owner, account, allowsPrivate)
      const connect = Effect.gen(function* () {
        if (owner !== null) yield* lockCustomer(sql, owner)
        if (account.isDefault) yield* clearDefault(owner, account.channel, null)
        const id = yield* insert(owner, account, connection, allowsPrivate)
        if (account.finding !== undefined) yield* noteCheck(sql, id, account.finding)
        const { inbox } = connection
        if (inbox !== null) yield* openInbox(sql, random, { accountId: id, customerId: owner, inbox })
        return yield* Effect.orDie(find(owner, id))
      })
      return yield* inOneTransaction(connect)
    }),

    update: (owner, id, change, version) =>
      inOneTransaction(
        Effect.gen(function* () {
          // The customer before its accounts: connecting locks them in the same order.
          const locksOthers = change.isDefault === true || change.standby !== undefined
          if (locksOthers && owner !== null) yield* lockCustomer(sql, owner)
          const account = yield* lock(owner, id, version)
          yield* apply(owner, account, change)
          return yield* find(owner, id)
        })
      )
  }
}
