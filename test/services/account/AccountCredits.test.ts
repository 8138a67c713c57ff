import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { PlatformTimersSql } from "../../../src/layers/timer/TimerStoreSql.ts"
import { defaultEndpoints, ProviderEndpoints } from "../../../src/layers/provider/ProviderEndpoints.ts"
import { PlatformTimers } from "../../../src/services/timer/TimerStore.ts"
import { Accounts } from "../../../src/services/account/Accounts.ts"
import { fakeIppanel, IPPANEL_KEY, IPPANEL_LINE, IPPANEL_PATTERN } from "../../support/fakes/FakeIppanel.ts"
import { fakeKavenegar, KAVENEGAR_KEY, kavenegarAnswer } from "../../support/fakes/FakeKavenegar.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { makeCustomer, runDue, testProcess } from "../../support/TestGraph.ts"

/** A process that asks these providers for the credit of accounts. */
const withRounds = (endpoints: typeof defaultEndpoints) =>
  Effect.provide(
    Layer.provideMerge(PlatformTimersSql, testProcess(Layer.empty)).pipe(
      Layer.provide(Layer.succeed(ProviderEndpoints, endpoints))
    )
  )

/** As the fake has it. */
const IPPANEL_CREDIT = 24_810.5

const connectSms = (customerId: number, provider: string, settings: object) =>
  Effect.flatMap(Accounts, ({ connect }) =>
    Effect.orDie(
      connect(customerId, { channel: "sms", provider, label: provider, settings, isDefault: false })
    )
  )

const checksOf = (customerId: number, provider = "kavenegar") =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.orDie(sql<{ readonly result: string; readonly detail: string; readonly credit: number | null }>`
    select c.result, c.detail, c.credit from account_checks c
      join sending_accounts a on a.id = c.account_id and a.provider = ${provider}
      where a.customer_id = ${customerId} order by c.account_id`)
  )

layer(TestDatabase, { excludeTestServices: true })("what is left to spend", (it) => {
  it.effect("is asked of each account's provider every 15 minutes, and kept when it cannot be asked", () =>
    Effect.gen(function* () {
      const fake = yield* fakeKavenegar()
      const endpoints = { ...defaultEndpoints, kavenegarUrl: `${fake.url}/v1` }
      yield* Effect.gen(function* () {
        const customerId = yield* makeCustomer(["sms"])
        yield* connectSms(customerId, "kavenegar", { api_key: KAVENEGAR_KEY })
        yield* connectSms(customerId, "kavenegar", { api_key: "a-wrong-key" })
        yield* (yield* PlatformTimers).schedule("account_credits", 0)
        yield* runDue
        assert.deepStrictEqual(yield* checksOf(customerId), [
          { result: "works", detail: "credit 1500000", credit: 1_500_000 },
          { result: "refused", detail: "403 کد شناسائی معتبر نمی‌باشد", credit: null }
        ])
        yield* TestClock.adjust("14 minutes")
        const before = fake.received.length
        fake.script(kavenegarAnswer(409, "busy"), kavenegarAnswer(409, "busy"))
        yield* runDue
        assert.strictEqual(fake.received.length, before)
        yield* TestClock.adjust("1 minute")
        yield* runDue
        assert.strictEqual(fake.received.length, before + 2)
        assert.deepStrictEqual((yield* checksOf(customerId))[0], {
          result: "not_reached",
          detail: "409 busy",
          credit: 1_500_000
        })
      }).pipe(withRounds(endpoints))
    })
  )

  it.effect("is stored with what else is wrong with the account, which no round hides", () =>
    Effect.gen(function* () {
      const fake = yield* fakeIppanel()
      const endpoints = { ...defaultEndpoints, ippanelUrl: `${fake.url}/v1` }
      yield* Effect.gen(function* () {
        const customerId = yield* makeCustomer(["sms"])
        const right = { api_key: IPPANEL_KEY, from_number: IPPANEL_LINE, otp_pattern: IPPANEL_PATTERN }
        const wrongLine = yield* connectSms(customerId, "ippanel", { ...right, from_number: "+983000999" })
        const wrongPattern = yield* connectSms(customerId, "ippanel", { ...right, otp_parameter: "pin" })
        const { check } = yield* Accounts
        for (const { id } of [wrongLine, wrongPattern]) yield* Effect.orDie(check(customerId, id))
        const checked = yield* checksOf(customerId, "ippanel")
        assert.match(checked[0]?.detail ?? "", /^credit [\d.]+; line \+983000999 is not among the account's/)
        assert.match(checked[1]?.detail ?? "", /^pattern .* has no variable pin/)
        assert.deepStrictEqual(
          checked.map(({ result, credit }) => [result, credit]),
          [
            ["works", IPPANEL_CREDIT],
            ["refused", IPPANEL_CREDIT]
          ]
        )
        yield* (yield* PlatformTimers).schedule("account_credits", 0)
        yield* runDue
        assert.deepStrictEqual(yield* checksOf(customerId, "ippanel"), checked)
      }).pipe(withRounds(endpoints))
    })
  )

  it.effect("is known from the check before an account is connected", () =>
    Effect.gen(function* () {
      const fake = yield* fakeKavenegar()
      const endpoints = { ...defaultEndpoints, kavenegarUrl: `${fake.url}/v1` }
      yield* Effect.gen(function* () {
        const customerId = yield* makeCustomer(["sms"])
        const { connect, examine } = yield* Accounts
        const settings = { api_key: KAVENEGAR_KEY }
        const account = { channel: "sms" as const, provider: "kavenegar", settings }
        const finding = yield* Effect.orDie(examine(customerId, account))
        const named = { ...account, label: "Kavenegar", isDefault: false, finding }
        yield* Effect.orDie(connect(customerId, named))
        assert.deepStrictEqual(yield* checksOf(customerId), [
          { result: "works", detail: "credit 1500000", credit: 1_500_000 }
        ])
      }).pipe(
        Effect.provide(Layer.provide(testProcess(Layer.empty), Layer.succeed(ProviderEndpoints, endpoints)))
      )
    })
  )
})
