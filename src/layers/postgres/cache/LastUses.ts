import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { timestamp } from "../SqlRows.ts"
import { flushAfter } from "../../../services/concurrency/FlushAfter.ts"
import { warnOfFailure } from "../../../services/system/LoggedCause.ts"

const INTERVAL = "30 seconds"

/** Records when rows of a table (keys, tokens) were last used: one statement for all, not one per request. */
export const makeLastUses = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  table: "api_keys" | "personal_tokens"
) {
  const lastUsed = new Map<number, number>()
  const write = Effect.suspend(() => {
    const ids = [...lastUsed.keys()]
    const times = [...lastUsed.values()].map(timestamp)
    lastUsed.clear()
    return ids.length === 0
      ? Effect.void
      : Effect.asVoid(sql`
        update ${sql(table)} k set last_used_at = greatest(k.last_used_at, used.at)
        from unnest(${ids}::int[], ${times}::timestamptz[]) as used (id, at) where k.id = used.id`)
  }).pipe(Effect.catchCause((cause) => warnOfFailure(`last uses of ${table} were not written`, cause)))
  const added = yield* flushAfter(INTERVAL, write)
  return (id: number, now: number) => {
    lastUsed.set(id, now)
    added()
  }
})
