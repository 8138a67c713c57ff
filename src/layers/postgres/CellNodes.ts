import { PgConnection } from "@effect/sql-pg"
import { type Cause, Clock, Effect, Exit, Layer, Schema, Scope } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import type { Instant } from "../../domain/Instant.ts"
import { warnOfFailure, withoutSpans } from "../../services/system/Observability.ts"
import { LostCells } from "../../services/system/HealthReports.ts"
import { type Cell, Cells, quotedName, STORE_CELL } from "./CellsSql.ts"
import type { StoreAddress } from "./Primary.ts"
import { hasSqlState, isNotNow } from "./StoreAvailability.ts"
import { sharedLookup } from "./SetUpCache.ts"
import { noteConnection, SetUpIsApart } from "./SetUpPlace.ts"
import { decodedAs } from "./SqlRows.ts"
import type { Connections } from "./WatchedSql.ts"

/**
 * Connections of batches to the node that has a cell, past the coordinator and past Citus.
 *
 * On its node a cell's tables are plain ones of PostgreSQL, named after their shards. A schema there has views of them
 * with the names that statements use, so statements are planned once, and cost what they cost on one PostgreSQL. Views and
 * a trigger refuse a cell that Citus has moved away: writes share the lock that Citus takes alone to end a move. Whatever
 * is refused, and whatever is asked before this is ready, goes to the coordinator.
 */

/** Next to the cell's own schema, which has its distributed tables by these names on every node. */
const localSchema = ({ name }: Cell): string => quotedName(`${name}_local`)

const MOVED = "this cell was moved to another node"

/** For one process at a time. */
const MAKING_LOCK = 7_264_533

const PlacedTables = Schema.Array(
  Schema.Struct({
    table: Schema.String,
    shard: Schema.String,
    shardId: Schema.Int,
    host: Schema.String,
    port: Schema.Int
  })
)
type PlacedTable = (typeof PlacedTables.Type)[number]

/** From the catalog alone: views of Citus ask all nodes for sizes. */
const placedTables = `
  select c.relname as "table", c.relname || '_' || s.shardid as shard, s.shardid::int as "shardId",
    n.nodename as host, n.nodeport as port
  from pg_namespace ns join pg_class c on c.relnamespace = ns.oid
  join pg_dist_shard s on s.logicalrelid = c.oid
  join pg_dist_placement p on p.shardid = s.shardid
  join pg_dist_node n on n.groupid = p.groupid and n.noderole = 'primary'
  where ns.nspname = $1 order by s.shardid`

/** Which views are as their tables are: a table can have got columns, or have been away meanwhile. */
const readyViews = `
  select count(*)::int as count from unnest($1::text[], $2::text[]) as r (view, shard)
  where exists (select from pg_trigger where tgrelid = to_regclass(r.shard) and tgname = 'peyk_stays_here')
    and (select array_agg(attname order by attnum) from pg_attribute
        where attrelid = to_regclass(r.view) and attnum > 0 and attname <> 'ctid')
      = (select array_agg(attname order by attnum) from pg_attribute
        where attrelid = to_regclass(r.shard) and attnum > 0 and not attisdropped)`
const Counted = Schema.Tuple([Schema.Struct({ count: Schema.Int })])

const isHere = (shardId: number): string => `exists (
  select from pg_catalog.pg_dist_placement p join pg_catalog.pg_dist_local_group g on g.groupid = p.groupid
  where p.shardid = ${shardId})`

