import { Effect, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { KnownSetUp } from "../../../services/verification/VerificationStore.ts"
import { currentSetUp, setUpColumns, SetUpFields } from "../SetUpCache.ts"
import { type BatchColumn, decodedAs } from "../SqlRows.ts"
import { cellStatement, sent } from "./CellStatements.ts"

interface Checked {
  readonly customerId: number
  readonly setUpVersion: KnownSetUp
}

const columns: ReadonlyArray<BatchColumn<Checked>> = [
  { name: "customer_id", type: "int4", of: ({ customerId }) => customerId },
  { name: "set_up", type: "int4", of: ({ setUpVersion }) => setUpVersion }
]

const changed = cellStatement(
  columns,
  (rows) => `select r.nth from ${rows} ${currentSetUp.join} where not ${currentSetUp.condition}`
)
const changedRows = decodedAs(Schema.Array(Schema.Struct({ nth: Schema.Int })))

/**
 * For a cell on another node: the set-up is on the coordinator, so it is compared by a statement of its own. Returns the
 * requests whose set-up has changed, from 1 on.
 */
export const changedSetUps = (
  sql: SqlClient.SqlClient,
  requests: ReadonlyArray<Checked>
): Effect.Effect<ReadonlySet<number>, SqlError.SqlError> =>
  requests.every(({ setUpVersion }) => setUpVersion === null)
    ? Effect.succeed(new Set())
    : Effect.map(changedRows(sent(changed, requests)(sql)), (rows) => new Set(rows.map(({ nth }) => nth)))

const current = cellStatement<{ readonly customerId: number }>(
  [{ name: "customer_id", type: "int4", of: ({ customerId }) => customerId }],
  (rows) => `select r.customer_id as "customerId", ${setUpColumns("r.customer_id")} from ${rows}`
)
const currentRows = decodedAs(Schema.Array(Schema.Struct({ customerId: Schema.Int, ...SetUpFields })))

/** The versions of these customers' set-ups. */
export const currentSetUps = (sql: SqlClient.SqlClient, customerIds: ReadonlyArray<number>) =>
  currentRows(
    sent(
      current,
      [...new Set(customerIds)].map((customerId) => ({ customerId }))
    )(sql)
  )
