import { Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { maskPhone } from "../../domain/Phone.ts"
import { BOMBED_BY } from "../../services/guard/admission/BombedPhones.ts"
import { GuardMetrics } from "../../services/guard/GuardMetrics.ts"
import { CountsRefused, GuardStore } from "../../services/guard/GuardStore.ts"
import { Timers } from "../../services/timer/Timers.ts"
import { IsDistributed } from "../postgres/citus/Distribution.ts"
import { timestamp } from "../postgres/SqlRows.ts"
import { BatchSql, MessageBatchSql, ReportingSql } from "../postgres/Pools.ts"
import { hasStoredNothing } from "../postgres/StoreAvailability.ts"
import { guardAlarms } from "./GuardAlarmSql.ts"
import { guardGrants } from "./GuardBudgetSql.ts"
import { guardCodes } from "./GuardCodesSql.ts"
import { guardRoundReads, guardRoundWrites } from "./GuardRoundSql.ts"
import { guardStanding } from "./GuardStandingSql.ts"
import { makeGuardWake } from "./GuardWakeSql.ts"

/** Rounds use the connections of messages' batches: codes do not wait behind them, and their statements are planned once. */
export const GuardStoreSql = Layer.effect(
  GuardStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const reporting = yield* ReportingSql
    const random = yield* SecureRandom.SecureRandom
    const timers = yield* Timers
    const metrics = yield* GuardMetrics
    const batchSql = yield* BatchSql
    const rounds = yield* MessageBatchSql
    const wake = yield* makeGuardWake({ together: rounds, alone: sql })
    const alarms = guardAlarms(sql, random)
    const wakeFor = (webhooks: number) => {
      if (webhooks > 0) timers.wakeAt(0)
    }
    const raise: GuardStore["Service"]["raise"] = (customerId, alarm, enforced) =>
      Effect.map(Effect.orDie(alarms.raise(customerId, alarm, enforced)), ({ webhooks, raised }) => {
        wakeFor(webhooks)
        if (raised) metrics.alarmed(alarm.reason)
        return raised
      })

    return GuardStore.of({
      ...guardCodes(rounds, yield* IsDistributed),
      ...guardRoundReads(rounds, reporting),
      ...guardRoundWrites(sql, rounds, random, wakeFor),
      ...guardStanding(sql),
      grant: guardGrants(batchSql),
      raise,

      wake: (customerId, at) => Effect.asVoid(wake({ customerId, at })),

      bombed: Effect.fnUntraced(function* (customerId, phone, until, now) {
        yield* Effect.orDie(sql`
          update platform_phone_counters set callers = callers || ${customerId}::int
          where phone = ${phone} and callers_until > ${timestamp(now)}
            and not callers @> array[${customerId}::int] and cardinality(callers) < ${BOMBED_BY}`)
        const common = { kind: "phone", key: maskPhone(phone), reason: "bombed", action: "refuse" } as const
        yield* raise(customerId, { ...common, startedAt: now, until, level: 1, codes: 0, verified: 0 }, true)
      }),

      countRefused: (counts, now) =>
        sql`
          insert into guard_days as d (customer_id, day, refused, refused_whole, denied)
          select c.customer_id, (${timestamp(now)}::timestamptz at time zone 'UTC')::date, c.refused,
            c.refused_whole, c.denied
          from unnest(${counts.map(({ customerId }) => customerId)}::int[],
            ${counts.map(({ refused }) => refused)}::int[],
            ${counts.map(({ refusedWhole }) => refusedWhole)}::int[], ${counts.map(({ denied }) => denied)}::int[])
            as c (customer_id, refused, refused_whole, denied)
          order by c.customer_id
          on conflict (customer_id, day) do update set refused = d.refused + excluded.refused,
            refused_whole = d.refused_whole + excluded.refused_whole,
            denied = d.denied + excluded.denied`.pipe(
          Effect.asVoid,
          Effect.catch((cause) =>
            hasStoredNothing(cause) ? Effect.fail(new CountsRefused({ cause })) : Effect.die(cause)
          )
        )
    })
  })
)
