import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { ContactLinks } from "../../services/account/ContactLinks.ts"
import { rowsOf, timestamp } from "../postgres/SqlRows.ts"

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
