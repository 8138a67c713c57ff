import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { serveFixed, versionOf } from "../../src/http/system/FixedPages.ts"

const request = HttpServerRequest.fromWeb(new Request("http://localhost/page"))

describe("a page that is the same for everybody", () => {
  it.effect("is made once, also when many ask before it is there, and the first of them goes away", () =>
    Effect.gen(function* () {
      const opened = yield* Deferred.make<void>()
      let made = 0
      const page = HttpRouter.add(
        "GET",
        "/page",
        Effect.suspend(() => {
          made += 1
          return Effect.as(Deferred.await(opened), HttpServerResponse.text("the page"))
        })
      ).pipe(Layer.provide(serveFixed({ contentType: "text/plain" }).layer))
      const app = yield* HttpRouter.toHttpEffect(page)
      const ask = app.pipe(Effect.provideService(HttpServerRequest.HttpServerRequest, request), Effect.scoped)
      const first = yield* Effect.forkChild(ask, { startImmediately: true })
      const others = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: 20 }, () => ask),
          { concurrency: 20 }
        ),
        {
          startImmediately: true
        }
      )
      const leaving = yield* Effect.forkChild(Fiber.interrupt(first), { startImmediately: true })
      yield* Deferred.succeed(opened, undefined)
      const statuses = (yield* Fiber.join(others)).map(({ status }) => status)
      yield* Fiber.join(leaving)
      assert.deepStrictEqual(statuses, Array<number>(20).fill(200))
      assert.strictEqual(made, 1)
    })
  )
})

describe("the version of files", () => {
  it("changes with the name and the content of each, and with nothing else", () => {
    const version = versionOf([
      ["a.css", "one"],
      ["b.js", "two"]
    ])
    assert.match(version, /^[\w-]{12}$/)
    const same = versionOf([
      ["a.css", new TextEncoder().encode("one")],
      ["b.js", "two"]
    ])
    assert.strictEqual(same, version)
    for (const other of [
      [
        ["a.css", "One"],
        ["b.js", "two"]
      ],
      [
        ["a.css", "one"],
        ["c.js", "two"]
      ],
      [["a.css", "one"]],
      [
        ["a.css", "onet"],
        ["b.js", "wo"]
      ]
    ] as ReadonlyArray<ReadonlyArray<readonly [string, string]>>)
      assert.notStrictEqual(versionOf(other), version)
  })
})
