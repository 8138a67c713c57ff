import { Clock, Effect, Layer, Result, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Conflict } from "../../../domain/Errors.ts"
import { toPage } from "../../../domain/Paging.ts"
import { Phone } from "../../../domain/Phone.ts"
import { ContactLinks } from "../../../services/account/ContactLinks.ts"
import type { AccountOwner } from "../../../services/resources/accounts/Accounts.ts"
import { Contacts } from "../../../services/resources/accounts/Contacts.ts"
import { InstantColumn, rowsOf } from "../../postgres/SqlRows.ts"
import { findAccount } from "./AccountRows.ts"
import { problem } from "../../../domain/Problem.ts"

const CountRow = Schema.Struct({ count: Schema.Int })
const LinkRow = Schema.Struct({ phone: Phone, chatId: Schema.String, linkedAt: InstantColumn })

/** The most links in one statement. */
const BATCH = 5000

const batchesOf = <A>(all: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(all.length / BATCH) }, (_, index) =>
    all.slice(index * BATCH, (index + 1) * BATCH)
  )

export const ContactsSql = Layer.effect(
  Contacts,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const links = yield* ContactLinks
    const countRows = rowsOf(CountRow)
    const linkRows = rowsOf(LinkRow)
    const find = findAccount(sql)

    const requireContactAccount = Effect.fnUntraced(function* (owner: AccountOwner, id: number) {
      const { needsContact, provider } = yield* find(owner, id)
      if (needsContact) return
      return yield* new Conflict({ problem: problem("account_without_contacts", { account: id, provider }) })
    })

    return Contacts.of({
      list: Effect.fnUntraced(function* (owner, id, { limit, after }) {
        yield* find(owner, id)
        const beyond = Result.getOrElse(Schema.decodeUnknownResult(Phone)(after), () => "")
        const rows = yield* linkRows(sql`
          select phone, chat_id as "chatId", linked_at as "linkedAt" from contact_links
          where account_id = ${id} and phone > ${beyond} order by phone limit ${limit + 1}`)
        return toPage(rows, limit, ({ phone }) => phone)
      }),

      count: Effect.fnUntraced(function* (owner, id) {
        yield* requireContactAccount(owner, id)
        const [row] = yield* countRows(
          sql`select count(*)::int as count from contact_links where account_id = ${id}`
        )
        return row?.count ?? 0
      }),

      link: Effect.fnUntraced(function* (owner, id, contacts) {
        yield* requireContactAccount(owner, id)
        const now = yield* Clock.currentTimeMillis
        const counts = yield* Effect.forEach(batchesOf(contacts), (batch) => links.link(id, batch, now))
        return counts.reduce((sum, count) => sum + count, 0)
      }),

      remove: Effect.fnUntraced(function* (owner, id, phone) {
        yield* requireContactAccount(owner, id)
        const [row] = yield* countRows(sql`
          with removed as (
            delete from contact_links where account_id = ${id} and phone = ${phone} returning phone)
          select count(*)::int as count from removed`)
        return row?.count === 1
      })
    })
  })
)
