import { assert, layer } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { Phone } from "../../../src/domain/Phone.ts"
import type { Channel } from "../../../src/domain/routing/Channel.ts"
import { MessageRecords, type MessageSearch } from "../../../src/services/message/MessageRecords.ts"
import type { MessageRequest } from "../../../src/services/message/MessageSends.ts"
import { Messages } from "../../../src/services/message/Messages.ts"
import { allPages, firstPage, readProcess, settle } from "../../support/ManageReads.ts"
import { scriptProviders, unreachable } from "../../support/ScriptedProviders.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { makeCustomer } from "../../support/TestGraph.ts"

const ids = (items: ReadonlyArray<{ readonly id: string }>) => items.map(({ id }) => id)
const phoneOf = (n: number) => `+98912${String(1_000_000 + n)}`

const messageTo = Effect.fnUntraced(function* (
  customerId: number,
  phone: string,
  channels: ReadonlyArray<Channel>,
  request: Partial<MessageRequest> = {}
) {
  const at = yield* Clock.currentTimeMillis
  const { messageId: id } = yield* (yield* Messages).send({
    customerId,
    to: phone,
    message: "سلام",
    channels: channels.map((channel) => ({ channel })),
    ...request
  })
  yield* settle
  return { id, at }
})

const listed = Effect.fnUntraced(function* (customerId: number, search: MessageSearch = {}) {
  const { items } = yield* (yield* MessageRecords).list(customerId, { ...firstPage, ...search })
  return ids(items)
})

layer(TestDatabase, { excludeTestServices: true })("a list of messages", (it) => {
  it.effect(
    "has the newest first, each once, whatever the size of its parts and whatever comes meanwhile",
    () => {
      const providers = scriptProviders()
      return Effect.gen(function* () {
        const customerId = yield* makeCustomer()
        for (let n = 0; n < 13; n++) {
          yield* messageTo(customerId, phoneOf(n), ["sms"])
          if (n % 4 === 0) yield* TestClock.adjust(1)
        }
        const { list } = yield* MessageRecords
        const another = Effect.andThen(
          TestClock.adjust(1),
          Effect.orDie(messageTo(customerId, phoneOf(100), ["sms"]))
        )
        for (const limit of [1, 4, 6, 100]) {
          const before = yield* listed(customerId)
          const all = yield* allPages(limit, (page) => list(customerId, page), another)
          assert.deepStrictEqual(ids(all), before)
          assert.deepStrictEqual(
            all.map(({ createdAt }) => createdAt),
            all.map(({ createdAt }) => createdAt).sort((a, b) => b - a)
          )
        }
      }).pipe(Effect.provide(readProcess(providers)))
    }
  )

  it.effect("can be of one phone, status, strategy, channel that was tried, and time", () => {
    const providers = scriptProviders({ bale: unreachable })
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer()
      const sent = yield* messageTo(customerId, phoneOf(1), ["bale", "eitaa"])
      yield* TestClock.adjust(1000)
      const failed = yield* messageTo(customerId, phoneOf(2), ["bale"])
      yield* TestClock.adjust(1000)
      const broadcast = { strategy: "broadcast" }
      const partly = yield* messageTo(customerId, phoneOf(1), ["bale", "sms"], broadcast)
      yield* TestClock.adjust(1000)
      const planned = yield* messageTo(customerId, phoneOf(3), ["sms"], { delay: "1h" })

      assert.deepStrictEqual(yield* listed(customerId), [planned.id, partly.id, failed.id, sent.id])
      assert.deepStrictEqual(yield* listed(customerId, { phone: Phone.make(phoneOf(1)) }), [
        partly.id,
        sent.id
      ])
      assert.deepStrictEqual(yield* listed(customerId, { status: "sent" }), [sent.id])
      assert.deepStrictEqual(yield* listed(customerId, { status: "failed" }), [failed.id])
      assert.deepStrictEqual(yield* listed(customerId, { status: "partial_failed" }), [partly.id])
      assert.deepStrictEqual(yield* listed(customerId, { status: "queued" }), [planned.id])
      assert.deepStrictEqual(yield* listed(customerId, { strategy: "broadcast" }), [partly.id])
      assert.deepStrictEqual(yield* listed(customerId, { channel: "eitaa" }), [sent.id])
      assert.deepStrictEqual(yield* listed(customerId, { channel: "bale" }), [partly.id, failed.id, sent.id])
      assert.deepStrictEqual(yield* listed(customerId, { from: failed.at, to: planned.at }), [
        partly.id,
        failed.id
      ])
    }).pipe(Effect.provide(readProcess(providers)))
  })

  it.effect("has nothing of other customers", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const [mine, theirs] = [yield* makeCustomer(), yield* makeCustomer()]
      const own = yield* messageTo(mine, phoneOf(1), ["sms"])
      const other = yield* messageTo(theirs, phoneOf(1), ["sms"])
      assert.deepStrictEqual(yield* listed(mine), [own.id])
      const { find } = yield* MessageRecords
      assert.strictEqual((yield* find(mine, own.id)).text, "سلام")
      assert.strictEqual((yield* Effect.flip(find(mine, other.id)))._tag, "not_found")
    }).pipe(Effect.provide(readProcess(providers)))
  })
})
