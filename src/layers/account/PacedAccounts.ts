import { Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { HOUR_MILLIS, MINUTE_MILLIS } from "../../domain/Instant.ts"
import type { AccountState } from "../../domain/account/AccountState.ts"
import { type DefaultRates, type SendKind, spacingOf } from "../../domain/account/Pace.ts"
import { Channel } from "../../domain/routing/Channel.ts"
import type { RouteAccount } from "../../domain/routing/Route.ts"
import { ChangeFeed, endedBy, ofCustomer } from "../postgres/ChangeFeed.ts"
import { cachedLookup, setUpColumns, SetUpFields, SetUpVersions } from "../postgres/SetUpCache.ts"
import { InstantColumn, rowsOf, timestamp } from "../postgres/SqlRows.ts"
import { makeLookupBatch } from "../postgres/batching/LoadBatchSql.ts"
import { Settings, type SettingsShape } from "../../services/Settings.ts"
import { AccountStates } from "../../services/account/AccountHistories.ts"

/** Whether an account, with what it sends by one means, has failed lately or is in a cooldown. */
interface Condition {
  readonly isUnwell: boolean
  readonly coolingUntil: number | null
}

export interface PacedAccount {
  readonly id: number
  /** Null: the platform's. */
  readonly customerId: number | null
  readonly gapMillis: number
  readonly perMinute: number
  /** Applies to all sends of the account; to codes only, if texts have cooldowns of their own. */
  readonly condition: Condition
  /** Applies to texts; null if they share the condition of codes. */
  readonly textCondition: Condition | null
  readonly setUpVersion: number
}

const AccountRow = Schema.Struct({
  customerId: Schema.NullOr(Schema.Int),
  channel: Channel,
  gapMillis: Schema.NullOr(Schema.Int),
  perMinute: Schema.NullOr(Schema.Int),
  cooldownByKind: Schema.Boolean,
  isUnwell: Schema.Boolean,
  coolingUntil: Schema.NullOr(InstantColumn),
  areTextsUnwell: Schema.Boolean,
  textsCoolingUntil: Schema.NullOr(InstantColumn),
  ...SetUpFields
})

const statement = (keys: string) => `
  select r.nth, a.customer_id as "customerId", a.channel, a.gap_ms as "gapMillis", a.rate_per_minute as "perMinute",
    a.rests_by_kind as "cooldownByKind", p.failures > 0 or p.cooldowns > 0 as "isUnwell",
    p.cooling_until as "coolingUntil", p.text_failures > 0 or p.text_cooldowns > 0 as "areTextsUnwell",
    p.texts_cooling_until as "textsCoolingUntil",
    ${setUpColumns("a.customer_id")}
  from ${keys} join sending_accounts a on a.id = r.account_id join account_pace p on p.account_id = a.id`

export const conditionOf = ({ condition, textCondition }: PacedAccount, kind: SendKind): Condition =>
  kind === "text" && textCondition !== null ? textCondition : condition

export const isCooling = (account: PacedAccount, kind: SendKind, now: number) => {
  const { coolingUntil } = conditionOf(account, kind)
  return coolingUntil !== null && coolingUntil > now
}

export const isShared = ({ customerId }: PacedAccount): boolean => customerId === null

export const isPaced = (account: PacedAccount): boolean =>
  account.gapMillis > 0 || account.perMinute > 0 || isShared(account)

export const paceOf = ({ gapMillis }: PacedAccount) => spacingOf(gapMillis)

const ratesOf = (settings: SettingsShape): DefaultRates => ({
  eitaa: settings.accountRateEitaa,
  bale: settings.accountRateBale,
  soroushplus: settings.accountRateSoroushplus,
  rubika: settings.accountRateRubika,
  telegram: settings.accountRateTelegram,
  voice: settings.accountRateVoice,
  sms: settings.accountRateSms
})

const WELL: Condition = { isUnwell: false, coolingUntil: null }

/** A deleted account has no pace: its steps do not wait. Their calls report that it is gone, and the next is tried. */
const goneAccount = (id: number): PacedAccount => ({
  id,
  customerId: null,
  gapMillis: 0,
  perMinute: 0,
  condition: WELL,
  textCondition: null,
  setUpVersion: 0
})

/** The pace and the condition of sending accounts, cached. */
export const makePacedAccounts = Effect.gen(function* () {
  const settings = yield* Settings
  const feed = yield* ChangeFeed
  const versions = yield* SetUpVersions
  const rates = ratesOf(settings)
  const rowOf = yield* makeLookupBatch<number, typeof AccountRow>({
    name: "account_pace",
    key: { name: "account_id", type: "int4", of: (id) => id },
    row: AccountRow,
    statement
  })

  const lookup = Effect.fnUntraced(function* (id: number) {
    const found = yield* rowOf(id)
    if (Option.isNone(found)) return goneAccount(id)
    const row = found.value
    versions.note(row.customerId, row)
    const account: PacedAccount = {
      id,
      customerId: row.customerId,
      gapMillis: row.gapMillis ?? settings.accountGapMillis,
      perMinute: row.perMinute ?? rates[row.channel],
      condition: { isUnwell: row.isUnwell, coolingUntil: row.coolingUntil },
      textCondition: row.cooldownByKind
        ? { isUnwell: row.areTextsUnwell, coolingUntil: row.textsCoolingUntil }
        : null,
      setUpVersion: row.setUpVersion
    }
    return account
  })
  const cache = yield* cachedLookup(lookup, { isUpToDate: feed.isUpToDate, isCurrent: versions.isCurrent })
  yield* feed.subscribe(endedBy(cache, { customer: ofCustomer(cache), account: cache.invalidate }))

  return {
    recall: ({ account_id }: RouteAccount) => (account_id === null ? undefined : cache.recall(account_id)),
    get: ({ account_id }: RouteAccount) =>
      account_id === null ? Effect.die("a live step names its account") : cache.get(account_id),
    invalidate: cache.invalidate
  }
})

const StateRow = Schema.Struct({
  id: Schema.Int,
  channel: Channel,
  gapMillis: Schema.NullOr(Schema.Int),
  perMinute: Schema.NullOr(Schema.Int),
  usedOfMinute: Schema.Int,
  lastSlotAt: Schema.NullOr(InstantColumn),
  oldestSlotAt: Schema.NullOr(InstantColumn),
  coolsByKind: Schema.Boolean,
  failures: Schema.Int,
  coolingUntil: Schema.NullOr(InstantColumn),
  textFailures: Schema.Int,
  textsCoolingUntil: Schema.NullOr(InstantColumn),
  checkedAt: Schema.NullOr(InstantColumn),
  result: Schema.NullOr(Schema.Literals(["works", "refused", "not_reached", "cannot_be_checked"])),
  detail: Schema.NullOr(Schema.String),
  credit: Schema.NullOr(Schema.Finite),
  skips: Schema.Record(Schema.String, Schema.Int)
})

export const AccountStatesSql = Layer.effect(
  AccountStates,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const settings = yield* Settings
    const rates = ratesOf(settings)
    const stateRows = rowsOf(StateRow)

    const toState = (row: typeof StateRow.Type): AccountState => {
      const { failures, coolingUntil, checkedAt, result, detail } = row
      const codes = { failures, coolingUntil }
      return {
        gapMillis: row.gapMillis ?? settings.accountGapMillis,
        perMinute: row.perMinute ?? rates[row.channel],
        usedOfMinute: row.usedOfMinute,
        minuteFreeAt: row.oldestSlotAt === null ? null : row.oldestSlotAt + MINUTE_MILLIS,
        lastSlotAt: row.lastSlotAt,
        codes,
        texts: row.coolsByKind ? { failures: row.textFailures, coolingUntil: row.textsCoolingUntil } : codes,
        lastCheck: checkedAt === null || result === null ? null : { at: checkedAt, result, detail },
        credit: row.credit,
        skips: row.skips
      }
    }

    return AccountStates.of({
      read: Effect.fnUntraced(function* (owner, ids, now) {
        const minuteAgo = timestamp(now - MINUTE_MILLIS)
        const hourAgo = timestamp(now - HOUR_MILLIS)
        const rows = yield* stateRows(sql`
          select a.id, a.channel, a.gap_ms as "gapMillis", a.rate_per_minute as "perMinute",
            (select count(*)::int from unnest(p.slots) s where s > ${minuteAgo}) as "usedOfMinute",
            (select min(s) from unnest(p.slots) s where s > ${minuteAgo}) as "oldestSlotAt",
            (select max(s) from unnest(p.slots) s) as "lastSlotAt",
            a.rests_by_kind as "coolsByKind", p.failures, p.cooling_until as "coolingUntil",
            p.text_failures as "textFailures", p.texts_cooling_until as "textsCoolingUntil",
            c.checked_at as "checkedAt", c.result, c.detail, c.credit,
            coalesce((select jsonb_object_agg(reason, steps) from (
              select reason, sum(steps)::int as steps from account_skips
              where account_id = a.id and starts_at > ${hourAgo} group by 1) s), '{}') as skips
          from sending_accounts a join account_pace p on p.account_id = a.id
            left join account_checks c on c.account_id = a.id
          where a.id = any(${ids}::int[]) and (a.customer_id is null or a.customer_id = ${owner}::int)`)
        return new Map(rows.map((row) => [row.id, toState(row)]))
      })
    })
  })
)
