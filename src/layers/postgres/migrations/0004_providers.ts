import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // The abilities of an account's provider, so that routing need not decrypt its settings.
  `alter table sending_accounts
    add column deduplicates boolean not null default false,
    add column reports_delivery boolean not null default false,
    add column needs_contact boolean not null default false,
    add column allows_private_addresses boolean not null default true`,

  // How a bot reaches a phone: the chat that began when that person contacted it.
  `create table contact_links (
    account_id int not null references sending_accounts,
    phone text not null,
    chat_id text not null,
    linked_at timestamptz not null,
    primary key (account_id, phone)
  )`,
  `create index contact_links_by_chat on contact_links (account_id, chat_id)`,

  // Accounts that people can write to. Their timers (of kind bot_updates) fetch updates, or have them posted.
  `create table account_inboxes (
    account_id int primary key references sending_accounts,
    subject uuid not null unique,
    cursor text,
    generation int not null default 0
  )`,

  // Each kind of timer is claimed separately: a claim must not read through the backlog of another kind.
  `drop index timers_by_claimable_at`,
  `create index timers_by_kind on timers (kind, claimable_at)`,

  // The first of the remaining steps was called once, with an unknown outcome, and is called once more.
  `alter table verifications add column repeating boolean not null default false`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
