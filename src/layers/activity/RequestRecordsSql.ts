import { Effect, Layer, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient, type Statement } from "effect/sql"
import { NotFound } from "../../domain/Errors.ts"
import type { Instant } from "../../domain/Instant.ts"
import type { Phone } from "../../domain/Phone.ts"
import {
  HIGHEST_ID,
  instantOf,
  LOWEST_ID,
  lowestIdAfter,
  lowestIdFrom,
  type Page,
  type PageRequest
} from "../../domain/Paging.ts"
import {
  formatRequestPosition,
  LoggedRequest,
  type RequestBlock,
  parseRecordId,
  parseRequestPosition,
  type RequestPosition
} from "../../domain/LoggedRequest.ts"
import { MasterKey } from "../crypto/Crypto.ts"
import { direction } from "../postgres/PagesSql.ts"
import { ReportingSql } from "../postgres/Pools.ts"
import { InstantColumn, NOT_AWAITED, rowsOf, timestamp } from "../postgres/SqlRows.ts"
import { RequestRecords, type RequestSearch, RequestStore } from "../../services/activity/RequestLog.ts"

const HASH_BYTES = 16

/**
 * What the log keeps of a refused phone, as a UUID: a hash under a key of this purpose, with the customer in it, so that
 * nobody who has the log can compare customers, or try all phones.
 */
export const refusedPhoneHash = (key: MasterKey["Service"], customerId: number, phone: Phone): string =>
  Buffer.from(key.mac("refused-phone", `${customerId}:${phone}`)).toString("hex", 0, HASH_BYTES)

const EdgeRow = Schema.Struct({ id: Schema.String })
const BeginRow = Schema.Struct({ beginsAt: Schema.NullOr(InstantColumn) })

/**
 * The first block that is not read, and the time from which on unread blocks can have requests. A block is written after
 * its requests: none that is older has a later one. One that is newer can have an earlier one.
 */
interface Edge {
  readonly id: string
  readonly at: Instant
}

/** How many blocks one query reads: enough for a page, with those of other processes, or to find the few that match. */
const OVERLAPPING_BLOCKS = 50
const SEARCHED_BLOCKS = 500
/** Blocks without the text that is looked for are not taken apart. A page reads no more blocks just to be full. */
const SCANNED_BLOCKS = 10_000
/** Of one phone: an attack may have it in every block. */
const REFUSED_BLOCKS = 200
/** If the blocks that were read are too few, a page reads this many times as many. */
const GROWTH = 4
/** Before all requests of the same time, in either order. */
const EDGE_PLACES = {
  newest: { block: HIGHEST_ID, number: 9999 },
  oldest: { block: LOWEST_ID, number: 0 }
}

/** The fields of an entry by their places: `entryText` in `services/activity/RequestLog.ts` writes them. */
const requestColumns = `b.id || '.' || n as id, b.customer_id as "customerId", c.name as "customerName",
  (r ->> 0)::float8 as at, r ->> 1 as "requestId", r ->> 2 as route, r ->> 3 as method, (r ->> 4)::int as status,
  r ->> 5 as code, (r ->> 6)::int as micros, r ->> 8 as mode, r ->> 9 as phone, r ->> 10 as "subjectId",
  r -> 11 as fields,
  case when k.id is not null then json_build_object('id', k.id, 'name', k.name, 'prefix', k.prefix,
    'lastFour', k.last_four) end as key`

const names = `join customers c on c.id = b.customer_id left join api_keys k on k.id = (r ->> 7)::int`
const source = `cross join lateral jsonb_array_elements(b.requests::jsonb) with ordinality as request(r, n) ${names}`

const blockConditions = (
  sql: SqlClient.SqlClient,
  customerId: number | null,
  { from, to, order }: RequestSearch,
  position: RequestPosition | null
): ReadonlyArray<Statement.Fragment> => {
  const since = (at: number) => [
    sql`b.ends_at >= ${timestamp(at)}::timestamptz`,
    sql`b.id >= ${lowestIdFrom(at)}::uuid`
  ]
  const until = (at: number) => [
    sql`b.begins_at <= ${timestamp(at)}::timestamptz`,
    sql`b.id < ${lowestIdAfter(at)}::uuid`
  ]
  return [
    sql`true`,
    ...(customerId === null
      ? []
      : [sql`b.customer_id = ${customerId} and b.id between ${LOWEST_ID}::uuid and ${HIGHEST_ID}::uuid`]),
    ...(from === undefined ? [] : since(from)),
    ...(to === undefined ? [] : until(to)),
    ...(position === null ? [] : order === "oldest" ? since(position.at) : until(position.at))
  ]
}

/** Texts that a block must have; the others are not taken apart. */
const textsOf = ({ id, maskedPhone, phoneEnd, code }: RequestSearch): ReadonlyArray<string> => [
  ...[id, maskedPhone, code].flatMap((text) => (text === undefined ? [] : JSON.stringify(text))),
  ...(phoneEnd === undefined ? [] : [`*${phoneEnd}"`])
]