/** Citus ends a move with an exclusive lock of the shards' metadata on all nodes; its own writes share it (mode 5). */
const madeFor = (cell: Cell, tables: ReadonlyArray<PlacedTable>): ReadonlyArray<string> => {
  const local = localSchema(cell)
  const shardId = tables[0]?.shardId ?? 0
  const refuse = `raise serialization_failure using message = '${MOVED}'`
  return [
    "set citus.enable_ddl_propagation = off",
    `select pg_advisory_lock(${MAKING_LOCK})`,
    `create schema if not exists ${local}`,
    `create or replace function ${local}.is_here() returns boolean language plpgsql stable as $$
    begin
      if not ${isHere(shardId)} then ${refuse}; end if;
      return true;
    end $$`,
    `create or replace function ${local}.stays_here() returns trigger language plpgsql as $$
    begin
      perform pg_catalog.lock_shard_metadata(5, array[${shardId}]);
      if not ${isHere(shardId)} then ${refuse}; end if;
      return null;
    end $$`,
    `create or replace function ${local}.raise_race() returns int language plpgsql as $$
    begin
      raise serialization_failure using message = 'a counter was opened meanwhile';
    end $$`,
    ...tables.flatMap(({ table, shard }) => {
      const own = `${quotedName(cell.name)}.${quotedName(shard)}`
      return [
        `create or replace view ${local}.${quotedName(table)} as select *, ctid from ${own} where ${local}.is_here()`,
        `create or replace trigger peyk_stays_here before insert or update or delete on ${own}
          for each statement execute function ${local}.stays_here()`
      ]
    })
  ]
}

const open = (address: StoreAddress) => PgConnection.make({ ...address, applicationName: "peyk cells" })

const PREPARING = "10 seconds"

/** The address of the cell's node, where its views are made if they are missing. */
const prepareNode = Effect.fnUntraced(
  function* (address: StoreAddress, cell: Cell) {
    const coordinator = yield* open(address)
    const tables = yield* decodedAs(PlacedTables)(
      Effect.map(coordinator.query(placedTables, [cell.name]), ({ rows }) => rows)
    )
    const [placed] = tables
    if (placed === undefined) return undefined
    // The other parts of the address, such as the user, are the coordinator's.
    const { primary: _, ...rest } = address
    const node: StoreAddress = { ...rest, host: placed.host, port: placed.port }
    const connection = yield* open(node)
    const names = [
      tables.map(({ table }) => `${localSchema(cell)}.${quotedName(table)}`),
      tables.map(({ shard }) => `${quotedName(cell.name)}.${quotedName(shard)}`)
    ]
    const [{ count }] = yield* decodedAs(Counted)(
      Effect.map(connection.query(readyViews, names), ({ rows }) => rows)
    )
    // One by one: together they would hold locks of all tables, which waits for writes that wait for them.
    if (count < tables.length) yield* Effect.forEach(madeFor(cell, tables), (text) => connection.query(text))
    return node
  },
  Effect.scoped,
  Effect.timeout(PREPARING)
)

/** How long the coordinator is used before the node is tried again. */
const COOLDOWN_MILLIS = 5000
/** How long its connections are kept for statements that are under way. */
const DRAIN = "30 seconds"

/** Whether the connections to the node are of no use any more: the cell has left, its views have, or the node is down. */
const hasLeft = (error: unknown): boolean =>
  SqlError.isSqlError(error) &&
  (error.reason._tag === "ConnectionError" ||
    hasSqlState(error, /^(42P01|3F000)$/) ||
    (error.reason._tag === "SerializationError" && String(error.reason.cause).includes(MOVED)) ||
    isNotNow(error))

const leavesIn = ({ reasons }: Cause.Cause<unknown>): boolean =>
  reasons.some(
    (reason) =>
      (reason._tag === "Fail" && hasLeft(reason.error)) || (reason._tag === "Die" && hasLeft(reason.defect))
  )

interface NodePool {
  readonly address: StoreAddress
  readonly searchPath: string
  readonly scope: Scope.Scope
  /** Called with the error of each statement. */
  readonly failed: (cause: Cause.Cause<unknown>) => void
}

interface NodeOptions {
  readonly address: StoreAddress
  readonly cell: Cell
  /** Those through the coordinator. */
  readonly coordinator: Connections
  readonly makePool: (options: NodePool) => Effect.Effect<Connections, unknown>
}

