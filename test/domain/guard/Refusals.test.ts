import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import {
  isFlooding,
  isLasting,
  withRefusals,
  type Refusals,
  onProbationFrom
} from "../../../src/domain/guard/CustomerState.ts"

const MINUTE = 60_000

const Counts = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100 })))
const Pause = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10 * MINUTE }))

/** So many refused in each of these steps. */
const after = (counts: ReadonlyArray<number>, pause: number): Refusals =>
  counts.reduce((known, count) => withRefusals(known, known.total + count, known.at + pause), {
    total: 0,
    recent: 0,
    at: 0
  } satisfies Refusals)

describe("codes that are refused of a customer as a whole", () => {
  it.prop("count once, and the less the older they are", [Counts, Pause], ([counts, pause]) => {
    const { recent, total } = after(counts, pause)
    assert.isAtLeast(recent, 0)
    assert.isAtMost(recent, total + 1e-6)
    assert.isAtLeast(recent, counts.at(-1) ?? 0)
  })

  it.prop("show no attack where none was refused lately", [Counts], ([counts]) => {
    const known = after(counts, 1000)
    assert.isFalse(isFlooding(withRefusals(known, known.total, known.at + 2 * 60 * MINUTE), 0))
  })

  it("show an attack while far more are refused than users ask for, and a few minutes longer", () => {
    const usual = 30
    const attack = after(
      Array.from({ length: 10 }, () => 12),
      MINUTE
    )
    assert.isTrue(isFlooding(attack, usual))
    assert.isTrue(isFlooding(withRefusals(attack, attack.total, attack.at + 5 * MINUTE), usual))
    assert.isFalse(isFlooding(withRefusals(attack, attack.total, attack.at + 15 * MINUTE), usual))
  })

  /** An hour of probation with so many refused in each minute. */
  const anHour = (inMinute: number) => {
    const begun = onProbationFrom(withRefusals(undefined, 1000, 0), 0)
    const refusals = Array.from({ length: 60 }, (_, n) => n + 1).reduce(
      (known, minute) => withRefusals(known, 1000 + Math.round(minute * inMinute), minute * MINUTE),
      begun
    )
    return (usual: number) => isLasting(refusals, usual, 60 * MINUTE)
  }

  it("show a slow attack over an hour of probation, though it floods no minutes", () => {
    const inMinute = 0.5
    const slow = after(
      Array.from({ length: 60 }, (_, n) => n % 2),
      MINUTE
    )
    assert.isFalse(isFlooding(slow, 2))
    assert.isTrue(anHour(inMinute)(2))
  })

  it("do not keep users on probation if all of an hour's are refused: each phone counts once", () => {
    const users = 0.8
    assert.isFalse(anHour(users)(60 * users))
  })

  it("show an attack with as many codes as in the mean hour, at a time when users ask for a third", () => {
    assert.isTrue(anHour(12 / 60)(4))
  })

  it("are not a flood where all users are refused and try again", () => {
    const users = after(
      Array.from({ length: 30 }, () => 3),
      MINUTE
    )
    assert.isFalse(isFlooding(users, 60))
  })

  it("count from the first time that they are read", () => {
    assert.isFalse(isFlooding(withRefusals(undefined, 1_000_000, 0), 0))
    assert.isFalse(isFlooding(undefined, 0))
    assert.isFalse(isLasting(withRefusals(undefined, 1_000_000, 0), 0, 60 * MINUTE))
  })

  it("lose nothing where old days are deleted", () => {
    const known = after([10], MINUTE)
    assert.strictEqual(withRefusals(known, 0, known.at).recent, known.recent)
  })
})
