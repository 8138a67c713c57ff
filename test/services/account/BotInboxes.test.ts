import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Exit, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { BotAddresses } from "../../../src/services/account/BotInboxes.ts"
import { TimerRunner } from "../../../src/services/timer/TimerRunner.ts"
import { connectedProcess, connectionWith, switchedOff } from "../../support/ScriptedConnections.ts"
import { inboxState, makeInbox, nothing, problem, scriptInbox } from "../../support/ScriptedInbox.ts"
import { scriptProviders } from "../../support/ScriptedProviders.ts"
import { arriveAt } from "../../support/SentMessages.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { PUBLIC_URL, DAY, processWith } from "../../support/BotInboxSetUp.ts"

layer(TestDatabase, { excludeTestServices: true })("an account's updates", (it) => {
  it.effect("are polled at once, for 20 s, and again a second after each batch, from its cursor on", () => {
    const far = scriptInbox(nothing("c1"), nothing("c2"))
    return Effect.gen(function* () {
      const start = yield* Clock.currentTimeMillis
      const accountId = yield* makeInbox
      yield* arriveAt(start, 0)
      yield* arriveAt(start, 0.999)
      assert.deepStrictEqual(far.polls, [{ cursor: null, waitMillis: 20_000, at: 0 }])
      assert.deepStrictEqual(yield* inboxState(accountId), { cursor: "c1", dueAt: 1_000, isLeased: false })
      yield* arriveAt(start, 1)
      yield* arriveAt(start, 2)
      assert.deepStrictEqual(far.asked(), [
        [0, null],
        [1, "c1"],
        [2, "c2"]
      ])
      assert.deepStrictEqual(far.announced, [])
    }).pipe(Effect.provide(processWith(far.inbox)))
  })

  it.effect(
    "are polled again 15 s after a problem, and 5 minutes after a refusal, from the same cursor",
    () => {
      const far = scriptInbox(nothing("c1"), problem(false), problem(true), nothing("c2"))
      return Effect.gen(function* () {
        const start = yield* Clock.currentTimeMillis
        yield* makeInbox
        for (const at of [0, 1, 15.999, 16, 315.999, 316]) yield* arriveAt(start, at)
        assert.deepStrictEqual(far.asked(), [
          [0, null],
          [1, "c1"],
          [16, "c1"],
          [316, "c1"]
        ])
      }).pipe(Effect.provide(processWith(far.inbox)))
    }
  )

  it.effect("of an account that is switched off are checked again in 5 minutes, from the same cursor", () => {
    const far = scriptInbox(nothing("c1"))
    let isOff = false
    const connect = () => (isOff ? switchedOff : connectionWith({ inbox: far.inbox }))
    return Effect.gen(function* () {
      const start = yield* Clock.currentTimeMillis
      yield* makeInbox
      yield* arriveAt(start, 0)
      isOff = true
      yield* arriveAt(start, 1)
      isOff = false
      yield* arriveAt(start, 300)
      assert.lengthOf(far.polls, 1)
      yield* arriveAt(start, 301)
      assert.deepStrictEqual(far.asked(), [
        [0, null],
        [301, "c1"]
      ])
    }).pipe(Effect.provide(connectedProcess(scriptProviders().layer, connect)))
  })

  it.effect("that the platform neither posts nor gives are left alone for a day", () => {
    const far = scriptInbox()
    return Effect.gen(function* () {
      const start = yield* Clock.currentTimeMillis
      const accountId = yield* makeInbox
      yield* arriveAt(start, 0)
      assert.strictEqual((yield* inboxState(accountId))?.dueAt, DAY * 1000)
      assert.deepStrictEqual([far.polls, far.announced], [[], []])
    }).pipe(Effect.provide(processWith({ ...far.inbox, poll: null })))
  })

  it.effect("are posted where the service has a public address, which is announced now and every day", () => {
    const far = scriptInbox(nothing("c1"))
    return Effect.gen(function* () {
      const start = yield* Clock.currentTimeMillis
      const accountId = yield* makeInbox
      const addresses = yield* BotAddresses
      for (const at of [0, 1, 3_600, DAY - 1, DAY]) yield* arriveAt(start, at)
      assert.deepStrictEqual(
        far.announced.map(({ at }) => at / 1000),
        [0, DAY]
      )
      const [webhook] = far.announced
      const record = { accountId, generation: 0 }
      assert.strictEqual(webhook?.url, `${PUBLIC_URL}${addresses.pathOf(record)}`)
      assert.isTrue(addresses.isSecret(record, webhook?.secret ?? ""))
      assert.notInclude(webhook?.url ?? "", webhook?.secret ?? "none")
      assert.deepStrictEqual(far.polls, [])
    }).pipe(Effect.provide(processWith(far.inbox, true)))
  })

  it.effect("whose address the platform did not take is announced again, after a refusal later", () => {
    const far = scriptInbox()
    return Effect.gen(function* () {
      const start = yield* Clock.currentTimeMillis
      yield* makeInbox
      far.script.announce = problem(false)
      yield* arriveAt(start, 0)
      far.script.announce = problem(true)
      yield* arriveAt(start, 14)
      yield* arriveAt(start, 15)
      yield* arriveAt(start, 314)
      yield* arriveAt(start, 315)
      assert.deepStrictEqual(
        far.announced.map(({ at }) => at / 1000),
        [0, 15, 315]
      )
    }).pipe(Effect.provide(processWith(far.inbox, true)))
  })

  it.effect("are polled where the platform posts none, public address or not", () => {
    const far = scriptInbox(nothing("c1"))
    return Effect.gen(function* () {
      const start = yield* Clock.currentTimeMillis
      yield* makeInbox
      yield* arriveAt(start, 0)
      assert.deepStrictEqual(far.asked(), [[0, null]])
    }).pipe(Effect.provide(processWith({ ...far.inbox, announceWebhook: null }, true)))
  })

  it.effect("are given up while nobody writes when the process stops, and are due again at once", () => {
    const far = scriptInbox(nothing("c1"), Effect.never)
    return Effect.gen(function* () {
      const scope = yield* Scope.make()
      const memory = yield* Layer.makeMemoMap
      const process = yield* Layer.buildWithMemoMap(processWith(far.inbox), memory, scope)
      const accountId = yield* Effect.gen(function* () {
        const accountId = yield* makeInbox
        yield* arriveAt(0, 0)
        yield* TestClock.adjust("1 second")
        yield* Effect.forkIn((yield* TimerRunner).loop, scope)
        yield* Effect.yieldNow.pipe(Effect.repeat({ until: () => far.polls.length === 2 }))
        yield* Scope.close(scope, Exit.void)
        assert.lengthOf(far.polls, 2)
        return accountId
      }).pipe(Effect.provide(process))
      assert.deepStrictEqual(yield* inboxState(accountId), { cursor: "c1", dueAt: 1_000, isLeased: false })
    })
  })
})
