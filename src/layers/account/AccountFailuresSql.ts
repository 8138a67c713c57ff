import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { LastError } from "../../domain/account/AccountState.ts"
import { attemptErrorCode, keptText, type ProviderOutcome } from "../../domain/account/ProviderOutcome.ts"
import { HOUR_MILLIS, type Instant } from "../../domain/Instant.ts"
import { AccountSkipStore } from "../../services/account/AccountSkips.ts"
import { timestamp } from "../postgres/SqlRows.ts"

/** The failure that an outcome shows; null if there is none, or it is the recipient's. */
export const errorOf = (outcome: ProviderOutcome, at: Instant): LastError | null => {
  const code = attemptErrorCode(outcome)
  if (code === null || code === "recipient_unreachable" || outcome._tag === "Accepted") return null
  return { code, message: keptText(outcome.providerError), at }
}

/** The same failure is written again only after this: a provider that is down fails every send. */
const SAME_FOR_MILLIS = 1000
const MAX_REMEMBERED = 10_000

/** Keeps the last failure of each account. */
export const makeNoteError = Effect.map(SqlClient.SqlClient, (sql) => {
  const written = new Map<number, LastError>()

  const isWritten = (accountId: number, { code, message, at }: LastError): boolean => {
    const last = written.get(accountId)
    return (
      last !== undefined && last.code === code && last.message === message && at - last.at < SAME_FOR_MILLIS
    )
  }

  return (accountId: number, error: LastError): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (isWritten(accountId, error)) return Effect.void
      if (written.size >= MAX_REMEMBERED) written.clear()
      written.set(accountId, error)
      return Effect.asVoid(
        Effect.orDie(sql`
          insert into account_errors (account_id, code, message, happened_at)
          select id, ${error.code}::text, ${error.message}::text, ${timestamp(error.at)}::timestamptz
          from sending_accounts where id = ${accountId}
          on conflict (account_id) do update set code = excluded.code, message = excluded.message,
            happened_at = excluded.happened_at
          where account_errors.happened_at <= excluded.happened_at`)
      )
    })
})

/** Errors of settings that were replaced say nothing about the new ones. */
export const forgetError = (sql: SqlClient.SqlClient, accountId: number) =>
  Effect.orDie(sql`delete from account_errors where account_id = ${accountId}`)

/** Nobody asks about skips that are older. */
const KEPT_MILLIS = 2 * HOUR_MILLIS

export const AccountSkipsSql = Layer.effect(
  AccountSkipStore,
  Effect.map(SqlClient.SqlClient, (sql) =>
    AccountSkipStore.of({
      add: (counts, now) =>
        Effect.orDie(
          Effect.andThen(
            // In one order, so that two processes do not wait for each other.
            sql`
              insert into account_skips as s (account_id, starts_at, reason, steps)
              select a.id, c.starts_at, c.reason, c.steps
              from unnest(${counts.map(({ accountId }) => accountId)}::int[],
                  ${counts.map(({ startsAt }) => timestamp(startsAt))}::timestamptz[],
                  ${counts.map(({ reason }) => reason)}::text[], ${counts.map(({ steps }) => steps)}::int[])
                as c (account_id, starts_at, reason, steps)
                join sending_accounts a on a.id = c.account_id
              order by 1, 2, 3
              on conflict (account_id, starts_at, reason) do update set steps = s.steps + excluded.steps`,
            sql`
              delete from account_skips where account_id = any(${counts.map(({ accountId }) => accountId)}::int[])
                and starts_at < ${timestamp(now - KEPT_MILLIS)}`
          )
        )
    })
  )
)
