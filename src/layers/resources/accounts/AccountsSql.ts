import { Clock, Effect, Layer, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { Conflict, NotFound } from "../../../domain/Errors.ts"
import { toPage } from "../../../domain/Paging.ts"
import { BotAddresses } from "../../../services/account/BotAddresses.ts"
import { ProviderAdapters } from "../../../services/provider/ProviderAdapter.ts"
import { Accounts } from "../../../services/resources/accounts/Accounts.ts"
import { MasterKey } from "../../crypto/MasterKey.ts"
import { AllowsPrivateAddresses } from "../../network/AddressPolicy.ts"
import { rowsOf, timestamp } from "../../postgres/SqlRows.ts"
import { idPosition } from "../IdPages.ts"
import { accountChanges } from "./AccountChangesSql.ts"
import { accountChecks } from "./AccountChecksSql.ts"
import { accountConnections } from "./AccountConnectionsSql.ts"
import { accountRemovals } from "./AccountRemovalsSql.ts"
import { wakeInbox } from "./AccountInboxesSql.ts"
import { accountRows, findAccount, isOwnedBy, selectAccounts } from "./AccountRows.ts"
import { problem } from "../../../domain/Problem.ts"

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
      ...accountRemovals(sql),
      ...accountChecks(sql, key, adapters, privateAddresses),

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
