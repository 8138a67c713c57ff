import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { TimerRunner } from "../../../src/services/timer/TimerRunner.ts"
import { Verifications } from "../../../src/services/verification/Verifications.ts"
import { rejected, scriptProviders } from "../../support/ScriptedProviders.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { makeCustomer, testProcess } from "../../support/TestGraph.ts"

const PHONE = "09121234567"

/** One verification over one channel, with the right code and a wrong one. */
const sendOne = Effect.fnUntraced(function* (providers: ReturnType<typeof scriptProviders>) {
  const sql = yield* SqlClient.SqlClient
  const customerId = yield* makeCustomer(["bale"])
  const verifications = yield* Verifications
  const { verificationId: id } = yield* verifications.send({ customerId, phone: PHONE })
  const right = providers.deliveries[0]?.code ?? ""
  const keeps = Effect.map(
    sql<{ readonly hash: boolean; readonly sealed: boolean }>`
      select code_hash is not null as hash, sealed_code is not null as sealed
      from verifications where id = ${id}::uuid`,
    ([row]) => row
  )
  return {
    id,
    right,
    wrong: right === "000000" ? "111111" : "000000",
    keeps,
    verify: (code: string) => verifications.verify({ customerId, id, code })
  }
})

const nothing = { hash: false, sealed: false }

layer(TestDatabase, { excludeTestServices: true })("what is kept of a code", (it) => {
  it.effect("its hash stays while it can be verified, also after a wrong code", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const { wrong, verify, keeps } = yield* sendOne(providers)
      yield* verify(wrong)
      assert.isTrue((yield* keeps)?.hash)
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect("nothing once it is verified; verifying again still says already_verified", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const { right, wrong, verify, keeps } = yield* sendOne(providers)
      assert.strictEqual((yield* verify(right)).reason, "ok")
      assert.deepStrictEqual(yield* keeps, nothing)
      assert.strictEqual((yield* verify(right)).reason, "already_verified")
      assert.strictEqual((yield* verify(wrong)).reason, "already_verified")
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect("nothing once it is locked; the right code still says locked", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const { right, wrong, verify, keeps } = yield* sendOne(providers)
      for (let n = 0; n < 5; n++) yield* verify(wrong)
      assert.deepStrictEqual(yield* keeps, nothing)
      assert.strictEqual((yield* verify(right)).reason, "locked")
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect("nothing once it failed; the right code still says failed", () => {
    const providers = scriptProviders({ bale: rejected })
    return Effect.gen(function* () {
      const { right, verify, keeps } = yield* sendOne(providers)
      assert.deepStrictEqual(yield* keeps, nothing)
      assert.strictEqual((yield* verify(right)).reason, "failed")
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect("nothing once it expired; the right code still says expired", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const { right, verify, keeps } = yield* sendOne(providers)
      yield* TestClock.adjust("10 minutes")
      yield* (yield* TimerRunner).runDue
      assert.deepStrictEqual(yield* keeps, nothing)
      assert.strictEqual((yield* verify(right)).reason, "expired")
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })
})
