import { beforeAll, describe, expect, it } from "vitest"
import {
  issues,
  json,
  newKey,
  newPhone,
  ok,
  type Outcome,
  otp,
  refused,
  type Sent,
  sandbox,
  timestamp,
  unknownId,
  uuidV7
} from "../Client.ts"
import { newCustomer, simulated } from "../Operator.ts"
import { type SharedServer, sharedServer } from "../SharedServer.ts"

const accepted = { verified: true, reason: "ok" }
/** The last try does not end in the sandbox. */
const wrong = (n: number) => ({ verified: false, reason: "invalid_code", tries_left: Math.max(1, 5 - n) })

let server: SharedServer
let trial: ReturnType<typeof otp>
beforeAll(async () => {
  server = sharedServer()
  trial = sandbox(server, server.demo.test_key)
})

describe("a sandbox send", () => {
  it("needs no Idempotency-Key and answers exactly the four fields of the contract and code_length", async () => {
    const reply = await trial.send({}, { "idempotency-key": undefined })
    expect(ok<Sent>(reply)).toEqual({
      verification_id: expect.stringMatching(uuidV7),
      status: "queued",
      current_attempt_channel: {
        type: "messenger",
        provider: "sandbox",
        credential_id: null,
        label: "Sandbox (sandbox)"
      },
      expires_in: 300,
      code_length: 6
    })
  })

  it.each([
    ["bale", "messenger", "bale"],
    ["eitaa", "messenger", "eitaa"],
    ["soroushplus", "messenger", "soroushplus"],
    ["rubika", "messenger", "rubika"],
    ["sms", "sms", "smsir"]
  ])("describes the channel %s as type %s, provider %s", async (channel, type, provider) => {
    const described = { type, provider, credential_id: null, label: `Sandbox (${provider})` }
    for (const channels of [channel, [channel], [{ channel }]]) {
      expect((await trial.sent({ channels })).current_attempt_channel).toEqual(described)
    }
  })

  it("is simulated on the first of several channels", async () => {
    expect((await trial.sent({ channels: ["rubika", "sms"] })).current_attempt_channel.provider).toBe(
      "rubika"
    )
  })

  it("needs no account, no routing and no plan", async () => {
    const bare = await newCustomer(server)
    expect((await sandbox(server, bare.test).sent({ channels: "bale" })).status).toBe("queued")
  })

  it("takes the name of a channel only: an account is not looked for", async () => {
    const channels = [{ channel: "bale", account_id: 987_654_321 }]
    expect((await trial.sent({ channels })).current_attempt_channel.credential_id).toBeNull()
  })

  it("sends nothing", async () => {
    const phone = newPhone()
    await trial.sent({ phone, channels: "bale" })
    expect(await simulated(server, phone)).toEqual([])
  })

  it("has no limit for a phone", async () => {
    const phone = newPhone()
    const sent = []
    for (let n = 0; n < 12; n++) sent.push((await trial.sent({ phone })).status)
    expect(sent).toEqual(Array.from({ length: 12 }, () => "queued"))
  })

  it("refuses an unknown channel and one that appears twice", async () => {
    refused(await trial.send({ channels: "fax" }), 422, "invalid_channel")
    refused(await trial.send({ channels: ["bale", "sms", "bale"] }), 422, "duplicate_channel")
  })

  it("is replayed for its Idempotency-Key, which is another one than a live send's", async () => {
    const headers = { "idempotency-key": newKey() }
    const body = { phone: newPhone(), channels: "sms" }
    const first = await trial.postSend(body, headers)
    expect(first.headers.get("idempotency-replayed")).toBeNull()
    const again = await trial.postSend(body, headers)
    expect(ok<Sent>(again)).toEqual(ok<Sent>(first))
    expect(again.headers.get("idempotency-replayed")).toBe("true")
    refused(await trial.postSend({ ...body, channels: "bale" }, headers), 409, "idempotency_key_conflict")
    const live = ok<Sent>(await otp(server, server.demo.live_key).postSend(body, headers))
    expect(live.verification_id).not.toBe(ok<Sent>(first).verification_id)
  })

  it("makes another verification each time without an Idempotency-Key", async () => {
    const send = () => trial.postSend({ phone: "09121234567" }, { "idempotency-key": undefined })
    expect(ok<Sent>(await send()).verification_id).not.toBe(ok<Sent>(await send()).verification_id)
  })

  it("refuses an Idempotency-Key of more than 255 characters", async () => {
    refused(await trial.send({}, { "idempotency-key": "k".repeat(256) }), 400, "idempotency_key_too_long")
  })

  it("checks the form of values that it does not use", async () => {
    expect(issues(await trial.send({ channel_timeout: 44 }))).toEqual(["body.channel_timeout"])
    expect(new Set(issues(await trial.send({ template_id: "x" })))).toEqual(new Set(["body.template_id"]))
    ok(await trial.send({ channel_timeout: 120, template_id: 987_654_321 }))
  })

  it("validates the phone and the body", async () => {
    refused(await trial.send({ phone: "0912" }), 422, "invalid_phone")
    expect(issues(await trial.postSend({}))).toEqual(["body.phone"])
    expect(issues(await trial.send({ channels: [] }))).toEqual(["body.channels"])
  })
})

