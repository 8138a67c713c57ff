import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type Delivery, DeliveryReport } from "../../../src/domain/ProviderOutcome.ts"
import type { AccountUnusable } from "../../../src/services/account/AccountSlots.ts"
import { eventsOf } from "../../support/RepeatableAccounts.ts"
import { connectionWith, switchedOff } from "../../support/ScriptedConnections.ts"

type Answer = DeliveryReport | Effect.Effect<DeliveryReport> | AccountUnusable

/** The reports of providers, one answer after the other and the last for all that follow; and who was asked what, when. */
export const scriptReports = (...answers: ReadonlyArray<Answer>) => {
  const asked: Array<{ readonly accountId: number; readonly messageId: string; readonly at: number }> = []
  const refused: Array<number> = []
  const next = () => answers[Math.min(asked.length + refused.length, answers.length - 1)]
  const connect = (accountId: number) => {
    const answer = next()
    if (answer === switchedOff) {
      refused.push(accountId)
      return switchedOff
    }
    return connectionWith({
      deliveryReport: (messageId) =>
        Effect.gen(function* () {
          asked.push({ accountId, messageId, at: yield* Clock.currentTimeMillis })
          if (Effect.isEffect(answer)) return yield* answer as Effect.Effect<DeliveryReport>
          return answer === undefined ? DeliveryReport.InProgress() : (answer as DeliveryReport)
        })
    })
  }
  return { asked, refused, connect, seconds: () => asked.map(({ at }) => at / 1000) }
}

/** The deliveries that are kept, by step. */
export const deliveriesOf = Effect.fnUntraced(function* (table: "verifications" | "messages", id: string) {
  const sql = yield* SqlClient.SqlClient
  return (yield* sql<{ readonly step: number; readonly delivery: Delivery | null }>`
    select (a ->> 'step')::int as step, a -> 'delivery' as delivery
    from ${sql(table)} t, jsonb_array_elements(t.attempts) as a where t.id = ${id}::uuid order by 1`).map(
    ({ step, delivery }) => [step, delivery] as const
  )
})

export const reportTimers = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return (yield* sql`select 1 from timers where kind like '%_report'`).length
})

export const typesOf = (id: string) =>
  Effect.map(eventsOf(id), (events) => events.map(({ type, sequence }) => [sequence, type]))

export const delivered: Delivery = { status: "delivered", at: 9_000, provider_error: null }
