import { assert, layer } from "@effect/vitest"
import { Effect, Exit, Layer } from "effect"
import { TestClock } from "effect/testing"
import { SqlClient } from "effect/sql"
import { ProviderOutcome } from "../../../src/domain/account/ProviderOutcome.ts"
import { Guard } from "../../../src/services/guard/Guard.ts"
import { Codes } from "../../../src/services/verification/Codes.ts"
import { Providers } from "../../../src/services/provider/Providers.ts"
import { TimerRunner } from "../../../src/services/timer/TimerRunner.ts"
import { Verifications } from "../../../src/services/verification/Verifications.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { makeCustomer, testProcess } from "../../support/TestGraph.ts"

const CODE = "424242"
const sent: Array<{ readonly channel: string; readonly phone: string }> = []

const Seams = Layer.merge(
  Layer.mock(Providers)({
    sendCode: ({ step, phone }) =>
      Effect.sync(() => {
        sent.push({ channel: step.channel, phone })
        return ProviderOutcome.Accepted({ messageId: null })
      })
  }),
  Layer.mock(Codes)({ next: () => Effect.succeed(CODE), maxWrongCodes: 5 })
)

const phoneOf = (n: number) => `+98912${String(1_000_000 + n)}`

const setMode = (customerId: number, mode: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.orDie(sql`
      insert into guard_settings (customer_id, mode, updated_at) values (${customerId}, ${mode}, now())
      on conflict (customer_id) do update set mode = excluded.mode`)
  )

const alarms = (customerId: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.orDie(sql<{ readonly kind: string; readonly reason: string; readonly action: string }>`
      select kind, reason, action from guard_alarms where customer_id = ${customerId} order by id`)
  )

const verified = Effect.fnUntraced(function* (customerId: number, phone: string, ip?: string) {
  const verifications = yield* Verifications
  const { verificationId } = yield* verifications.send({
    customerId,
    phone,
    ...(ip === undefined ? {} : { client: { ip } })
  })
  yield* verifications.verify({ customerId, id: verificationId, code: CODE })
})

layer(TestDatabase, { excludeTestServices: true })("the guard", (it) => {
  it.effect("raises an alarm on a network whose codes are not verified, and blocks it when enforcing", () =>
    Effect.gen(function* () {
      const customerId = yield* makeCustomer(["sms"])
      yield* setMode(customerId, "enforcing")
      const verifications = yield* Verifications
      const timers = yield* TimerRunner
      let leaked = 0
      for (let n = 0; n < 120; n++) {
        if (n % 2 === 0)
          yield* Effect.tapError(verified(customerId, phoneOf(n * 20_000), `10.${n}.0.1`), () =>
            Effect.gen(function* () {
              const sql = yield* SqlClient.SqlClient
              console.log(
                n,
                leaked,
                JSON.stringify(yield* Effect.orDie(sql`select state -> 'self' as self from guard_rounds`)),
                JSON.stringify(yield* alarms(customerId)),
                JSON.stringify(yield* Effect.orDie(sql`select to_jsonb(b) as b from guard_budgets b limit 5`))
              )
            })
          )
        const exit = yield* Effect.exit(
          verifications.send({ customerId, phone: phoneOf(n * 10_000 + 5), client: { ip: "203.0.113.7" } })
        )
        if (Exit.isSuccess(exit)) leaked += 1
        yield* TestClock.adjust("20 seconds")
        yield* timers.runDue
      }
      const sql = yield* SqlClient.SqlClient
      console.log(
        leaked,
        JSON.stringify(
          yield* Effect.orDie(
            sql`select to_jsonb(g) - 'state' as g, state -> 'self' -> 'score' as score, state -> 'maturityMillis' as m, state->'usual' as usual, state -> 'outage' as o, state -> 'channels' as ch from guard_rounds g`
          )
        ),
        JSON.stringify(
          yield* Effect.orDie(
            sql`select kind, key, score, codes, verified, state -> 'run' as run from guard_segments order by codes desc limit 5`
          )
        ),
        JSON.stringify(yield* Effect.orDie(sql`select to_jsonb(b) as b from guard_budgets b limit 5`)),
        JSON.stringify(
          yield* Effect.orDie(sql`select kind, claimable_at, lease_token from timers where kind = 'guard'`)
        ),
        JSON.stringify(yield* Effect.orDie(sql`select id, guard, status from verifications limit 3`))
      )
      const raised = yield* alarms(customerId)
      assert.isTrue(raised.some(({ kind, reason }) => kind === "network" && reason === "unverified"))
      assert.isBelow(leaked, 51)
    }).pipe(Effect.provide(testProcess(Seams, {}, 0, Guard.layer)))
  )
})
