import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { AccountSlotsSql } from "../../../src/layers/account/AccountSlotsSql.ts"
import { AccountConnections, AccountSlots } from "../../../src/services/account/AccountSlots.ts"
import { ApiKeys, Keys } from "../../../src/services/key/Keys.ts"
import { Customers } from "../../../src/services/customer/Customers.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { makeCustomer, testInfrastructure } from "../../support/TestGraph.ts"
import { watchedBatches } from "../../support/WatchedBatches.ts"

const COUNT = 20

/** A process that counts how many statements its batches have made. */
const countingProcess = () => {
  const statements = { made: 0 }
  const counted = watchedBatches((_, statement) => {
    statements.made += 1
    return statement
  })
  return {
    statements,
    process: AccountSlotsSql.pipe(Layer.provideMerge(testInfrastructure()), Layer.provide(counted))
  }
}

const inOneMoment = <A, B, E, R>(all: ReadonlyArray<A>, ask: (one: A) => Effect.Effect<B, E, R>) =>
  Effect.forEach(all, (one) => Effect.result(ask(one)), { concurrency: "unbounded" })

const customers = Effect.forEach(Array.from({ length: COUNT }), () => makeCustomer(["bale"]))

layer(TestDatabase, { excludeTestServices: true })("looked up in one moment, in one statement,", (it) => {
  it.effect("are keys: each speaks for its customer, and an unknown one for nobody", () => {
    const { process, statements } = countingProcess()
    return Effect.gen(function* () {
      const { create } = yield* Keys
      const { authenticate } = yield* ApiKeys
      const owners = yield* customers
      const secrets = yield* Effect.forEach(owners, (customerId) =>
        Effect.map(create(customerId, { mode: "live", name: "k", expiresAt: null }), ({ secret }) => secret)
      )
      const unknown = Redacted.make(`svc_live_${"0".repeat(43)}`)
      statements.made = 0
      const [refused, ...found] = yield* inOneMoment([unknown, ...secrets], authenticate)
      assert.strictEqual(statements.made, 1)
      assert.strictEqual(refused?._tag === "Failure" && refused.failure._tag, "unauthenticated")
      assert.deepStrictEqual(
        found.map((principal) => principal._tag === "Success" && principal.success.customerId),
        owners
      )
    }).pipe(Effect.provide(process))
  })

  it.effect("are what customers have set up, each with its own accounts", () => {
    const { process, statements } = countingProcess()
    return Effect.gen(function* () {
      const { configuration } = yield* Customers
      const owners = yield* customers
      const sql = yield* SqlClient.SqlClient
      const accounts = yield* sql<{ id: number }>`
        select id from sending_accounts where customer_id = any(${owners}::int[]) order by customer_id`
      statements.made = 0
      const found = yield* inOneMoment(owners, configuration)
      assert.strictEqual(statements.made, 1)
      assert.deepStrictEqual(
        found.map(
          (one) =>
            one._tag === "Success" && [one.success.customerId, one.success.accounts.map(({ id }) => id)]
        ),
        owners.map((owner, index) => [owner, [accounts[index]?.id ?? 0]])
      )
    }).pipe(Effect.provide(process))
  })

  it.effect("are accounts: how each fares, and how it is reached", () => {
    const { process, statements } = countingProcess()
    return Effect.gen(function* () {
      const { isCooling } = yield* AccountSlots
      const connections = yield* AccountConnections
      const sql = yield* SqlClient.SqlClient
      const owners = yield* customers
      const accounts = yield* sql<{ id: number }>`
        select id from sending_accounts where customer_id = any(${owners}::int[]) order by id`
      const [resting] = accounts
      yield* sql`update account_pace set cooling_until = ${new Date(1000)} where account_id = ${resting?.id ?? 0}`
      yield* sql`update sending_accounts set disabled_at = now() where id = ${resting?.id ?? 0}`
      const descriptor = { type: "messenger", provider: "bale", credential_id: 0, label: "b" } as const
      statements.made = 0
      const rests = yield* inOneMoment(accounts, ({ id }) =>
        isCooling({ channel: "bale", account_id: id, descriptor }, "code", 0)
      )
      assert.strictEqual(statements.made, 1)
      const connected = yield* inOneMoment(accounts, ({ id }) => connections.of(id))
      assert.strictEqual(statements.made, 2)
      const isFirst = accounts.map((_, index) => index === 0)
      assert.deepStrictEqual(
        rests.map((rest) => rest._tag === "Success" && rest.success),
        isFirst
      )
      assert.deepStrictEqual(
        connected.map(({ _tag }) => _tag === "Failure"),
        isFirst
      )
    }).pipe(Effect.provide(process))
  })
})
