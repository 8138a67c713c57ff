import type { Admission } from "../../../domain/customer/Admission.ts"
import type { KnownSetUp } from "../../../services/verification/VerificationStore.ts"
import { LIMIT_WINDOWS } from "../../../domain/customer/Limits.ts"
import { CALLERS_MILLIS, MAX_CALLERS } from "../../../domain/guard/Bombing.ts"
import { type BatchColumn, intervalText } from "../SqlRows.ts"

/** Codes and messages to one phone are counted apart. */
export type AdmittedKind = "code" | "message"

/** The values of a request that are counted and compared. */
interface Limited {
  readonly admission: Admission
  readonly setUpVersion: KnownSetUp
}

/** The limits of a request as columns; 0 is without a limit. */
export const limitColumns: ReadonlyArray<BatchColumn<Limited>> = [
  { name: "hour", type: "int4", of: ({ admission }) => admission.phone.hour },
  { name: "day", type: "int4", of: ({ admission }) => admission.phone.day },
  { name: "platform_day", type: "int4", of: ({ admission }) => admission.phone.platformDay },
  { name: "callers", type: "int4", of: ({ admission }) => admission.phone.callers },
  { name: "hold", type: "int8", of: ({ admission }) => BigInt(admission.hold) },
  { name: "set_up", type: "int4", of: ({ setUpVersion }) => setUpVersion }
]

/** A row with the number of sends to its phone: on the first of them, and 0 on the others. */
export interface Repeated {
  readonly sends: number
}

export const sendsColumn: BatchColumn<Partial<Repeated>> = {
  name: "sends",
  type: "int4",
  of: ({ sends = 1 }) => sends
}

export const withSends = <Row>(
  rows: ReadonlyArray<Row>,
  phoneOf: (row: Row) => string
): ReadonlyArray<Row & Repeated> => {
  const sends = new Map<string, number>()
  for (const row of rows) sends.set(phoneOf(row), (sends.get(phoneOf(row)) ?? 0) + 1)
  return rows.map((row) => {
    const count = sends.get(phoneOf(row)) ?? 0
    sends.delete(phoneOf(row))
    return { ...row, sends: count }
  })
}

/**
 * Something that a request is counted in, in SQL texts. They only count and compare: who may send is decided by
 * `admitInOrder` of the domain.
 */
export interface CountedLimit {
  readonly name: "phone" | "platform" | "quota" | "wallet"
  /** The parts that count the requests of `admitted`, which ends in a condition. */
  readonly count: (admitted: string) => string
  /** Whether the counts show that more was admitted of `rows` than the limits allow. */
  readonly isExceeded: (rows: string) => string
}

/** How often something is counted until the window's end; the first request after it begins the next window. */
interface Window {
  readonly name: "hour" | "day"
  readonly millis: number
  readonly limit: "hour" | "day" | "platform_day"
}

interface WindowCounter {
  readonly name: "phone" | "platform"
  readonly table: string
  /** Its primary key: columns of the request, and constants. */
  readonly columns: ReadonlyArray<string>
  readonly constants?: Readonly<Record<string, string>>
  readonly windows: ReadonlyArray<Window>
  /** How often the row's phone is counted: once, or by the column `sends`. */
  readonly sends: "1" | "sends"
  readonly further?: FurtherCount
}

/** Something else that is counted in the same row, in SQL texts. */
interface FurtherCount {
  readonly limit: "callers"
  readonly columns: string
  readonly values: string
  readonly changes: string
  readonly returning: string
  /** Over the counted row `c` and the request `a`. */
  readonly isExceeded: string
}

const anyOf = (conditions: ReadonlyArray<string>): string => conditions.join(" or ")

/** Two times are subtracted, because a time minus an interval depends on the time zone: Citus refuses that here. */
const countedIn = ({ name, millis }: Window): string => {
  const isOpen = `excluded.${name}_ends_at - o.${name}_ends_at < ${intervalText(millis)}`
  return `
      ${name}_used = case when ${isOpen} then o.${name}_used else 0 end + excluded.${name}_used,
      ${name}_ends_at = case when ${isOpen} then o.${name}_ends_at else excluded.${name}_ends_at end`
}

const countWindows = (counter: WindowCounter, admitted: string): string => {
  const { name, table, columns, constants = {}, windows, sends, further } = counter
  const key = [...columns, ...Object.keys(constants)].join(", ")
  const list = (texts: ReadonlyArray<string | undefined>) =>
    texts.filter((text) => text !== undefined).join(", ")
  const limits = [...windows.map(({ limit }) => limit), ...(further === undefined ? [] : [further.limit])]
  return `
  ${name}_counted as (
    insert into ${table} as o (${list([key, ...windows.map((window) => `${window.name}_ends_at, ${window.name}_used`), further?.columns])})
    select ${list([...columns, ...Object.values(constants), ...windows.map(({ millis }) => `now + ${intervalText(millis)}, ${sends}`), further?.values])}
    from ${admitted} and (${anyOf(limits.map((limit) => `${limit} > 0`))})${sends === "1" ? "" : " and sends > 0"}
    on conflict (${key}) do update set ${windows.map(countedIn).join(",")}${further === undefined ? "" : `,\n      ${further.changes}`}
    returning ${list([...columns, ...windows.map((window) => `${window.name}_used`), further?.returning])})`
}

