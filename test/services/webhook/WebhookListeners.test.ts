import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { idAt } from "../../../src/domain/Paging.ts"
import { ListenerStoreSql } from "../../../src/layers/webhook/WebhookListenersSql.ts"
import {
  feedStart,
  type ListenedEvent,
  ListenerStore,
  makeEventFeed,
  MAX_LISTENERS
} from "../../../src/services/webhook/WebhookListeners.ts"
import { scriptProviders } from "../../support/ScriptedProviders.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { makeCustomer } from "../../support/TestGraph.ts"
import { webhookProcess } from "../../support/WebhookProcess.ts"

const NOW = Date.parse("2026-11-26T10:00:00Z")
const SECOND = 1000

/** Events that become readable when the test says so, and a feed of those of mode `test`. */
const feedOf = (start: string | null) => {
  const stored: Array<ListenedEvent & { readonly mode: string }> = []
  const inOrder = () => stored.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  const between = (mode: string, after: string, to: string) =>
    inOrder().filter((event) => event.mode === mode && event.id > after && event.id <= to)
  const store = {
    read: (_: number, { mode, after, limit }: { mode: string; after: string; limit: number }) =>
      Effect.sync(() => {
        const lookedTo =
          inOrder().filter(({ id }) => id > after)[limit - 1]?.id ?? inOrder().at(-1)?.id ?? after
        return { events: between(mode, after, lookedTo), lookedTo: lookedTo > after ? lookedTo : null }
      }),
    ids: (_: number, { mode, after, to }: { mode: string; after: string; to: string }) =>
      Effect.sync(() => between(mode, after, to).map(({ id }) => id)),
    byIds: (_: number, ids: ReadonlyArray<string>) =>
      Effect.sync(() => inOrder().filter(({ id }) => ids.includes(id)))
  }
  const next = makeEventFeed(store, { customerId: 1, mode: "test" }, feedStart(start, NOW))
  return {
    commit: (millis: number, mode = "test") => stored.push({ id: idAt(NOW + millis), body: "", mode }),
    /** After the start, in milliseconds. */
    next: (millis: number) =>
      Effect.map(next(NOW + millis), (events) =>
        events.map(({ id }) => stored.find((event) => event.id === id)?.id ?? "").map((id) => millisOf(id))
      )
  }
}
const millisOf = (id: string): number => Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16) - NOW

describe("a feed of events", () => {
  it.effect("has those after its start in their order, and only those of its mode", () =>
    Effect.gen(function* () {
      const feed = feedOf(null)
      feed.commit(-10)
      feed.commit(30)
      feed.commit(20)
      feed.commit(25, "live")
      assert.deepStrictEqual(yield* feed.next(40), [20, 30])
      assert.deepStrictEqual(yield* feed.next(50), [])
    })
  )

  it.effect("has an event that is committed after those with higher ids, and none twice", () =>
    Effect.gen(function* () {
      const feed = feedOf(null)
      feed.commit(SECOND)
      assert.deepStrictEqual(yield* feed.next(SECOND + 1), [SECOND])
      feed.commit(500)
      feed.commit(4 * SECOND)
      assert.deepStrictEqual(yield* feed.next(5 * SECOND), [500, 4 * SECOND])
      assert.deepStrictEqual(yield* feed.next(40 * SECOND), [])
      feed.commit(20 * SECOND)
      assert.deepStrictEqual(yield* feed.next(43 * SECOND), [20 * SECOND])
      assert.deepStrictEqual(yield* feed.next(90 * SECOND), [])
    })
  )

  it.effect("finds what was committed late while its reader read nothing", () =>
    Effect.gen(function* () {
      const feed = feedOf(null)
      feed.commit(10 * SECOND)
      assert.deepStrictEqual(yield* feed.next(11 * SECOND), [10 * SECOND])
      feed.commit(9 * SECOND)
      feed.commit(300 * SECOND)
      assert.deepStrictEqual(yield* feed.next(600 * SECOND), [9 * SECOND, 300 * SECOND])
    })
  )

  it.effect("goes on after an event, with what was committed late before it, of the last hour", () =>
    Effect.gen(function* () {
      const feed = feedOf(idAt(NOW - 60 * SECOND))
      feed.commit(-70 * SECOND)
      feed.commit(-50 * SECOND)
      feed.commit(-200 * SECOND)
      assert.deepStrictEqual(yield* feed.next(0), [-70 * SECOND, -50 * SECOND])
      const old = feedOf(idAt(NOW - 7_200 * SECOND))
      old.commit(-7_000 * SECOND)
      old.commit(-3_000 * SECOND)
      assert.deepStrictEqual(yield* old.next(0), [-3_000 * SECOND])
    })
  )
})

const places = Layer.provideMerge(ListenerStoreSql, webhookProcess(scriptProviders()))

const uuid = (n: number): string => `01a21ec8-e9dd-70fd-9096-${String(n).padStart(12, "0")}`

layer(TestDatabase, { excludeTestServices: true })("places of listeners", (it) => {
  const make = Effect.gen(function* () {
    const customerId = yield* makeCustomer([])
    const store = yield* ListenerStore
    const lease = (n: number, credential = "token:1") => ({
      customerId,
      id: uuid(n),
      token: uuid(100 + n),
      mode: "test" as const,
      credential
    })
    const take = (n: number, at: number) => store.take(lease(n), at, at + 20 * SECOND)
    return { store, lease, take }
  })

  it.effect("are few, even if all are taken at once, and free again when a lease ends", () =>
    Effect.gen(function* () {
      const { store, lease, take } = yield* make
      const numbers = Array.from({ length: MAX_LISTENERS + 3 }, (_, n) => n)
      const taken = yield* Effect.forEach(numbers, (n) => Effect.exit(take(n, NOW)), {
        concurrency: "unbounded"
      })
      assert.strictEqual(taken.filter(({ _tag }) => _tag === "Success").length, MAX_LISTENERS)
      const [refusal] = yield* Effect.map(Effect.flip(take(50, NOW + SECOND)), (error) => [error._tag])
      assert.strictEqual(refusal, "conflict")
      yield* take(51, NOW + 21 * SECOND)
      yield* store.release(lease(51), NOW + 21 * SECOND)
      yield* take(52, NOW + 21 * SECOND)
    }).pipe(Effect.provide(places))
  )

  it.effect(
    "belong to one connection: one that comes back takes the place over, with the same token only",
    () =>
      Effect.gen(function* () {
        const { store, lease, take } = yield* make
        yield* take(1, NOW)
        const again = { ...lease(1), token: uuid(900) }
        assert.isFalse(yield* store.takeOver({ ...again, credential: "token:2" }, NOW + 30 * SECOND))
        assert.isTrue(yield* store.takeOver(again, NOW + 30 * SECOND))
        assert.isFalse(yield* store.renew(lease(1), NOW + 40 * SECOND))
        yield* store.release(lease(1), NOW)
        assert.isTrue(yield* store.renew(again, NOW + 40 * SECOND))
      }).pipe(Effect.provide(places))
  )
})
