import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ProviderOutcome } from "../../../src/domain/ProviderOutcome.ts"
import { inboxState, makeInbox, nothing, scriptInbox } from "../../support/ScriptedInbox.ts"
import { arriveAt } from "../../support/SentMessages.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import {
  Left,
  Spoke,
  processWith,
  share,
  shareOther,
  OTHER,
  bareBatch,
  chatOf
} from "../../support/BotInboxSetUp.ts"

layer(TestDatabase, { excludeTestServices: true })("who meets a bot", (it) => {
  it.effect(
    "and shares their number is reached by the chat, and gets a confirmation, in the last word of a batch",
    () => {
      const far = scriptInbox({ updates: [Spoke({ chatId: "7" }), share()], cursor: "c1" }, nothing("c1"))
      return Effect.gen(function* () {
        const accountId = yield* makeInbox
        assert.isNull(yield* chatOf(accountId))
        yield* arriveAt(0, 0)
        assert.strictEqual(yield* chatOf(accountId), "7")
        assert.deepStrictEqual(
          far.replies.map(({ chatId, reply }) => [chatId, reply.shareButton]),
          [["7", null]]
        )
      }).pipe(Effect.provide(processWith(far.inbox)))
    }
  )

  it.effect("and says the same again and again is answered once a minute", () => {
    const spoke = bareBatch(Spoke({ chatId: "7" }))
    const far = scriptInbox(spoke)
    return Effect.gen(function* () {
      yield* makeInbox
      for (let second = 0; second < 60; second++) yield* arriveAt(0, second)
      assert.deepStrictEqual([far.polls.length, far.replies.length], [60, 1])
      yield* arriveAt(0, 60)
      assert.lengthOf(far.replies, 2)
    }).pipe(Effect.provide(processWith(far.inbox)))
  })

  it.effect("and is linked is not asked for the number again, and is no longer reached after leaving", () => {
    const far = scriptInbox(
      bareBatch(share()),
      bareBatch(Spoke({ chatId: "7" })),
      bareBatch(Left({ chatId: "7" })),
      bareBatch(Spoke({ chatId: "7" }))
    )
    return Effect.gen(function* () {
      const accountId = yield* makeInbox
      yield* arriveAt(0, 0)
      yield* arriveAt(0, 1)
      assert.isNull(far.replies[1]?.reply.shareButton)
      assert.strictEqual(yield* chatOf(accountId), "7")
      yield* arriveAt(0, 2)
      assert.isNull(yield* chatOf(accountId))
      assert.lengthOf(far.replies, 2)
      yield* arriveAt(0, 3)
      assert.isNotNull(far.replies[2]?.reply.shareButton)
    }).pipe(Effect.provide(processWith(far.inbox)))
  })

  it.effect("and shares the number of somebody else links nobody", () => {
    const far = scriptInbox(bareBatch(share("7", { isOwn: false })), nothing("c1"))
    return Effect.gen(function* () {
      const accountId = yield* makeInbox
      yield* arriveAt(0, 0)
      assert.isNull(yield* chatOf(accountId))
      assert.lengthOf(far.replies, 1)
    }).pipe(Effect.provide(processWith(far.inbox)))
  })

  it.effect(
    "and shares from another chat what is proven to be theirs is reached by that, of this account only",
    () => {
      const far = scriptInbox(bareBatch(share("7")), bareBatch(share("8")), bareBatch(Left({ chatId: "7" })))
      return Effect.gen(function* () {
        const accountId = yield* makeInbox
        for (const at of [0, 1, 2]) yield* arriveAt(0, at)
        assert.strictEqual(yield* chatOf(accountId), "8")
        assert.isNull(yield* chatOf(accountId + 1))
      }).pipe(Effect.provide(processWith(far.inbox)))
    }
  )

  it.effect(
    "and shares what another chat has linked, unproven, does not take it over, and gets that answer",
    () => {
      const unproven = { isProven: false }
      const far = scriptInbox(
        bareBatch(share("7", unproven)),
        bareBatch(share("8", unproven)),
        bareBatch(share("7", unproven))
      )
      return Effect.gen(function* () {
        const accountId = yield* makeInbox
        for (const at of [0, 1]) yield* arriveAt(0, at)
        assert.strictEqual(yield* chatOf(accountId), "7")
        const [done, taken] = far.replies.map(({ reply }) => reply.text)
        assert.isString(taken)
        assert.notStrictEqual(taken, done)
        yield* arriveAt(0, 61)
        assert.strictEqual(far.replies[2]?.reply.text, done)
      }).pipe(Effect.provide(processWith(far.inbox)))
    }
  )

  it.effect("and shares another number of theirs later is reached under that one alone", () => {
    const far = scriptInbox(bareBatch(share("7")), bareBatch(shareOther("7")))
    return Effect.gen(function* () {
      const accountId = yield* makeInbox
      for (const at of [0, 1]) yield* arriveAt(0, at)
      assert.deepStrictEqual([yield* chatOf(accountId), yield* chatOf(accountId, OTHER)], [null, "7"])
    }).pipe(Effect.provide(processWith(far.inbox)))
  })

  const failures = {
    refused: ProviderOutcome.Rejected({ cause: "recipient", providerError: "blocked", isContactLost: true }),
    throttled: ProviderOutcome.Throttled({ retryAfterMillis: 1, providerError: "429" }),
    lost: ProviderOutcome.Unknown({ providerError: "reset" })
  }
  for (const [name, outcome] of Object.entries(failures)) {
    it.effect(`and gets no reply, which was ${name}, is linked, and so are those who come after`, () => {
      const far = scriptInbox({ updates: [share(), shareOther("9")], cursor: "c1" }, nothing("c1"))
      far.script.reply = Effect.succeed(outcome)
      return Effect.gen(function* () {
        const accountId = yield* makeInbox
        yield* arriveAt(0, 0)
        assert.deepStrictEqual([yield* chatOf(accountId), yield* chatOf(accountId, OTHER)], ["7", "9"])
        // Asked to slow down, it is silent.
        assert.lengthOf(far.replies, outcome._tag === "Throttled" ? 1 : 2)
        assert.strictEqual((yield* inboxState(accountId))?.cursor, "c1")
      }).pipe(Effect.provide(processWith(far.inbox)))
    })
  }

  it.effect("while the account was asked to slow down is linked, and answered when that is over", () => {
    const far = scriptInbox(bareBatch(share()), bareBatch(shareOther("9")), bareBatch(Spoke({ chatId: "9" })))
    far.script.reply = Effect.succeed(
      ProviderOutcome.Throttled({ retryAfterMillis: 5_000, providerError: "429" })
    )
    return Effect.gen(function* () {
      const accountId = yield* makeInbox
      for (const at of [0, 1, 4.999]) yield* arriveAt(0, at)
      assert.strictEqual(yield* chatOf(accountId, OTHER), "9")
      assert.lengthOf(far.replies, 1)
      yield* arriveAt(0, 6)
      assert.deepStrictEqual(
        far.replies.map(({ chatId }) => chatId),
        ["7", "9"]
      )
    }).pipe(Effect.provide(processWith(far.inbox)))
  })

  it.effect("and breaks the adapter by it is linked, and the batch does not come again", () => {
    const far = scriptInbox(bareBatch(share()), nothing("c2"))
    far.script.reply = Effect.die("a bug in the adapter")
    return Effect.gen(function* () {
      const accountId = yield* makeInbox
      yield* arriveAt(0, 0)
      assert.strictEqual(yield* chatOf(accountId), "7")
      assert.deepStrictEqual(yield* inboxState(accountId), { cursor: "c1", dueAt: 1_000, isLeased: false })
      yield* arriveAt(0, 1)
      assert.deepStrictEqual(far.asked(), [
        [0, null],
        [1, "c1"]
      ])
    }).pipe(Effect.provide(processWith(far.inbox)))
  })
})
