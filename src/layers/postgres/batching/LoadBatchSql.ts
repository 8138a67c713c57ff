import { Effect, Option, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { LeasedTimer, TimerKind } from "../../../domain/Timer.ts"
import type { KeyMode } from "../../../domain/customer/Customer.ts"
import { BatchSql } from "../Pools.ts"
import { type BatchColumn, batchSource, decodedAs, inOrder, isRequested, withConstants } from "../SqlRows.ts"
import { SetUpIsApart } from "../SetUpPlace.ts"
import { changedSetUps, currentSetUps } from "./SetUpApartSql.ts"
import { rowStatement, sent } from "./RowStatements.ts"
import { type BatchClients, type BatchName, makeStatementBatch } from "./StatementBatch.ts"
import { currentSetUp, setUpColumns, SetUpFields, type SetUpVersions } from "../SetUpCache.ts"
import type { KnownSetUp } from "../../../services/verification/VerificationStore.ts"

/**
 * Looks up rows by a key. Requests made at the same time share a statement, as after a start or after missed
 * notifications, when nothing is cached. `statement` gets the keys as SQL, to select from as `r`. It must select
 * `r.nth`, the request of a row.
 */
export const makeLookupBatch = <Key, S extends Schema.Decoder<unknown>>(options: {
  readonly name: BatchName
  readonly key: BatchColumn<Key>
  readonly row: S
  readonly statement: (keys: string) => string
}): Effect.Effect<
  (key: Key) => Effect.Effect<Option.Option<S["Type"]>>,
  never,
  SqlClient.SqlClient | BatchSql
> =>
  Effect.gen(function* () {
    const clients = { batched: yield* BatchSql, single: yield* SqlClient.SqlClient }
    const source = batchSource([options.key])
    const statement = options.statement(source.rows)
    const decoded = decodedAs(Schema.Array(Schema.Tuple([Schema.Int, options.row])))
    return yield* makeStatementBatch<SqlClient.SqlClient, Key, Option.Option<S["Type"]>>(clients, {
      name: options.name,
      endsTogether: true,
      conflictsOf: () => [],
      orderOf: String,
      run: (sql, keys) =>
        sql.unsafe<{ readonly nth: unknown }>(statement, source.parameters(keys)).pipe(
          Effect.map((rows) => rows.map((row) => [row.nth, row])),
          decoded,
          Effect.map((rows) => inOrder(keys.length, rows))
        )
    })
  })

interface Subject {
  readonly customerId: number
  readonly id: string
  readonly setUpVersion: KnownSetUp
}

/** The rows of one mode that are read. */
export interface LoadKind<Row extends Schema.Decoder<unknown>> {
  readonly name: BatchName
  readonly mode: KeyMode
  readonly table: "verifications" | "messages"
  readonly alias: "v" | "m"
  /** Columns of the alias. */
  readonly columns: string
  readonly row: Row
}

interface Loaded<Found> {
  /** Whether the set-up is still the one that the request was checked with. */
  readonly isCurrent: boolean
  readonly found: Option.Option<Found>
}

const columns: ReadonlyArray<BatchColumn<Subject>> = [
  { name: "customer_id", type: "int4", of: ({ customerId }) => customerId },
  { name: "id", type: "uuid", of: ({ id }) => id },
  { name: "set_up", type: "int4", of: ({ setUpVersion }) => setUpVersion }
]
const source = batchSource(columns)

/** A row as it is read, with the place of its request. */
interface Read {
  readonly nth: unknown
  readonly isCurrent?: unknown
}

type Reads<Request> = (
  sql: SqlClient.SqlClient,
  requests: ReadonlyArray<Request>
) => Effect.Effect<ReadonlyArray<Read>, SqlError.SqlError>

/** Next to a statement that compares the set-up. */
const loadsApart = ({
  mode,
  table,
  alias,
  columns: read
}: Omit<LoadKind<Schema.Decoder<unknown>>, "row" | "name">): Reads<Subject> => {
  const statement = rowStatement(
    columns,
    (rows) => `select r.nth, ${read} from ${rows} join ${table} ${alias} on ${isRequested(alias, mode)}`
  )
  return (sql, subjects) =>
    Effect.map(
      Effect.all([changedSetUps(sql, subjects), sent(statement, subjects)(sql)], { concurrency: 2 }),
      ([changed, rows]) => [
        ...[...changed].map((nth) => ({ nth, isCurrent: false })),
        ...(rows as ReadonlyArray<Read>)
          .filter(({ nth }) => !changed.has(Number(nth)))
          .map((row) => ({ ...row, isCurrent: true }))
      ]
    )
}

const makeLoadInBatch = <Row extends Schema.Decoder<unknown>>(
  clients: BatchClients,
  kind: LoadKind<Row>,
  areApart: boolean
) => {
  const { name, mode, table, alias, columns: read, row } = kind
  const statement = `
    select r.nth::int, ${currentSetUp.condition} as "isCurrent", ${read} from ${source.rows}
    ${currentSetUp.join} left join ${table} ${alias} on ${isRequested(alias, mode)}
    where ${alias}.id is not null or not ${currentSetUp.condition}`
  const readRows: Reads<Subject> = areApart
    ? loadsApart(kind)
    : (sql, subjects) => sql.unsafe<Read>(statement, source.parameters(subjects))
  // Null where the set-up has changed.
  const decoded = decodedAs(Schema.Array(Schema.Tuple([Schema.Int, Schema.NullOr(row)])))
  return makeStatementBatch<SqlClient.SqlClient, Subject, Loaded<Row["Type"]>>(clients, {
    name,
    endsTogether: true,
    conflictsOf: () => [],
    orderOf: ({ id }) => id,
    run: (sql, subjects) =>
      readRows(sql, subjects).pipe(
        Effect.map((rows) => rows.map((each) => [each.nth, each.isCurrent === true ? each : null])),
        decoded,
        Effect.map((rows) => {
          const responses: Array<Loaded<Row["Type"]>> = subjects.map(() => ({
            isCurrent: true,
            found: Option.none()
          }))
          for (const [nth, found] of rows) {
            responses[nth - 1] = { isCurrent: found !== null, found: Option.fromNullOr(found) }
          }
          return responses
        })
      )
  })
}

/** Reads what many requests ask for in one statement. */
export const makeLoadBatch = <Row extends Schema.Decoder<unknown>>(
  clients: BatchClients,
  kind: LoadKind<Row>,
  versions: SetUpVersions["Service"]
) =>
  Effect.map(
    Effect.flatMap(SetUpIsApart, (areApart) => makeLoadInBatch(clients, kind, areApart)),
    (loadInBatch) => ({
      load: (customerId: number, id: string) =>
        Effect.map(loadInBatch({ customerId, id, setUpVersion: null }), ({ found }) => found),
      read: (request: Subject) =>
        Effect.flatMap(loadInBatch(request), ({ isCurrent, found }) =>
          isCurrent ? Effect.succeed(found) : versions.changed(request.customerId, request.setUpVersion)
        )
    })
  )

const leasedColumns: ReadonlyArray<BatchColumn<LeasedTimer>> = [
  { name: "customer_id", type: "int4", of: ({ customerId }) => customerId },
  { name: "id", type: "uuid", of: ({ subject }) => subject },
  { name: "lane", type: "int2", of: ({ lane }) => lane },
  { name: "lease_token", type: "uuid", of: ({ leaseToken }) => leaseToken }
]
const leasedSource = batchSource(leasedColumns)

const Versions = Schema.Struct(SetUpFields)

/**
 * Reads what many timers that are still leased are about, in one statement, with the versions of their customers'
 * set-ups, so that the next work uses no older one.
 */
export const makeLoadLeasedBatch = <Row extends Schema.Decoder<unknown>>(
  clients: BatchClients,
  { name, mode, table, alias, columns: read, row }: LoadKind<Row>,
  timerKind: TimerKind,
  versions: SetUpVersions["Service"]
) =>
  Effect.flatMap(SetUpIsApart, (areApart) => {
    const apart = rowStatement(
      leasedColumns,
      (rows) => `
    select r.nth, ${read} from ${rows} join timers t on t.customer_id = r.customer_id and t.kind = '${timerKind}'
      and t.subject = r.id and t.lane = r.lane and t.lease_token = r.lease_token
    join ${table} ${alias} on ${isRequested(alias, mode)}`
    )
    const readApart: Reads<LeasedTimer> = (sql, timers) =>
      Effect.map(
        Effect.all(
          [
            currentSetUps(
              sql,
              timers.map(({ customerId }) => customerId)
            ),
            sent(apart, timers)(sql)
          ],
          { concurrency: 2 }
        ),
        ([current, rows]) => {
          const ofCustomer = new Map(current.map((found) => [found.customerId, found]))
          return (rows as ReadonlyArray<Read>).map((row) => ({
            ...row,
            ...ofCustomer.get(timers[Number(row.nth) - 1]?.customerId ?? 0)
          }))
        }
      )
    // One by one: joined, a planner that knows of no backlog may look for each in all of the customer's timers.
    const statement = `
  with ${withConstants(leasedSource.rows, { timer_kind: `'${timerKind}'` })}
  select r.nth::int, ${read}, ${setUpColumns(`${alias}.customer_id`)} from r
  cross join lateral (
    select from timers t where t.customer_id = r.customer_id and t.kind = r.timer_kind and t.subject = r.id
      and t.lane = r.lane and t.lease_token = r.lease_token limit 1) t
  join ${table} ${alias} on ${isRequested(alias, mode)}`
    const readRows: Reads<LeasedTimer> = areApart
      ? readApart
      : (sql, timers) => sql.unsafe<Read>(statement, leasedSource.parameters(timers))
    const decoded = decodedAs(Schema.Array(Schema.Tuple([Schema.Int, Versions, row])))
    return makeStatementBatch<SqlClient.SqlClient, LeasedTimer, Option.Option<Row["Type"]>>(clients, {
      name,
      conflictsOf: () => [],
      orderOf: ({ subject }) => subject,
      run: (sql, timers) =>
        readRows(sql, timers).pipe(
          Effect.map((rows) => rows.map((each) => [each.nth, each, each])),
          decoded,
          Effect.map((rows) => {
            for (const [nth, read] of rows) {
              const timer = timers[nth - 1]
              if (timer !== undefined) versions.note(timer.customerId, read)
            }
            return inOrder(
              timers.length,
              rows.map(([nth, , found]) => [nth, found] as const)
            )
          })
        )
    })
  })
