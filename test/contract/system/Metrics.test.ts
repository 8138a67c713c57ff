import { readFileSync } from "node:fs"
import { Effect, Exit, Scope } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { fakeFarEnd, type FakeFarEnd } from "../../support/fakes/FakeFarEnd.ts"
import { leaksIn } from "../../support/LogGuard.ts"
import {
  type HeaderSet,
  messages,
  newPhone,
  ok,
  otp,
  refused,
  request,
  sandbox,
  unknownId
} from "../Client.ts"
import { parseExposition, valueOf } from "../Exposition.ts"
import { codeOf, customerWith, sentCode, wrongCode } from "../Operator.ts"
import { type Server, startServer, until } from "../Server.ts"
import { sharedServer } from "../SharedServer.ts"

const TOKEN = "a-token-for-metrics"

let server: Server
let hook: FakeFarEnd
const scope = Scope.makeUnsafe()
beforeAll(async () => {
  server = await startServer({
    env: {
      PEYK_ALLOW_PRIVATE_ADDRESSES: "true",
      PEYK_LIMIT_PHONE_HOUR: "1",
      PEYK_METRICS_TOKEN: TOKEN
    }
  })
  hook = await Effect.runPromise(fakeFarEnd(() => ({ status: 200 })).pipe(Scope.provide(scope)))
})
afterAll(async () => {
  await server?.stop()
  await Effect.runPromise(Scope.close(scope, Exit.void))
})

const authorized = { authorization: `Bearer ${TOKEN}` }

const read = (of: Pick<Server, "url"> = server, headers: HeaderSet = authorized) =>
  request(of, "GET", "/metrics", { headers })

const scrape = async () => {
  const reply = await read()
  expect(reply.status, reply.text).toBe(200)
  return parseExposition(reply.text)
}

/** How much a series has grown while something was done. */
const growth = async (act: () => Promise<unknown>) => {
  const before = await scrape()
  await act()
  const after = await scrape()
  return (name: string, labels: Readonly<Record<string, string>> = {}) =>
    valueOf(after, name, labels) - valueOf(before, name, labels)
}

