import { assert, layer } from "@effect/vitest"
import { Clock, Deferred, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { AccountSlots } from "../../../src/services/account/AccountSlots.ts"
import { TimerRunner } from "../../../src/services/timer/TimerRunner.ts"
import { Verifications } from "../../../src/services/verification/Verifications.ts"
import { VerificationSteps } from "../../../src/services/verification/VerificationSteps.ts"
import { heldUpAt } from "../../support/HeldUp.ts"
import { accepted, scriptProviders, unreachable } from "../../support/ScriptedProviders.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { makeCustomer, testProcess } from "../../support/TestGraph.ts"

const PHONE = "09121234567"

const timerOf = Effect.fnUntraced(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ claimable_at: Date; lease_token: string | null }>`
    select claimable_at, lease_token from timers where subject = ${id}::uuid`
  return row === undefined ? undefined : { at: row.claimable_at.getTime(), token: row.lease_token }
})

layer(TestDatabase, { excludeTestServices: true })("what goes wrong", (it) => {
  it.effect("an adapter that breaks leaves an unknown outcome, and the route goes on", () => {
    const providers = scriptProviders({ bale: Effect.die("a bug in the adapter") })
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer(["bale", "sms"])
      const verifications = yield* Verifications
      const sent = yield* verifications.send({ customerId, phone: PHONE })
      assert.strictEqual(sent.status, "queued")
      yield* (yield* TimerRunner).runDue
      const { attempts } = yield* verifications.status({ customerId, id: sent.verificationId })
      assert.deepStrictEqual(
        attempts.map(({ status }) => status),
        ["failed", "sent"]
      )
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect(
    "a timer of a kind this process does not know is left to others, and other due timers are done",
    () => {
      const providers = scriptProviders()
      return Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const customerId = yield* makeCustomer(["bale", "sms"])
        yield* (yield* Verifications).send({ customerId, phone: PHONE })
        yield* sql`insert into timers (customer_id, kind, subject, claimable_at)
        values (${customerId}, 'of a later version', '00000000-0000-7000-8000-000000000000', 'epoch')`
        yield* TestClock.adjust("60 seconds")
        assert.strictEqual(yield* (yield* TimerRunner).runDue, 1)
        assert.deepStrictEqual(providers.channels(), ["bale", "sms"])
        assert.strictEqual((yield* timerOf("00000000-0000-7000-8000-000000000000"))?.token, null)
      }).pipe(Effect.provide(testProcess(providers.layer)))
    }
  )

  it.effect("who has lost the lease of a timer does nothing more for it", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer(["bale", "sms"])
      const { verificationId: subject } = yield* (yield* Verifications).send({ customerId, phone: PHONE })
      yield* TestClock.adjust("60 seconds")
      const before = yield* timerOf(subject)
      yield* (yield* VerificationSteps).runTimer({
        kind: "verification",
        customerId,
        subject,
        lane: 0,
        dueAt: 0,
        leaseToken: "00000000-0000-4000-8000-000000000000",
        leasedUntil: 90_000,
        wasAbandoned: false
      })
      assert.deepStrictEqual(providers.channels(), ["bale"])
      assert.deepStrictEqual(yield* timerOf(subject), before)
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect(
    "a code that took longer to be accepted than its lease lasts is sent by whoever leases it next",
    () => {
      const providers = scriptProviders()
      return Effect.gen(function* () {
        const customerId = yield* makeCustomer(["bale"])
        const { send, status } = yield* Verifications
        const { status: answered, verificationId: id } = yield* heldUpAt(
          "verifications",
          send({ customerId, phone: PHONE }),
          TestClock.adjust("1 minute")
        )
        assert.strictEqual(answered, "queued")
        assert.deepStrictEqual(providers.channels(), [])
        assert.strictEqual(yield* (yield* TimerRunner).runDue, 1)
        assert.deepStrictEqual(providers.channels(), ["bale"])
        assert.strictEqual((yield* status({ customerId, id })).currentChannelStatus, "sent")
      }).pipe(Effect.provide(testProcess(providers.layer)))
    }
  )

  it.effect("a fallback whose account could not be asked for its start is made a second later", () => {
    const providers = scriptProviders()
    let asked = 0
    const slots = Layer.succeed(
      AccountSlots,
      AccountSlots.of({
        take: ({ now }) =>
          Effect.succeed({ _tag: "Taken", index: 0, at: now, hasStart: now === 0, blocked: [] }),
        start: (_account, { now }) =>
          Effect.suspend(() =>
            asked++ === 0 ? Effect.die("no store") : Effect.succeed({ hasStart: true, at: now })
          ),
        isCooling: () => Effect.succeed(false),
        report: () => Effect.void
      })
    )
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer(["bale", "sms"])
      yield* (yield* Verifications).send({ customerId, phone: PHONE })
      yield* TestClock.adjust("60 seconds")
      yield* (yield* TimerRunner).runDue
      assert.deepStrictEqual(providers.channels(), ["bale"])
      yield* TestClock.adjust("1 second")
      yield* (yield* TimerRunner).runDue
      assert.deepStrictEqual(providers.channels(), ["bale", "sms"])
    }).pipe(Effect.provide(testProcess(Layer.merge(providers.layer, slots))))
  })

  const losesLease = (customerId: number) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`update timers set lease_token = gen_random_uuid() where customer_id = ${customerId}`
      yield* TestClock.adjust("1 minute")
    })

  it.effect("a code whose lease was lost while it waited for its account's slot is not sent under it", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer(["bale"])
      const { send, status } = yield* Verifications
      const { verificationId: id } = yield* heldUpAt(
        "account_pace",
        send({ customerId, phone: PHONE }),
        losesLease(customerId)
      )
      assert.deepStrictEqual(providers.channels(), [])
      assert.strictEqual((yield* status({ customerId, id })).status, "pending")
      assert.isNotNull((yield* timerOf(id))?.token)
    }).pipe(Effect.provide(testProcess(providers.layer, { accountGapMillis: 1000 })))
  })

  it.effect("nor is a fallback, which is written off by whoever has its lease", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer(["bale", "sms"])
      const { send, status } = yield* Verifications
      const { verificationId: id } = yield* send({ customerId, phone: PHONE })
      yield* TestClock.adjust("1 minute")
      yield* heldUpAt("account_pace", (yield* TimerRunner).runDue, losesLease(customerId))
      assert.deepStrictEqual(providers.channels(), ["bale"])
      const { attempts } = yield* status({ customerId, id })
      assert.deepStrictEqual(
        attempts.map(({ status: outcome }) => outcome),
        ["sent", "failed"]
      )
    }).pipe(Effect.provide(testProcess(providers.layer, { accountGapMillis: 1000 })))
  })

  it.effect(
    "a step that a dead process had begun is written off once its lease has run out, and never repeated",
    () => {
      const providers = scriptProviders({ bale: unreachable })
      return Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const customerId = yield* makeCustomer(["bale", "eitaa", "sms"])
        const { verificationId: id } = yield* (yield* Verifications).send({ customerId, phone: PHONE })
        const now = yield* Clock.currentTimeMillis
        yield* sql`update timers set lease_token = gen_random_uuid(), claimable_at = ${new Date(now + 30_000)}
        where subject = ${id}::uuid`
        const { runDue } = yield* TimerRunner
        yield* TestClock.adjust("29 seconds")
        assert.strictEqual(yield* runDue, 0)
        yield* TestClock.adjust("1 second")
        assert.strictEqual(yield* runDue, 2)
        assert.deepStrictEqual(providers.channels(), ["bale", "sms"])
        const { attempts } = yield* (yield* Verifications).status({ customerId, id })
        assert.deepStrictEqual(
          attempts.map(({ channel, status }) => [channel.provider, status]),
          [
            ["bale", "failed"],
            ["eitaa", "failed"],
            ["simulator", "sent"]
          ]
        )
      }).pipe(Effect.provide(testProcess(providers.layer)))
    }
  )

  it.effect("while a stopping process finishes a step, the step's lease is still renewed", () => {
    const gate = Deferred.makeUnsafe<void>()
    const providers = scriptProviders({ sms: Effect.as(Deferred.await(gate), accepted) })
    return Effect.gen(function* () {
      const scope = yield* Scope.make()
      const memory = yield* Layer.makeMemoMap
      const settings = { graceMillis: 120_000, providerTimeoutMillis: 120_000 }
      const process = yield* Layer.buildWithMemoMap(testProcess(providers.layer, settings), memory, scope)
      const work = Effect.gen(function* () {
        const customerId = yield* makeCustomer(["bale", "sms"])
        const { verificationId: id } = yield* (yield* Verifications).send({ customerId, phone: PHONE })
        yield* Effect.forkIn((yield* TimerRunner).loop, scope)
        yield* TestClock.adjust("60 seconds")
        yield* Effect.yieldNow.pipe(Effect.repeat({ until: () => providers.deliveries.length === 2 }))
        const stopping = yield* Effect.forkChild(Scope.close(scope, Exit.void))
        yield* TestClock.adjust("25 seconds")
        const renewed = yield* timerOf(id).pipe(
          Effect.repeat({ until: (timer) => timer !== undefined && timer.at > 90_000 })
        )
        assert.isAbove(renewed?.at ?? 0, 90_000)
        yield* Deferred.succeed(gate, undefined)
        yield* Fiber.join(stopping)
        return id
      })
      const id = yield* Effect.provide(work, process)
      const [row] = yield* (yield* SqlClient.SqlClient)<{ attempts: number }>`
        select jsonb_array_length(attempts) as attempts from verifications where id = ${id}::uuid`
      assert.strictEqual(row?.attempts, 2, "the step was finished and recorded")
    })
  })
})
