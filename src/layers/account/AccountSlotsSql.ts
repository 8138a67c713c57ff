import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { HOUR_MILLIS, type Instant, MINUTE_MILLIS } from "../../domain/Instant.ts"
import type { LastError } from "../../domain/account/AccountState.ts"
import { GAP_MARGIN_MILLIS, type SendKind, SkipReason } from "../../domain/account/Pace.ts"
import { type AccountVerdict, verdictOf } from "../../domain/account/Cooldown.ts"
import { attemptErrorCode, keptText, type ProviderOutcome } from "../../domain/ProviderOutcome.ts"
import type { RouteAccount } from "../../domain/routing/Route.ts"
import {
  conditionOf,
  isCooling,
  isPaced,
  isShared,
  makePacedAccounts,
  type PacedAccount,
  paceOf
} from "./PacedAccounts.ts"
import { InstantColumn, nullableTimestamp, rowsOf, timestamp } from "../postgres/SqlRows.ts"
import { Settings, type SettingsShape } from "../../services/Settings.ts"
import {
  AccountSkipStore,
  AccountSlots,
  type SendResult,
  type Slot,
  type SlotRequest,
  type StartRequest
} from "../../services/account/AccountSlots.ts"
import { warnOfFailure } from "../../services/system/Observability.ts"

interface Sent {
  readonly account: PacedAccount
  readonly kind: SendKind
  readonly verdict: AccountVerdict
  readonly now: number
}

/** Counts failures of an account, and begins and ends its cooldowns: one statement for each outcome of a send. */
const cooldownSql = (sql: SqlClient.SqlClient, settings: SettingsShape) => {
  /** Texts are counted apart if they have cooldowns of their own. */
  const columnsOf = (account: PacedAccount, kind: SendKind) =>
    kind === "text" && account.textCondition !== null
      ? {
          failures: sql("text_failures"),
          cooldowns: sql("text_cooldowns"),
          until: sql("texts_cooling_until")
        }
      : { failures: sql("failures"), cooldowns: sql("cooldowns"), until: sql("cooling_until") }
  type Columns = ReturnType<typeof columnsOf>

  /** Twice as long with each cooldown in a row. */
  const nextCooldown = ({ cooldowns }: Columns) => sql`least(${settings.cooldownMaxMillis}::bigint,
    ${settings.cooldownMillis}::bigint * (1::bigint << least(p.${cooldowns}, 20)))`

  const fail = (id: number, columns: Columns, now: number) => {
    const { failures, cooldowns, until } = columns
    const begins = sql`p.${failures} + 1 >= ${settings.cooldownFailures}::int
      and coalesce(p.${until} <= ${timestamp(now)}::timestamptz, true)`
    return sql`update account_pace p set ${failures} = p.${failures} + 1,
        ${cooldowns} = p.${cooldowns} + (${begins})::int,
        ${until} = case when ${begins}
          then ${timestamp(now)}::timestamptz + ${nextCooldown(columns)} * interval '1 millisecond' else p.${until} end
      where p.account_id = ${id}`
  }

  /** During a cooldown, only a provider that asks for a longer one changes anything. */
  const coolDown = (id: number, columns: Columns, millis: number | null, now: number) => {
    const { cooldowns, until } = columns
    const isCooling = sql`coalesce(p.${until} > ${timestamp(now)}::timestamptz, false)`
    return sql`update account_pace p set ${cooldowns} = p.${cooldowns} + (not ${isCooling})::int,
        ${until} = case when ${isCooling} and ${millis}::bigint is null then p.${until}
          else greatest(p.${until}, ${timestamp(now)}::timestamptz
            + coalesce(${millis}::bigint, ${nextCooldown(columns)}) * interval '1 millisecond') end
      where p.account_id = ${id}`
  }

  /** A send that succeeds during a cooldown began before it, and says nothing about the account now. */
  const recover = (id: number, { failures, cooldowns, until }: Columns, now: number) =>
    sql`update account_pace set ${failures} = 0, ${cooldowns} = 0 where account_id = ${id}
      and (${failures} > 0 or ${cooldowns} > 0) and coalesce(${until} <= ${timestamp(now)}::timestamptz, true)`

  return ({ account, kind, verdict, now }: Sent) => {
    const columns = columnsOf(account, kind)
    switch (verdict._tag) {
      case "Works":
        return recover(account.id, columns, now)
      case "Failed":
        return fail(account.id, columns, now)
      case "CoolDown":
        return coolDown(account.id, columns, verdict.millis, now)
    }
  }
}

