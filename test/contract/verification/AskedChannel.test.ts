import { beforeAll, describe, expect, it } from "vitest"
import { insertToken } from "../../support/InsertedTokens.ts"
import { issues, newPhone, ok, otp, refused, request, type Sent, type Status } from "../Client.ts"
import { manage } from "../Manager.ts"
import { type Customer, newAccount, newCustomer, simulated } from "../Operator.ts"
import { type SharedServer, sharedServer } from "../SharedServer.ts"

let server: SharedServer
let customer: Customer
let owner: string

/** SMS in its turn, Eitaa after it; Bale, which is paid for as Eitaa is, only if it is asked for. */
const STEPS = [{ channel: "bale", on_request: true }, { channel: "sms" }, { channel: "eitaa", wait: 45 }]

beforeAll(async () => {
  server = sharedServer()
  ;[customer, owner] = await charged(1_000_000)
})

const charged = async (rials: number): Promise<[Customer, string]> => {
  const made = await newCustomer(server, "start")
  for (const channel of ["sms", "bale", "eitaa"]) await newAccount(server, made.id, channel)
  if (rials > 0) {
    await server.cli("wallet", "top-up", "--customer", made.id, "--amount", String(rials))
  }
  const token = `apikey ${await insertToken(server.dataDir, made.id)}`
  ok(await manage(server, "PUT", "/routing", { authorization: token }, { steps: STEPS }))
  return [made, token]
}

const next = (id: string, body: object, key = customer.live, path = "/v1/otp") =>
  request(server, "POST", `${path}/${id}/next`, {
    headers: { "x-api-key": key, "content-type": "application/json" },
    body: JSON.stringify(body)
  })

const sendCode = async (body: object = {}, key = customer.live) => {
  const phone = newPhone()
  const { verification_id: id } = ok<Sent>(await otp(server, key).send({ phone, ...body }))
  const channels = async () => (await simulated(server, phone)).map(({ channel }) => channel)
  return { id, channels }
}

const walletOf = async (authorization = owner) =>
  ok<{ balance: number; held: number }>(await manage(server, "GET", "/wallet", { authorization }))

const save = (steps: ReadonlyArray<unknown>) =>
  manage(server, "PUT", "/routing", { authorization: owner }, { steps })

describe("a saved step with on_request", () => {
  it("is saved and shown as it is; false is as if it were absent", async () => {
    const read = ok<{ steps: unknown }>(await manage(server, "GET", "/routing", { authorization: owner }))
    expect(read.steps).toEqual(STEPS)
    const off = ok<{ steps: unknown }>(await save(STEPS.map((step) => ({ on_request: false, ...step }))))
    expect(off.steps).toEqual(STEPS)
  })

  it("is refused where no other step is left, and where it is no boolean", async () => {
    const all = STEPS.map((step) => ({ ...step, on_request: true }))
    expect(issues(await save(all))).toEqual(["body.steps"])
    expect(issues(await save([{ channel: "sms", on_request: "yes" }]))).toEqual(["body.steps[0].on_request"])
  })

  it("is tried only once it is asked for, and the rest of the route follows", async () => {
    const { id, channels } = await sendCode()
    expect(await channels()).toEqual(["sms"])
    const asked = ok<Status>(await next(id, { channel: "bale" }))
    expect(asked.current_channel.provider).toBe("bale")
    expect(asked.attempts.map(({ sequence }) => sequence)).toEqual([1, 3])
    expect(asked.remaining_seconds).toBeGreaterThan(50)
    expect(ok<Status>(await next(id, {})).current_channel.provider).toBe("eitaa")
    expect(await channels()).toEqual(["sms", "bale", "eitaa"])
  })

  it("can be asked for after the last channel, where the next one is 409", async () => {
    const { id } = await sendCode()
    ok(await next(id, { channel: "eitaa" }))
    refused(await next(id, {}), 409, "no_next_channel")
    ok(await next(id, { channel: "bale" }))
    expect(refused(await next(id, { channel: "bale" }), 422, "invalid_channel").details).toEqual({
      channel: "bale"
    })
  })

  it("stays with a send whose order has changed since", async () => {
    const { id } = await sendCode()
    ok(await save([{ channel: "sms" }]))
    const asked = ok<Status>(await next(id, { channel: "bale" }))
    ok(await save(STEPS))
    expect(asked.current_channel.provider).toBe("bale")
  })

  it("can be asked for next to a request's own channels, and not twice in a route", async () => {
    const { id } = await sendCode({ channels: ["sms"] })
    expect(ok<Status>(await next(id, { channel: "bale" })).current_channel.provider).toBe("bale")
    refused(await next(id, { channel: "eitaa" }), 422, "invalid_channel")
    const both = await sendCode({ channels: ["bale", "sms"] })
    refused(await next(both.id, { channel: "bale" }), 422, "invalid_channel")
  })

  it("can be asked for in the sandbox", async () => {
    const sent = await request(server, "POST", "/v1/sandbox/otp/send", {
      headers: { "x-api-key": customer.test, "content-type": "application/json" },
      body: JSON.stringify({ phone: newPhone(), channels: ["sms", "eitaa"] })
    })
    const { verification_id: id } = ok<Sent>(sent)
    const ask = (channel: string) => next(id, { channel }, customer.test, "/v1/sandbox/otp")
    expect(ok<Status>(await ask("bale")).current_channel.provider).toBe("bale")
    expect(ok<Status>(await ask("eitaa")).current_channel.provider).toBe("eitaa")
    refused(await ask("rubika"), 422, "invalid_channel")
  })
})

