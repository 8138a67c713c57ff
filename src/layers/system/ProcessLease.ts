import { Clock, Effect, Layer, Schedule } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { hostname } from "node:os"
import { version } from "../config/Version.ts"
import { timestamp } from "../postgres/SqlRows.ts"

const RENEWED_EVERY = "20 seconds"
/** Two renewals can fail. */
const LEASE_MILLIS = 65_000
/** So long a process that died is shown, as an interval of PostgreSQL. */
export const SHOWN_AFTER = "1 hour"

const MAX_HOST = 200

/**
 * Says in the store that this process serves, and with which version. Nothing depends on it, so a store that refuses it
 * stops nobody.
 */
export const ProcessLease = Layer.effectDiscard(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const random = yield* SecureRandom.SecureRandom
    const id = yield* random.uuidV7()
    const startedAt = yield* Clock.currentTimeMillis
    const renew = Effect.flatMap(
      Clock.currentTimeMillis,
      (now) => sql`
        with gone as (
          delete from processes
          where alive_until < ${timestamp(now)}::timestamptz - ${sql.literal(`interval '${SHOWN_AFTER}'`)})
        insert into processes (id, host, pid, version, started_at, alive_until)
        values (${id}::uuid, ${hostname().slice(0, MAX_HOST)}, ${process.pid}, ${version}, ${timestamp(startedAt)},
          ${timestamp(now + LEASE_MILLIS)})
        on conflict (id) do update set alive_until = excluded.alive_until`
    )
    yield* Effect.addFinalizer(() => Effect.ignoreCause(sql`delete from processes where id = ${id}::uuid`))
    yield* Effect.forkScoped(Effect.repeat(Effect.ignoreCause(renew), Schedule.spaced(RENEWED_EVERY)))
  })
)