const SlotRow = Schema.Struct({
  index: Schema.NullOr(Schema.Int),
  at: InstantColumn,
  blocked: Schema.Array(Schema.Int),
  reasons: Schema.Array(SkipReason)
})

const StartRow = Schema.Struct({ hasStart: Schema.Boolean, nextStartAt: Schema.NullOr(InstantColumn) })

const MAX_SHARED_AHEAD = 4

const shareOf = ({ perMinute, gapMillis }: PacedAccount) =>
  perMinute > 0 ? perMinute : Math.ceil(MINUTE_MILLIS / Math.max(1, gapMillis))

/** Notes that a call starts; needed only if the call did not start when its slot was reserved. */
const startSql = (sql: SqlClient.SqlClient) => {
  const startRows = rowsOf(StartRow)
  return (account: PacedAccount, { now, instead }: StartRequest) => {
    const gap = sql`${paceOf(account)}::int * interval '1 millisecond'`
    const at = sql`${timestamp(now)}::timestamptz`
    return startRows(sql`
      with started as (
        update account_pace set next_start_at = ${at} + ${gap}
        where account_id = ${account.id} and (coalesce(next_start_at <= ${at}, true)
          or next_start_at = ${nullableTimestamp(instead)}::timestamptz + ${gap})
        returning account_id)
      select exists (select from started) as "hasStart", next_start_at as "nextStartAt"
      from account_pace where account_id = ${account.id}`)
  }
}

/**
 * One statement: looks at the accounts under a lock, finds the slot that each could give, and reserves the best. On a
 * shared account a customer has only its share: what the others of this minute, and one more, would leave. A customer also
 * has few slots ahead there, so that the slots of others are near. A deleted account has a slot at once: its call will
 * report that it is gone.
 */
