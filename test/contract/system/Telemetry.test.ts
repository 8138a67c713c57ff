import { Effect, Exit, Scope } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { fakeFarEnd, type FakeFarEnd, type Received } from "../../support/fakes/FakeFarEnd.ts"
import { leaksIn } from "../../support/LogGuard.ts"
import { request } from "../Client.ts"
import { codeOf, type Customer, customerWith, sentCode, simulated } from "../Operator.ts"
import { type Server, startServer, until } from "../Server.ts"

const HEADER = "of-the-collector"
const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
const PARENT = "00f067aa0ba902b7"

interface Attribute {
  readonly key: string
  readonly value: { readonly stringValue?: string; readonly intValue?: unknown }
}
interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly attributes: ReadonlyArray<Attribute>
}

let collector: FakeFarEnd
let server: Server
const scope = Scope.makeUnsafe()
beforeAll(async () => {
  collector = await Effect.runPromise(fakeFarEnd(() => ({ json: {} })).pipe(Scope.provide(scope)))
  server = await startServer({
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_EXPORTER_OTLP_HEADERS: `x-collector=${HEADER}`,
      OTEL_BSP_SCHEDULE_DELAY: "100",
      OTEL_BLRP_SCHEDULE_DELAY: "100",
      OTEL_METRIC_EXPORT_INTERVAL: "200"
    }
  })
})
afterAll(async () => {
  await server?.stop()
  await Effect.runPromise(Scope.close(scope, Exit.void))
})

const exported = (path: string): ReadonlyArray<Received> =>
  collector.received.filter((received) => received.path === path)

const spans = (): ReadonlyArray<Span> =>
  exported("/v1/traces").flatMap(({ json }) =>
    Object(json).resourceSpans.flatMap((resource: { readonly scopeSpans: ReadonlyArray<object> }) =>
      resource.scopeSpans.flatMap((scoped) => Object(scoped).spans)
    )
  )

const spanNamed = (name: string, ofTrace?: string) =>
  until(`a span ${name}`, async () =>
    spans().find((span) => span.name === name && (ofTrace === undefined || span.traceId === ofTrace))
  )

const attribute = ({ attributes }: Span, key: string): unknown => {
  const value = attributes.find((each) => each.key === key)?.value
  return value?.stringValue ?? value?.intValue
}

describe("with a collector", () => {
  it("a request is a span of its caller's trace, named by its route, with its statements and the provider's call in it", async () => {
    const reply = await request(server, "POST", "/v1/otp/send", {
      headers: {
        "x-api-key": server.demo.live_key,
        "content-type": "application/json",
        "idempotency-key": "traced",
        "x-request-id": "the-traced-one",
        traceparent: `00-${TRACE}-${PARENT}-01`
      },
      body: JSON.stringify({ phone: "09121234567", channels: "sms" })
    })
    expect(reply.status, reply.text).toBe(200)
    const span = await spanNamed("POST /v1/otp/send", TRACE)
    expect(span.parentSpanId).toBe(PARENT)
    expect(attribute(span, "http.route")).toBe("/v1/otp/send")
    expect(Number(attribute(span, "http.response.status_code"))).toBe(200)
    expect(attribute(span, "peyk.request_id")).toBe("the-traced-one")
    const call = await spanNamed("call provider", TRACE)
    expect(attribute(call, "peyk.channel")).toBe("sms")
    expect(attribute(call, "peyk.outcome")).toBe("accepted")
    expect(attribute(await spanNamed("batched statement", TRACE), "db.system.name")).toBe("postgresql")
  })

  it("a trace that its caller does not keep is not kept here either", async () => {
    const unkept = TRACE.replaceAll("4", "5")
    const ask = (traceparent: string) =>
      request(server, "GET", "/healthz", { headers: { traceparent } }).then(({ status }) =>
        expect(status).toBe(200)
      )
    await ask(`00-${unkept}-${PARENT}-00`)
    const kept = TRACE.replaceAll("4", "6")
    await ask(`00-${kept}-${PARENT}-01`)
    await spanNamed("GET /healthz", kept)
    expect(spans().filter(({ traceId }) => traceId === unkept)).toEqual([])
  })

  it("an error's code is on its span", async () => {
    await request(server, "GET", "/v1/otp/no-id", { headers: { "x-api-key": "none" } })
    const span = await spanNamed("GET /v1/otp/{verification_id}")
    expect(attribute(span, "error.type")).toBe("unauthenticated")
  })

  it("metrics and logs are exported, and each export carries the headers that were set", async () => {
    const customer = await customerWith(server, { bale: { outcome: "unavailable" } })
    await request(server, "POST", "/v1/otp/send", {
      headers: {
        "x-api-key": customer.live,
        "content-type": "application/json",
        "idempotency-key": "failing"
      },
      body: JSON.stringify({ phone: "09121234568", channels: "bale" })
    })
    await until("the attempts to be exported", async () =>
      exported("/v1/metrics").find(({ body }) => body.includes("peyk_attempts_total"))
    )
    await until("the failure's log record", async () =>
      exported("/v1/logs").find(({ body }) => body.includes("bale to +98912•••4568: Unavailable"))
    )
    for (const { headers } of collector.received) expect(headers["x-collector"]).toBe(HEADER)
    const resource = Object(exported("/v1/traces")[0]?.json).resourceSpans[0].resource as {
      readonly attributes: ReadonlyArray<Attribute>
    }
    const named = resource.attributes.map(({ key, value }) => [key, value.stringValue])
    expect(named).toContainEqual(["service.name", "peyk"])
  })

  it("holds no phone, no code, no key and no text, wherever they were in a request", async () => {
    const { phone, code } = await sentCode(server, server.demo.live_key)
    await simulated(server, phone)
    expect(await codeOf(server, phone)).toBe(code)
    const marker = TRACE.replaceAll("4", "7")
    await request(server, "GET", "/healthz", { headers: { traceparent: `00-${marker}-${PARENT}-01` } })
    await spanNamed("GET /healthz", marker)
    const all = collector.received.map(({ body }) => body).join("\n")
    expect(leaksIn(all)).toEqual([])
    for (const secret of [phone.slice(3), server.demo.live_key, `"${code}"`])
      expect(all).not.toContain(secret)
  })
})

describe("logs", () => {
  let plain: Server
  let customer: Customer
  beforeAll(async () => {
    plain = await startServer({ env: { PEYK_LOG_FORMAT: "json" } })
    customer = await customerWith(plain, { bale: { outcome: "rejected" } })
  })
  afterAll(() => plain?.stop())

  it("are JSON, one object a line, with time, level, message and the request's id", async () => {
    await request(plain, "POST", "/v1/otp/send", {
      headers: {
        "x-api-key": customer.live,
        "content-type": "application/json",
        "idempotency-key": "logged",
        "x-request-id": "the-logged-one"
      },
      body: JSON.stringify({ phone: "09121234569", channels: "bale" })
    })
    const line = await until("the line of the failed attempt", async () =>
      plain
        .output()
        .split("\n")
        .find((each) => each.includes("•••4569"))
    )
    expect(JSON.parse(line)).toMatchObject({
      message: expect.stringContaining("bale to +98912•••4569: Rejected"),
      level: "INFO",
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      annotations: { request_id: "the-logged-one" }
    })
  })
})
