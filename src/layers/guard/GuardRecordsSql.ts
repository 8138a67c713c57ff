import { Clock, Effect, Layer, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { isIP } from "node:net"
import { tehranDay } from "../../domain/Calendar.ts"
import { Conflict, NotFound, PreconditionFailed } from "../../domain/Errors.ts"
import { isUuidPosition, toPage } from "../../domain/Paging.ts"
import { problem } from "../../domain/Problem.ts"
import { Alarm, type ShownAlarm } from "../../domain/guard/Alarm.ts"
import {
  defaultGuard,
  entryValue,
  GuardEntry,
  GuardSettings,
  MAX_ENTRIES
} from "../../domain/guard/GuardSettings.ts"
import { Outage } from "../../domain/guard/Outage.ts"
import { guardAlarms } from "./GuardAlarmSql.ts"
import { first, InstantColumn, lockCustomer, rowsOf, timestamp } from "../postgres/SqlRows.ts"
import { type AlarmGroup, GuardRecords, MAX_GROUPED } from "../../services/guard/GuardRecords.ts"

const SettingsRow = Schema.Struct({ ...GuardSettings.fields, version: Schema.Int })
const EntryRow = Schema.Struct({ ...GuardEntry.fields, createdAt: InstantColumn })
const AlarmRow = Schema.Struct({
  ...Alarm.fields,
  id: Schema.String,
  enforced: Schema.Boolean,
  startedAt: InstantColumn,
  until: InstantColumn,
  clearedAt: Schema.NullOr(InstantColumn)
})
const GroupRow = Schema.Struct({
  ...AlarmRow.fields,
  groupCount: Schema.Int,
  openCount: Schema.Int,
  firstAt: InstantColumn,
  groupCodes: Schema.Int,
  groupVerified: Schema.Int
})
const StateRow = Schema.Struct({
  outage: Schema.NullOr(Outage),
  judgingDelayMillis: Schema.Int,
  conversion: Schema.Number
})
const DayRow = Schema.Struct({
  day: Schema.String,
  codes: Schema.Int,
  verified: Schema.Int,
  flagged: Schema.Int,
  flaggedVerified: Schema.Int,
  flaggedSms: Schema.Int,
  flaggedCharges: Schema.Int,
  refused: Schema.Int,
  denied: Schema.Int
})
/** Whether an entry can be added, or is there. */
const SpaceRow = Schema.Struct({ isFree: Schema.Boolean })

const MAX_OPEN = 100

const isNetwork = (text: string): boolean => {
  const [address = "", bits, ...rest] = text.split("/")
  const family = isIP(address)
  if (family === 0 || rest.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128))
}

const alarmColumns = `id, kind, key, reason, level, action, enforced, started_at as "startedAt", until,
  cleared_at as "clearedAt", codes, verified`

const makeSettings = Effect.map(SqlClient.SqlClient, (sql) => {
  const settingsRows = rowsOf(SettingsRow)
  const settings = (customerId: number) =>
    Effect.map(
      settingsRows(sql`
        select mode, unverified_hour as "unverifiedHour", sms_price as "smsPrice", version
        from guard_settings where customer_id = ${customerId}`),
      ([row]) => row ?? { ...defaultGuard, version: 0 }
    )
  const save: GuardRecords["Service"]["save"] = Effect.fnUntraced(function* (customerId, change, version) {
    yield* lockCustomer(sql, customerId)
    const saved = yield* settings(customerId)
    if (version !== null && saved.version !== version) {
      return yield* new PreconditionFailed({ details: { version: saved.version } })
    }
    const { mode, unverifiedHour, smsPrice } = { ...saved, ...change }
    const now = timestamp(yield* Clock.currentTimeMillis)
    yield* Effect.orDie(sql`
      insert into guard_settings (customer_id, mode, unverified_hour, sms_price, updated_at)
      values (${customerId}, ${mode}, ${unverifiedHour}, ${smsPrice}, ${now})
      on conflict (customer_id) do update set mode = excluded.mode, unverified_hour = excluded.unverified_hour,
        sms_price = excluded.sms_price, updated_at = excluded.updated_at`)
    return yield* settings(customerId)
  })
  return { settings, save }
})