const slotSql = (sql: SqlClient.SqlClient, { slotWaitMillis }: SettingsShape) => {
  const slotRows = rowsOf(SlotRow)
  return (accounts: ReadonlyArray<PacedAccount>, request: SlotRequest) => {
    const { customerId, kind, waitsForBlocked } = request
    const coolsApart = ({ textCondition }: PacedAccount) => kind === "text" && textCondition !== null
    const now = timestamp(request.now)
    const soon = timestamp(request.now + slotWaitMillis)
    return slotRows(sql`
      with requested as (
        select * from unnest(${accounts.map(({ id }) => id)}::int[], ${accounts.map(paceOf)}::int[],
          ${accounts.map(({ perMinute }) => perMinute)}::int[],
          ${accounts.map((account) => (isShared(account) ? shareOf(account) : 0))}::int[],
          ${accounts.map(coolsApart)}::bool[])
          with ordinality as q (account_id, gap, rate, share, cools_apart, nth)),
      locked as materialized (
        select p.* from account_pace p where p.account_id in (select account_id from requested)
        order by p.account_id for update of p),
      found as (
        select q.nth::int - 1 as index, q.gap, q.rate, q.share, p.account_id, p.slots, p.slot_customers, p.next_start_at,
          case when q.cools_apart then p.texts_cooling_until else p.cooling_until end as cooling_until,
          cardinality(p.slots) as taken
        from requested q left join locked p on p.account_id = q.account_id),
      timed as (
        select l.*,
          greatest(${now}::timestamptz, l.slots[l.taken] + l.gap * interval '1 millisecond',
            case when l.gap > 0 then l.next_start_at end) as by_gap,
          case when l.rate > 0 and l.taken >= l.rate
            then l.slots[l.taken - l.rate + 1] + ${MINUTE_MILLIS + GAP_MARGIN_MILLIS}::int * interval '1 millisecond' end as by_rate,
          l.share > 0 and (
            select count(*) filter (where s.customer = ${customerId}) >=
              ceil(l.share::numeric / (count(distinct s.customer) filter (where s.customer <> ${customerId}) + 2))
            from unnest(l.slots, l.slot_customers) as s (at, customer)
            where s.at > ${now}::timestamptz - interval '1 minute') as has_share_used,
          (select count(*) from unnest(l.slots, l.slot_customers) as s (at, customer)
            where l.share > 0 and s.at > ${now}::timestamptz and s.customer = ${customerId}) as mine_to_come
        from found l),
      slotted as (
        select t.*, greatest(t.by_gap, t.by_rate, t.cooling_until) as at,
          case when t.cooling_until > ${now}::timestamptz then 'cooldown'
            when t.by_rate > t.by_gap or t.has_share_used then 'rate' else 'gap' end as reason
        from timed t),
      chosen as (
        select s.*, s.reason = 'gap' and s.at <= ${soon}::timestamptz as is_soon from slotted s
        where s.at <= ${timestamp(request.until)}::timestamptz and not s.has_share_used
          and (s.reason <> 'cooldown' or ${waitsForBlocked})
          and (s.share = 0 or s.mine_to_come < ${MAX_SHARED_AHEAD}::int)
        order by is_soon desc, s.reason <> 'gap' and not ${waitsForBlocked},
          case when s.reason = 'gap' and s.at <= ${soon}::timestamptz then s.index end, s.at, s.index
        limit 1),
      reserved as (
        update account_pace p set
          next_start_at = case when c.gap > 0 and c.at <= ${now}::timestamptz
            then c.at + c.gap * interval '1 millisecond' else p.next_start_at end,
          slots = (c.slots || c.at)[greatest(1, c.taken + 2 - greatest(1, c.rate, c.share)):],
          slot_customers = (c.slot_customers || ${customerId}::int)[greatest(1, c.taken + 2 - greatest(1, c.rate, c.share)):]
        from chosen c where p.account_id = c.account_id)
      select (select index from chosen) as index,
        coalesce((select at from chosen), min(s.at)) as at,
        coalesce(array_agg(s.index) filter (where s.reason <> 'gap'), '{}') as blocked,
        array_agg(s.reason order by s.index) as reasons
      from slotted s`)
  }
}

/** The failure that an outcome shows; null if there is none, or it is the recipient's. */
const errorOf = (outcome: ProviderOutcome, at: Instant): LastError | null => {
  const code = attemptErrorCode(outcome)
  if (code === null || code === "recipient_unreachable" || outcome._tag === "Accepted") return null
  return { code, message: keptText(outcome.providerError), at }
}

/** A failure is written again only after this: a provider that is down fails every send. */
const SAME_FOR_MILLIS = 1000
const MAX_REMEMBERED = 10_000

