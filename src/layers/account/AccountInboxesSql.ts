import { Clock, Effect } from "effect"
import type { SecureRandom } from "effect/crypto"
import type { SqlClient } from "effect/sql"
import type { TimerKind } from "../../domain/Timer.ts"
import { PLATFORM } from "../../domain/customer/Customer.ts"
import { timestamp } from "../postgres/SqlRows.ts"
import type { AccountOwner } from "../../services/account/Accounts.ts"
import type { BotInbox } from "../../services/provider/ProviderAdapter.ts"

const UPDATES_TIMER: TimerKind = "bot_updates"

/** Gives an account an inbox, whose updates are fetched at once where there is a way to get at them. */
export const openInbox = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  random: SecureRandom.SecureRandom["Service"],
  {
    accountId,
    customerId,
    inbox
  }: { readonly accountId: number; readonly customerId: AccountOwner; readonly inbox: BotInbox }
) {
  const now = timestamp(yield* Clock.currentTimeMillis)
  const hasUpdates = inbox.poll !== null || inbox.announceWebhook !== null
  yield* Effect.orDie(sql`
    with opened as (
      insert into account_inboxes (account_id, subject) values (${accountId}, ${yield* random.uuidV4()}::uuid)
      on conflict do nothing returning subject)
    insert into timers (customer_id, kind, subject, claimable_at)
    select ${customerId ?? PLATFORM}, ${UPDATES_TIMER}, subject, ${now} from opened where ${hasUpdates}`)
})

/** Makes the inbox's timer due, unless a process is at work on it. */
export const wakeInbox = (sql: SqlClient.SqlClient, accountId: number, now: Date) =>
  Effect.orDie(sql`
    update timers t set claimable_at = ${now} from account_inboxes i
    where i.account_id = ${accountId} and t.kind = ${UPDATES_TIMER} and t.subject = i.subject
      and t.lease_token is null`)
