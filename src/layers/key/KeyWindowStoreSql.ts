import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { MINUTE_MILLIS } from "../../domain/Instant.ts"
import { InstantColumn, rowsOf, timestamp } from "../postgres/SqlRows.ts"
import { KeyWindowStore } from "../../services/key/RequestWindows.ts"

const WindowRow = Schema.Struct({ granted: Schema.Int, used: Schema.Int, endsAt: InstantColumn })

/** A block is this part of what is left. */
const PART = 8

export const KeyWindowStoreSql = Layer.effect(
  KeyWindowStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const windowRows = rowsOf(WindowRow)

    const takeFrom = (tableName: string, keyColumn: string) => {
      const [table, column] = [sql.literal(tableName), sql.literal(keyColumn)]
      return Effect.fnUntraced(function* (key: number | string, limit: number, instant: number) {
        const now = timestamp(instant)
        const first = Math.max(1, Math.floor(limit / PART))
        const isOpen = sql`k.ends_at > ${now}::timestamptz`
        const next = sql`least(greatest(0, ${limit}::int - k.used), greatest(1, (${limit}::int - k.used) / ${PART}::int))`
        const [row] = yield* windowRows(sql`
          insert into ${table} as k (${column}, ends_at, used, granted)
          values (${key}, ${timestamp(instant + MINUTE_MILLIS)}, ${first}, ${first})
          on conflict (${column}) do update set
            granted = case when ${isOpen} then ${next} else excluded.granted end,
            used = case when ${isOpen} then k.used + ${next} else excluded.used end,
            ends_at = case when ${isOpen} then k.ends_at else excluded.ends_at end
          returning granted, used, ends_at as "endsAt"`)
        return row ?? (yield* Effect.die("an upsert returned no row"))
      })
    }

    return KeyWindowStore.of({
      take: takeFrom("key_windows", "key_id"),
      takeOfCredential: takeFrom("credential_windows", "credential")
    })
  })
)