const makeReports = Effect.map(SqlClient.SqlClient, (sql) => {
  const alarmRows = rowsOf(AlarmRow)
  const stateRows = rowsOf(StateRow)
  const dayRows = rowsOf(DayRow)
  const columns = sql.literal(alarmColumns)
  return {
    state: Effect.fnUntraced(function* (customerId: number) {
      const [state] = yield* stateRows(sql`
        select state -> 'outage' as outage, (state ->> 'judgingDelayMillis')::int as "judgingDelayMillis",
          (state -> 'usual' ->> 'conversion')::float8 as conversion
        from guard_rounds where customer_id = ${customerId}`)
      const openAlarms = yield* alarmRows(sql`
        select ${columns} from guard_alarms where customer_id = ${customerId} and cleared_at is null
        order by id desc limit ${MAX_OPEN}`)
      return {
        outage: state?.outage ?? null,
        judgingDelayMillis: state?.judgingDelayMillis ?? null,
        conversion: state?.conversion ?? null,
        openAlarms
      }
    }),

    days: (customerId: number) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        dayRows(sql`
          select day::text as day, codes, verified, flagged, flagged_verified as "flaggedVerified",
            flagged_sms as "flaggedSms", flagged_charges::int as "flaggedCharges", refused, denied
          from guard_days where customer_id = ${customerId}
            and day > ${tehranDay(now)}::date - 30
          order by day desc`)
      ),

    alarms: Effect.fnUntraced(function* (
      customerId: number,
      { limit, after }: { readonly limit: number; readonly after: string | null }
    ) {
      const rows = yield* alarmRows(sql`
        select ${columns} from guard_alarms
        where customer_id = ${customerId} and (${after}::uuid is null or id < ${after}::uuid)
        order by id desc limit ${limit + 1}`)
      return toPage(rows, limit, ({ id }) => id)
    }),

    sameAlarms: (customerId: number, { kind, key, reason }: ShownAlarm, limit: number) =>
      alarmRows(sql`
        select ${columns} from guard_alarms
        where customer_id = ${customerId} and kind = ${kind} and key = ${key} and reason = ${reason}
        order by id desc limit ${limit}`)
  }
})

const makeGroups = Effect.map(SqlClient.SqlClient, (sql) => {
  const groupRows = rowsOf(GroupRow)
  const columns = sql.literal(alarmColumns)
  return {
    alarmGroups: Effect.fnUntraced(function* (
      customerId: number,
      { limit, after }: { readonly limit: number; readonly after: string | null }
    ) {
      const rows = yield* groupRows(sql`
        with recent as (
          select * from guard_alarms where customer_id = ${customerId} order by id desc limit ${MAX_GROUPED}),
        grouped as (
          select distinct on (kind, key, reason) ${columns}, (count(*) over same)::int as "groupCount",
            (count(*) filter (where cleared_at is null) over same)::int as "openCount",
            min(started_at) over same as "firstAt", (sum(codes) over same)::int as "groupCodes",
            (sum(verified) over same)::int as "groupVerified"
          from recent window same as (partition by kind, key, reason)
          order by kind, key, reason, id desc)
        select * from grouped where ${after}::uuid is null or id < ${after}::uuid
        order by id desc limit ${limit + 1}`)
      const groups = rows.map(
        ({ groupCount, openCount, firstAt, groupCodes, groupVerified, ...newest }): AlarmGroup => ({
          newest,
          count: groupCount,
          openCount,
          firstAt,
          codes: groupCodes,
          verified: groupVerified
        })
      )
      return toPage(groups, limit, ({ newest }) => newest.id)
    })
  }
})