const filtersOf = (sql: SqlClient.SqlClient, search: RequestSearch): ReadonlyArray<Statement.Fragment> => {
  const { id, maskedPhone, phoneEnd, route, statuses, code, keyId, mode } = search
  return [
    ...textsOf(search).map((text) => sql`strpos(b.requests, ${text}) > 0`),
    ...(id === undefined ? [] : [sql`${id} in (r ->> 1, r ->> 10)`]),
    ...(maskedPhone === undefined ? [] : [sql`r ->> 9 = ${maskedPhone}`]),
    ...(phoneEnd === undefined ? [] : [sql`right(r ->> 9, 4) = ${phoneEnd}`]),
    ...(route === undefined ? [] : [sql`starts_with(r ->> 2, ${route})`]),
    ...(statuses === undefined
      ? []
      : [sql`(r ->> 4)::int between ${statuses[0]}::int and ${statuses[1]}::int`]),
    ...(code === undefined ? [] : [sql`r ->> 5 = ${code}`]),
    ...(keyId === undefined ? [] : [sql`(r ->> 7)::int = ${keyId}::int`]),
    ...(mode === undefined ? [] : [sql`r ->> 8 = ${mode}`])
  ]
}

const positionConditions = (
  sql: SqlClient.SqlClient,
  { from, to, order }: RequestSearch,
  position: RequestPosition | null,
  edge: Edge | null
): ReadonlyArray<Statement.Fragment> => {
  const [isPast, isBefore] = order === "oldest" ? [">", "<"].map(sql.literal) : ["<", ">"].map(sql.literal)
  return [
    ...(from === undefined ? [] : [sql`(r ->> 0)::float8 >= ${from}::float8`]),
    ...(to === undefined ? [] : [sql`(r ->> 0)::float8 < ${to}::float8`]),
    ...(position === null
      ? []
      : [
          sql`((r ->> 0)::float8, b.id, n) ${isPast} (${position.at}::float8, ${position.block}::uuid, ${position.number}::bigint)`
        ]),
    ...(edge === null
      ? []
      : [sql`(r ->> 0)::float8 ${isBefore} ${edge.at}::float8`, sql`b.id ${isBefore} ${edge.id}::uuid`])
  ]
}

const blocksToRead = (search: RequestSearch & PageRequest, isFiltered: boolean): number => {
  if (textsOf(search).length > 0) return SCANNED_BLOCKS
  return isFiltered ? SEARCHED_BLOCKS : search.limit + OVERLAPPING_BLOCKS
}

/** The next page continues after the last request of this one, or where the unread blocks begin. */
const pageOf = (
  found: ReadonlyArray<LoggedRequest>,
  { limit, from, to, order }: RequestSearch & PageRequest,
  edge: Edge | null,
  isFiltered: boolean
): Page<LoggedRequest> => {
  const last = found.length > limit ? found[limit - 1] : undefined
  const lastId = last === undefined ? null : parseRecordId(last.id)
  const items = found.slice(0, limit)
  if (last !== undefined && lastId !== null)
    return { items, next: formatRequestPosition({ at: last.at, ...lastId }) }
  if (edge === null) return { items, next: null }
  const next = formatRequestPosition({ at: edge.at, ...EDGE_PLACES[order ?? "newest"] })
  // Without filters the blocks that were not read have the next page.
  const isCertain = !isFiltered && from === undefined && to === undefined
  return isCertain ? { items, next } : { items, next, searchedTo: edge.at }
}

/**
 * Reads blocks by their time, from the newest or from the oldest. The blocks of customers and of processes overlap in time, so requests are
 * shown from those times only of which every block was read; the next page continues there.
 */
