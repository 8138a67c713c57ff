import { Clock, Effect, Result, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import type { SqlClient } from "effect/sql"
import { NotFound } from "../../domain/Errors.ts"
import { type Instant, MINUTE_MILLIS } from "../../domain/Instant.ts"
import { AccountFinding, changedSettings, checkResultOf } from "../../domain/account/AccountState.ts"
import { PLATFORM } from "../../domain/customer/Customer.ts"
import type { SettingProblem } from "../../domain/Problem.ts"
import { textOf } from "../../domain/ProblemTexts.ts"
import { ProviderOutcome } from "../../domain/ProviderOutcome.ts"
import { Channel } from "../../domain/routing/Channel.ts"
import { maskCredentials, openSettings } from "../provider/ConnectedAccounts.ts"
import { connectionOf, isOwnedBy } from "./AccountRows.ts"
import type { MasterKey } from "../crypto/Crypto.ts"
import { rowsOf, timestamp } from "../postgres/SqlRows.ts"
import type { AccountOwner, Accounts } from "../../services/account/Accounts.ts"
import { examine, sendTestCode } from "../../services/provider/AccountExamination.ts"
import type { ProviderAdapters, ProviderConnection } from "../../services/provider/ProviderAdapter.ts"

/** One balance for each half hour, so that many checks make few rows. */
const BALANCE_MILLIS = 30 * MINUTE_MILLIS

const noteBalance = (sql: SqlClient.SqlClient, accountId: number, credit: number, now: Instant) =>
  Effect.orDie(sql`
    insert into account_balances (account_id, noted_at, credit)
    values (${accountId}, ${timestamp(now - (now % BALANCE_MILLIS))}, ${credit}::double precision)
    on conflict (account_id, noted_at) do update set credit = excluded.credit`)

/** Stores the result of a check in place of the last one. A credit that it does not report stays as it was. */
export const noteCheck = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  accountId: number,
  finding: AccountFinding
) {
  const { result, detail } = checkResultOf(finding)
  const credit = finding._tag === "CannotBeChecked" ? null : finding.credit
  const now = timestamp(yield* Clock.currentTimeMillis)
  yield* Effect.orDie(sql`
    insert into account_checks (account_id, checked_at, result, detail, credit)
    values (${accountId}, ${now}, ${result}, ${detail}::text, ${credit}::double precision)
    on conflict (account_id) do update set checked_at = excluded.checked_at, result = excluded.result,
      detail = excluded.detail, credit = coalesce(excluded.credit, account_checks.credit)`)
  if (credit !== null) yield* noteBalance(sql, accountId, credit, yield* Clock.currentTimeMillis)
})

/** An earlier result does not apply to settings that were not checked. */
export const forgetCheck = (sql: SqlClient.SqlClient, accountId: number) =>
  Effect.orDie(sql`delete from account_checks where account_id = ${accountId}`)

/** The only setting that can lead into a private network. */
const ADDRESS_SETTING = "url"

/** Whether changed settings may lead into a private network: an address that stays keeps what it was allowed. */
export const allowsPrivateFor = (
  { allowsPrivateAddresses }: { readonly allowsPrivateAddresses: boolean },
  change: Readonly<Record<string, unknown>>,
  usual: boolean
): boolean => usual || (allowsPrivateAddresses && !(ADDRESS_SETTING in change))

const CONCURRENCY = 8
/** Accounts that are read at once. */
const PAGE = 100

const ChatRow = Schema.Struct({ chatId: Schema.String })
const StoredRow = Schema.Struct({
  id: Schema.Int,
  customerId: Schema.NullOr(Schema.Int),
  channel: Channel,
  provider: Schema.String,
  label: Schema.String,
  sealedSettings: Schema.Uint8Array,
  allowsPrivateAddresses: Schema.Boolean
})

const reasonOf = ({ setting, problem }: SettingProblem): string =>
  setting === null ? textOf(problem) : `${setting}: ${textOf(problem)}`

/**
 * Asks providers whether accounts work, by calls that change nothing.
 *
 * @param privateAddresses whether settings may lead into a private network, where the account does not say
 */
export const accountChecks = (
  sql: SqlClient.SqlClient,
  key: MasterKey["Service"],
  adapters: ProviderAdapters["Service"],
  random: SecureRandom.SecureRandom["Service"],
  privateAddresses: boolean
): Pick<
  Accounts["Service"],
  | "examine"
  | "examineChange"
  | "storedSettings"
  | "check"
  | "checkAll"
  | "noteCredits"
  | "tryConnection"
  | "tryAccount"
