import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { isFlooding, isKnocking, knocked, type Knocks } from "../../../src/domain/guard/Knocks.ts"

const MINUTE = 60_000

const Counts = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100 })))
const Pause = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10 * MINUTE }))

/** So many refused in each of these steps. */
const after = (counts: ReadonlyArray<number>, pause: number): Knocks =>
  counts.reduce((known, count) => knocked(known, known.total + count, known.at + pause), {
    total: 0,
    recent: 0,
    at: 0
  } satisfies Knocks)

describe("codes that are refused of a customer as a whole", () => {
  it.prop("count once, and the less the older they are", [Counts, Pause], ([counts, pause]) => {
    const { recent, total } = after(counts, pause)
    assert.isAtLeast(recent, 0)
    assert.isAtMost(recent, total + 1e-6)
    assert.isAtLeast(recent, counts.at(-1) ?? 0)
  })

  it.prop("show no attack where none was refused lately", [Counts], ([counts]) => {
    const known = after(counts, 1000)
    assert.isFalse(isKnocking(knocked(known, known.total, known.at + 2 * 60 * MINUTE), 0))
  })

  it.prop("that are a flood are an attack, too", [Counts, Pause], ([counts, usual]) => {
    const known = after(counts, 1000)
    assert.isTrue(isKnocking(known, usual) || !isFlooding(known, usual))
  })

  it("show an attack while more are refused than users ask for, and a few minutes longer", () => {
    const usual = 30
    const attack = after(
      Array.from({ length: 10 }, () => 12),
      MINUTE
    )
    assert.isTrue(isFlooding(attack, usual))
    assert.isTrue(isKnocking(knocked(attack, attack.total, attack.at + 5 * MINUTE), usual))
    assert.isFalse(isKnocking(knocked(attack, attack.total, attack.at + 15 * MINUTE), usual))
  })

  it("are not a flood where all users are refused and try again", () => {
    const users = after(
      Array.from({ length: 30 }, () => 3),
      MINUTE
    )
    assert.isFalse(isFlooding(users, 60))
  })

  it("count from the first time that they are read", () => {
    assert.isFalse(isKnocking(knocked(undefined, 1_000_000, 0), 0))
    assert.isFalse(isKnocking(undefined, 0))
  })

  it("lose nothing where old days are deleted", () => {
    const known = after([10], MINUTE)
    assert.strictEqual(knocked(known, 0, known.at).recent, known.recent)
  })
})
