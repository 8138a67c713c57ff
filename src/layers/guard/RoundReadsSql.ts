import { Effect, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { inStore } from "../postgres/SetUpPlace.ts"
import { decodedAs, type batchSource } from "../postgres/SqlRows.ts"
import { type BatchClients, makeStatementBatch } from "../postgres/batching/StatementBatch.ts"

type Source<Request> = ReturnType<typeof batchSource<Request>>

/** A row for the `nth` request. */
type PlacedRow = Schema.Codec<{ readonly nth: number }, unknown>

/** Reads of several rounds in one statement: of each request its rows, in the statement's order. */
export const roundRows = <Request, S extends PlacedRow>(
  source: Source<Request>,
  statement: string,
  row: S
) => {
  const decoded = decodedAs(Schema.Array(row))
  return Effect.fnUntraced(function* (
    sql: SqlClient.SqlClient,
    requests: ReadonlyArray<Request>,
    ...further: ReadonlyArray<number>
  ): Effect.fn.Return<ReadonlyArray<ReadonlyArray<S["Type"]>>, SqlError.SqlError> {
    const rows = yield* decoded(sql.unsafe(statement, [...source.parameters(requests), ...further]))
    const byRequest = requests.map((): Array<S["Type"]> => [])
    for (const found of rows) byRequest[found.nth - 1]?.push(found)
    return byRequest
  })
}

/** Segments of one round that are read and written together with those of others. One with more does so by itself. */
export const FEW_SEGMENTS = 64

interface RoundReads<Request, S> {
  readonly source: Source<Request>
  /** Its parameters are those of the source, and then `further`. */
  readonly statement: string
  readonly row: S
  readonly further?: ReadonlyArray<number>
  /** Whether it reads what the guard knows, which is with the set-up, and no codes. */
  readonly isInStore?: boolean
}

/** Puts what rounds of many customers read at the same time into one statement: a round is a few short reads. */
export const makeRoundReads = <Request, S extends PlacedRow>(
  clients: BatchClients,
  { source, statement, row, further = [], isInStore = false }: RoundReads<Request, S>
) => {
  const rows = roundRows(source, statement, row)
  const read = (sql: SqlClient.SqlClient, requests: ReadonlyArray<Request>) => rows(sql, requests, ...further)
  return makeStatementBatch<SqlClient.SqlClient, Request, ReadonlyArray<S["Type"]>>(
    { ...clients, isAlone: !isInStore },
    {
      name: "guard_read",
      endsTogether: true,
      conflictsOf: () => [],
      orderOf: () => "",
      run: (sql, requests) => (isInStore ? inStore(sql, read(sql, requests)) : read(sql, requests))
    }
  )
}
