import { beforeAll, describe, expect, it } from "vitest"
import { newPhone, ok, otp, type Sent, timestamp, uuidV7 } from "../Client.ts"
import { codeOf, customerWith, newAccount, newCustomer } from "../Operator.ts"
import { type SharedServer, sharedServer } from "../SharedServer.ts"

let server: SharedServer
let live: ReturnType<typeof otp>
beforeAll(async () => {
  server = sharedServer()
  live = otp(server, server.demo.live_key)
})

describe("the answer of send", () => {
  it("has exactly the four fields of the contract, code_length and risk", async () => {
    const customer = await newCustomer(server)
    await newAccount(server, customer.id, "bale")
    const reply = await otp(server, customer.live).send({ channels: "bale" })
    expect(ok<Sent>(reply)).toEqual({
      verification_id: expect.stringMatching(uuidV7),
      status: "queued",
      current_attempt_channel: {
        type: "messenger",
        provider: "bale",
        credential_id: expect.any(Number),
        label: expect.any(String)
      },
      expires_in: 300,
      code_length: 6,
      risk: { level: "low", reasons: [] }
    })
    expect(reply.headers.get("idempotency-replayed")).toBeNull()
  })

  it("describes a messenger account by its channel, and an sms account by its provider", async () => {
    const customer = await newCustomer(server)
    const rubika = await newAccount(server, customer.id, "rubika", { label: "Our Rubika" })
    const sms = await newAccount(server, customer.id, "sms", { label: "پیامک ما" })
    const api = otp(server, customer.live)
    expect((await api.sent({ channels: "rubika" })).current_attempt_channel).toEqual({
      type: "messenger",
      provider: "rubika",
      credential_id: rubika,
      label: "Our Rubika"
    })
    expect((await api.sent({ channels: "sms" })).current_attempt_channel).toEqual({
      type: "sms",
      provider: "simulator",
      credential_id: sms,
      label: "پیامک ما"
    })
  })

  it("comes only after the first attempt was made", async () => {
    const customer = await customerWith(server, { eitaa: { latency_ms: 1_000 } })
    const phone = newPhone()
    const started = performance.now()
    await otp(server, customer.live).sent({ phone, channels: "eitaa" })
    expect(performance.now() - started).toBeGreaterThan(950)
    expect(await codeOf(server, phone)).toMatch(/^\d{6}$/)
  })
})

describe("the channels of a send", () => {
  it.each([
    ["one name", "soroushplus", "soroushplus"],
    ["a list of names", ["eitaa", "bale"], "eitaa"],
    ["a list of objects", [{ channel: "rubika" }, { channel: "bale" }], "rubika"]
  ])("may be %s, and the first is tried first", async (_, channels, first) => {
    const sent = await live.sent({ channels })
    expect(sent.current_attempt_channel).toMatchObject({ type: "messenger", provider: first })
  })

  it("are the saved routing order when absent, which in the demo starts with bale", async () => {
    expect((await live.sent()).current_attempt_channel.provider).toBe("bale")
  })

  it.each(["eitaa", "bale", "soroushplus", "rubika", "sms"])("may be %s", async (channel) => {
    const phone = newPhone()
    const sent = await live.sent({ phone, channels: channel })
    expect(sent.current_attempt_channel.type).toBe(channel === "sms" ? "sms" : "messenger")
    expect(await codeOf(server, phone)).toMatch(/^\d{6}$/)
  })
})

describe("the validity of a code", () => {
  it.each([
    ["one channel", ["sms"], undefined, 300],
    ["two channels with the default wait of 60 s", ["sms", "bale"], undefined, 300],
    ["three channels waiting 120 s", ["sms", "bale", "eitaa"], 120, 360],
    [
      "five channels with the default wait",
      ["sms", "bale", "eitaa", "rubika", "soroushplus"],
      undefined,
      360
    ],
    ["five channels waiting 120 s", ["sms", "bale", "eitaa", "rubika", "soroushplus"], 120, 600]
  ])("follows from the waits of all steps but the last: %s", async (_, channels, timeout, expected) => {
    expect((await live.sent({ channels, channel_timeout: timeout })).expires_in).toBe(expected)
  })

  it("counts a step's own wait instead of the request's, and not the last step's", async () => {
    const channels = [
      { channel: "sms", wait: 100 },
      { channel: "bale" },
      { channel: "eitaa" },
      { channel: "rubika", wait: 45 }
    ]
    expect((await live.sent({ channels, channel_timeout: 120 })).expires_in).toBe(100 + 120 + 120 + 120)
  })

  it("ends at expires_at", async () => {
    const now = () => Temporal.Now.instant().epochMilliseconds
    const before = now()
    const sent = await live.sent({ channels: "sms" })
    const after = now()
    const { expires_at } = await live.status(sent.verification_id)
    const end = Temporal.Instant.from(expires_at).epochMilliseconds
    expect(end).toBeGreaterThanOrEqual(before + 300_000 - 2_000)
    expect(end).toBeLessThanOrEqual(after + 300_000 + 2_000)
  })
})

describe("the live status", () => {
  it("has exactly the fields of the contract after a first successful attempt", async () => {
    const phone = newPhone()
    const sent = await live.sent({ phone, channels: ["bale", "sms"] })
    const status = await live.status(sent.verification_id)
    const channel = sent.current_attempt_channel
    expect(status).toEqual({
      verification_id: sent.verification_id,
      status: "queued",
      phone,
      current_channel: channel,
      current_channel_status: "sent",
      remaining_seconds: expect.any(Number),
      expires_at: expect.stringMatching(timestamp),
      verified_at: null,
      attempts: [
        {
          sequence: 1,
          channel,
          status: "sent",
          dispatched_at: expect.stringMatching(timestamp),
          transition_reason: null,
          error_code: null,
          delivery: null
        }
      ]
    })
  })

  it.each([
    ["the default of 60 s", {}, 60],
    ["channel_timeout", { channel_timeout: 120 }, 120],
    [
      "the step's own wait",
      { channel_timeout: 120, channels: [{ channel: "sms", wait: 45 }, { channel: "bale" }] },
      45
    ],
    ["the longest wait", { channels: [{ channel: "sms", wait: 120 }, { channel: "bale" }] }, 120]
  ])("counts down, in whole seconds, from %s", async (_, body, wait) => {
    const sent = await live.sent({ channels: ["sms", "bale"], ...body })
    const { remaining_seconds } = await live.status(sent.verification_id)
    expect(remaining_seconds).toSatisfy(Number.isInteger)
    expect(remaining_seconds).toBeLessThanOrEqual(wait)
    expect(remaining_seconds).toBeGreaterThan(wait - 10)
  })

  it("has no remaining_seconds on the last channel", async () => {
    const sent = await live.sent({ channels: "sms", channel_timeout: 45 })
    expect((await live.status(sent.verification_id)).remaining_seconds).toBeNull()
  })
})

describe("the code", () => {
  it("is another one for every verification of the same phone", async () => {
    const phone = newPhone()
    const codes: Array<string> = []
    for (const channel of ["sms", "bale", "eitaa", "rubika"]) {
      await live.sent({ phone, channels: channel })
      codes.push(await codeOf(server, phone))
    }
    expect(new Set(codes).size).toBeGreaterThan(2)
  })
})
