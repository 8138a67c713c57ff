import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { Messages } from "../../../src/services/message/Messages.ts"
import { Wallets } from "../../../src/services/Wallets.ts"
import { allPages, codeTo, firstPage, MARCH, readProcess, settle } from "../../support/ManageReads.ts"
import { scriptProviders, unreachable } from "../../support/ScriptedProviders.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { makeCustomer } from "../../support/TestGraph.ts"

const PHONE = "+989121234567"

const planned = Effect.fnUntraced(function* (customerId: number) {
  const { messageId } = yield* (yield* Messages).send({
    customerId,
    to: PHONE,
    message: "x",
    channels: [{ channel: "bale" }],
    delay: "1d"
  })
  return messageId
})

layer(TestDatabase, { excludeTestServices: true })("a customer's wallet", (it) => {
  it.effect("shows what it has, what of it is held, and for what", () => {
    const providers = scriptProviders({ bale: unreachable })
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer()
      const code = yield* codeTo(customerId, PHONE, ["bale", "eitaa"])
      yield* TestClock.adjust(1000)
      const message = yield* planned(customerId)
      const { balance, holds } = yield* Wallets
      assert.deepStrictEqual(yield* balance(customerId), { balance: 1_000_000, held: 2000 })
      assert.deepStrictEqual((yield* holds(customerId, firstPage)).items, [
        { subjectType: "message", subjectId: message, amount: 1000, createdAt: MARCH + 1000 },
        { subjectType: "verification", subjectId: code.id, amount: 1000, createdAt: MARCH }
      ])
      yield* settle
      assert.deepStrictEqual(yield* balance(customerId), { balance: 999_000, held: 1000 })
      assert.strictEqual((yield* holds(customerId, firstPage)).items.length, 1)
    }).pipe(Effect.provide(readProcess(providers)))
  })

  it.effect("lists its holds of both kinds, each once, whatever the size of the parts", () => {
    const providers = scriptProviders({ bale: unreachable })
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer()
      const made: Array<string> = []
      for (let n = 0; n < 9; n++) {
        const id = n % 2 === 0 ? yield* planned(customerId) : (yield* codeTo(customerId, PHONE)).id
        made.unshift(id)
        if (n % 3 === 0) yield* TestClock.adjust(1)
      }
      const { holds } = yield* Wallets
      for (const limit of [1, 2, 4, 9, 10]) {
        const all = yield* allPages(limit, (page) => holds(customerId, page))
        assert.deepStrictEqual(
          all.map(({ subjectId }) => subjectId),
          made
        )
      }
    }).pipe(Effect.provide(readProcess(providers)))
  })

  it.effect("has a ledger of what was paid in and spent, whose sum is the balance", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer()
      yield* TestClock.adjust(1000)
      const code = yield* codeTo(customerId, PHONE, ["bale"])
      yield* TestClock.adjust(1000)
      const { messageId } = yield* (yield* Messages).send({
        customerId,
        to: PHONE,
        message: "x",
        channels: [{ channel: "eitaa" }]
      })
      yield* settle
      yield* TestClock.adjust(1000)
      yield* (yield* Wallets).topUp(customerId, 500)

      const { balance, ledger } = yield* Wallets
      const { items } = yield* ledger(customerId, firstPage)
      assert.deepStrictEqual(
        items.map(({ kind, amount, subjectType, subjectId, occurredAt }) => [
          kind,
          amount,
          subjectType,
          subjectId,
          occurredAt - MARCH
        ]),
        [
          ["top_up", 500, null, null, 3000],
          ["capture", -1000, "message", messageId, 2000],
          ["capture", -1000, "verification", code.id, 1000],
          ["top_up", 1_000_000, null, null, 0]
        ]
      )
      assert.strictEqual(
        items.reduce((sum, { amount }) => sum + amount, 0),
        (yield* balance(customerId)).balance
      )
      const amounts = (search: object) =>
        Effect.map(ledger(customerId, { ...firstPage, ...search }), (page) =>
          page.items.map(({ amount }) => amount)
        )
      assert.deepStrictEqual(yield* amounts({ kind: "capture" }), [-1000, -1000])
      assert.deepStrictEqual(yield* amounts({ from: MARCH + 2000 }), [500, -1000])
      assert.deepStrictEqual(yield* amounts({ to: MARCH + 1000 }), [1_000_000])
      assert.deepStrictEqual(yield* amounts({ kind: "top_up", from: MARCH + 1 }), [500])
      const all = yield* allPages(1, (page) => ledger(customerId, page))
      assert.deepStrictEqual(all, items)
    }).pipe(Effect.provide(readProcess(providers)))
  })

  it.effect("is its own: nothing of another customer's is in it", () => {
    const providers = scriptProviders({ bale: unreachable })
    return Effect.gen(function* () {
      const [mine, theirs] = [yield* makeCustomer(), yield* makeCustomer()]
      yield* planned(theirs)
      const { balance, holds, ledger } = yield* Wallets
      assert.deepStrictEqual(yield* balance(mine), { balance: 1_000_000, held: 0 })
      assert.deepStrictEqual((yield* holds(mine, firstPage)).items, [])
      assert.strictEqual((yield* ledger(mine, firstPage)).items.length, 1)
      assert.deepStrictEqual(yield* balance(0), { balance: 0, held: 0 })
    }).pipe(Effect.provide(readProcess(providers)))
  })
})