/** The limits are compared with `nullif`, so that the few counts above 1 are always looked at first. */
const isWindowExceeded = ({ name, columns, windows, further }: WindowCounter, rows: string): string => `
  exists (select from ${name}_counted c join ${rows} a on ${columns.map((column) => `a.${column} = c.${column}`).join(" and ")}
    where (${anyOf(windows.map((window) => `c.${window.name}_used > 1`))})
      and (${anyOf([...windows.map((window) => `c.${window.name}_used > nullif(a.${window.limit}, 0)`), ...(further === undefined ? [] : [further.isExceeded])])}))`

const countedWindows = (counter: WindowCounter): CountedLimit => ({
  name: counter.name,
  count: (admitted) => countWindows(counter, admitted),
  isExceeded: (rows) => isWindowExceeded(counter, rows)
})

const CALLERS_LAST = intervalText(CALLERS_MILLIS)
const SAME_CALLERS = `excluded.callers_until - o.callers_until < ${CALLERS_LAST}`

/**
 * The customers that sent to the phone lately: too many of them bomb it. Only the first few are kept. The
 * time does not change until it is over: a refused try must not extend it.
 */
const callers: FurtherCount = {
  limit: "callers",
  columns: "callers, callers_until",
  values: `array[customer_id], now + ${CALLERS_LAST}`,
  changes: `callers = case when not ${SAME_CALLERS} then excluded.callers
        when o.callers @> excluded.callers or cardinality(o.callers) >= ${MAX_CALLERS} then o.callers
        else o.callers || excluded.callers end,
      callers_until = case when ${SAME_CALLERS} then o.callers_until else excluded.callers_until end`,
  returning: "cardinality(callers) as callers",
  isExceeded: "c.callers >= nullif(a.callers, 0)"
}

const quota: CountedLimit = {
  name: "quota",
  count: (admitted) => `
  quota_counted as (
    insert into monthly_counters as q (customer_id, month, used)
    select customer_id, month, count(*) from ${admitted} and quota > 0 group by 1, 2 order by 1, 2
    on conflict (customer_id, month) do update set used = q.used + excluded.used
    returning customer_id, month, used)`,
  isExceeded: (rows) => `
  exists (select from quota_counted c join ${rows} a on a.customer_id = c.customer_id and a.month = c.month
    where a.quota > 0 and c.used > a.quota)`
}

const wallet: CountedLimit = {
  name: "wallet",
  // PostgreSQL checks the table's constraints on the row that the statement saw first, which others may have changed
  // before we had its lock. The condition makes that a lost race, not an error.
  count: (admitted) => `
  holds as materialized (
    select customer_id, stripe, sum(hold)::bigint as total from ${admitted} and hold > 0 group by 1, 2 order by 1, 2),
  held as (
    update wallets w set held = w.held + h.total from holds h
    where w.customer_id = h.customer_id and w.stripe = h.stripe and w.balance - w.held >= h.total
    returning true)`,
  isExceeded: () => "(select count(*) from held) <> (select count(*) from holds)"
}

interface CountedOptions {
  readonly hasQuotas: boolean
  /** Whether several requests can be to one phone. */
  readonly repeatsPhones: boolean
}

/** Everything that can refuse a request, in the order in which it is counted. */
export const countedLimits = (
  kind: AdmittedKind,
  { hasQuotas, repeatsPhones }: CountedOptions
): ReadonlyArray<CountedLimit> => [
  countedWindows({
    name: "phone",
    table: "phone_counters",
    columns: ["customer_id", "phone"],
    constants: { kind: `'${kind}'` },
    windows: [
      { name: "hour", millis: LIMIT_WINDOWS.hour, limit: "hour" },
      { name: "day", millis: LIMIT_WINDOWS.day, limit: "day" }
    ],
    sends: repeatsPhones ? "sends" : "1"
  }),
  // No limit of the platform concerns messages.
  ...(kind === "message"
    ? []
    : [
        countedWindows({
          name: "platform",
          table: "platform_phone_counters",
          columns: ["phone"],
          windows: [{ name: "day", millis: LIMIT_WINDOWS.day, limit: "platform_day" }],
          sends: "1",
          further: callers
        })
      ]),
  ...(hasQuotas ? [quota] : []),
  wallet
]
