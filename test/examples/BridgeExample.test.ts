import { describe, expect, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { TestClock } from "effect/testing"
import { spawn } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { createInterface } from "node:readline"
import { bridgeAdapter } from "../../src/layers/providers/BridgeAdapter.ts"
import { ProviderHttp } from "../../src/layers/providers/ProviderHttp.ts"
import { connected, delivery, expectOutcome, ProviderHttpTest } from "../support/AdapterTest.ts"

const SECRET = `whsec_${Buffer.alloc(32, "good").toString("base64")}`
const WRONG_SECRET = `whsec_${Buffer.alloc(32, "evil").toString("base64")}`

const exampleOf = (document: string): string => {
  const text = fs.readFileSync(new URL(`../../docs/${document}`, import.meta.url), "utf8")
  const [, code] = /```js\n([\s\S]*?)```/.exec(text) ?? []
  if (code === undefined) throw new Error(`docs/${document} shows no server`)
  return code
}

interface Running {
  readonly url: string
  /** What it has printed when it is over: the deliveries, one a line. */
  readonly stop: Effect.Effect<ReadonlyArray<string>>
}

const start = async (directory: string): Promise<Running> => {
  const file = path.join(directory, "gateway.mjs")
  fs.writeFileSync(file, exampleOf("bridge.md"))
  const child = spawn(process.execPath, [file], {
    env: { BRIDGE_SECRET: SECRET, PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"]
  })
  const printed: Array<string> = []
  const closed = once(child, "close")
  const lines = createInterface({ input: child.stdout })
  lines.on("line", (line) => printed.push(line))
  await Promise.race([once(lines, "line"), closed])
  const port = /^listening on (\d+)$/.exec(printed[0] ?? "")?.[1]
  if (port === undefined) throw new Error("the example did not start")
  const stop = Effect.promise(async () => {
    child.kill()
    await closed
    return printed.slice(1)
  })
  return { url: `http://127.0.0.1:${port}/send`, stop }
}

/** The server of the document, as a process of its own. */
const running = Effect.gen(function* () {
  const directory = yield* Effect.acquireRelease(
    Effect.sync(() => fs.mkdtempSync(path.join(os.tmpdir(), "peyk-bridge-"))),
    (made) => Effect.sync(() => fs.rmSync(made, { recursive: true }))
  )
  return yield* Effect.acquireRelease(
    Effect.promise(() => start(directory)),
    ({ stop }) => stop
  )
})

const setUp = Effect.gen(function* () {
  // The example's clock is the real one.
  const now = yield* DateTime.now.pipe(TestClock.withLive)
  yield* TestClock.setTime(DateTime.toEpochMillis(now))
  const example = yield* running
  const adapter = bridgeAdapter(yield* ProviderHttp)
  return { example, accountWith: (secret: string) => connected(adapter, { url: example.url, secret }) }
})

describe("the gateway of docs/bridge.md", () => {
  it.effect("accepts a code and a text", () =>
    Effect.gen(function* () {
      const { example, accountWith } = yield* setUp
      const account = accountWith(SECRET)
      const code = yield* account.sendCode(delivery("bale", { attemptId: "a-1" }))
      const text = yield* account.sendText(delivery("rubika", { attemptId: "b-1" }))
      expectOutcome(code, { _tag: "Accepted", messageId: expect.stringMatching(/./) })
      expectOutcome(text, { _tag: "Accepted", messageId: expect.stringMatching(/./) })
      expect(yield* example.stop).toEqual(["delivered a-1 over bale", "delivered b-1 over rubika"])
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("delivers once what arrives again, later or at the same time", () =>
    Effect.gen(function* () {
      const { example, accountWith } = yield* setUp
      const send = accountWith(SECRET).sendCode(delivery("bale", { attemptId: "a-1" }))
      const first = yield* send
      const others = yield* Effect.all([send, send, send], { concurrency: "unbounded" })
      expectOutcome(first, { _tag: "Accepted" })
      expect(others).toEqual([first, first, first])
      expect(yield* example.stop).toEqual(["delivered a-1 over bale"])
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("refuses what was signed with another secret", () =>
    Effect.gen(function* () {
      const { example, accountWith } = yield* setUp
      const outcome = yield* accountWith(WRONG_SECRET).sendCode(delivery("bale"))
      expect(outcome).toEqual({ _tag: "Unknown", providerError: "HTTP 401" })
      expect(yield* example.stop).toEqual([])
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect.each(["-6 minutes", "6 minutes"] as const)("refuses what was signed %s from now", (shift) =>
    Effect.gen(function* () {
      const { example, accountWith } = yield* setUp
      yield* TestClock.adjust(shift)
      const outcome = yield* accountWith(SECRET).sendCode(delivery("bale"))
      expect(outcome).toEqual({ _tag: "Unknown", providerError: "HTTP 401" })
      expect(yield* example.stop).toEqual([])
    }).pipe(Effect.provide(ProviderHttpTest))
  )
})
