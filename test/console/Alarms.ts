import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Server } from "../contract/Server.ts"
import { onEmbeddedStore } from "../support/EmbeddedStore.ts"

type Place = Pick<Server, "dataDir" | "demo">

export const inStore = <A>(
  { dataDir }: Pick<Place, "dataDir">,
  work: (sql: SqlClient.SqlClient) => Effect.Effect<A, unknown>
) => onEmbeddedStore(dataDir, Effect.flatMap(SqlClient.SqlClient, work))

export interface NewAlarm {
  readonly kind: string
  readonly key: string
  readonly reason?: string
  readonly isOpen?: boolean
}

/** An alarm of the guard that the demo customer has had just now; its id. */
export const raiseAlarm = async (
  place: Place,
  { kind, key, reason = "unverified", isOpen = true }: NewAlarm
): Promise<string> => {
  const [made] = await inStore(
    place,
    (sql) => sql<{ id: string }>`
    select (lpad(to_hex((extract(epoch from clock_timestamp()) * 1000)::bigint), 12, '0') || '70008000'
      || left(md5(random()::text), 12))::uuid::text as id`
  )
  const id = made?.id ?? ""
  await inStore(
    place,
    (sql) => sql`
      insert into guard_alarms (customer_id, id, kind, key, reason, level, action, enforced, started_at, until,
        cleared_at, codes, verified)
      values (${place.demo.customer_id}, ${id}::uuid, ${kind}, ${key}, ${reason}, 1, 'refuse', false, now(),
        now() + interval '1 hour', case when ${isOpen} then null else now() end, 40, 3)`
  )
  return id
}
