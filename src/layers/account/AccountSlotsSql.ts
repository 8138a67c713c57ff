import { Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { MINUTE_MILLIS } from "../../domain/people/Admission.ts"
import { Channel } from "../../domain/routing/Channel.ts"
import { type DefaultRates, type SendKind, verdictOf } from "../../domain/account/Pace.ts"
import type { RouteAccount } from "../../domain/routing/RouteAccount.ts"
import {
  AccountSlots,
  type SendResult,
  type Slot,
  type SlotRequest,
  type StartRequest
} from "../../services/account/AccountSlots.ts"
import { Settings } from "../../services/Settings.ts"
import { makeLookupBatch } from "../postgres/batching/LookupBatch.ts"
import { cachedLookup } from "../postgres/cache/CachedLookup.ts"
import { ChangeFeed, endedBy, ofCustomer } from "../postgres/cache/ChangeFeed.ts"
import { setUpColumns, SetUpFields, SetUpVersions } from "../postgres/cache/SetUpVersions.ts"
import { InstantColumn, nullableTimestamp, rowsOf, timestamp } from "../postgres/SqlRows.ts"

const AccountRow = Schema.Struct({
  customerId: Schema.NullOr(Schema.Int),
  channel: Channel,
  gapMillis: Schema.NullOr(Schema.Int),
  perMinute: Schema.NullOr(Schema.Int),
  restsByKind: Schema.Boolean,
  isUnwell: Schema.Boolean,
  coolingUntil: Schema.NullOr(InstantColumn),
  areTextsUnwell: Schema.Boolean,
  textsCoolingUntil: Schema.NullOr(InstantColumn),
  ...SetUpFields
})
const SlotRow = Schema.Struct({
  index: Schema.NullOr(Schema.Int),
  at: InstantColumn,
  blocked: Schema.Array(Schema.Int)
})

const StartRow = Schema.Struct({ hasStart: Schema.Boolean, nextStartAt: Schema.NullOr(InstantColumn) })

/** Sends do not arrive exactly as they leave: this keeps them from arriving too close to each other. */
const MARGIN_MILLIS = 100

const MAX_SHARED_AHEAD = 4

/** Sends that wait for the same account do not return at the same instant. */
const SPREADS = 20
const SPREAD_MILLIS = 100

/** Longer than any account is without a row: one that is gone never has a slot. */
const NEVER_MILLIS = 365 * 86_400_000

interface Account {
  readonly id: number
  /** Null: the platform's. */
  readonly customerId: number | null
  readonly gapMillis: number
  readonly perMinute: number
  /** The state for all that it sends; or, if texts cool down separately, for codes only. */
  readonly condition: Condition
  /** The state for texts; null: the same as for codes. */
  readonly textCondition: Condition | null
  readonly setUpVersion: number
}

/** The state of an account for one means of sending. */
interface Condition {
  readonly isUnwell: boolean
  readonly coolingUntil: number | null
}

const conditionOf = ({ condition, textCondition }: Account, kind: SendKind): Condition =>
  kind === "text" && textCondition !== null ? textCondition : condition

const isShared = ({ customerId }: Account): boolean => customerId === null

const isPaced = (account: Account): boolean =>
  account.gapMillis > 0 || account.perMinute > 0 || isShared(account)

export const AccountSlotsSql = Layer.effect(
  AccountSlots,
  Effect.gen(function* () {
    const settings = yield* Settings
    const sql = yield* SqlClient.SqlClient
    const feed = yield* ChangeFeed
    const versions = yield* SetUpVersions
    const rowOf = yield* makeLookupBatch<number, typeof AccountRow>({
      name: "account_pace",
      key: { name: "account_id", type: "int4", of: (id) => id },
      row: AccountRow,
      statement: (keys) => `
        select r.nth, a.customer_id as "customerId", a.channel, a.gap_ms as "gapMillis", a.rate_per_minute as "perMinute",
          a.rests_by_kind as "restsByKind", p.failures > 0 or p.cooldowns > 0 as "isUnwell",
          p.cooling_until as "coolingUntil", p.text_failures > 0 or p.text_cooldowns > 0 as "areTextsUnwell",
          p.texts_cooling_until as "textsCoolingUntil",
          ${setUpColumns("a.customer_id")}
        from ${keys} join sending_accounts a on a.id = r.account_id join account_pace p on p.account_id = a.id`
    })
    const slotRows = rowsOf(SlotRow)
    const startRows = rowsOf(StartRow)
    const rates: DefaultRates = {
      eitaa: settings.accountRateEitaa,
      bale: settings.accountRateBale,
      soroushplus: settings.accountRateSoroushplus,
      rubika: settings.accountRateRubika,
      telegram: settings.accountRateTelegram,
      sms: settings.accountRateSms
    }

    const lookup = Effect.fnUntraced(function* (id: number) {
      const found = yield* rowOf(id)
      if (Option.isNone(found)) return yield* Effect.die(`no account ${id}`)
      const row = found.value
      versions.note(row.customerId, row)
      const account: Account = {
        id,
        customerId: row.customerId,
        gapMillis: row.gapMillis ?? settings.accountGapMillis,
        perMinute: row.perMinute ?? rates[row.channel],
        condition: { isUnwell: row.isUnwell, coolingUntil: row.coolingUntil },
        textCondition: row.restsByKind
          ? { isUnwell: row.areTextsUnwell, coolingUntil: row.textsCoolingUntil }
          : null,
        setUpVersion: row.setUpVersion
      }
      return account
    })
    const cache = yield* cachedLookup(lookup, { isHeard: feed.isHeard, isCurrent: versions.isCurrent })
    yield* feed.subscribe(endedBy(cache, { customer: ofCustomer(cache), account: cache.invalidate }))
    const recall = ({ account_id }: RouteAccount) =>
      account_id === null ? undefined : cache.recall(account_id)
    const accountOf = ({ account_id }: RouteAccount) =>
      account_id === null ? Effect.die("a live step names its account") : cache.get(account_id)

    const isCooling = (account: Account, kind: SendKind, now: number) => {
      const { coolingUntil } = conditionOf(account, kind)
      return coolingUntil !== null && coolingUntil > now
    }

    const paceOf = ({ gapMillis }: Account) => (gapMillis === 0 ? 0 : gapMillis + MARGIN_MILLIS)

    /** One statement, only for a call that did not start at the moment in which its slot was reserved. */
    const noteStart = Effect.fnUntraced(function* (account: Account, { now, instead }: StartRequest) {
      const gap = sql`${paceOf(account)}::int * interval '1 millisecond'`
      const at = sql`${timestamp(now)}::timestamptz`
      const [row] = yield* startRows(sql`
        with started as (
          update account_pace set next_start_at = ${at} + ${gap}
          where account_id = ${account.id} and (coalesce(next_start_at <= ${at}, true)
            or next_start_at = ${nullableTimestamp(instead)}::timestamptz + ${gap})
          returning account_id)
        select exists (select from started) as "hasStart", next_start_at as "nextStartAt"
        from account_pace where account_id = ${account.id}`)
      if (row === undefined || row.hasStart) return { hasStart: true, at: now }
      return { hasStart: false, at: Math.max(row.nextStartAt ?? now, now + 1) }
    })

    /**
     * One statement: reads the accounts under a lock, finds the slot that each could give, and reserves the best. On
     * a shared account a customer has only its share: the part left by this minute's other customers and one more. It
     * also has few future slots, so that those of others are near.
     */
    const reserve = (accounts: ReadonlyArray<Account>, request: SlotRequest) => {
      const { customerId, kind, waitsForBlocked } = request
      const restsApart = ({ textCondition }: Account) => kind === "text" && textCondition !== null
      const now = timestamp(request.now)
      const soon = timestamp(request.now + settings.slotWaitMillis)
      const shareOf = ({ perMinute, gapMillis }: Account) =>
        perMinute > 0 ? perMinute : Math.ceil(MINUTE_MILLIS / Math.max(1, gapMillis))
      return slotRows(sql`
        with asked as (
          select * from unnest(${accounts.map(({ id }) => id)}::int[], ${accounts.map(paceOf)}::int[],
            ${accounts.map(({ perMinute }) => perMinute)}::int[],
            ${accounts.map((account) => (isShared(account) ? shareOf(account) : 0))}::int[],
            ${accounts.map(restsApart)}::bool[])
            with ordinality as q (account_id, gap, rate, share, rests_apart, nth)),
        locked as materialized (
          select q.nth::int - 1 as index, q.gap, q.rate, q.share, p.account_id, p.slots, p.slot_customers, p.next_start_at,
            case when q.rests_apart then p.texts_cooling_until else p.cooling_until end as cooling_until,
            cardinality(p.slots) as taken
          from asked q join account_pace p on p.account_id = q.account_id order by p.account_id for update of p),
        timed as (
          select l.*,
            greatest(${now}::timestamptz, l.slots[l.taken] + l.gap * interval '1 millisecond',
              case when l.gap > 0 then l.next_start_at end) as by_gap,
            case when l.rate > 0 and l.taken >= l.rate
              then l.slots[l.taken - l.rate + 1] + ${MINUTE_MILLIS + MARGIN_MILLIS}::int * interval '1 millisecond' end as by_rate,
            l.share > 0 and (
              select count(*) filter (where s.customer = ${customerId}) >=
                ceil(l.share::numeric / (count(distinct s.customer) filter (where s.customer <> ${customerId}) + 2))
              from unnest(l.slots, l.slot_customers) as s (at, customer)
              where s.at > ${now}::timestamptz - interval '1 minute') as has_share_used,
            (select count(*) from unnest(l.slots, l.slot_customers) as s (at, customer)
              where l.share > 0 and s.at > ${now}::timestamptz and s.customer = ${customerId}) as mine_to_come
          from locked l),
        slotted as (
          select t.*, greatest(t.by_gap, t.by_rate, t.cooling_until) as at,
            coalesce(t.by_rate > t.by_gap, false) or coalesce(t.cooling_until > ${now}::timestamptz, false)
              or t.has_share_used as is_blocked
          from timed t),
        chosen as (
          select s.*, not s.is_blocked and s.at <= ${soon}::timestamptz as is_soon from slotted s
          where s.at <= ${timestamp(request.until)}::timestamptz and not s.has_share_used
            and (not s.is_blocked or ${waitsForBlocked}) and (s.share = 0 or s.mine_to_come < ${MAX_SHARED_AHEAD}::int)
          order by is_soon desc, case when not s.is_blocked and s.at <= ${soon}::timestamptz then s.index end, s.at, s.index
          limit 1),
        reserved as (
          update account_pace p set
            next_start_at = case when c.gap > 0 and c.at <= ${now}::timestamptz
              then c.at + c.gap * interval '1 millisecond' else p.next_start_at end,
            slots = (c.slots || c.at)[greatest(1, c.taken + 2 - greatest(1, c.rate, c.share)):],
            slot_customers = (c.slot_customers || ${customerId}::int)[greatest(1, c.taken + 2 - greatest(1, c.rate, c.share)):]
          from chosen c where p.account_id = c.account_id)
        select (select index from chosen) as index,
          coalesce((select at from chosen), min(s.at), ${timestamp(request.now + NEVER_MILLIS)}::timestamptz) as at,
          coalesce(array_agg(s.index) filter (where s.is_blocked), '{}') as blocked
        from slotted s`)
    }

    /** Where the state of an account is counted: separately for texts, if they cool down separately. */
    const columnsOf = (account: Account, kind: SendKind) =>
      kind === "text" && account.textCondition !== null
        ? {
            failures: sql("text_failures"),
            cooldowns: sql("text_cooldowns"),
            until: sql("texts_cooling_until")
          }
        : { failures: sql("failures"), cooldowns: sql("cooldowns"), until: sql("cooling_until") }
    type Columns = ReturnType<typeof columnsOf>

    const restMillis = ({ cooldowns }: Columns) => sql`least(${settings.cooldownMaxMillis}::bigint,
      ${settings.cooldownMillis}::bigint * (1::bigint << least(p.${cooldowns}, 20)))`

    const fail = (id: number, columns: Columns, now: number) => {
      const { failures, cooldowns, until } = columns
      const rests = sql`p.${failures} + 1 >= ${settings.cooldownFailures}::int
        and coalesce(p.${until} <= ${timestamp(now)}::timestamptz, true)`
      return sql`update account_pace p set ${failures} = p.${failures} + 1,
          ${cooldowns} = p.${cooldowns} + (${rests})::int,
          ${until} = case when ${rests}
            then ${timestamp(now)}::timestamptz + ${restMillis(columns)} * interval '1 millisecond' else p.${until} end
        where p.account_id = ${id}`
    }

    /** During a cooldown, only a provider that asks for a longer one makes a difference. */
    const rest = (id: number, columns: Columns, millis: number | null, now: number) => {
      const { cooldowns, until } = columns
      const rests = sql`coalesce(p.${until} > ${timestamp(now)}::timestamptz, false)`
      return sql`update account_pace p set ${cooldowns} = p.${cooldowns} + (not ${rests})::int,
          ${until} = case when ${rests} and ${millis}::bigint is null then p.${until}
            else greatest(p.${until}, ${timestamp(now)}::timestamptz
              + coalesce(${millis}::bigint, ${restMillis(columns)}) * interval '1 millisecond') end
        where p.account_id = ${id}`
    }

    /** A send that works during a cooldown was made before it, and says nothing about the account now. */
    const recover = (id: number, { failures, cooldowns, until }: Columns, now: number) =>
      sql`update account_pace set ${failures} = 0, ${cooldowns} = 0 where account_id = ${id}
        and (${failures} > 0 or ${cooldowns} > 0) and coalesce(${until} <= ${timestamp(now)}::timestamptz, true)`

    let waiting = 0
    const spread = (at: number) => at + (waiting++ % SPREADS) * SPREAD_MILLIS

    const toSlot = ({ index, at, blocked }: typeof SlotRow.Type, now: number): Slot =>
      index === null
        ? { _tag: "FreeAt", at: spread(at), blocked }
        : { _tag: "Taken", index, at, hasStart: at <= now, blocked }

    const verdict = ({ outcome }: SendResult) => verdictOf(outcome, settings.cooldownMaxMillis)

    const statementOf = (account: Account, result: SendResult) => {
      const { kind, now } = result
      const columns = columnsOf(account, kind)
      const said = verdict(result)
      switch (said._tag) {
        case "Works":
          return recover(account.id, columns, now)
        case "Failed":
          return fail(account.id, columns, now)
        case "MustRest":
          return rest(account.id, columns, said.millis, now)
      }
    }

    const note = Effect.fnUntraced(function* (routeAccount: RouteAccount, result: SendResult) {
      const account = yield* accountOf(routeAccount)
      if (verdict(result)._tag === "Works" && !conditionOf(account, result.kind).isUnwell) return
      yield* Effect.orDie(statementOf(account, result))
      yield* cache.invalidate(account.id)
    })

    const isFree = (account: Account | undefined, { kind, now }: SlotRequest): boolean =>
      account !== undefined && !isPaced(account) && !isCooling(account, kind, now)
    const atOnce = (now: number): Slot => ({ _tag: "Taken", index: 0, at: now, hasStart: true, blocked: [] })

    const take = Effect.fnUntraced(function* (request: SlotRequest) {
      const accounts = yield* Effect.forEach(request.accounts, accountOf)
      if (isFree(accounts[0], request)) return atOnce(request.now)
      const [row] = yield* reserve(accounts, request)
      return row === undefined ? yield* Effect.die("no slot and no time for one") : toSlot(row, request.now)
    })

    /** The usual case: the account has no gap or rate, and works. */
    const isFreeAsKnown = (request: SlotRequest) => {
      const [first] = request.accounts
      return first !== undefined && isFree(recall(first), request)
    }

    const isWellAsKnown = (routeAccount: RouteAccount, kind: SendKind) => {
      const account = recall(routeAccount)
      return account !== undefined && !conditionOf(account, kind).isUnwell
    }

    return AccountSlots.of({
      take: (request) => (isFreeAsKnown(request) ? Effect.succeed(atOnce(request.now)) : take(request)),

      start: (account, request) =>
        recall(account)?.gapMillis === 0
          ? Effect.succeed({ hasStart: true, at: request.now })
          : Effect.flatMap(accountOf(account), (found) => noteStart(found, request)),

      isResting: (account, kind, now) =>
        Effect.map(accountOf(account), (found) => isCooling(found, kind, now)),

      report: (account, result) =>
        verdict(result)._tag === "Works" && isWellAsKnown(account, result.kind)
          ? Effect.void
          : Effect.catchCause(note(account, result), (cause) =>
              Effect.logWarning("how an account fares was not noted", cause)
            )
    })
  })
)
