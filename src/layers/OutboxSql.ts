import { Effect } from "effect"
import type { SecureRandom } from "effect/crypto"
import type { SqlClient, Statement } from "effect/sql"
import type { Instant } from "../domain/Instant.ts"
import { timestamp } from "./SqlRows.ts"

/**
 * A further part of a `with` statement whose `changed c` is the row that changed, its `events_written` already raised by
 * the number of these events: writes them with that change. Empty where there are none.
 *
 * @param snapshot what an event remembers of its subject: what can change; the rest is joined when it is delivered
 */
export const writeEvents =
  (sql: SqlClient.SqlClient, random: SecureRandom.SecureRandom["Service"], snapshot: Statement.Fragment) =>
  (types: ReadonlyArray<string>, now: Instant) =>
    types.length === 0
      ? Effect.succeed(sql``)
      : Effect.map(
          Effect.forEach(types, () => random.uuidV7()),
          (ids) => sql`, event as (
            insert into events (customer_id, id, type, subject, sequence, data, occurred_at)
            select c.customer_id, e.id, e.type, c.id, c.events_written - ${ids.length} + e.nth, ${snapshot},
              ${timestamp(now)}
            from changed c, unnest(${ids}::uuid[], ${types}::text[]) with ordinality as e (id, type, nth))`
        )