/** Keeps the last failure of each account. */
const makeNoteError = Effect.map(SqlClient.SqlClient, (sql) => {
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

/** Sends that wait for the same account do not come back at the same instant. */
const SPREADS = 20
const SPREAD_MILLIS = 100

const isFree = (account: PacedAccount | undefined, { kind, now }: SlotRequest): boolean =>
  account !== undefined && !isPaced(account) && !isCooling(account, kind, now)

const atOnce = (now: number): Slot => ({ _tag: "Taken", index: 0, at: now, hasStart: true, blocked: [] })

type PacedAccounts = Effect.Success<typeof makePacedAccounts>

const makeTake = Effect.fnUntraced(function* (accounts: PacedAccounts) {
  const reserve = slotSql(yield* SqlClient.SqlClient, yield* Settings)
  let waiting = 0
  const spread = (at: number) => at + (waiting++ % SPREADS) * SPREAD_MILLIS

  const toSlot = ({ index, at, blocked, reasons }: typeof SlotRow.Type, now: number): Slot =>
    index === null
      ? { _tag: "FreeAt", at: spread(at), blocked, reasons }
      : { _tag: "Taken", index, at, hasStart: at <= now, blocked, reasons }

  const take = Effect.fnUntraced(function* (request: SlotRequest) {
    const paced = yield* Effect.forEach(request.accounts, accounts.get)
    if (isFree(paced[0], request)) return atOnce(request.now)
    const [row] = yield* reserve(paced, request)
    return row === undefined ? yield* Effect.die("no slot and no time for one") : toSlot(row, request.now)
  })

  /** The usual case: the account has no pace, and has not failed lately. */
  const isFreeAsKnown = (request: SlotRequest) => {
    const [first] = request.accounts
    return first !== undefined && isFree(accounts.recall(first), request)
  }

  return (request: SlotRequest) =>
    isFreeAsKnown(request) ? Effect.succeed(atOnce(request.now)) : take(request)
})

const makeStart = Effect.fnUntraced(function* (accounts: PacedAccounts) {
  const noteStart = startSql(yield* SqlClient.SqlClient)

  const start = Effect.fnUntraced(function* (routeAccount: RouteAccount, request: StartRequest) {
    const [row] = yield* noteStart(yield* accounts.get(routeAccount), request)
    if (row === undefined || row.hasStart) return { hasStart: true, at: request.now }
    return { hasStart: false, at: Math.max(row.nextStartAt ?? request.now, request.now + 1) }
  })

  return (account: RouteAccount, request: StartRequest) =>
    accounts.recall(account)?.gapMillis === 0
      ? Effect.succeed({ hasStart: true, at: request.now })
      : start(account, request)
})

const makeReport = Effect.fnUntraced(function* (accounts: PacedAccounts) {
  const settings = yield* Settings
  const noteResult = cooldownSql(yield* SqlClient.SqlClient, settings)
  const noteError = yield* makeNoteError
  const verdictIn = ({ outcome }: SendResult) => verdictOf(outcome, settings.cooldownMaxMillis)

  const note = Effect.fnUntraced(function* (routeAccount: RouteAccount, result: SendResult) {
    const { kind, now } = result
    const account = yield* accounts.get(routeAccount)
    const verdict = verdictIn(result)
    const error = errorOf(result.outcome, now)
    if (error !== null) yield* noteError(account.id, error)
    if (verdict._tag === "Works" && !conditionOf(account, kind).isUnwell) return
    yield* Effect.orDie(noteResult({ account, kind, verdict, now }))
    yield* accounts.invalidate(account.id)
  })

  const isWellAsKnown = (routeAccount: RouteAccount, kind: SendKind) => {
    const account = accounts.recall(routeAccount)
    return account !== undefined && !conditionOf(account, kind).isUnwell
  }

  return (account: RouteAccount, result: SendResult) =>
    verdictIn(result)._tag === "Works" &&
    errorOf(result.outcome, result.now) === null &&
    isWellAsKnown(account, result.kind)
      ? Effect.void
      : Effect.catchCause(note(account, result), (cause) =>
          warnOfFailure("the condition of an account was not noted", cause)
        )
})

export const AccountSlotsSql = Layer.effect(
  AccountSlots,
  Effect.gen(function* () {
    const accounts = yield* makePacedAccounts
    return AccountSlots.of({
      take: yield* makeTake(accounts),
      start: yield* makeStart(accounts),
      isCooling: (account, kind, now) =>
        Effect.map(accounts.get(account), (found) => isCooling(found, kind, now)),
      report: yield* makeReport(accounts)
    })
  })
)
