import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Redacted } from "effect"
import { CodeVaultMac, MasterKey } from "../../../src/layers/crypto/Crypto.ts"
import { CodeVault } from "../../../src/services/verification/Codes.ts"

const ID = "01a1ffe0-d872-7691-b337-2bb3d613f527"
const OTHER = "01a1ffe0-d872-7691-b337-2bb3d613f528"

const vaultOf = (byte: number) =>
  Layer.provideMerge(Layer.fresh(CodeVaultMac), MasterKey.layer(Redacted.make(new Uint8Array(32).fill(byte))))
const failsToOpen = (id: string, sealed: Uint8Array) =>
  Effect.gen(function* () {
    const exit = yield* Effect.exit((yield* CodeVault).open(id, sealed))
    assert.isTrue(Exit.isFailure(exit))
  })

describe("a code vault", () => {
  it.effect("opens what it sealed, of any length, with its leading zeros", () =>
    Effect.gen(function* () {
      const vault = yield* CodeVault
      for (const code of ["0000", "004213", "9999999999"]) {
        assert.strictEqual(yield* vault.open(ID, vault.seal(ID, code)), code)
      }
    }).pipe(Effect.provide(vaultOf(1)))
  )

  it.effect("shows nothing of a code in what it sealed, and masks each verification's otherwise", () =>
    Effect.gen(function* () {
      const vault = yield* CodeVault
      const sealed = Buffer.from(vault.seal(ID, "123456"))
      assert.isFalse(sealed.includes("123456"))
      const other = Buffer.from(vault.seal(OTHER, "123456"))
      assert.notStrictEqual(sealed.subarray(0, 6).toString("hex"), other.subarray(0, 6).toString("hex"))
    }).pipe(Effect.provide(vaultOf(1)))
  )

  it.effect("opens nothing of which a single bit was changed", () =>
    Effect.gen(function* () {
      const sealed = (yield* CodeVault).seal(ID, "123456")
      for (let bit = 0; bit < sealed.length * 8; bit++) {
        const changed = sealed.map((byte, index) => (index === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte))
        yield* failsToOpen(ID, changed)
      }
    }).pipe(Effect.provide(vaultOf(1)))
  )

  it.effect("opens nothing that is another verification's, cut short, or empty", () =>
    Effect.gen(function* () {
      const sealed = (yield* CodeVault).seal(ID, "123456")
      yield* failsToOpen(OTHER, sealed)
      yield* failsToOpen(ID, sealed.subarray(1))
      yield* failsToOpen(ID, new Uint8Array())
    }).pipe(Effect.provide(vaultOf(1)))
  )

  it.effect("opens nothing that was sealed under another master secret", () =>
    Effect.gen(function* () {
      const sealed = yield* Effect.map(CodeVault, (vault) => vault.seal(ID, "123456")).pipe(
        Effect.provide(vaultOf(2))
      )
      yield* failsToOpen(ID, sealed)
    }).pipe(Effect.provide(vaultOf(1)))
  )
})
