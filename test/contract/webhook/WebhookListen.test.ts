import { verifyWebhook } from "../../../packages/client/src/Webhooks.ts"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { FakeFarEnd } from "../../support/fakes/FakeFarEnd.ts"
import { issues, ok, otp, refused, request, sandbox } from "../Client.ts"
import { until } from "../Server.ts"
import type { SharedServer } from "../SharedServer.ts"
import { startReceiver } from "./Receiver.ts"

const MAX_LISTENERS = 5
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

let server: SharedServer
let owner: string
let fake: FakeFarEnd
let close: () => Promise<void>

beforeAll(async () => {
  ;({ server, owner, fake, close } = await startReceiver(204))
})
afterAll(() => close())

const manage = (method: string, path: string, token = owner, body?: unknown) =>
  request(server, method, `/v1/manage${path}`, {
    headers: { authorization: `apikey ${token}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })

const makeToken = async () =>
  ok<{ readonly id: number; readonly secret: string }>(
    await manage("POST", "/tokens", owner, { name: "laptop", scope: "read_only" }),
    201
  )

const revoke = async (id: number) => {
  const { status } = await manage("DELETE", `/tokens/${id}`)
  expect(status).toBe(204)
}

interface Part {
  readonly event: string
  readonly id: string | undefined
  readonly data: string
}

const partOf = (text: string): Part => {
  const fields = new Map(
    text.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)])
  )
  return { event: fields.get("event") ?? "message", id: fields.get("id"), data: fields.get("data") ?? "" }
}

/** A stream that is open; its parts so far, without heartbeats. */
const listen = async (token: string, query = "") => {
  const leaving = new AbortController()
  const response = await fetch(`${server.url}/v1/manage/webhooks/listen${query}`, {
    headers: { authorization: `apikey ${token}` },
    signal: leaving.signal
  })
  expect(response.status).toBe(200)
  let text = ""
  let heartbeats = 0
  let hasEnded = false
  const parts: Array<Part> = []
  const read = async () => {
    for await (const bytes of response.body ?? []) {
      text += Buffer.from(bytes).toString("utf8")
      const found = text.split("\n\n")
      text = found.pop() ?? ""
      heartbeats += found.filter((part) => part.startsWith(":")).length
      parts.push(...found.filter((part) => !part.startsWith(":")).map(partOf))
    }
    hasEnded = true
  }
  void read().catch(() => (hasEnded = true))
  return {
    response,
    parts,
    leave: () => leaving.abort(),
    part: (event: string) => until(`a part ${event}`, async () => parts.find((part) => part.event === event)),
    heartbeats: () => heartbeats,
    ended: () => until("its end", async () => (hasEnded ? true : undefined))
  }
}

describe("a stream of events", () => {
  it("has the events of the sandbox, for a read-only token, and ends soon after the token", async () => {
    const { id, secret } = await makeToken()
    const stream = await listen(secret)
    expect(stream.response.headers.get("content-type")).toBe("text/event-stream")
    expect(stream.response.headers.get("x-accel-buffering")).toBe("no")
    const ready = await stream.part("ready")
    const { listener } = JSON.parse(ready.data) as { readonly listener: string }

    await otp(server, server.demo.live_key).sent({ channels: "bale" })
    const { verification_id } = await sandbox(server, server.demo.test_key).sent({ channels: "bale" })
    const event = await stream.part("message")
    const posted = JSON.parse(event.data) as {
      readonly type: string
      readonly mode: string
      readonly data: object
    }
    expect(posted).toMatchObject({ type: "verification.queued", mode: "test", data: { verification_id } })
    expect(stream.parts.filter(({ data }) => data.includes('"live"'))).toEqual([])

    const audit = ok<{ readonly data: ReadonlyArray<object> }>(await manage("GET", "/audit-log?limit=10"))
    expect(audit.data).toContainEqual(
      expect.objectContaining({
        action: "webhook.listen",
        details: { mode: "test" },
        subject: expect.objectContaining({ id: listener })
      })
    )
    expect(JSON.stringify(audit)).not.toContain(secret)

    await revoke(id)
    expect((await stream.part("end")).data).toBe('{"reason":"token_ended"}')
    await stream.ended()
    expect(stream.heartbeats()).toBeGreaterThan(0)
  })

  it("goes on after an event, with events of the time in between, and one entry in the audit log", async () => {
    const { secret } = await makeToken()
    const first = await listen(secret)
    const { listener } = JSON.parse((await first.part("ready")).data) as { readonly listener: string }
    const send = () => sandbox(server, server.demo.test_key).sent({ channels: "bale" })
    await send()
    const { id = "" } = await first.part("message")
    first.leave()
    await first.ended()
    const { verification_id } = await send()
    const second = await listen(secret, `?listener=${listener}&after=${id}`)
    await until("the event of the time in between", async () =>
      second.parts.some(({ data }) => data.includes(verification_id)) ? true : undefined
    )
    second.leave()
    const audit = ok<{ readonly data: ReadonlyArray<{ readonly subject: { readonly id: string } }> }>(
      await manage("GET", "/audit-log?limit=20")
    )
    expect(audit.data.filter(({ subject }) => subject.id === listener)).toHaveLength(1)
  })

  it("is refused without a token, with a wrong query, and to one program too many", async () => {
    const { secret } = await makeToken()
    const path = "/webhooks/listen"
    refused(await request(server, "GET", `/v1/manage${path}`), 401, "unauthenticated")
    expect(issues(await manage("GET", `${path}?mode=sandbox`, secret))).toEqual(["query.mode"])
    expect(issues(await manage("GET", `${path}?after=x`, secret))).toEqual(["query.after"])
    const listening = await Promise.all(
      Array.from({ length: MAX_LISTENERS }, () =>
        until("a free place", () => listen(secret).catch(() => undefined), 40_000)
      )
    )
    const { details } = refused(await manage("GET", path, secret), 409, "conflict")
    expect(details).toEqual({ reason: "5 programs of this customer are listening already" })
    // A stream that its client leaves gives its place back.
    listening[0]?.leave()
    const next = await until("the place that is free", () => listen(secret).catch(() => undefined))
    for (const each of [...listening, next]) each.leave()
    await Promise.all(listening.map(({ ended }) => ended()))
  }, 90_000)
})

describe("peyk webhook listen", () => {
  const urlOf = (path: string) => `${fake.url}${path}`.replace("127.0.0.1", "localhost")
  const command = (path: string, token: string) =>
    server.run("webhook", "listen", "--forward", urlOf(path), "--url", server.url, "--token", token)

  it("forwards events to this machine, signed with the secret that it prints, and ends with the token", async () => {
    const { id, secret: token } = await makeToken()
    const running = command("/signed", token)
    const arrived = () => fake.received.filter(({ path }) => path === "/signed")
    const sent = await until(
      "a forwarded event",
      async () => {
        const { verification_id } = await sandbox(server, server.demo.test_key).sent({ channels: "bale" })
        return arrived().length > 0 ? verification_id : undefined
      },
      40_000
    )
    expect(sent).toBeDefined()
    await revoke(id)
    const { code, out, err } = await running
    expect([code, err]).toEqual([1, expect.stringContaining("the token was revoked, or has expired")])
    const [, secret = ""] = /^secret +(whsec_\S+)$/m.exec(out) ?? []
    for (const { body, headers } of arrived()) {
      await verifyWebhook({ payload: body, headers: new Headers(headers as Record<string, string>), secret })
    }
    const lines = out.split("\n").filter((line) => line.includes("verification."))
    expect(lines).toHaveLength(arrived().length)
    expect(lines[0]).toMatch(/^\S+Z {2}verification\.queued {2}[0-9a-f-]{36} {2}204 {2}\d+ ms$/)
    expect(new Set(arrived().map(({ headers }) => headers["webhook-id"])).size).toBe(arrived().length)
    // no phone; ids can look like one
    expect((out + err).replaceAll(UUID, "")).not.toMatch(/9\d{9}/)
  }, 90_000)

  it("sends events to no other machine, unless its name is allowed", async () => {
    const at = (...args: ReadonlyArray<string>) =>
      server.run("webhook", "listen", "--forward", "http://example.com/", ...args)
    expect(await at("--url", server.url, "--token", "svc_pat_x")).toMatchObject({
      code: 1,
      err: expect.stringContaining("--allow-host example.com")
    })
    expect(
      await at("--url", server.url, "--token", "svc_pat_x", "--allow-host", "example.com")
    ).toMatchObject({
      code: 1,
      err: expect.stringContaining("refused")
    })
    expect(await at("--allow-host", "example.com")).toMatchObject({
      code: 1,
      err: expect.stringContaining("--url URL")
    })
  }, 60_000)
})
