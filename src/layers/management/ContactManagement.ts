import { Clock, Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { ContactLinks } from "../../services/account/ContactLinks.ts"
import { type Management, ManagementError } from "../../services/resources/Management.ts"
import { rowsOf, timestamp } from "../postgres/SqlRows.ts"

type ContactMethods = Pick<
  Management["Service"],
  "importContacts" | "countContacts" | "removeContact" | "inboxPath"
>

const AccountRow = Schema.Struct({ provider: Schema.String, needsContact: Schema.Boolean })
const CountRow = Schema.Struct({ count: Schema.Int })
const InboxRow = Schema.Struct({ accountId: Schema.Int, generation: Schema.Int })

/** The most links in one statement. */
const BATCH = 5000

const batchesOf = <A>(all: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(all.length / BATCH) }, (_, index) =>
    all.slice(index * BATCH, (index + 1) * BATCH)
  )

export const contactManagement = (
  sql: SqlClient.SqlClient,
  links: ContactLinks["Service"],
  inboxAddress: (inbox: typeof InboxRow.Type) => string
): ContactMethods => {
  const accountRows = rowsOf(AccountRow)
  const countRows = rowsOf(CountRow)
  const inboxRows = rowsOf(InboxRow)

  const requireContactAccount = Effect.fnUntraced(function* (accountId: number) {
    const [account] = yield* accountRows(sql`
      select provider, needs_contact as "needsContact" from sending_accounts where id = ${accountId}`)
    if (account === undefined) {
      return yield* new ManagementError({ message: `there is no account ${accountId}` })
    }
    if (!account.needsContact) {
      return yield* new ManagementError({
        message: `account ${accountId} (${account.provider}) reaches phones without contacts`
      })
    }
  })

  return {
    importContacts: Effect.fnUntraced(function* (accountId, contacts) {
      yield* requireContactAccount(accountId)
      const now = yield* Clock.currentTimeMillis
      const counts = yield* Effect.forEach(batchesOf(contacts), (batch) => links.link(accountId, batch, now))
      return counts.reduce((sum, count) => sum + count, 0)
    }),

    countContacts: Effect.fnUntraced(function* (accountId) {
      yield* requireContactAccount(accountId)
      const [row] = yield* countRows(
        sql`select count(*)::int as count from contact_links where account_id = ${accountId}`
      )
      return row?.count ?? 0
    }),

    removeContact: Effect.fnUntraced(function* (accountId, phone) {
      yield* requireContactAccount(accountId)
      const [row] = yield* countRows(sql`
        with removed as (
          delete from contact_links where account_id = ${accountId} and phone = ${phone} returning phone)
        select count(*)::int as count from removed`)
      return row?.count === 1
    }),

    inboxPath: Effect.fnUntraced(function* (accountId, rotates) {
      const now = timestamp(yield* Clock.currentTimeMillis)
      const [inbox] = yield* inboxRows(sql`
        with woken as (
          update timers t set claimable_at = ${now} from account_inboxes i
          where ${rotates} and i.account_id = ${accountId} and t.kind = 'bot_updates' and t.subject = i.subject
            and t.lease_token is null)
        update account_inboxes set generation = generation + ${rotates ? 1 : 0}
        where account_id = ${accountId} returning account_id as "accountId", generation`)
      return inbox === undefined
        ? yield* new ManagementError({ message: `nobody writes to account ${accountId}` })
        : inboxAddress(inbox)
    })
  }
}
