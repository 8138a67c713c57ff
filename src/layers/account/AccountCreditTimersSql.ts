import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { PLATFORM } from "../../domain/people/Customer.ts"
import type { TimerKind } from "../../domain/Timer.ts"
import { AccountCreditTimers } from "../../services/account/AccountCredits.ts"
import { timestamp } from "../postgres/SqlRows.ts"

const TIMER_KIND: TimerKind = "account_credits"
/** There is one timer, of the platform's. */
const SUBJECT = "00000000-0000-0000-0000-000000000000"

export const AccountCreditTimersSql = Layer.effect(
  AccountCreditTimers,
  Effect.map(SqlClient.SqlClient, (sql) =>
    AccountCreditTimers.of({
      schedule: (now) =>
        Effect.orDie(
          Effect.asVoid(sql`
            insert into timers (customer_id, kind, subject, claimable_at)
            values (${PLATFORM}, ${TIMER_KIND}, ${SUBJECT}::uuid, ${timestamp(now)}) on conflict do nothing`)
        )
    })
  )
)
