import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer, Redacted, Result } from "effect"
import { SqlClient } from "effect/sql"
import { parseNetworkNames } from "../../../src/domain/guard/NetworkNames.ts"
import { ClientHashesMac, MasterKey } from "../../../src/layers/crypto/Crypto.ts"
import { readNetworkNames } from "../../../src/layers/guard/NetworkNamesFile.ts"
import { GuardRecords } from "../../../src/services/guard/GuardRecords.ts"
import { NamedNetworks, NetworkNames } from "../../../src/services/guard/NetworkNames.ts"
import { ClientHashes } from "../../../src/services/verification/Codes.ts"
import { customerIn, guarded } from "../../services/guard/GuardedCustomer.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const HOUR = 3_600_000

interface Raised {
  readonly kind: string
  readonly key: string
  readonly hour: number
  readonly reason?: string
  readonly isOpen?: boolean
}

const raise = Effect.fnUntraced(function* (customerId: number, alarms: ReadonlyArray<Raised>) {
  const sql = yield* SqlClient.SqlClient
  for (const { kind, key, hour, reason = "unverified", isOpen = false } of alarms) {
    const at = new Date(hour * HOUR)
    yield* Effect.orDie(sql`
      insert into guard_alarms (customer_id, id, kind, key, reason, level, action, enforced, started_at, until,
        cleared_at, codes, verified)
      values (${customerId}, ${`0000${String(hour).padStart(4, "0")}-0000-7000-8000-000000000000`}::uuid, ${kind}, ${key},
        ${reason}, 1, 'refuse', false, ${at}, ${at}, ${isOpen ? null : at}, 10, 1)`)
  }
})

layer(TestDatabase, { excludeTestServices: true })("alarms by what they are about", (it) => {
  it.effect("have their number, the open ones, the first time and the sums", () =>
    Effect.gen(function* () {
      const customerId = yield* customerIn("record")
      const other = yield* customerIn("record")
      yield* raise(customerId, [
        { kind: "network", key: "a", hour: 1 },
        { kind: "network", key: "b", hour: 2 },
        { kind: "network", key: "a", hour: 3, reason: "budget" },
        { kind: "network", key: "a", hour: 4, isOpen: true }
      ])
      yield* raise(other, [{ kind: "network", key: "a", hour: 5, isOpen: true }])
      const guard = yield* GuardRecords
      const { items, next } = yield* guard.alarmGroups(customerId, { limit: 10, after: null })
      assert.isNull(next)
      assert.deepStrictEqual(
        items.map(({ newest, ...sums }) => ({ key: newest.key, reason: newest.reason, ...sums })),
        [
          { key: "a", reason: "unverified", count: 2, openCount: 1, firstAt: HOUR, codes: 20, verified: 2 },
          { key: "a", reason: "budget", count: 1, openCount: 0, firstAt: 3 * HOUR, codes: 10, verified: 1 },
          {
            key: "b",
            reason: "unverified",
            count: 1,
            openCount: 0,
            firstAt: 2 * HOUR,
            codes: 10,
            verified: 1
          }
        ]
      )
      const [newest] = items
      if (newest === undefined) return assert.fail("no group")
      const same = yield* guard.sameAlarms(customerId, newest.newest, 10)
      assert.deepStrictEqual(
        same.map(({ startedAt }) => startedAt / HOUR),
        [4, 1]
      )
      assert.deepStrictEqual(
        yield* Effect.flip(guard.alarm(other, newest.newest.id)).pipe(Effect.map(({ _tag }) => _tag)),
        "not_found"
      )
    }).pipe(Effect.provide(guarded()))
  )

  it.effect("are paged, each group once", () =>
    Effect.gen(function* () {
      const customerId = yield* customerIn("record")
      const hours = Array.from({ length: 12 }, (_, hour) => hour + 1)
      yield* raise(
        customerId,
        hours.map((hour) => ({ kind: "prefix", key: `+98912${hour % 5}`, hour }))
      )
      const guard = yield* GuardRecords
      const seen: Array<string> = []
      let after: string | null = null
      do {
        const page: { items: ReadonlyArray<{ newest: { key: string } }>; next: string | null } =
          yield* guard.alarmGroups(customerId, { limit: 2, after })
        seen.push(...page.items.map(({ newest }) => newest.key))
        after = page.next
      } while (after !== null)
      assert.deepStrictEqual(seen, ["+989122", "+989121", "+989120", "+989124", "+989123"])
    }).pipe(Effect.provide(guarded()))
  )
})

const named = (text: string) =>
  Layer.provideMerge(
    NetworkNames.layer,
    Layer.mergeAll(
      Layer.provide(ClientHashesMac, MasterKey.layer(Redacted.make(new Uint8Array(32).fill(7)))),
      Layer.succeed(NamedNetworks, Result.getOrThrow(parseNetworkNames(text)))
    )
  )

describe("the name of a network that the store knows by its hash", () => {
  const nameOf = (ip: string, around = "") =>
    Effect.gen(function* () {
      const hash = (yield* ClientHashes).of({ ip })?.network ?? ""
      const key = around === "" ? hash : `around:${hash.slice(0, -around.length)}`
      return (yield* (yield* NetworkNames).nameOf(key))?.name ?? null
    }).pipe(Effect.provide(named("5.200.0.0/16 Irancell\n5.200.9.0/24 The office\n2001:db8::/36 An ISP")))

  it.effect("is that of the narrowest network of the file", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* nameOf("5.200.10.7"), "Irancell")
      assert.strictEqual(yield* nameOf("5.200.9.7"), "The office")
      assert.strictEqual(yield* nameOf("5.201.10.7"), null)
    })
  )

  it.effect("is known of a /64, and of the /56 and the /48 around it", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* nameOf("2001:db8:1:2::5"), "An ISP")
      assert.strictEqual(yield* nameOf("2001:db8:1:2::5", "02"), "An ISP")
      assert.strictEqual(yield* nameOf("2001:db8:1:2::5", "0002"), "An ISP")
      assert.strictEqual(yield* nameOf("2001:db8:1000::5"), null)
    })
  )
})

describe("a file of names that cannot be read", () => {
  it.effect.each(["/nonexistent/names", "/dev/zero", "/proc"])("%s stops the start, by its name", (path) =>
    Effect.gen(function* () {
      const refusal = yield* Effect.flip(readNetworkNames(path))
      assert.include(refusal.message, `PEYK_NETWORK_NAMES (${path})`)
    })
  )
})