describe("a sandbox verification", () => {
  it("has exactly the status fields of the contract, without the live ones", async () => {
    const phone = newPhone()
    const sent = await trial.sent({ phone, channels: "eitaa" })
    const reply = await trial.read(sent.verification_id)
    expect(Object.keys(json<object>(reply)).sort()).toEqual([
      "current_channel",
      "expires_at",
      "phone",
      "status",
      "verification_id",
      "verified_at"
    ])
    expect(ok(reply)).toEqual({
      verification_id: sent.verification_id,
      status: "queued",
      phone,
      current_channel: sent.current_attempt_channel,
      expires_at: expect.stringMatching(timestamp),
      verified_at: null
    })
  })

  it("is verified by 123456", async () => {
    const { verification_id: id } = await trial.sent()
    const answer = json<Outcome>(await trial.verify(id, "123456"))
    expect(answer).toEqual(accepted)
    expect(answer).not.toHaveProperty("tries_left")
    expect(await trial.status(id)).toMatchObject({
      status: "verified",
      verified_at: expect.stringMatching(timestamp)
    })
  })

  it("is verified by 123456 in Persian digits", async () => {
    const { verification_id: id } = await trial.sent()
    expect(await trial.outcome(id, "۱۲۳۴۵۶")).toEqual(accepted)
  })

  it("is not locked by wrong codes", async () => {
    const { verification_id: id } = await trial.sent()
    for (let n = 1; n <= 12; n++) expect(await trial.outcome(id, "654321")).toEqual(wrong(n))
    expect((await trial.status(id)).status).toBe("queued")
    expect(await trial.outcome(id, "123456")).toEqual(accepted)
  })

  it("is verified once by parallel right codes", async () => {
    const { verification_id: id } = await trial.sent()
    const all = await Promise.all(Array.from({ length: 20 }, () => trial.outcome(id, "123456")))
    expect(all.filter(({ reason }) => reason === "ok")).toHaveLength(1)
  })

  it("refuses a malformed id and a malformed code", async () => {
    const { verification_id: id } = await trial.sent()
    issues(await trial.read("not-a-uuid"))
    expect(issues(await trial.verify("not-a-uuid", "123456"))).toEqual(["body.verification_id"])
    expect(issues(await trial.verify(id, "12345a"))).toEqual(["body.code"])
    expect(issues(await trial.verify(id, 123456))).toEqual(["body.code"])
  })

  it("that does not exist is 404 not_found", async () => {
    refused(await trial.read(unknownId), 404, "not_found")
    refused(await trial.verify(unknownId, "123456"), 404, "not_found")
  })

  it("of another customer is 404 not_found", async () => {
    const stranger = await newCustomer(server)
    const { verification_id: id } = await trial.sent()
    const theirs = sandbox(server, stranger.test)
    refused(await theirs.read(id), 404, "not_found")
    refused(await theirs.verify(id, "123456"), 404, "not_found")
  })
})

describe("live and sandbox are apart", () => {
  it("a sandbox id is 404 with the live key of the same customer", async () => {
    const { verification_id: id } = await trial.sent()
    const live = otp(server, server.demo.live_key)
    refused(await live.read(id), 404, "not_found")
    refused(await live.verify(id, "123456"), 404, "not_found")
  })

  it("a live id is 404 with the test key of the same customer", async () => {
    const { verification_id: id } = await otp(server, server.demo.live_key).sent({ channels: "sms" })
    refused(await trial.read(id), 404, "not_found")
    refused(await trial.verify(id, "123456"), 404, "not_found")
  })
})
