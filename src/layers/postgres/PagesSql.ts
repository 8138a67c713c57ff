import { Effect, Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { NotFound } from "../../domain/Errors.ts"
import {
  formatTimePosition,
  lowestIdAfter,
  lowestIdFrom,
  type Ordered,
  type Page,
  type PageRequest,
  parseTimePosition,
  type TimePosition,
  type TimeRange
} from "../../domain/Paging.ts"
import type { KeyMode } from "../../domain/customer/Customer.ts"
import { InstantColumn, rowsOf, timestamp } from "./SqlRows.ts"
import type { SendSearch } from "../../services/message/MessageRecords.ts"

/** A position in a list by id; an invalid one is the beginning. */
export const idPosition = (after: string | null): number | null => {
  const id = Number(after ?? "")
  return Number.isSafeInteger(id) && id > 0 && id <= 2_147_483_647 ? id : null
}

/** How a row compares with those before it in the list. */
const isPast = (sql: SqlClient.SqlClient, { order }: Ordered) => sql.literal(order === "oldest" ? ">" : "<")

export const direction = (sql: SqlClient.SqlClient, { order }: Ordered) =>
  sql.literal(order === "oldest" ? "asc" : "desc")

/** The conditions of a page of a list by time, which begins after a position. */
export const withinTime = (
  sql: SqlClient.SqlClient,
  [timeColumn, idColumn]: readonly [string, string],
  { from, to, after, order }: TimeRange & Ordered & Pick<PageRequest, "after">
): ReadonlyArray<Statement.Fragment> => {
  const [time, id] = [sql.literal(timeColumn), sql.literal(idColumn)]
  const position = parseTimePosition(after)
  return [
    ...(from === undefined ? [] : [sql`${time} >= ${timestamp(from)}::timestamptz`]),
    ...(to === undefined ? [] : [sql`${time} < ${timestamp(to)}::timestamptz`]),
    ...(position === null
      ? []
      : [
          sql`(${time}, ${id}) ${isPast(sql, { order })} (${timestamp(position.at)}::timestamptz, ${position.id}::uuid)`
        ])
  ]
}

/**
 * The part of a list within a time, for rows whose ids (UUIDv7) are in the order of their time. Ids have an index anyway, and every send would
 * pay for one on the time.
 */
export const withinIds = (
  sql: SqlClient.SqlClient,
  [timeColumn, idColumn]: readonly [string, string],
  { from, to, after, order }: TimeRange & Ordered & Pick<PageRequest, "after">
): ReadonlyArray<Statement.Fragment> => {
  const id = sql.literal(idColumn)
  const position = parseTimePosition(after)
  return [
    ...withinTime(sql, [timeColumn, idColumn], { from, to, after: null }),
    ...(from === undefined ? [] : [sql`${id} >= ${lowestIdFrom(from)}::uuid`]),
    ...(to === undefined ? [] : [sql`${id} < ${lowestIdAfter(to)}::uuid`]),
    ...(position === null ? [] : [sql`${id} ${isPast(sql, { order })} ${position.id}::uuid`])
  ]
}

/** How many rows one query reads to find the few that match. */
const MAX_LOOKED_THROUGH = 10_000

const EdgeRow = Schema.Struct({ at: InstantColumn, id: Schema.String })

const CountRow = Schema.Struct({ count: Schema.Int })

interface Search extends Ordered {
  /** The rows to read, by an index; they have `created_at` and `id`. */
  readonly range: ReadonlyArray<Statement.Fragment>
  /** The further conditions on a row. */
  readonly filters: ReadonlyArray<Statement.Fragment>
  readonly limit: number
}

interface Source {
  readonly from: string
  readonly columns: string
  /** The attempts that readers are shown, where those are not all. */
  readonly attempts?: string
}

/**
 * Finds rows from the newest to the oldest, by the time in their ids. One search reads a bounded number of rows, even if
 * few match: if it does not find enough, the next part continues from there. The edge is read first, so that rows that
 * arrive meanwhile are not returned twice.
 */
const searchByTime = <Row extends { readonly id: string; readonly createdAt: number }>(
  sql: SqlClient.SqlClient,
  source: Source,
  rows: (statement: Statement.Statement<unknown>) => Effect.Effect<ReadonlyArray<Row>>
) => {
  const [from, columns] = [sql.literal(source.from), sql.literal(source.columns)]
  const edgeRows = rowsOf(EdgeRow)
  const countRows = rowsOf(CountRow)
  const orderOf = ({ order }: Search) => sql`order by id ${direction(sql, { order })}`
  const upTo = ({ order }: Search, edge: TimePosition | undefined) => {
    if (edge === undefined) return []
    return [order === "oldest" ? sql`id <= ${edge.id}::uuid` : sql`id >= ${edge.id}::uuid`]
  }

  const edgeOf = (search: Search): Effect.Effect<TimePosition | undefined> =>
    search.filters.length === 0
      ? Effect.undefined
      : Effect.map(
          edgeRows(sql`
            select created_at as at, id from ${from} where ${sql.and(search.range)} ${orderOf(search)}
            offset ${MAX_LOOKED_THROUGH - 1}::int limit 2`),
          // Without a row beyond it, everything is searched.
          ([edge, beyond]) => (beyond === undefined ? undefined : edge)
        )

  const find = Effect.fnUntraced(function* (search: Search) {
    const { range, filters, limit } = search
    const edge = yield* edgeOf(search)
    const found = yield* rows(sql`
      select ${columns} from ${from} where ${sql.and([...range, ...filters, ...upTo(search, edge)])}
      ${orderOf(search)} limit ${limit + 1}::int`)
    const last = found.length > limit ? found[limit - 1] : undefined
    const items = found.slice(0, limit)
    const page: Page<Row> =
      last !== undefined
        ? { items, next: formatTimePosition({ at: last.createdAt, id: last.id }) }
        : edge === undefined
          ? { items, next: null }
          : { items, next: formatTimePosition(edge), searchedTo: edge.at }
    return page
  })

  /**
   * Of the rows that one search reads, and no more than the limit of them. Ordered, though a count needs no order: a plan
   * for any bounds read the whole table otherwise, 2 s with a million rows.
   */
  const count = Effect.fnUntraced(function* (search: Search) {
    const { range, filters, limit } = search
    const edge = yield* edgeOf(search)
    const [row] = yield* countRows(sql`
      select count(*)::int as count from (
        select from ${from} where ${sql.and([...range, ...filters, ...upTo(search, edge)])}
        ${orderOf(search)} limit ${limit + 1}::int) counted`)
    const found = row?.count ?? 0
    return { count: Math.min(found, limit), isMore: found > limit || edge !== undefined }
  })
  return { find, count }
}

/** More are not counted. */
const MAX_COUNTED = 1000

/** Rows with an attempt over this channel. */
const triedOver = (sql: SqlClient.SqlClient, attempts: string, channel: string): Statement.Fragment => sql`
  exists (select from jsonb_array_elements(${sql.literal(attempts)}) a where route -> (a ->> 'step')::int ->> 'channel' = ${channel})`

/**
 * The metadata as JSON that PostgreSQL accepts: without U+0000 and unpaired surrogates. After an escaped backslash, such
 * a sequence is text.
 */
const READABLE = String.raw`regexp_replace(metadata,
  '(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})', '\1\\ufffd', 'gi')::json`

/** Rows whose metadata has these texts under these top-level keys. */
const metadataIs = (
  sql: SqlClient.SqlClient,
  metadata: ReadonlyMap<string, string> = new Map()
): ReadonlyArray<Statement.Fragment> =>
  Array.from(metadata, ([key, value]) => sql`${sql.literal(READABLE)} ->> ${key} = ${value}`)

/**
 * Records of one mode. Most are live, and are read in order; those of the sandbox are looked for among them, a limited
 * number at a time.
 */
const modeIs = (sql: SqlClient.SqlClient, mode: KeyMode): Pick<Search, "range" | "filters"> => {
  const condition = [sql`mode = ${mode}`]
  return mode === "live" ? { range: condition, filters: [] } : { range: [], filters: condition }
}

/** Lists and finds the codes or the messages of a customer. */
export const sendRecords = <Row extends { readonly id: string; readonly createdAt: number }>(
  sql: SqlClient.SqlClient,
  source: Source,
  rows: (statement: Statement.Statement<unknown>) => Effect.Effect<ReadonlyArray<Row>>
) => {
  const byTime = searchByTime(sql, source, rows)
  const [from, columns] = [sql.literal(source.from), sql.literal(source.columns)]
  const searchOf = (
    customerId: number,
    {
      mode = "live",
      limit,
      phone,
      phoneEnd,
      channel,
      metadata,
      after,
      order,
      ...range
    }: SendSearch & PageRequest,
    filters: ReadonlyArray<Statement.Fragment>
  ): Search => {
    return {
      limit,
      order,
      range: [
        sql`customer_id = ${customerId}`,
        ...modeIs(sql, mode).range,
        ...(phone === undefined ? [] : [sql`phone = ${phone}`]),
        ...withinIds(sql, ["created_at", "id"], { ...range, after, order })
      ],
      filters: [
        ...modeIs(sql, mode).filters,
        ...filters,
        ...(phoneEnd === undefined ? [] : [sql`right(phone, 4) = ${phoneEnd}`]),
        ...(channel === undefined ? [] : [triedOver(sql, source.attempts ?? "attempts", channel)]),
        ...metadataIs(sql, metadata)
      ]
    }
  }
  return {
    list: (
      customerId: number,
      search: SendSearch & PageRequest,
      filters: ReadonlyArray<Statement.Fragment>
    ) => byTime.find(searchOf(customerId, search, filters)),

    count: (customerId: number, search: SendSearch, filters: ReadonlyArray<Statement.Fragment>) =>
      byTime.count(searchOf(customerId, { ...search, limit: MAX_COUNTED, after: null }, filters)),

    find: Effect.fnUntraced(function* (customerId: number, id: string, mode: KeyMode = "live") {
      const [row] = yield* rows(sql`
        select ${columns} from ${from}
        where customer_id = ${customerId} and id = ${id}::uuid and mode = ${mode}`)
      return row ?? (yield* new NotFound())
    })
  }
}