const makeClear = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const alarms = guardAlarms(sql, yield* SecureRandom.SecureRandom)
  const alarmRows = rowsOf(AlarmRow)
  const find = (customerId: number, id: string) =>
    first(
      alarmRows(sql`
        select ${sql.literal(alarmColumns)} from guard_alarms where customer_id = ${customerId} and id = ${id}::uuid`)
    )
  const clear: GuardRecords["Service"]["clear"] = Effect.fnUntraced(function* (customerId, id) {
    const found = isUuidPosition(id) ? yield* find(customerId, id) : yield* new NotFound()
    if (found._tag === "None") return yield* new NotFound()
    const alarm = found.value
    if (alarm.clearedAt !== null) return alarm
    yield* Effect.orDie(alarms.clear(customerId, id, yield* Clock.currentTimeMillis))
    yield* Effect.orDie(sql`
      delete from guard_segments where customer_id = ${customerId} and kind = ${alarm.kind} and key = ${alarm.key}`)
    yield* Effect.orDie(sql`
      delete from guard_budgets where customer_id = ${customerId}
        and case when ${alarm.kind}::text = 'customer' then segment like 'customer:%'
          else segment = ${`${alarm.kind}:${alarm.key}`} end`)
    if (alarm.kind === "customer") {
      yield* Effect.orDie(sql`
        update guard_rounds set state = state || '{"outage": null}'
          || jsonb_build_object('self', state -> 'self' || '{"score": 0, "level": 0, "onProbation": false}')
        where customer_id = ${customerId}`)
    }
    const cleared = yield* find(customerId, id)
    return cleared._tag === "None" ? yield* new NotFound() : cleared.value
  })
  const alarm: GuardRecords["Service"]["alarm"] = Effect.fnUntraced(function* (customerId, id) {
    const found = isUuidPosition(id) ? yield* find(customerId, id) : yield* new NotFound()
    return found._tag === "None" ? yield* new NotFound() : found.value
  })
  return { clear, alarm }
})

const makeLists = Effect.map(SqlClient.SqlClient, (sql) => {
  const entryRows = rowsOf(EntryRow)
  const spaceRows = rowsOf(SpaceRow)
  const columns = sql.literal(`list, type, value, created_at as "createdAt"`)
  const add: GuardRecords["Service"]["add"] = Effect.fnUntraced(function* (
    customerId,
    list,
    { type, value }
  ) {
    const normal = yield* Effect.fromResult(entryValue(type, value, isNetwork))
    yield* lockCustomer(sql, customerId)
    const [space] = yield* spaceRows(sql`
      select count(*) < ${MAX_ENTRIES} or coalesce(bool_or(list = ${list} and type = ${type} and value = ${normal}), false)
        as "isFree"
      from guard_entries where customer_id = ${customerId}`)
    if (space?.isFree !== true) {
      return yield* new Conflict({ problem: problem("lists_full", { maximum: MAX_ENTRIES }) })
    }
    const now = timestamp(yield* Clock.currentTimeMillis)
    const [row] = yield* entryRows(sql`
      insert into guard_entries (customer_id, list, type, value, created_at)
      values (${customerId}, ${list}, ${type}, ${normal}, ${now})
      on conflict (customer_id, list, type, value) do update set value = excluded.value
      returning ${columns}`)
    return row ?? (yield* Effect.die("an insert returned no row"))
  })
  const remove: GuardRecords["Service"]["remove"] = Effect.fnUntraced(function* (
    customerId,
    list,
    { type, value }
  ) {
    const normal = yield* Effect.fromResult(entryValue(type, value, isNetwork))
    // Networks were once stored as they were typed.
    const gone = yield* entryRows(sql`
      delete from guard_entries where customer_id = ${customerId} and list = ${list} and type = ${type}
        and value in (${normal}, ${value})
      returning ${columns}`)
    if (gone.length === 0) return yield* new NotFound()
  })
  return {
    add,
    remove,
    entries: (customerId: number, list: "allow" | "deny") =>
      entryRows(sql`
        select ${columns} from guard_entries where customer_id = ${customerId} and list = ${list}
        order by type, value`)
  }
})

export const GuardRecordsSql = Layer.effect(
  GuardRecords,
  Effect.gen(function* () {
    return GuardRecords.of({
      ...(yield* makeSettings),
      ...(yield* makeReports),
      ...(yield* makeGroups),
      ...(yield* makeClear),
      ...(yield* makeLists)
    })
  })
)
