import { Clock, Effect, Layer, Result, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Conflict } from "../../domain/Errors.ts"
import { toPage } from "../../domain/Paging.ts"
import { Phone } from "../../domain/Phone.ts"
import { problem } from "../../domain/Problem.ts"
import { findAccount } from "./AccountRows.ts"
import { InstantColumn, rowsOf, timestamp } from "../postgres/SqlRows.ts"
import type { AccountOwner } from "../../services/account/Accounts.ts"
import { ContactLinks, Contacts } from "../../services/account/Contacts.ts"

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

const ChatRow = Schema.Struct({ chatId: Schema.String })
const LinkCountRow = Schema.Struct({ count: Schema.Int })

export const ContactLinksSql = Layer.effect(
  ContactLinks,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const chatRows = rowsOf(ChatRow)
    const countRows = rowsOf(LinkCountRow)
    return ContactLinks.of({
      chatOf: (accountId, phone) =>
        Effect.map(
          chatRows(sql`
            select chat_id as "chatId" from contact_links where account_id = ${accountId} and phone = ${phone}`),
          ([row]) => row?.chatId ?? null
        ),

      link: (accountId, links, now) =>
        Effect.map(
          // The last one wins if a phone appears twice.
          countRows(sql`
            with given as (
              select distinct on (phone) phone, chat_id
              from unnest(${links.map(({ phone }) => phone)}::text[], ${links.map(({ chatId }) => chatId)}::text[])
                with ordinality as link (phone, chat_id, nth)
              order by phone, nth desc),
            linked as (
              insert into contact_links (account_id, phone, chat_id, linked_at)
              select ${accountId}, phone, chat_id, ${timestamp(now)} from given
              on conflict (account_id, phone) do update set chat_id = excluded.chat_id, linked_at = excluded.linked_at
              returning phone)
            select count(*)::int as count from linked`),
          ([row]) => row?.count ?? 0
        ),

      linkOwn: (accountId, { phone, chatId, isProven }, now) =>
        Effect.map(
          countRows(sql`
            with linked as (
              insert into contact_links as l (account_id, phone, chat_id, linked_at)
              values (${accountId}, ${phone}, ${chatId}, ${timestamp(now)})
              on conflict (account_id, phone) do update set chat_id = excluded.chat_id, linked_at = excluded.linked_at
              where ${isProven} or l.chat_id = excluded.chat_id
              returning phone),
            dropped as (
              delete from contact_links where account_id = ${accountId} and chat_id = ${chatId} and phone <> ${phone}
                and exists (select from linked))
            select count(*)::int as count from linked`),
          ([row]) => row?.count === 1
        ),

      unlinkChat: (accountId, chatId) =>
        Effect.orDie(
          Effect.asVoid(
            sql`delete from contact_links where account_id = ${accountId} and chat_id = ${chatId}`
          )
        ),

      isLinked: (accountId, chatId) =>
        Effect.map(
          chatRows(sql`
            select chat_id as "chatId" from contact_links
            where account_id = ${accountId} and chat_id = ${chatId} limit 1`),
          (rows) => rows.length > 0
        )
    })
  })
)
