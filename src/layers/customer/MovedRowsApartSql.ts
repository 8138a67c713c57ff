import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { Instant } from "../../domain/Instant.ts"
import { besides } from "../postgres/SetUpPlace.ts"
import { rowsOf, timestamp } from "../postgres/SqlRows.ts"
import {
  callOf,
  CountRow,
  givenKey,
  isCopiedEarly,
  isNoted,
  keyOf,
  keysOf,
  lockOf,
  makeTriggers,
  type Move,
  type MovedRows,
  type MovedTable,
  putOff,
  SWITCH_MILLIS,
  timersOf,
  TRIGGER_MILLIS
} from "./MovedRowsSql.ts"

/**
 * How a customer's rows get from one cell of a cluster to another. Its triggers run on the node of the former cell, where
 * there is neither the customer's row nor the table of noted rows: the cell has `moving_customers` and `noted_rows`, and
 * the trigger finds their shards by name. Citus makes the triggers again on the other node if the cell itself is moved.
 *
 * The switch is one transaction of the coordinator and of both cells, which Citus commits in two phases, so on one node a
 * moment before the other. So whatever the new cell needs is committed there before, while the former cell makes writes
 * wait. Its timers are not due until the switch.
 */

/** Rows that pass through this process at once. */
const ROWS = 500
/** Until they are switched, nobody may run the timers of the new cell, also if the move was stopped. */
const NEVER_MILLIS = 10 * 365 * 86_400_000

const PageRow = Schema.Struct({
  count: Schema.Int,
  rows: Schema.String,
  last: Schema.NullOr(Schema.Array(Schema.String))
})
const RowsRow = Schema.Struct({ rows: Schema.String })
const NotedRow = Schema.Struct({ id: Schema.String, table: Schema.String, key: Schema.Array(Schema.String) })
const ShardRow = Schema.Struct({ moving: Schema.String, noted: Schema.String })
const Texts = Schema.Array(Schema.String)
const TimersRow = Schema.Struct({
  rows: Schema.String,
  kinds: Texts,
  subjects: Texts,
  lanes: Schema.Array(Schema.Int),
  times: Texts,
  parked: Schema.Array(Schema.Boolean)
})

/** The rows of a table that are given as JSON, by the names of their columns. */
const givenRows = ({ to }: MovedTable, parameter: string): string =>
  `jsonb_populate_recordset(null::${to}, ${parameter}::jsonb)`

const insertRows = (table: MovedTable): string => {
  const columns = table.columns.join(", ")
  return `insert into ${table.to} (${columns}) select ${columns} from ${givenRows(table, "$1")}`
}

const makeCopies = (sql: SqlClient.SqlClient) => {
  const pageRows = rowsOf(PageRow)
  const rowsRows = rowsOf(RowsRow)
  const notedRows = rowsOf(NotedRow)
  const run = (text: string, parameters: ReadonlyArray<unknown>) => Effect.orDie(sql.unsafe(text, parameters))

  const copyTable = Effect.fnUntraced(function* (customerId: number, table: MovedTable) {
    const texts = table.keys.map(({ name }) => `t.${name}::text`).join(", ")
    const backwards = table.keys.map(({ name }) => `t.${name} desc`).join(", ")
    let after: ReadonlyArray<string> | null = null
    for (;;) {
      const [page]: ReadonlyArray<typeof PageRow.Type> = yield* pageRows(
        sql.unsafe(
          `select count(*)::int as count, coalesce(jsonb_agg(to_jsonb(t)), '[]')::text as rows,
            jsonb_agg(jsonb_build_array(${texts}) order by ${backwards}) -> 0 as last
          from (select * from ${table.from} t
            where t.customer_id = $1 and ($2::text[] is null or (${keyOf(table, "t")}) > (${givenKey(table)}))
            order by ${keyOf(table, "t")} limit ${ROWS}) t`,
          [customerId, after]
        )
      )
      if (page === undefined || page.count === 0) return
      yield* run(`${insertRows(table)} on conflict do nothing`, [page.rows])
      if (page.count < ROWS) return
      after = page.last
    }
  })

  /** Each statement is stored at once: what was copied and is still noted is copied again. */
  const copySome = Effect.fnUntraced(function* ({ customerId, from, tables }: Move) {
    const noted = yield* notedRows(
      sql.unsafe(
        `select id::text as id, table_name as "table", key from ${from}.noted_rows where customer_id = $1 limit ${ROWS}`,
        [customerId]
      )
    )
    for (const table of tables) {
      const own = noted.filter((row) => row.table === table.name)
      if (own.length === 0) continue
      const keys = keysOf(own)
      const [found] = yield* rowsRows(
        sql.unsafe(
          `select coalesce(jsonb_agg(to_jsonb(t)), '[]')::text as rows from ${table.from} t where ${isNoted(table)}`,
          [keys]
        )
      )
      yield* run(`delete from ${table.to} t where ${isNoted(table)}`, [keys])
      yield* run(insertRows(table), [found?.rows ?? "[]"])
    }
    if (noted.length > 0)
      yield* run(`delete from ${from}.noted_rows where id = any($1::uuid[])`, [noted.map(({ id }) => id)])
    return noted.length
  })

  const copyNoted = Effect.fnUntraced(function* (move: Move) {
    let copied = 0
    for (;;) {
      const found = yield* copySome(move)
      copied += found
      if (found < ROWS) return copied
    }
  })
  return { copyTable, copyNoted }
}

