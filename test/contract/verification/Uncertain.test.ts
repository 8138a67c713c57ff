import { Effect, Exit, Scope } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { fakeFarEnd, type FakeFarEnd } from "../../support/fakes/FakeFarEnd.ts"
import { messages, newPhone, ok, otp, request } from "../Client.ts"
import { type Customer, customerWith } from "../Operator.ts"
import { type Server, startServer, until } from "../Server.ts"

let server: Server
/** The answers of bale are lost, eitaa refuses, sms works. */
let customer: Customer
let hooks: FakeFarEnd
const scope = Scope.makeUnsafe()
beforeAll(async () => {
  // No account begins a cooldown, however often its provider fails.
  server = await startServer({
    env: { PEYK_ALLOW_PRIVATE_ADDRESSES: "true", PEYK_COOLDOWN_FAILURES: "1000" }
  })
  hooks = await Effect.runPromise(fakeFarEnd(() => ({ status: 200 })).pipe(Scope.provide(scope)))
  customer = await customerWith(server, {
    bale: { outcome: "unknown" },
    eitaa: { outcome: "rejected" },
    sms: {}
  })
})
afterAll(async () => {
  await server?.stop()
  await Effect.runPromise(Scope.close(scope, Exit.void))
})

interface Posted {
  readonly type: string
  readonly data: Readonly<Record<string, unknown>>
}

/** The events of this verification or message posted to a path, in order, once there are so many. */
const postedOf = (path: string, id: string, count: number) =>
  until(`${count} events of ${id} at ${path}`, async () => {
    const posted = hooks.received
      .filter((each) => each.path === path)
      .map(({ json }) => json as Posted)
      .filter(({ data }) => data["verification_id"] === id || data["message_id"] === id)
      .toSorted((one, other) => Number(one.data["sequence"]) - Number(other.data["sequence"]))
    return posted.length >= count ? posted : undefined
  })

const hookByCommand = (path: string, events: string) => {
  const options = ["--customer", customer.id, "--url", `${hooks.url}${path}`, "--events", events]
  return server.cli("webhook", "create", ...options)
}

describe("an attempt of a code whose outcome is unknown", () => {
  it("is failed with error_code provider_outcome_unknown, and one that was sent has none", async () => {
    const api = otp(server, customer.live)
    const { verification_id } = await api.sent({ channels: ["bale", "eitaa", "sms"] })
    const { attempts } = await api.attempted(verification_id, 3)
    expect(attempts.map(({ status, error_code, delivery }) => [status, error_code, delivery])).toEqual([
      ["failed", "provider_outcome_unknown", null],
      ["failed", "provider_rejected", null],
      ["sent", null, null]
    ])
  })

  it("is announced as attempt_unknown in place of attempt_failed", async () => {
    await hookByCommand("/all", "*")
    const api = otp(server, customer.live)
    const { verification_id } = await api.sent({ channels: ["bale", "eitaa", "sms"] })
    const posted = await postedOf("/all", verification_id, 4)
    expect(posted.map(({ type }) => type)).toEqual([
      "verification.queued",
      "verification.attempt_unknown",
      "verification.attempt_failed",
      "verification.attempt_sent"
    ])
  })

  it("is an event that the management API and the command line subscribe to", async () => {
    const events = ["verification.attempt_unknown"]
    const token = (await server.cli("token", "create", "--customer", customer.id, "--scope", "full")) as {
      readonly secret: string
    }
    const made = await request(server, "POST", "/v1/manage/webhooks", {
      headers: { authorization: `apikey ${token.secret}`, "content-type": "application/json" },
      body: JSON.stringify({ url: `${hooks.url}/by-api`, events })
    })
    expect(ok(made, 201)).toMatchObject({ events })
    expect(await hookByCommand("/by-command", events.join())).toMatchObject({ events })
    const api = otp(server, customer.live)
    const { verification_id } = await api.sent({ channels: ["bale", "sms"] })
    for (const path of ["/by-api", "/by-command"]) {
      const posted = await postedOf(path, verification_id, 1)
      expect(posted).toMatchObject([{ type: events[0], data: { status: "queued" } }])
    }
  })
})

describe("a message whose outcome is unknown", () => {
  it("counts as failed, and by unknown_attempts as one that may have been delivered", async () => {
    const live = messages(server, customer.live)
    expect(await live.delivered({ channels: "bale" })).toMatchObject({
      status: "failed",
      successful_attempts: 0,
      failed_attempts: 1,
      unknown_attempts: 1
    })
    const all = { channels: ["bale", "eitaa", "sms"], strategy: "broadcast" }
    expect(await live.delivered(all)).toMatchObject({
      status: "partial_failed",
      successful_attempts: 1,
      failed_attempts: 2,
      unknown_attempts: 1
    })
  })

  it("says so in its events", async () => {
    await hookByCommand("/messages", "message.failed")
    const live = messages(server, customer.live)
    const { message_id } = await live.created({ to: newPhone(), channels: "bale" })
    const [failed] = await postedOf("/messages", message_id, 1)
    expect(failed).toMatchObject({
      type: "message.failed",
      data: { failed_attempts: 1, unknown_attempts: 1 }
    })
  })
})
