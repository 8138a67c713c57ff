import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Alarms by which sends are decided. Others leave the cached set-up as it is: an attack can raise many. */
const DECIDING = "when (new.reason in ('unverified', 'outage'))"
const CHANGES = "after insert or update of until, cleared_at on guard_alarms"

const statements = [
  `drop trigger announce on guard_alarms`,
  `drop trigger count_set_up_change on guard_alarms`,
  `create trigger announce ${CHANGES}
    for each row ${DECIDING} execute function announce_customer_change('customer_id')`,
  `create constraint trigger count_set_up_change ${CHANGES}
    deferrable initially deferred for each row ${DECIDING} execute function count_set_up_change('customer_id')`,
  // A network is judged by the codes of all customers.
  `create index guard_segments_networks on guard_segments (key) where kind = 'network'`,
  // What messengers charged for the codes that enforcing would refuse.
  `alter table guard_days add column flagged_charges bigint not null default 0`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
