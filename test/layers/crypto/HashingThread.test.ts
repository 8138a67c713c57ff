import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { argon2Sync } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { getPriority } from "node:os"
import type { Worker } from "node:worker_threads"
import { HashingThread, hashOn } from "../../../src/layers/crypto/PasswordsArgon2.ts"

const parameters = {
  message: "correct horse battery",
  nonce: new Uint8Array(16).fill(7),
  memory: 1024,
  passes: 2,
  parallelism: 1,
  tagLength: 32
}

/** The niceness of each thread of this process. */
const niceness = (): ReadonlyArray<number> =>
  readdirSync("/proc/self/task").map((thread) => {
    const text = readFileSync(`/proc/self/task/${thread}/stat`, "utf8")
    return Number(text.slice(text.lastIndexOf(")") + 2).split(" ")[16])
  })

describe("the thread for hashes", () => {
  it.effect("computes argon2id, and tells the answers of many apart", () =>
    Effect.gen(function* () {
      const thread = new HashingThread()
      const messages = Array.from({ length: 5 }, (_, n) => `password ${n}`)
      const tags = yield* Effect.forEach(messages, (message) => hashOn(thread, { ...parameters, message }), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(
        tags.map((tag) => Buffer.from(tag)),
        messages.map((message) => argon2Sync("argon2id", { ...parameters, message }))
      )
    })
  )

  it.effect.skipIf(process.platform !== "linux")("alone is of low priority: others are as before", () =>
    Effect.gen(function* () {
      const [own, low] = [getPriority(), niceness().filter((nice) => nice === 10).length]
      yield* hashOn(new HashingThread(), parameters)
      assert.strictEqual(niceness().filter((nice) => nice === 10).length, low + 1)
      assert.strictEqual(getPriority(), own)
    })
  )

  it.effect("that ends refuses what waited for it, and the next hash has another thread", () =>
    Effect.gen(function* () {
      const threads: Array<Worker> = []
      const keep = (worker: Worker) => void threads.push(worker)
      process.on("worker", keep)
      yield* Effect.addFinalizer(() => Effect.sync(() => process.off("worker", keep)))
      const thread = new HashingThread()
      yield* hashOn(thread, parameters)
      const waiting = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: 3 }, () => Effect.flip(hashOn(thread, parameters))),
          { concurrency: "unbounded" }
        ),
        { startImmediately: true }
      )
      yield* Effect.promise(() => Promise.all(threads.map((worker) => worker.terminate())))
      assert.deepStrictEqual(
        (yield* Fiber.join(waiting)).map(({ _tag }) => _tag),
        Array<string>(3).fill("service_unavailable")
      )
      assert.strictEqual((yield* hashOn(thread, parameters)).length, 32)
      assert.strictEqual(threads.length, 2)
    })
  )

  it.effect("goes on after a hash that cannot be computed", () =>
    Effect.gen(function* () {
      const thread = new HashingThread()
      const tooMuch = { ...parameters, memory: 2 ** 32 }
      assert.strictEqual((yield* Effect.flip(hashOn(thread, tooMuch)))._tag, "service_unavailable")
      assert.strictEqual((yield* hashOn(thread, parameters)).length, 32)
    })
  )
})
