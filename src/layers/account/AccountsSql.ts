import { Clock, Effect, Layer, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { Conflict, NotFound, type UsedBy } from "../../domain/Errors.ts"
import { toPage } from "../../domain/Paging.ts"
import { problem, type Problem } from "../../domain/Problem.ts"
import { PLATFORM } from "../../domain/customer/Customer.ts"
import { accountChanges, clearDefault } from "./AccountChangesSql.ts"
import { accountChecks, noteCheck } from "./AccountChecksSql.ts"
import { sealSettings } from "../provider/ConnectedAccounts.ts"
import {
  accountRows,
  connectionOf,
  findAccount,
  isOwnedBy,
  openInbox,
  selectAccounts,
  sentBy,
  wakeInbox
} from "./AccountRows.ts"
import { MasterKey } from "../crypto/Crypto.ts"
import { AllowsPrivateAddresses } from "../network/CustomerUrls.ts"
import { idPosition } from "../postgres/PagesSql.ts"
import { lockCustomer, notUpdated, rowsOf, timestamp } from "../postgres/SqlRows.ts"
import { type AccountOwner, Accounts, type NewAccount } from "../../services/account/Accounts.ts"
import { CustomerRows } from "../../services/customer/CustomerRows.ts"
import { BotAddresses } from "../../services/account/BotInboxes.ts"
import { ProviderAdapters, type ProviderConnection } from "../../services/provider/ProviderAdapter.ts"

const NeedRow = Schema.Struct({ routing: Schema.Boolean, codes: Schema.Boolean, messages: Schema.Boolean })
const VersionRow = Schema.Struct({ version: Schema.Int })

const problems: Readonly<Record<UsedBy, Problem>> = {
  routing: problem("account_in_routing"),
  codes: problem("account_in_codes"),
  messages: problem("account_in_messages")
}

/**
 * Removes accounts that nothing needs. What is under way has a timer, so few rows are read. A send that is accepted at
 * this moment sees the account's removal as a changed set-up, or fails over it: the account is gone.
 */
const accountRemovals = (
  sql: SqlClient.SqlClient,
  { inEach }: (typeof CustomerRows)["Service"]
): Pick<Accounts["Service"], "remove"> => {
  const needRows = rowsOf(NeedRow)
  const versionRows = rowsOf(VersionRow)

  const needsOf = (owner: number | null, id: number) => {
    const ofOwner = owner === null ? sql`true` : sql`t.customer_id = ${owner}::int`
    const isNamed = sql`(s.step ->> 'account_id')::int = ${id}`
    return needRows(sql`
      select
        exists (select 1 from routing_orders o, jsonb_array_elements(o.steps) s(step)
          where ${owner === null ? sql`true` : sql`o.customer_id = ${owner}::int`} and ${isNamed}) as routing,
        exists (select 1 from timers t join verifications v on v.customer_id = t.customer_id and v.id = t.subject,
          jsonb_array_elements(v.route) with ordinality s(step, nth)
          where ${ofOwner} and t.kind = 'verification' and v.status in ('pending', 'queued')
            and v.next_step_at is not null and s.nth - 1 = any(v.remaining) and ${isNamed}) as codes,
        exists (select 1 from timers t join messages m on m.customer_id = t.customer_id and m.id = t.subject,
          jsonb_array_elements(m.route) s(step)
          where ${ofOwner} and t.kind = 'message' and m.status in ('queued', 'sending') and ${isNamed}) as messages`)
  }

  return {
    remove: Effect.fnUntraced(function* (owner, id, version) {
      if (owner !== null) yield* lockCustomer(sql, owner)
      const [found] = yield* versionRows(
        sql`select a.version from sending_accounts a where a.id = ${id} and ${isOwnedBy(sql, owner)} for update`
      )
      if (found === undefined || (version !== null && found.version !== version))
        return yield* notUpdated(found)
      const needs = owner === null ? (yield* inEach(needsOf(owner, id))).flat() : yield* needsOf(owner, id)
      const need = (["routing", "codes", "messages"] as const).find((each) =>
        needs.some((found) => found[each])
      )
      if (need !== undefined) return yield* new Conflict({ problem: problems[need], usedBy: need })
      yield* Effect.orDie(sql`
        delete from timers where customer_id = ${owner ?? PLATFORM} and kind = 'bot_updates'
          and subject in (select subject from account_inboxes where account_id = ${id})`)
      for (const table of ["contact_links", "account_inboxes", "account_pace"]) {
        yield* Effect.orDie(sql`delete from ${sql(table)} where account_id = ${id}`)
      }
      yield* Effect.orDie(sql`delete from sending_accounts where id = ${id}`)
    })
  }
}

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
const accountConnections = (
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

const OwnerRow = Schema.Struct({ owner: Schema.NullOr(Schema.Int) })
const InboxRow = Schema.Struct({ accountId: Schema.Int, generation: Schema.Int })

export const AccountsSql = Layer.effect(
  Accounts,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const random = yield* SecureRandom.SecureRandom
    const key = yield* MasterKey
    const adapters = yield* ProviderAdapters
    const { pathOf } = yield* BotAddresses
    const privateAddresses = yield* AllowsPrivateAddresses
    const ownerRows = rowsOf(OwnerRow)
    const inboxRows = rowsOf(InboxRow)
    const find = findAccount(sql)

    return Accounts.of({
      ...accountConnections(sql, random, key, adapters, privateAddresses),
      ...accountChanges(sql, random, key, adapters, privateAddresses),
      ...accountRemovals(sql, yield* CustomerRows),
      ...accountChecks(sql, key, adapters, random, privateAddresses),

      find,

      ownerOf: Effect.fnUntraced(function* (id) {
        const [row] = yield* ownerRows(
          sql`select customer_id as owner from sending_accounts where id = ${id}`
        )
        return row === undefined ? yield* new NotFound() : row.owner
      }),

      list: Effect.fnUntraced(function* (owner, { limit, after, channel, active }) {
        const beyond = idPosition(after)
        const rows = yield* accountRows(sql`
          ${selectAccounts(sql)}
          where ${isOwnedBy(sql, owner)} and (${beyond}::int is null or a.id > ${beyond}::int)
            and (${channel ?? null}::text is null or a.channel = ${channel ?? null}::text)
            and (${active ?? null}::boolean is null or (a.disabled_at is null) = ${active ?? null}::boolean)
          order by a.id limit ${limit + 1}`)
        return toPage(rows, limit, ({ id }) => String(id))
      }),

      sendingSettings: (provider) => adapters.get(provider)?.sendingSettings ?? null,

      inboxPath: Effect.fnUntraced(function* (owner, id, rotates) {
        yield* find(owner, id)
        if (rotates) yield* wakeInbox(sql, id, timestamp(yield* Clock.currentTimeMillis))
        const [inbox] = yield* inboxRows(
          rotates
            ? sql`update account_inboxes set generation = generation + 1
                where account_id = ${id} returning account_id as "accountId", generation`
            : sql`select account_id as "accountId", generation from account_inboxes where account_id = ${id}`
        )
        return inbox === undefined
          ? yield* new Conflict({ problem: problem("account_without_inbox", { account: id }) })
          : pathOf(inbox)
      })
    })
  })
)
