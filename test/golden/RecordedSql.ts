import { PgClient } from "@effect/sql-pg"
import { Effect, Stream } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, type SqlConnection, SqlError } from "effect/sql"

/** One statement as it would go to PostgreSQL. */
export interface RecordedStatement {
  readonly text: string
  readonly parameters: ReadonlyArray<unknown>
}

/** The answer to one statement: its rows, or that it lost a race. */
export type RecordedAnswer = ReadonlyArray<object> | "race"

const lostRace = new SqlError.SqlError({
  reason: new SqlError.SerializationError({ cause: new Error("lost a race"), message: "lost a race" })
})

/** A client that keeps what it is given. It answers from the list, one answer for each statement, then with no rows. */
export const recordingSql = (answers: ReadonlyArray<RecordedAnswer>) => {
  const statements: Array<RecordedStatement> = []
  const execute = (text: string, parameters: ReadonlyArray<unknown>) =>
    Effect.suspend(() => {
      const answer = answers[statements.length] ?? []
      statements.push({ text, parameters })
      return answer === "race" ? Effect.fail(lostRace) : Effect.succeed([...answer])
    })
  const connection: SqlConnection.Connection = {
    execute,
    executeRaw: execute,
    executeStream: () => Stream.empty,
    executeValues: (text, parameters) => Effect.as(execute(text, parameters), []),
    executeValuesUnprepared: (text, parameters) => Effect.as(execute(text, parameters), []),
    // Only what begins and ends transactions comes here.
    executeUnprepared: () => Effect.succeed([])
  }
  const client = SqlClient.make({
    acquirer: Effect.succeed(connection),
    compiler: PgClient.makeCompiler(),
    driver: "pg",
    spanAttributes: []
  })
  return { statements, client: Effect.provide(client, Reactivity.layer) }
}