const makeTimers = (sql: SqlClient.SqlClient) => {
  const timersRows = rowsOf(TimersRow)
  return {
    /** With their leases, but not due. Returns when they are. */
    copy: Effect.fnUntraced(function* (move: Move, now: Instant) {
      const table = yield* timersOf(move)
      const [timers] = yield* timersRows(
        sql.unsafe(
          `select coalesce(jsonb_agg(to_jsonb(t)), '[]')::text as rows, coalesce(array_agg(kind), '{}') as kinds,
            coalesce(array_agg(subject::text), '{}') as subjects, coalesce(array_agg(lane::int), '{}') as lanes,
            coalesce(array_agg(claimable_at::text), '{}') as times, coalesce(array_agg(parked), '{}') as parked
          from ${table.from} t where customer_id = $1`,
          [move.customerId]
        )
      )
      if (timers === undefined) return yield* Effect.die("an aggregate returned no row")
      const values = table.columns
        .map((name) => (name === "claimable_at" ? "$2::timestamptz" : name === "parked" ? "false" : name))
        .join(", ")
      yield* Effect.orDie(sql.unsafe(`delete from ${table.to} where customer_id = $1`, [move.customerId]))
      yield* Effect.orDie(
        sql.unsafe(
          `insert into ${table.to} (${table.columns.join(", ")}) select ${values} from ${givenRows(table, "$1")}`,
          [timers.rows, timestamp(now + NEVER_MILLIS)]
        )
      )
      return timers
    }),
    release: ({ customerId, to }: Move, { kinds, subjects, lanes, times, parked }: typeof TimersRow.Type) =>
      sql.unsafe(
        `update ${to}.timers t set claimable_at = o.claimable, parked = o.is_parked
        from unnest($2::text[], $3::uuid[], $4::int[], $5::timestamptz[], $6::bool[])
          o (kind, subject, lane, claimable, is_parked)
        where t.customer_id = $1 and t.kind = o.kind and t.subject = o.subject and t.lane = o.lane`,
        [customerId, kinds, subjects, lanes, times, parked]
      )
  }
}

const makeLeave = (sql: SqlClient.SqlClient, copyNoted: (move: Move) => Effect.Effect<number>) => {
  const timers = makeTimers(sql)
  return Effect.fnUntraced(function* (move: Move, now: Instant) {
    const { customerId, from } = move
    yield* sql.unsafe(
      `select set_config('lock_timeout', '${SWITCH_MILLIS}ms', true), set_config('peyk.moving', $1::text, true),
        ${lockOf("$2")} from ${from}.here`,
      [String(customerId), customerId]
    )
    const copied = yield* besides(sql, Effect.andThen(copyNoted(move), timers.copy(move, now)))
    yield* timers.release(move, copied)
    yield* putOff(sql, move, now)
    yield* sql.unsafe(`update ${from}.moving_customers set has_left = true where customer_id = $1`, [
      customerId
    ])
  })
}

/** Citus makes triggers of a cell's tables only if it is told to: these write to their own cell alone. */
const SETTINGS = [
  "set local citus.enable_unsafe_triggers = on",
  // Of the workers too.
  "set local citus.propagate_set_commands = 'local'",
  `set local lock_timeout = '${TRIGGER_MILLIS}ms'`
]

export const makeMovedRowsApart = (sql: SqlClient.SqlClient): MovedRows => {
  const shardRows = rowsOf(ShardRow)
  const countRows = rowsOf(CountRow)
  const { copyTable, copyNoted } = makeCopies(sql)
  const triggers = makeTriggers(sql, SETTINGS)

  const shardsOf = Effect.fnUntraced(function* ({ from }: Move) {
    const shard = (table: string) =>
      sql`(select ${`${table}_`} || shardid from pg_dist_shard where logicalrelid = ${`${from}.${table}`}::regclass)`
    const [shards] = yield* shardRows(
      sql`select ${shard("moving_customers")} as moving, ${shard("noted_rows")} as noted`
    )
    return shards ?? (yield* Effect.die("a cell has no shards"))
  })

  const clearTable = Effect.fnUntraced(function* (customerId: number, schema: string, table: string) {
    const deletePage = Effect.gen(function* () {
      yield* Effect.orDie(
        sql.unsafe(`select set_config('peyk.moving', $1::text, true) from ${schema}.here`, [
          String(customerId)
        ])
      )
      const [page] = yield* countRows(
        sql.unsafe(
          `with gone as (
            delete from ${table} where ctid = any(array(
              select t.ctid from ${table} t where t.customer_id = $1 limit ${ROWS})) returning true)
          select count(*)::int as count from gone`,
          [customerId]
        )
      )
      return page?.count ?? 0
    })
    while ((yield* Effect.orDie(sql.withTransaction(deletePage))) === ROWS) continue
  })

  return {
    note: Effect.fnUntraced(function* (move) {
      const { customerId, from, tables } = move
      yield* Effect.orDie(
        sql.unsafe(`insert into ${from}.moving_customers (customer_id) values ($1) on conflict do nothing`, [
          customerId
        ])
      )
      const { moving, noted } = yield* shardsOf(move)
      for (const table of tables) {
        const given = [customerId, moving, noted, table.name, ...table.keys.map(({ name }) => name)]
        yield* triggers.make(customerId, table, callOf(`${from}.note_moved_row`, given))
      }
    }),
    copy: ({ customerId, tables }) =>
      Effect.forEach(tables.filter(isCopiedEarly), (table) => copyTable(customerId, table), {
        discard: true
      }),
    copyNoted,
    leave: makeLeave(sql, copyNoted),
    clear: Effect.fnUntraced(function* ({ customerId, from, tables }) {
      for (const table of tables) yield* clearTable(customerId, from, table.from)
      for (const table of tables) yield* triggers.drop(customerId, table)
      for (const table of ["noted_rows", "moving_customers"])
        yield* Effect.orDie(sql.unsafe(`delete from ${from}.${table} where customer_id = $1`, [customerId]))
    })
  }
}
