/** A batch whose statements are in progress until a test lets them go. */
import { Deferred, Effect } from "effect"
import type { SqlError } from "effect/sql"
import {
  type BatchClients,
  makeStatementBatch
} from "../../../src/layers/postgres/batching/StatementBatch.ts"
import { nextTurn } from "../../support/NextTurn.ts"

export const clients = { batched: "batched", single: "single" }

export interface Request {
  readonly id: number
  readonly row: string
}

export const rowOf = ({ row }: Request) => [row]
/** Statements that are under way until they are let go; what each was made of is kept. */
export const scripted = Effect.fnUntraced(function* ({
  endsTogether = false,
  ...options
}: Pick<BatchClients, "lane" | "flushAt" | "paceMillis"> & { readonly endsTogether?: boolean } = {}) {
  const statements: Array<ReadonlyArray<Request>> = []
  const gates: Array<Deferred.Deferred<void>> = []
  const request = yield* makeStatementBatch<string, Request, string>(
    { ...clients, ...options },
    {
      name: "accept",
      endsTogether,
      conflictsOf: rowOf,
      orderOf: ({ row }) => row,
      run: (_, batch) =>
        Effect.gen(function* () {
          statements.push(batch)
          const gate = yield* Deferred.make<void>()
          gates.push(gate)
          yield* Deferred.await(gate)
          return batch.map(({ id }) => `answer ${id}`)
        })
    }
  )
  // Forked fibers begin, and then batches, each in a turn of the event loop.
  const turn = Effect.repeat(nextTurn, { times: 5 })
  const letGo = Effect.suspend(() =>
    Effect.andThen(
      Effect.forEach(gates, (gate) => Deferred.succeed(gate, undefined)),
      turn
    )
  )
  return { statements, request, turn, letGo }
})

/** A batch of which some statements are refused; what each was made of is kept. */
export const refusing = (
  refuses: (batch: ReadonlyArray<Request>, client: string) => SqlError.SqlError | undefined
) => {
  const statements: Array<ReadonlyArray<Request>> = []
  return Effect.map(
    makeStatementBatch<string, Request, number>(clients, {
      name: "accept",
      conflictsOf: () => [],
      orderOf: () => "",
      run: (client, batch) =>
        Effect.suspend(() => {
          statements.push(batch)
          const error = refuses(batch, client)
          return error === undefined ? Effect.succeed(batch.map(({ id }) => id)) : Effect.fail(error)
        })
    }),
    (request) => ({ request, statements })
  )
}
