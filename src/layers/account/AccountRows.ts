import { Clock, Effect, Schema } from "effect"
import type { SecureRandom } from "effect/crypto"
import type { SqlClient } from "effect/sql"
import { ChannelUnavailable, fieldError, NotFound } from "../../domain/Errors.ts"
import { problem } from "../../domain/Problem.ts"
import { AttemptErrorCode, attemptErrors } from "../../domain/ProviderOutcome.ts"
import type { TimerKind } from "../../domain/Timer.ts"
import { type AccountTraits, PLATFORM, SendingAccount } from "../../domain/customer/Customer.ts"
import { carries } from "../../domain/routing/AccountSelection.ts"
import { InstantColumn, rowsOf, timestamp } from "../postgres/SqlRows.ts"
import type { AccountConnection, AccountOwner, AccountRecord } from "../../services/account/Accounts.ts"
import type { BotInbox, ProviderAdapters } from "../../services/provider/ProviderAdapter.ts"

const AccountRow = Schema.Struct({
  ...SendingAccount.fields,
  gapMillis: Schema.NullOr(Schema.Int),
  perMinute: Schema.NullOr(Schema.Int),
  failures: Schema.Int,
  coolingUntil: Schema.NullOr(InstantColumn),
  errorCode: Schema.NullOr(AttemptErrorCode),
  errorMessage: Schema.NullOr(Schema.String),
  errorAt: Schema.NullOr(InstantColumn),
  createdAt: InstantColumn,
  version: Schema.Int
})

const toRecord = ({
  errorCode,
  errorMessage,
  errorAt,
  ...account
}: typeof AccountRow.Type): AccountRecord => ({
  ...account,
  lastError:
    errorCode === null || errorAt === null
      ? null
      : { code: errorCode, message: errorMessage ?? attemptErrors[errorCode], at: errorAt }
})

const readRows = rowsOf(AccountRow)
export const accountRows = (statement: Parameters<typeof readRows>[0]) =>
  Effect.map(readRows(statement), (rows) => rows.map(toRecord))

/** The columns of table `sending_accounts`, named `a`. */
export const isOwnedBy = (sql: SqlClient.SqlClient, owner: AccountOwner) =>
  owner === null ? sql`a.customer_id is null` : sql`a.customer_id = ${owner}`

/** Accounts with their pace. */
export const selectAccounts = (sql: SqlClient.SqlClient) => sql`
  select a.id, a.channel, a.provider, a.label, a.is_default as "isDefault", a.disabled_at is null as active,
    a.customer_id is null as shared, a.sends_codes as "sendsCodes", a.sends_texts as "sendsTexts",
    a.deduplicates as "deduplicatesCodes", a.deduplicates_texts as "deduplicatesTexts",
    a.reports_delivery as "reportsDelivery", a.needs_contact as "needsContact", a.standby, a.gap_ms as "gapMillis",
    a.rate_per_minute as "perMinute", greatest(p.failures, p.text_failures) as failures,
    greatest(p.cooling_until, p.texts_cooling_until) as "coolingUntil",
    case when k.checked_at > coalesce(e.happened_at, '-infinity') then 'provider_misconfigured' else e.code end
      as "errorCode",
    case when k.checked_at > coalesce(e.happened_at, '-infinity') then k.detail else e.message end as "errorMessage",
    greatest(k.checked_at, e.happened_at) as "errorAt", a.created_at as "createdAt", a.version
  from sending_accounts a join account_pace p on p.account_id = a.id
    left join account_errors e on e.account_id = a.id
    left join account_checks k on k.account_id = a.id and k.result = 'refused'`

export const findAccount = (sql: SqlClient.SqlClient) =>
  Effect.fnUntraced(function* (owner: AccountOwner, id: number) {
    const [row] = yield* accountRows(
      sql`${selectAccounts(sql)} where ${isOwnedBy(sql, owner)} and a.id = ${id}`
    )
    return row ?? (yield* new NotFound())
  })

/** What the account sends: over telegram a bot carries no codes, whatever its provider can do elsewhere. */
export const sentBy = (
  account: { readonly channel: string; readonly provider: string },
  { sendsCodes, sendsTexts }: AccountTraits
) => ({
  sendsCodes: sendsCodes && carries("code", account),
  sendsTexts: sendsTexts && carries("text", account)
})

/** The connection of a new account; fails with what is wrong with it, before any call. */
export const connectionOf = Effect.fnUntraced(function* (
  adapters: ProviderAdapters["Service"],
  owner: AccountOwner,
  { channel, provider, settings, isDefault = false }: AccountConnection,
  allowsPrivateAddresses: boolean
) {
  const adapter = adapters.get(provider)
  if (adapter === undefined) {
    return yield* fieldError(
      "provider",
      problem("provider_unknown", { provider, known: [...adapters.keys()] })
    )
  }
  if (!adapter.channels.includes(channel)) {
    return yield* fieldError(
      "channel",
      problem("channel_not_served", { provider, channel, served: adapter.channels })
    )
  }
  if (adapter.switchedOff !== undefined) {
    return yield* new ChannelUnavailable({ channel, problem: adapter.switchedOff })
  }
  if (owner === null && channel === "sms") {
    return yield* fieldError("channel", problem("shared_sms_account"))
  }
  if (owner === null && isDefault) {
    return yield* fieldError("default", problem("shared_default"))
  }
  const connection = adapter.connect(settings, { channel, allowsPrivateAddresses })
  return yield* Effect.mapError(Effect.fromResult(connection), ({ problems }) =>
    fieldError("settings", problem("settings_refused", { provider, problems }))
  )
})

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
