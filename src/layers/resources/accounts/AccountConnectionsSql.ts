import { Clock, Effect, Schema } from "effect"
import type { SecureRandom } from "effect/crypto"
import type { SqlClient } from "effect/sql"
import type { ProviderAdapters, ProviderConnection } from "../../../services/provider/ProviderAdapter.ts"
import type { AccountOwner, Accounts, NewAccount } from "../../../services/resources/accounts/Accounts.ts"
import { sealSettings } from "../../account/AccountConnectionsSql.ts"
import type { MasterKey } from "../../crypto/MasterKey.ts"
import { rowsOf, timestamp } from "../../postgres/SqlRows.ts"
import { lockCustomer } from "../OwnerSql.ts"
import { openInbox } from "./AccountInboxesSql.ts"
import { findAccount } from "./AccountRows.ts"
import { clearDefault } from "./DefaultAccountSql.ts"
import { noteCheck } from "./LastChecksSql.ts"
import { connectionOf, sentBy } from "./NewAccounts.ts"

const idRows = rowsOf(Schema.Struct({ id: Schema.Int }))

const insertion = (sql: SqlClient.SqlClient, key: MasterKey["Service"]) =>
  Effect.fnUntraced(function* (
    customerId: AccountOwner,
    { channel, provider, label, settings, isDefault }: NewAccount,
    { traits }: ProviderConnection,
    allowsPrivateAddresses: boolean
  ) {
    const now = timestamp(yield* Clock.currentTimeMillis)
    const { sendsCodes, sendsTexts } = sentBy({ channel, provider }, traits)
    const [created] = yield* idRows(sql`
      insert into sending_accounts (customer_id, channel, provider, label, sealed_settings, is_default, sends_codes,
        sends_texts, deduplicates, deduplicates_texts, reports_delivery, needs_contact, rests_by_kind,
        allows_private_addresses, created_at)
      values (${customerId}::int, ${channel}, ${provider}, ${label},
        ${sealSettings(key, { customerId, channel, provider }, settings)}, ${isDefault}, ${sendsCodes},
        ${sendsTexts}, ${traits.deduplicatesCodes}, ${traits.deduplicatesTexts}, ${traits.reportsDelivery}, ${traits.needsContact},
        ${traits.cooldownByKind ?? false}, ${allowsPrivateAddresses}, ${now}) returning id`)
    return created?.id ?? (yield* Effect.die("an insert returned no row"))
  })

/** @param privateAddresses whether settings may lead into a private network, where the account does not say */
export const accountConnections = (
  sql: SqlClient.SqlClient,
  random: SecureRandom.SecureRandom["Service"],
  key: MasterKey["Service"],
  adapters: ProviderAdapters["Service"],
  privateAddresses: boolean
): Pick<Accounts["Service"], "connect"> => {
  const find = findAccount(sql)
  const insert = insertion(sql, key)

  return {
    connect: Effect.fnUntraced(function* (owner, account) {
      const allowsPrivate = account.allowsPrivateAddresses ?? privateAddresses
      const connection = yield* connectionOf(adapters, owner, account, allowsPrivate)
      const connect = Effect.gen(function* () {
        if (owner !== null) yield* lockCustomer(sql, owner)
        if (account.isDefault) yield* clearDefault(sql, owner, account.channel, null)
        const id = yield* insert(owner, account, connection, allowsPrivate)
        if (account.finding !== undefined) yield* noteCheck(sql, id, account.finding)
        const { inbox } = connection
        if (inbox !== null) yield* openInbox(sql, random, { accountId: id, customerId: owner, inbox })
        return yield* Effect.orDie(find(owner, id))
      })
      return yield* sql.withTransaction(connect).pipe(Effect.catchTag("SqlError", Effect.die))
    })
  }
}
