import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { budgetConditions, Budgets, budgetState } from "../../../src/services/Budgets.ts"
import { Wallets } from "../../../src/services/Wallets.ts"
import { BudgetsSql } from "../../../src/layers/money/BudgetsSql.ts"
import { codeTo, MARCH, readProcess, settle } from "../../support/ManageReads.ts"
import { scriptProviders } from "../../support/ScriptedProviders.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { makeCustomer } from "../../support/TestGraph.ts"

layer(TestDatabase, { excludeTestServices: true })("a monthly budget", (it) => {
  it.effect("counts what was spent in the month of its calendar, and is told at 80 % and at 100 %", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer(["eitaa"])
      const other = yield* makeCustomer(["eitaa"])
      const { save } = yield* Budgets
      assert.deepStrictEqual(yield* budgetConditions(customerId, MARCH), [])
      for (let n = 0; n < 8; n++) yield* codeTo(customerId, `+98912${1_000_000 + n}`, ["eitaa"])
      yield* settle
      const spent = 8000
      const percents = (amount: number) =>
        Effect.gen(function* () {
          yield* save(customerId, { amount, calendar: "jalali" })
          return (yield* budgetConditions(customerId, MARCH)).map(({ subject, counts }) => [
            subject.id,
            counts.percent,
            counts.spent
          ])
        })
      assert.deepStrictEqual(yield* percents(10_001), [])
      assert.deepStrictEqual(yield* percents(10_000), [["1404-12:80", 80, spent]])
      // Both at once are one alert.
      assert.deepStrictEqual(yield* percents(8000), [["1404-12:100", 100, spent]])
      // top-ups are no costs
      yield* (yield* Wallets).topUp(customerId, 50_000)
      assert.deepStrictEqual(yield* budgetState(customerId, MARCH), {
        amount: 8000,
        calendar: "jalali",
        month: "1404-12",
        spent
      })
      yield* save(customerId, { amount: 8000, calendar: "gregorian" })
      assert.strictEqual((yield* budgetState(customerId, MARCH))?.month, "2026-03")
      // a new month begins with nothing
      const april = Date.UTC(2026, 3, 2)
      assert.strictEqual((yield* budgetState(customerId, april))?.spent, 0)
      assert.deepStrictEqual(yield* budgetConditions(customerId, april), [])
      assert.isNull(yield* budgetState(other, MARCH))
      yield* save(customerId, { amount: null })
      assert.isNull(yield* budgetState(customerId, MARCH))
    }).pipe(Effect.provide(Layer.provideMerge(BudgetsSql, readProcess(providers))))
  })
})
