import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { PLATFORM } from "../../domain/customer/Customer.ts"
import { NIL_UUID } from "../../domain/Uuid.ts"
import { PlatformTimers } from "../../services/timer/TimerStore.ts"
import { timestamp } from "../postgres/SqlRows.ts"

export const PlatformTimersSql = Layer.effect(
  PlatformTimers,
  Effect.map(SqlClient.SqlClient, (sql) =>
    PlatformTimers.of({
      schedule: (round, now) =>
        Effect.orDie(
          Effect.asVoid(sql`
            insert into timers (customer_id, kind, subject, claimable_at)
            values (${PLATFORM}, ${round}, ${NIL_UUID}::uuid, ${timestamp(now)}) on conflict do nothing`)
        )
    })
  )
)
