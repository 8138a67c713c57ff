import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { AccountHistoriesSql } from "../../../src/layers/account/AccountHistoriesSql.ts"
import { noteCheck } from "../../../src/layers/account/AccountChecksSql.ts"
import { AccountFinding } from "../../../src/domain/account/AccountState.ts"
import { AccountHistories, AccountHistoryRecords } from "../../../src/services/account/AccountHistories.ts"
import { codeTo, paced } from "../../support/PacedAccounts.ts"
import { accepted, rejected, scriptProviders } from "../../support/ScriptedProviders.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { makeCustomer } from "../../support/TestGraph.ts"

const Histories = Layer.provideMerge(AccountHistories.layer, AccountHistoriesSql)

const accountOf = (customerId: number, channel: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{ readonly id: number }>`
      select id from sending_accounts where customer_id = ${customerId} and channel = ${channel}`
    return row?.id ?? 0
  })

layer(TestDatabase, { excludeTestServices: true })("the history of an account", (it) => {
  it.effect("has the sends of the last day over it alone, by result and error, and no others'", () => {
    const providers = scriptProviders({ bale: [rejected, accepted, accepted] })
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer(["bale", "sms"])
      const stranger = yield* makeCustomer(["bale"])
      const bale = yield* accountOf(customerId, "bale")
      yield* codeTo(customerId, ["bale", "sms"])
      yield* codeTo(customerId, ["bale"])
      yield* codeTo(stranger, ["bale"])
      const { sends } = yield* AccountHistories
      const { counts, last, isWhole } = yield* sends(customerId, bale)
      assert.isTrue(isWhole)
      assert.deepStrictEqual(
        counts.map(({ status, errorCode, count }) => [status, errorCode, count]).toSorted(),
        [
          ["failed", "provider_rejected", 1],
          ["sent", null, 1]
        ]
      )
      assert.deepStrictEqual(
        last.map(({ kind, status }) => [kind, status]),
        [
          ["code", "sent"],
          ["code", "failed"]
        ]
      )
      assert.deepStrictEqual((yield* sends(stranger, bale)).last, [])
      const later = yield* (yield* AccountHistoryRecords).sends(
        customerId,
        bale,
        (yield* Clock.currentTimeMillis) + 1
      )
      assert.deepStrictEqual(later.counts, [])
    }).pipe(Effect.provide(Layer.provideMerge(Histories, paced(providers, { accountGapMillis: 0 }))))
  })

  it.effect("keeps one balance for each half hour, and shows the last of each day", () =>
    Effect.gen(function* () {
      const account = yield* accountOf(yield* makeCustomer(["sms"]), "sms")
      const sql = yield* SqlClient.SqlClient
      const note = (credit: number | null) =>
        noteCheck(sql, account, AccountFinding.Works({ detail: "", credit }))
      for (const credit of [100, 90, null]) yield* note(credit)
      yield* TestClock.adjust("35 minutes")
      yield* note(80)
      yield* TestClock.adjust("30 minutes")
      yield* note(70)
      const stored =
        yield* sql`select credit from account_balances where account_id = ${account} order by noted_at`
      assert.deepStrictEqual(
        stored.map(({ credit }) => credit),
        [90, 80, 70]
      )
      const { balances } = yield* AccountHistories
      // where the day ends an hour after the clock's beginning
      const shown = yield* balances(account, "Etc/GMT+1")
      assert.deepStrictEqual(
        shown.map(({ credit }) => credit),
        [80, 70]
      )
      assert.isAtMost(shown[1]?.at ?? Infinity, yield* Clock.currentTimeMillis)
    }).pipe(Effect.provide(Layer.provideMerge(Histories, paced(scriptProviders()))))
  )
})
