import type { Admission } from "../../domain/people/Admission.ts"
import type { AdmissionRule, LimitColumn, Refusal, RefusalReason } from "./AdmissionRule.ts"

/** How often something is counted until the window's end; the first request after it begins the next window. */
interface Window {
  readonly name: "hour" | "day"
  readonly lasts: "1 hour" | "24 hours"
  readonly limit: LimitColumn
  readonly reason: RefusalReason
}

interface WindowCounter {
  readonly name: "phone" | "platform"
  readonly table: string
  readonly alias: string
  /** Its primary key: columns of the request, and constants. */
  readonly columns: ReadonlyArray<string>
  readonly constants?: Readonly<Record<string, string>>
  readonly windows: ReadonlyArray<Window>
  readonly concerns: (admission: Admission) => boolean
  readonly further?: FurtherCount
}

/** Something else that is counted in the same row, in SQL texts. */
export interface FurtherCount {
  readonly limit: LimitColumn
  readonly columns: string
  readonly values: string
  readonly changes: string
  readonly returning: string
  /** Over the counted row `c` and the request `a`. */
  readonly isExceeded: string
  readonly refusal: Refusal
}

const anyOf = (conditions: ReadonlyArray<string>): string => conditions.join(" or ")

/** Two times are subtracted, because a time minus an interval depends on the time zone: Citus refuses that here. */
const countedIn = (alias: string, { name, lasts }: Window): string => {
  const isOpen = `excluded.${name}_ends_at - ${alias}.${name}_ends_at < interval '${lasts}'`
  return `
      ${name}_used = case when ${isOpen} then ${alias}.${name}_used + 1 else 1 end,
      ${name}_ends_at = case when ${isOpen} then ${alias}.${name}_ends_at else excluded.${name}_ends_at end`
}

const keyOf = ({ columns, constants = {} }: WindowCounter): ReadonlyArray<string> => [
  ...columns,
  ...Object.keys(constants)
]

const rowCondition = (counter: WindowCounter): string =>
  keyOf(counter)
    .map((column) => `${counter.alias}.${column} = ${counter.constants?.[column] ?? `r.${column}`}`)
    .join(" and ")

const limitsOf = ({ windows, further }: WindowCounter): ReadonlyArray<LimitColumn> => [
  ...windows.map(({ limit }) => limit),
  ...(further === undefined ? [] : [further.limit])
]

const count = (counter: WindowCounter, admitted: string): string => {
  const { name, table, alias, columns, constants = {}, windows, further } = counter
  const key = keyOf(counter).join(", ")
  const values = [...columns, ...Object.values(constants)].join(", ")
  return `
  ${name}_counted as (
    insert into ${table} as ${alias} (${key}, ${windows.map((window) => `${window.name}_ends_at, ${window.name}_used`).join(", ")}${further === undefined ? "" : `, ${further.columns}`})
    select ${values}, ${windows.map(({ lasts }) => `now + interval '${lasts}', 1`).join(", ")}${further === undefined ? "" : `, ${further.values}`}
    from ${admitted} and (${anyOf(limitsOf(counter).map((limit) => `${limit} > 0`))})
    on conflict (${key}) do update set ${windows.map((window) => countedIn(alias, window)).join(",")}${further === undefined ? "" : `,\n      ${further.changes}`}
    returning ${[...columns, ...windows.map((window) => `${window.name}_used`), ...(further === undefined ? [] : [further.returning])].join(", ")})`
}

/** The limits are compared with `nullif`, so that the few counts above 1 are always looked at first. */
const isExceeded = ({ name, columns, windows, further }: WindowCounter, rows: string): string => `
  exists (select from ${name}_counted c join ${rows} a on ${columns.map((column) => `a.${column} = c.${column}`).join(" and ")}
    where (${anyOf(windows.map((window) => `c.${window.name}_used > 1`))})
      and (${anyOf([...windows.map((window) => `c.${window.name}_used > nullif(a.${window.limit}, 0)`), ...(further === undefined ? [] : [further.isExceeded])])}))`

/** A phone is in a batch only once, so a full counter is full for its request alone. */
export const windowRule = (counter: WindowCounter): AdmissionRule => {
  const { name, table, alias, windows, concerns, further } = counter
  return {
    name,
    table,
    alias,
    isRow: rowCondition(counter),
    limits: limitsOf(counter),
    concerns,
    isShared: false,
    refusals: [
      ...windows.map((window) => ({
        reason: window.reason,
        when: `${alias}.${window.name}_used >= r.${window.limit} and r.${window.limit} > 0 and ${alias}.${window.name}_ends_at > r.now`,
        until: `${alias}.${window.name}_ends_at`
      })),
      ...(further === undefined ? [] : [further.refusal])
    ],
    count: (admitted) => count(counter, admitted),
    isExceeded: (rows) => isExceeded(counter, rows)
  }
}
