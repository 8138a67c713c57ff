import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { SqlClient, type SqlConnection, SqlError } from "effect/sql"

type Connection = SqlConnection.Connection

const isRolledBack = (result: unknown): boolean =>
  typeof result === "object" && result !== null && "command" in result && result.command === "ROLLBACK"

/** PostgreSQL responds to the COMMIT of a failed transaction with ROLLBACK. */
const commit = (connection: Connection) =>
  Effect.flatMap(connection.executeRaw("COMMIT", []), (result) =>
    isRolledBack(result)
      ? Effect.fail(
          new SqlError.SqlError({
            reason: new SqlError.UnknownError({ cause: result, message: "COMMIT has rolled back" })
          })
        )
      : Effect.void
  )

/** Where a client gets its connections. */
export interface Connections {
  readonly acquirer: SqlConnection.Acquirer
  readonly borrower: SqlConnection.Borrower
  readonly transactionAcquirer: SqlConnection.Acquirer
}

export const clientOver = (connections: Connections) =>
  SqlClient.make({
    ...connections,
    compiler: PgClient.makeCompiler(),
    driver: "pg",
    prepareTransactionControls: true,
    commit,
    releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`,
    spanAttributes: [["db.system.name", "postgresql"]]
  })
