import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { AccountSlotsSql } from "../../../src/layers/account/AccountSlotsSql.ts"
import { type Change, ChangeFeed } from "../../../src/layers/postgres/ChangeFeed.ts"
import { AccountSlots } from "../../../src/services/account/AccountSlots.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { testInfrastructure } from "../../support/TestGraph.ts"

const process = testInfrastructure().pipe(Layer.provideMerge(TestClock.layer()))

const notify = (payload: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql`select pg_notify('peyk_changed', ${payload})`)

const until = (isSo: () => boolean) =>
  Effect.repeat(Effect.andThen(Effect.yieldNow, Effect.sync(isSo)), { until: (so) => so })

/** The notifications from now on. */
const told = Effect.gen(function* () {
  const feed = yield* ChangeFeed
  yield* feed.listening
  const changes: Array<Change> = []
  yield* feed.subscribe((change) => Effect.sync(() => void changes.push(change)))
  return changes
})

layer(TestDatabase, { excludeTestServices: true })("the feed of changes", (it) => {
  it.effect("is heard for five seconds from what it last told itself, which it does while it is asked", () =>
    Effect.gen(function* () {
      const { isUpToDate, listening } = yield* ChangeFeed
      yield* listening
      const now = yield* Clock.currentTimeMillis
      assert.isFalse(isUpToDate(now))
      yield* until(() => isUpToDate(now))
      assert.isTrue(isUpToDate(now + 4999))
      assert.isFalse(isUpToDate(now + 5000))
      yield* TestClock.adjust(1000)
      yield* until(() => isUpToDate(now + 5000))
      assert.isTrue(isUpToDate(now + 5999))
      assert.isFalse(isUpToDate(now + 6000))
    }).pipe(Effect.provide(process))
  )

  it.effect("notifies itself at once when it is asked after a silence", () =>
    Effect.gen(function* () {
      const { isUpToDate, listening } = yield* ChangeFeed
      yield* listening
      isUpToDate(yield* Clock.currentTimeMillis)
      yield* TestClock.adjust(600_000)
      const now = yield* Clock.currentTimeMillis
      assert.isFalse(isUpToDate(now))
      yield* until(() => isUpToDate(now))
    }).pipe(Effect.provide(process))
  )

  it.effect("does not take others' notifications to themselves for its own, nor for a change", () =>
    Effect.gen(function* () {
      const { isUpToDate } = yield* ChangeFeed
      const changes = yield* told
      const now = yield* Clock.currentTimeMillis
      yield* notify(`beat:b7f6c9de-7a1f-4d66-9a0e-0f6ad2c7a7a5:${now}`)
      yield* notify("account:7")
      yield* until(() => changes.length > 0)
      assert.deepStrictEqual(changes, [{ _tag: "AccountChanged", accountId: 7 }])
      assert.isFalse(isUpToDate(now))
    }).pipe(Effect.provide(process))
  )

  it.effect("reports an account when it begins to fail and when it ceases to, and not in between", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [account] = yield* sql<{ id: number }>`
        insert into sending_accounts (channel, provider, label, sealed_settings, created_at)
        values ('bale', 'bale_bot', 'a', '', now()) returning id`
      const id = account?.id ?? 0
      const changes = yield* told
      yield* notify("customer:8")
      yield* until(() =>
        changes.some((change) => change._tag === "CustomerChanged" && change.customerId === 8)
      )
      changes.length = 0
      yield* sql`update account_pace set failures = 1 where account_id = ${id}`
      yield* sql`update account_pace set failures = 2 where account_id = ${id}`
      yield* sql`update account_pace set failures = 0 where account_id = ${id}`
      yield* notify("customer:9")
      yield* until(() => changes.some(({ _tag }) => _tag === "CustomerChanged"))
      const change: Change = { _tag: "AccountChanged", accountId: id }
      assert.deepStrictEqual(changes, [change, change, { _tag: "CustomerChanged", customerId: 9 }])
    }).pipe(Effect.provide(process))
  )

  it.effect("informs a process at once of a cooldown of an account that another has made", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { isCooling } = yield* AccountSlots
      const changes = yield* told
      const [row] = yield* sql<{ id: number }>`
        insert into sending_accounts (channel, provider, label, sealed_settings, created_at)
        values ('bale', 'bale_bot', 'b', '', now()) returning id`
      const id = row?.id ?? 0
      yield* until(() => changes.some(({ _tag }) => _tag === "CustomerChanged"))
      const now = yield* Clock.currentTimeMillis
      const descriptor = { type: "messenger", provider: "bale", credential_id: id, label: "b" } as const
      const cooling = Effect.suspend(() =>
        isCooling({ channel: "bale", account_id: id, descriptor }, "code", now)
      )
      assert.isFalse(yield* cooling)
      yield* sql`update account_pace set cooling_until = ${new Date(now + 60_000)} where account_id = ${id}`
      yield* until(() => changes.some(({ _tag }) => _tag === "AccountChanged"))
      assert.isTrue(yield* cooling)
    }).pipe(Effect.provide(Layer.provideMerge(AccountSlotsSql, process)))
  )
})