describe("GET /metrics", () => {
  it("is Prometheus' text form", async () => {
    const reply = await read()
    expect(reply.status).toBe(200)
    expect(reply.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8")
    const { types } = parseExposition(reply.text)
    for (const [name, type] of types) {
      expect(name.endsWith("_total"), `${name} is a ${type}`).toBe(type === "counter")
    }
  })

  it("counts a send: the request by its route, the attempt by its channel, and how long they took", async () => {
    const grown = await growth(() => otp(server, server.demo.live_key).sent({ channels: "sms" }))
    const route = { route: "/v1/otp/send", method: "POST" }
    expect(grown("peyk_http_requests_total", { ...route, status: "200" })).toBe(1)
    expect(grown("peyk_http_request_duration_seconds_count", route)).toBe(1)
    const attempt = { kind: "verification", channel: "sms", outcome: "accepted" }
    expect(grown("peyk_attempts_total", attempt)).toBe(1)
    expect(grown("peyk_attempt_duration_seconds_count", { channel: "sms" })).toBe(1)
  })

  it("counts codes that were checked by what was answered, and the time to the right one", async () => {
    const grown = await growth(async () => {
      const { id, code } = await sentCode(server, server.demo.live_key)
      const { outcome } = otp(server, server.demo.live_key)
      await outcome(id, wrongCode(code))
      await outcome(id, code)
      await outcome(id, code)
    })
    for (const reason of ["invalid_code", "ok", "already_verified"]) {
      expect(grown("peyk_code_checks_total", { reason }), reason).toBe(1)
    }
    expect(grown("peyk_verifications_ended_total", { status: "verified" })).toBe(1)
    expect(grown("peyk_time_to_verify_seconds_count")).toBe(1)
    expect(grown("peyk_time_to_verify_seconds_sum")).toBeGreaterThanOrEqual(0)
    expect(grown("peyk_time_to_verify_seconds_sum")).toBeLessThan(60)
  })

  it("counts a verification that is locked", async () => {
    const grown = await growth(async () => {
      const { id, code } = await sentCode(server, server.demo.live_key)
      for (let n = 1; n <= 5; n += 1) await otp(server, server.demo.live_key).verify(id, wrongCode(code, n))
    })
    expect(grown("peyk_verifications_ended_total", { status: "locked" })).toBe(1)
  })

  it("counts the statements of batches, and what each was made for, by what they do", async () => {
    const grown = await growth(async () => {
      const { id, code } = await sentCode(server, server.demo.live_key)
      await otp(server, server.demo.live_key).outcome(id, code)
    })
    for (const batch of ["accept", "record", "check"]) {
      expect(grown("peyk_batch_statements_total", { batch }), batch).toBe(1)
      expect(grown("peyk_batch_requests_total", { batch }), batch).toBe(1)
      const waiting = (await scrape()).samples.filter(({ name, labels }) => {
        return name === "peyk_batch_requests_waiting" && labels["batch"] === batch
      })
      expect(waiting.map(({ value }) => value)).toEqual([0])
    }
  })

  it("counts a failed attempt by our error code", async () => {
    const customer = await customerWith(server, { bale: { outcome: "unavailable" } })
    const grown = await growth(() => otp(server, customer.live).send({ channels: "bale" }))
    expect(grown("peyk_attempts_total", { channel: "bale", outcome: "provider_unavailable" })).toBe(1)
    expect(grown("peyk_verifications_ended_total", { status: "failed" })).toBe(1)
  })

  it("counts a refusal by its code, and by the limit that was reached", async () => {
    const phone = newPhone()
    const grown = await growth(async () => {
      const { send } = otp(server, server.demo.live_key)
      await send({ phone, channels: "sms" })
      refused(await send({ phone, channels: "sms" }), 429, "too_many_requests_phone_hour")
    })
    expect(grown("peyk_http_requests_total", { code: "too_many_requests_phone_hour", status: "429" })).toBe(1)
    expect(grown("peyk_limit_refusals_total", { limit: "phone_hour" })).toBe(1)
  })

  it("counts what a wallet does not cover", async () => {
    const customer = (await server.cli("customer", "create", "--name", "Poor", "--plan", "business")) as {
      readonly id: number
    }
    const owner = ["--customer", String(customer.id)]
    await server.cli(
      "account",
      "connect",
      ...owner,
      "--channel",
      "bale",
      "--provider",
      "simulator",
      "--label",
      "B"
    )
    const key = (await server.cli("key", "create", ...owner, "--mode", "live")) as { readonly secret: string }
    const grown = await growth(async () => {
      refused(await otp(server, key.secret).send({ channels: "bale" }), 402, "insufficient_balance")
    })
    expect(grown("peyk_wallet_refusals_total")).toBe(1)
    expect(grown("peyk_http_requests_total", { code: "insufficient_balance" })).toBe(1)
  })

  it("counts a message, from the request to its end", async () => {
    const grown = await growth(() => messages(server, server.demo.live_key).delivered())
    expect(grown("peyk_http_requests_total", { route: "/v1/messages/send", status: "201" })).toBe(1)
    expect(grown("peyk_attempts_total", { kind: "message", outcome: "accepted" })).toBe(1)
    expect(grown("peyk_messages_ended_total", { status: "sent" })).toBe(1)
  })

  it("counts a webhook that was delivered, and the timer that it was due by", async () => {
    const { secret } = (await server.cli(
      "token",
      "create",
      "--customer",
      String(server.demo.customer_id),
      "--scope",
      "full"
    )) as { readonly secret: string }
    const headers = { authorization: `apikey ${secret}`, "content-type": "application/json" }
    const body = JSON.stringify({ url: `${hook.url}/hook`, events: ["message.sent"] })
    ok(await request(server, "POST", "/v1/manage/webhooks", { headers, body }), 201)
    const before = await scrape()
    await messages(server, server.demo.live_key).created()
    await until("the delivery to be counted", async () => {
      const after = await scrape()
      const delivered = (from: typeof before) =>
        valueOf(from, "peyk_webhook_deliveries_total", { outcome: "delivered" })
      return delivered(after) > delivered(before) ? true : undefined
    })
    const after = await scrape()
    const timers = { kind: "webhook" }
    expect(valueOf(after, "peyk_timers_claimed_total", timers)).toBeGreaterThan(0)
    expect(valueOf(after, "peyk_timer_lateness_seconds_count", timers)).toBe(
      valueOf(after, "peyk_timers_claimed_total", timers)
    )
  })

  it("counts sandbox requests, and nothing else of the sandbox", async () => {
    const grown = await growth(async () => {
      const { sent, outcome } = sandbox(server, server.demo.test_key)
      const { verification_id: id } = await sent()
      await outcome(id, "123456")
    })
    expect(grown("peyk_http_requests_total", { route: "/v1/sandbox/otp/send" })).toBe(1)
    for (const name of ["peyk_attempts_total", "peyk_code_checks_total", "peyk_verifications_ended_total"]) {
      expect(grown(name), name).toBe(0)
    }
  })

  it("counts a client that hung up as gone, not as an error of the service", async () => {
    const customer = await customerWith(server, { sms: { latency_ms: 1000 } })
    const before = await scrape()
    const gone = (of: typeof before) => valueOf(of, "peyk_http_requests_total", { status: "499" })
    const impatient = new AbortController()
    const answer = fetch(`${server.url}/v1/otp/send`, {
      method: "POST",
      signal: impatient.signal,
      headers: {
        "x-api-key": customer.live,
        "content-type": "application/json",
        "idempotency-key": "impatient"
      },
      // As long as bodies that are read by the router.
      body: JSON.stringify({ phone: newPhone(), channels: "sms", padding: " ".repeat(20_000) })
    })
    await until("the request to be in flight", async () =>
      valueOf(await scrape(), "peyk_workers_running") > 0 ? true : undefined
    )
    impatient.abort()
    await expect(answer).rejects.toThrow(/abort/i)
    await until("it to be counted", async () => (gone(await scrape()) > gone(before) ? true : undefined))
    const { samples } = await scrape()
    expect(samples.filter(({ labels }) => labels["status"] === "500")).toEqual([])
  })

  it("has a bounded number of series, whatever paths and methods are asked for", async () => {
    const grown = await growth(async () => {
      for (const path of ["/nothing", "/v1/otp/a/b", `/v1/secret-${newPhone()}`]) {
        refused(await request(server, "GET", path), 404, "not_found")
      }
      await request(server, "PROPFIND", "/healthz")
      await otp(server, server.demo.live_key).read(unknownId)
    })
    expect(grown("peyk_http_requests_total", { route: "unmatched", code: "not_found" })).toBe(3)
    expect(grown("peyk_http_requests_total", { method: "other", code: "method_not_allowed" })).toBe(1)
    expect(grown("peyk_http_requests_total", { route: "/v1/otp/{verification_id}", status: "404" })).toBe(1)
  })

  it("describes the store and the process", async () => {
    const metrics = await scrape()
    expect(valueOf(metrics, "peyk_database_up")).toBe(1)
    expect(valueOf(metrics, "peyk_database_connections")).toBeGreaterThan(0)
    for (const [pool, limit] of [
      ["requests", 10],
      ["batches", 4],
      ["message_batches", 2],
      ["reports", 2],
      ["maintenance", 2]
    ] as const) {
      expect(valueOf(metrics, "peyk_database_pool_limit", { pool }), pool).toBe(limit)
    }
    expect(valueOf(metrics, "peyk_build_info", { node: process.versions.node })).toBe(1)
    expect(valueOf(metrics, "process_resident_memory_bytes")).toBeGreaterThan(10_000_000)
    expect(valueOf(metrics, "process_start_time_seconds")).toBeGreaterThan(1_700_000_000)
    // This request itself.
    expect(valueOf(metrics, "peyk_http_requests_in_flight")).toBe(1)
    expect(valueOf(metrics, "peyk_http_requests_in_flight_by_class", { class: "vital" })).toBe(1)
    expect(valueOf(metrics, "peyk_http_requests_in_flight_by_class")).toBe(1)
    expect(valueOf(metrics, "peyk_timers_running_limit", { pool: "codes" })).toBe(256)
  })

  it("holds no phone, no code, no key and no id", async () => {
    const { id, phone, code } = await sentCode(server, server.demo.live_key)
    await otp(server, server.demo.live_key).status(id)
    await codeOf(server, phone)
    const { text } = await read()
    expect(leaksIn(text)).toEqual([])
    for (const secret of [id, phone.slice(3), server.demo.live_key]) expect(text).not.toContain(secret)
    expect(text).not.toMatch(new RegExp(`"${code}"`))
  })

  it("has every metric that the dashboard and the alerts name, and they name every one of Peyk's", async () => {
    const files = ["deploy/grafana/peyk.json", "deploy/prometheus/peyk.rules.yml"]
    const text = files
      .map((file) => readFileSync(new URL(`../../../${file}`, import.meta.url), "utf8"))
      .join("\n")
    const named = new Set(
      [...text.matchAll(/(?<!externalLabels\.)\b(?:peyk|process|nodejs)_[a-z0-9_]+(?=[{[\s)"]|\\")/g)].map(
        ([name]) => name
      )
    )
    const { samples, types } = await scrape()
    const known = new Set(samples.map(({ name }) => name))
    expect(named.size).toBeGreaterThan(20)
    expect([...named].filter((name) => !known.has(name))).toEqual([])
    const families = new Set([...named].map((name) => name.replace(/_(bucket|sum|count)$/, "")))
    const own = [...types.keys()].filter((name) => name.startsWith("peyk_"))
    expect(own.filter((name) => !families.has(name))).toEqual([])
    const documented = readFileSync(new URL("../../../docs/operations.md", import.meta.url), "utf8")
    expect(own.filter((name) => !documented.includes(name))).toEqual([])
  })

  it("is for whoever connects from near, and not through a proxy, where there is no token", async () => {
    const open = sharedServer()
    expect((await read(open, {})).status).toBe(200)
    for (const header of ["x-forwarded-for", "x-real-ip", "forwarded", "via"]) {
      refused(await read(open, { [header]: "127.0.0.1" }), 401, "unauthenticated")
    }
  })
})

describe("GET /metrics with a token", () => {
  it("is refused without it, with another, and with it in another form", async () => {
    for (const authorization of [undefined, `Bearer ${TOKEN}x`, "Bearer ", TOKEN, `apikey ${TOKEN}`]) {
      const reply = await read(server, { authorization })
      refused(reply, 401, "unauthenticated")
      expect(reply.headers.get("www-authenticate")).toBe("Bearer")
    }
  })

  it("is answered with it, through a proxy too", async () => {
    const authorization = `Bearer ${TOKEN}`
    expect((await read(server, { authorization })).status).toBe(200)
    expect((await read(server, { authorization, "x-forwarded-for": "198.51.100.7" })).status).toBe(200)
  })
})