> => {
  const storedRows = rowsOf(StoredRow)
  const chatRows = rowsOf(ChatRow)
  const selectStored = sql`select a.id, a.customer_id as "customerId", a.channel, a.provider, a.label,
    a.sealed_settings as "sealedSettings", a.allows_private_addresses as "allowsPrivateAddresses"
    from sending_accounts a`

  const connectionOfStored = (row: typeof StoredRow.Type): Result.Result<ProviderConnection, string> => {
    const adapter = adapters.get(row.provider)
    if (adapter === undefined) return Result.fail(`there is no provider ${row.provider}`)
    return Result.try(() => openSettings(key, row, row.sealedSettings)).pipe(
      Result.mapError(() => "its settings cannot be opened with this master secret"),
      Result.flatMap((settings) =>
        Result.mapBoth(adapter.connect(settings, row), {
          onFailure: ({ problems }) => problems.map(reasonOf).join("; "),
          onSuccess: (connected) => maskCredentials(connected, settings)
        })
      )
    )
  }

  const checkStored = (row: typeof StoredRow.Type): Effect.Effect<AccountFinding> =>
    Result.match(connectionOfStored(row), {
      onFailure: (reason) => Effect.succeed(AccountFinding.Refused({ reason, credit: null })),
      onSuccess: examine
    })

  /** The whole check, whose words would be lost otherwise: the credit is in them, and so is a wrong template. */
  const noteCredit = (row: typeof StoredRow.Type): Effect.Effect<void> => {
    const connection = Result.getOrUndefined(connectionOfStored(row))
    if (connection?.credit === undefined) return Effect.void
    return Effect.flatMap(examine(connection), (finding) => noteCheck(sql, row.id, finding))
  }

  /** None where they cannot be opened: then the whole of them is needed. */
  const settingsOf = (row: typeof StoredRow.Type): unknown =>
    Result.getOrElse(
      Result.try(() => openSettings(key, row, row.sealedSettings)),
      () => ({})
    )

  /** Those that are switched on, behind this one. */
  const pageBehind = (id: number) =>
    storedRows(sql`${selectStored} where a.disabled_at is null and a.id > ${id} order by a.id limit ${PAGE}`)

  const findStored = Effect.fnUntraced(function* (owner: AccountOwner, id: number) {
    const [row] = yield* storedRows(sql`${selectStored} where ${isOwnedBy(sql, owner)} and a.id = ${id}`)
    return row ?? (yield* new NotFound())
  })

  const tryOver = (connection: ProviderConnection, sent: Parameters<typeof sendTestCode>[1]) =>
    Effect.provideService(sendTestCode(connection, sent), SecureRandom.SecureRandom, random)

  return {
    tryConnection: (account, phone) =>
      Effect.flatMap(
        connectionOf(adapters, PLATFORM, account, account.allowsPrivateAddresses ?? privateAddresses),
        (connection) =>
          tryOver(maskCredentials(connection, account.settings), { ...account, phone, chatId: null })
      ),

    tryAccount: Effect.fnUntraced(function* (owner, id, phone) {
      const row = yield* findStored(owner, id)
      const [chat] = yield* chatRows(
        sql`select chat_id as "chatId" from contact_links where account_id = ${id} and phone = ${phone}`
      )
      return yield* Result.match(connectionOfStored(row), {
        onFailure: (providerError) =>
          Effect.succeed(ProviderOutcome.Rejected({ cause: "configuration", providerError })),
        onSuccess: (connection) => tryOver(connection, { ...row, phone, chatId: chat?.chatId ?? null })
      })
    }),

    examine: (owner, account) =>
      Effect.flatMap(
        connectionOf(adapters, owner, account, account.allowsPrivateAddresses ?? privateAddresses),
        (connection) => examine(maskCredentials(connection, account.settings))
      ),

    examineChange: Effect.fnUntraced(function* (owner, id, { settingsChange = {}, allowsPrivateAddresses }) {
      const row = yield* findStored(owner, id)
      const settings = changedSettings(settingsOf(row), settingsChange)
      const allows = allowsPrivateAddresses ?? allowsPrivateFor(row, settingsChange, privateAddresses)
      const connection = yield* connectionOf(adapters, owner, { ...row, settings }, allows)
      return yield* examine(maskCredentials(connection, settings))
    }),

    storedSettings: (owner, id) =>
      Effect.map(findStored(owner, id), (row) => Object.keys(changedSettings(settingsOf(row), {}))),

    check: Effect.fnUntraced(function* (owner, id) {
      const row = yield* findStored(owner, id)
      return yield* Effect.tap(checkStored(row), (finding) => noteCheck(sql, id, finding))
    }),

    noteCredits: Effect.gen(function* () {
      let page = yield* pageBehind(0)
      while (page.length > 0) {
        yield* Effect.forEach(page, noteCredit, { concurrency: CONCURRENCY, discard: true })
        page = yield* pageBehind(page.at(-1)?.id ?? 0)
      }
    }),

    checkAll: Effect.gen(function* () {
      const rows = yield* storedRows(sql`${selectStored} where a.disabled_at is null order by a.id`)
      return yield* Effect.forEach(
        rows,
        (row) =>
          Effect.map(checkStored(row), (finding) => ({
            ...row,
            accountId: row.id,
            owner: row.customerId,
            finding
          })),
        { concurrency: CONCURRENCY }
      )
    })
  }
}
