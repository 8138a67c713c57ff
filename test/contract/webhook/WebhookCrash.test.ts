import { Effect, Exit, Scope } from "effect"
import { afterAll, beforeAll, expect, it } from "vitest"
import { fakeFarEnd, type FakeFarEnd } from "../../support/fakes/FakeFarEnd.ts"
import { ok, request } from "../Client.ts"
import { type Server, startServer, until } from "../Server.ts"

let server: Server
let fake: FakeFarEnd
const scope = Scope.makeUnsafe()

beforeAll(async () => {
  server = await startServer({ env: { PEYK_ALLOW_PRIVATE_ADDRESSES: "true", PEYK_LEASE_MS: "1000" } })
  fake = await Effect.runPromise(fakeFarEnd(() => ({ status: 200 })).pipe(Scope.provide(scope)))
})
afterAll(async () => {
  await server?.stop()
  await Effect.runPromise(Scope.close(scope, Exit.void))
})

it("an event whose process is killed before its try is recorded comes again, with the same id", async () => {
  const owner = ["--customer", String(server.demo.customer_id)]
  const made = (await server.cli("token", "create", ...owner, "--scope", "full")) as { secret: string }
  const hook = (await server.cli("webhook", "create", ...owner, "--url", fake.url, "--events", "*")) as {
    readonly id: number
  }
  const call = (method: string, path: string) =>
    request(server, method, `/v1/manage/webhooks/${hook.id}${path}`, {
      headers: { authorization: `apikey ${made.secret}` }
    })
  const posted = (count: number) =>
    until(`${count} posts`, async () => (fake.received.length >= count ? true : undefined), 30_000)

  fake.script("silence")
  ok(await call("POST", "/test"), 202)
  await posted(1)
  await server.kill()
  server = await server.restart()
  await posted(2)
  const [first, second] = fake.received
  expect([second?.headers["webhook-id"], second?.body]).toEqual([first?.headers["webhook-id"], first?.body])
  const delivery = await until("the delivery to be recorded", async () => {
    const { data } = ok<{ data: ReadonlyArray<{ status: string; tries: ReadonlyArray<unknown> }> }>(
      await call("GET", "/deliveries")
    )
    return data[0]?.status === "delivered" ? data[0] : undefined
  })
  expect(delivery.tries).toHaveLength(1)
}, 120_000)
