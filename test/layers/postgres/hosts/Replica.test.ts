import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Stream } from "effect"
import { Reactivity } from "effect/reactivity"
import type { SqlConnection } from "effect/sql"
import { TestClock } from "effect/testing"
import { readingClient } from "../../../../src/layers/postgres/Replica.ts"
import { clientOver, type Connections } from "../../../../src/layers/postgres/WatchedSql.ts"

/** A server that answers every statement in this way. */
const serverOf = Effect.fnUntraced(function* (answer: Effect.Effect<ReadonlyArray<object>>) {
  const execute = () => Effect.map(answer, (rows) => [...rows])
  const connection: SqlConnection.Connection = {
    execute,
    executeRaw: execute,
    executeUnprepared: execute,
    executeStream: () => Stream.empty,
    executeValues: () => Effect.as(answer, []),
    executeValuesUnprepared: () => Effect.as(answer, [])
  }
  const acquirer = Effect.succeed(connection)
  const connections: Connections = {
    acquirer,
    borrower: (use) => use(connection),
    transactionAcquirer: acquirer
  }
  return { sql: yield* clientOver(connections), connections }
})

/** The driver asks the server to cancel a statement that is interrupted, and waits for it. */
const frozen = Effect.uninterruptible(Effect.never)

it.effect("a read waits no longer for a frozen replica than for one that is behind", () =>
  Effect.gen(function* () {
    const primary = yield* serverOf(Effect.succeed([{ position: "0/1", system: "1", from: "primary" }]))
    const client = yield* readingClient({
      sql: primary.sql,
      primary,
      replica: yield* serverOf(frozen),
      maxLagMillis: 500,
      counts: { primary: 0, replica: 0 }
    })
    const read = yield* Effect.forkChild(client<{ readonly from: string }>`select 1`)
    yield* TestClock.adjust("500 millis")
    const [row] = yield* Fiber.join(read)
    assert.strictEqual(row?.from, "primary")
  }).pipe(Effect.provide(Reactivity.layer))
)
