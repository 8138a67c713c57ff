import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { standbyProblem } from "../../../domain/account/Standby.ts"
import { fieldError, NotFound } from "../../../domain/Errors.ts"
import { Channel } from "../../../domain/routing/Channel.ts"
import type { AccountOwner } from "../../../services/resources/accounts/Accounts.ts"
import { rowsOf } from "../../postgres/SqlRows.ts"
import { isOwnedBy } from "./AccountRows.ts"

const StandbyRow = Schema.Struct({
  id: Schema.Int,
  channel: Channel,
  sendsCodes: Schema.Boolean,
  standby: Schema.Array(Schema.Int)
})

const standbyRows = rowsOf(StandbyRow)

/** The accounts of this owner stay as they are until the transaction ends, so no circle can come about. */
export const setStandby = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  owner: AccountOwner,
  id: number,
  wanted: ReadonlyArray<number>
) {
  const accounts = yield* standbyRows(sql`
    select a.id, a.channel, a.sends_codes as "sendsCodes", a.standby from sending_accounts a
    where ${isOwnedBy(sql, owner)} order by a.id for update`)
  const account = accounts.find((each) => each.id === id) ?? (yield* new NotFound())
  const problem = standbyProblem(account, wanted, accounts)
  if (problem !== null) return yield* fieldError("account_ids", problem)
  yield* Effect.orDie(sql`update sending_accounts set standby = ${[...wanted]}::int[] where id = ${id}`)
})