export const RequestRecordsSql = Layer.effect(
  RequestRecords,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const key = yield* MasterKey
    const requestRows = rowsOf(LoggedRequest)
    const edgeRows = rowsOf(EdgeRow)
    const beginRows = rowsOf(BeginRow)
    const columns = sql.literal(requestColumns)
    const requests = sql.literal(source)
    const named = sql.literal(names)

    /** The earliest request of blocks that were written from this one on: late ones are a minute late at most. */
    const earliestFrom = (id: string, blocks: Statement.Fragment) =>
      Effect.map(
        beginRows(sql`
          select min(b.begins_at) as "beginsAt" from request_blocks b
          where ${blocks} and b.id >= ${id}::uuid and b.id < ${lowestIdAfter(instantOf(id))}::uuid`),
        ([row]) => row?.beginsAt ?? instantOf(id)
      )

    const edgeAfter = Effect.fnUntraced(function* (
      count: number,
      blocks: Statement.Fragment,
      search: RequestSearch
    ) {
      const [edge] = yield* edgeRows(sql`
        select b.id from request_blocks b where ${blocks}
        order by b.id ${direction(sql, search)} offset ${count}::int limit 1`)
      if (edge === undefined) return null
      const at = search.order === "oldest" ? yield* earliestFrom(edge.id, blocks) : instantOf(edge.id)
      return { ...edge, at } satisfies Edge
    })

    const list = Effect.fnUntraced(function* (
      customerId: number | null,
      search: RequestSearch & PageRequest
    ) {
      const { limit, after } = search
      const position = parseRequestPosition(after)
      const blocks = sql.and(blockConditions(sql, customerId, search, position))
      const filters = filtersOf(sql, search)
      const way = direction(sql, search)
      const isAhead = (edge: Edge, { at }: RequestPosition) =>
        search.order === "oldest" ? edge.at > at : edge.at < at
      const requestsBefore = (edge: Edge | null) =>
        requestRows(sql`
          select ${columns} from request_blocks b ${requests}
          where ${blocks} and ${sql.and([sql`true`, ...filters, ...positionConditions(sql, search, position, edge)])}
          order by at ${way}, b.id ${way}, n ${way} limit ${limit + 1}::int`)

      let count = blocksToRead(search, filters.length > 0)
      for (;;) {
        const edge = yield* edgeAfter(count, blocks, search)
        // Otherwise the next page would begin where this one does, or before it.
        const makesProgress = edge === null || position === null || isAhead(edge, position)
        const found = makesProgress ? yield* requestsBefore(edge) : []
        const isFull = edge === null || found.length >= limit || filters.length > 0 || count >= SCANNED_BLOCKS
        if (makesProgress && isFull) return pageOf(found, search, edge, filters.length > 0)
        count = makesProgress ? Math.min(count * GROWTH, SCANNED_BLOCKS) : count * GROWTH
      }
    })

    const find = Effect.fnUntraced(function* (customerId: number | null, id: string) {
      const recordId = parseRecordId(id)
      if (recordId === null) return yield* new NotFound()
      const [row] = yield* requestRows(sql`
        select ${columns} from request_blocks b ${requests}
        where b.id = ${recordId.block}::uuid and n = ${recordId.number}::bigint
          and ${customerId === null ? sql`true` : sql`b.customer_id = ${customerId}`}`)
      return row ?? (yield* new NotFound())
    })

    /** A message of a batch stands for its request, with its own code and status. */
    const refusals = (customerId: number, phone: Phone, limit: number) => {
      const hash = refusedPhoneHash(key, customerId, phone)
      return requestRows(sql`
        select ${columns} from (
          select * from request_blocks where customer_id = ${customerId} and refused_phones @> array[${hash}::uuid]
          order by id desc limit ${REFUSED_BLOCKS}::int) b
        cross join lateral (
          select r, n from jsonb_array_elements(b.requests::jsonb) with ordinality as request(r, n)
          where b.refused_phones[n] = ${hash}::uuid
          union all
          (select distinct on (n) jsonb_set(jsonb_set(r, '{5}', item -> 0), '{4}', item -> 1), n
          from (
            select r, n, item, row_number() over (order by n, i) as nth
            from jsonb_array_elements(b.requests::jsonb) with ordinality as request(r, n),
              jsonb_array_elements(r -> 12) with ordinality as refused(item, i)) items
          where b.refused_phones[jsonb_array_length(b.requests::jsonb) + nth] = ${hash}::uuid
          order by n, nth desc)) request
        ${named}
        order by at desc, b.id desc, n desc limit ${limit}::int`)
    }

    return RequestRecords.of({ list, find, refusals })
  })
)

/**
 * Uses the connections of reports: no send waits behind it. The commit is not awaited: a crash of PostgreSQL may lose
 * the last blocks, and nothing depends on them.
 */
export const RequestStoreSql = Layer.effect(
  RequestStore,
  Effect.gen(function* () {
    const sql = yield* ReportingSql
    const random = yield* SecureRandom.SecureRandom
    const key = yield* MasterKey
    /** As text: those of the requests at their places, and then those in batches; empty if nothing was refused. */
    const hashesOf = ({ customerId, refusedPhones, refusedInBatches, requests }: RequestBlock): string => {
      const inBatches = refusedInBatches ?? []
      if (refusedPhones == null && inBatches.length === 0) return ""
      const phones = [...requests.map((_, index) => refusedPhones?.[index]), ...inBatches]
      return phones.map((phone) => (phone == null ? "" : refusedPhoneHash(key, customerId, phone))).join()
    }
    const add = Effect.fnUntraced(function* (blocks: ReadonlyArray<RequestBlock>) {
      const ids = yield* Effect.forEach(blocks, () => random.uuidV7())
      yield* Effect.orDie(sql`
          with ${sql.literal(NOT_AWAITED)}
          insert into request_blocks (id, customer_id, begins_at, ends_at, requests, refused_phones)
          select id, customer_id, begins_at, ends_at, requests,
            string_to_array(nullif(refused, ''), ',', '')::uuid[]
          from quick, unnest(${ids}::uuid[], ${blocks.map(({ customerId }) => customerId)}::int[],
            ${blocks.map(({ beginsAt }) => timestamp(beginsAt))}::timestamptz[],
            ${blocks.map(({ endsAt }) => timestamp(endsAt))}::timestamptz[],
            string_to_array(${blocks.map(({ requests }) => `[${requests.join()}]`).join("\n")}, e'\\n'),
            ${blocks.map(hashesOf)}::text[]) as block (id, customer_id, begins_at, ends_at, requests, refused)`)
    })
    return RequestStore.of({ add })
  })
)