describe("a channel that is asked for", () => {
  it.each(["fax", "", "BALE", "rubika", "sms"])("is refused as %j: 422 with its name", async (channel) => {
    const { id } = await sendCode()
    expect(refused(await next(id, { channel }), 422, "invalid_channel").details).toEqual({ channel })
    expect(issues(await next(id, { channel: 7 }))).toEqual(["body.channel"])
  })

  it("is 409 after the end, and 404 for another customer", async () => {
    const { id } = await sendCode()
    const [other] = await charged(0)
    refused(await next(id, { channel: "bale" }, other.live), 404, "not_found")
    ok(await request(server, "POST", `/v1/otp/${id}/cancel`, { headers: { "x-api-key": customer.live } }))
    refused(await next(id, { channel: "bale" }), 409, "verification_ended")
    refused(await next(id, { channel: "fax" }), 409, "verification_ended")
  })

  it("holds what it costs above the present hold, and is paid for once", async () => {
    const before = await walletOf()
    const { id } = await sendCode({ channels: ["sms"] })
    expect(await walletOf()).toMatchObject({ balance: before.balance, held: before.held })
    ok(await next(id, { channel: "bale" }))
    expect(await walletOf()).toMatchObject({ balance: before.balance - 1000, held: before.held })
  })

  it("is 402 where the balance does not cover it: nothing is tried, and nothing changes", async () => {
    const [poor, token] = await charged(0)
    const { id, channels } = await sendCode({ channels: ["sms"] }, poor.live)
    const status = () => request(server, "GET", `/v1/otp/${id}`, { headers: { "x-api-key": poor.live } })
    const before = await status()
    refused(await next(id, { channel: "bale" }, poor.live), 402, "insufficient_balance")
    expect((await status()).text).toBe(before.text)
    expect(await channels()).toEqual(["sms"])
    expect(await walletOf(token)).toMatchObject({ balance: 0, held: 0 })
    await server.cli("wallet", "top-up", "--customer", poor.id, "--amount", "1000")
    expect(ok<Status>(await next(id, { channel: "bale" }, poor.live)).current_channel.provider).toBe("bale")
    expect(await walletOf(token)).toMatchObject({ balance: 0, held: 0 })
  })

  it("50 times at once is tried and paid for once", async () => {
    const before = await walletOf()
    const { id, channels } = await sendCode({ channels: ["sms"] })
    const all = await Promise.all(
      Array.from({ length: 50 }, () => next(id, { channel: "bale", from_sequence: 1 }))
    )
    for (const reply of all) expect(reply.status).toBe(200)
    expect(await channels()).toEqual(["sms", "bale"])
    expect(await walletOf()).toMatchObject({ balance: before.balance - 1000, held: before.held })
  })
})