/** Connections to a cell's node, or through the coordinator for as long as the node's are not ready. */
export const connectionsToNode = Effect.fnUntraced(function* ({
  address,
  cell,
  coordinator,
  makePool
}: NodeOptions) {
  const scope = yield* Effect.scope
  const clock = yield* Clock.Clock
  const context = yield* Effect.context<never>()
  const fork = (work: Effect.Effect<unknown>) =>
    void Effect.runForkWith(context)(Effect.forkIn(withoutSpans(work), scope))
  let direct: Connections | null = null
  let close: Effect.Effect<void> = Effect.void
  let nextTryAt: Instant = 0

  const leave = () => {
    if (direct === null) return
    direct = null
    nextTryAt = clock.currentTimeMillisUnsafe() + COOLDOWN_MILLIS
    fork(Effect.delay(close, DRAIN))
  }
  const judge = (cause: Cause.Cause<unknown>) => {
    if (leavesIn(cause)) leave()
  }
  const judged = <A, E, R>(work: Effect.Effect<A, E, R>) =>
    Effect.onExitPrimitive(work, (exit) => {
      if (exit._tag === "Failure") judge(exit.cause)
      return undefined
    })

  const prepare = Effect.gen(function* () {
    const node = yield* prepareNode(address, cell)
    if (node === undefined) return
    const own = yield* Scope.fork(scope)
    const made = yield* Effect.exit(
      makePool({ address: node, searchPath: localSchema(cell), scope: own, failed: judge })
    )
    if (made._tag === "Failure") return yield* Scope.close(own, made)
    close = Scope.close(own, Exit.void)
    direct = {
      acquirer: judged(made.value.acquirer),
      borrower: (use) => judged(made.value.borrower(use)),
      transactionAcquirer: Effect.tap(judged(made.value.transactionAcquirer), (connection) =>
        Effect.sync(() => noteConnection(connection))
      )
    }
  })

  let isLogged = false
  /** Once: a role without the right to make schemas fails every time. */
  const warn = (cause: Cause.Cause<unknown>) => {
    if (isLogged) return Effect.void
    isLogged = true
    return warnOfFailure(`the node of ${cell.name} is reached through the coordinator only`, cause)
  }

  const current = (): Connections => {
    if (direct !== null) return direct
    const now = clock.currentTimeMillisUnsafe()
    if (now >= nextTryAt) {
      nextTryAt = now + COOLDOWN_MILLIS
      fork(Effect.catchCause(prepare, warn))
    }
    return coordinator
  }
  const connections: Connections = {
    acquirer: Effect.suspend(() => current().acquirer),
    borrower: (use) => Effect.suspend(() => current().borrower(use)),
    transactionAcquirer: Effect.suspend(() => current().transactionAcquirer)
  }
  return { connections, isReady: () => direct !== null }
})

/** Less than the wait for the store: a load balancer waits for both. */
const CELL_TIMEOUT = "1 second"
const CELLS_AT_ONCE = 16

/** Each cell is asked for the row that cells on other nodes have; in one place there is nothing to ask. */
export const LostCellsSql = Layer.effect(
  LostCells,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { ids, inCell } = yield* Cells
    if (!(yield* SetUpIsApart)) return Effect.succeed<ReadonlyArray<number>>([])
    const isLost = (cell: number) =>
      inCell(cell, Effect.as(sql`select only_row from here`, false)).pipe(
        Effect.catchCause(() => Effect.succeed(true)),
        Effect.timeoutOrElse({ duration: CELL_TIMEOUT, orElse: () => Effect.succeed(true) })
      )
    const lost = Effect.flatMap(ids, (cells) =>
      Effect.filter(
        cells.filter((cell) => cell !== STORE_CELL),
        isLost,
        { concurrency: CELLS_AT_ONCE }
      )
    )
    const shared = yield* sharedLookup<"lost", ReadonlyArray<number>, never, never>(() =>
      Effect.catchCause(lost, () => Effect.succeed([]))
    )
    return shared.lookUp("lost")
  })
)
