import { assert, describe, it } from "@effect/vitest"
import { holdInStripes, type WalletStripe } from "../../../src/domain/money/Charging.ts"

const parts = [
  { stripe: 0, balance: 100, held: 40 },
  { stripe: 1, balance: 101, held: 0 },
  { stripe: 2, balance: 0, held: 0 }
]

const sumOf = (name: "balance" | "held", wallet: ReadonlyArray<WalletStripe>) =>
  wallet.reduce((sum, part) => sum + part[name], 0)

describe("holding money in the parts of a wallet", () => {
  it("moves nothing between them if each covers its amount", () => {
    assert.deepStrictEqual(
      [...holdInStripes(parts, new Map([[0, 60]]))],
      [{ stripe: 0, balance: 100, held: 100 }, ...parts.slice(1)]
    )
  })

  it("spreads what is left if one does not, and keeps the whole balance", () => {
    const after = holdInStripes(parts, new Map([[2, 150]]))
    assert.strictEqual(sumOf("balance", after), sumOf("balance", parts))
    assert.strictEqual(sumOf("held", after), 190)
    assert.isTrue(after.every(({ balance, held }) => balance >= held))
    assert.deepStrictEqual(
      after.map(({ balance, held }) => balance - held),
      [4, 4, 3]
    )
  })
})
