import { randomBytes } from "node:crypto"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { json, newPhone, otp, refused, request } from "../../contract/Client.ts"
import { customerWith, newCustomer, sentCode } from "../../contract/Operator.ts"
import { makeDataDir, type Running, type Server, startProcess, startServer } from "../../contract/Server.ts"
import { answerOf, type ExternalPostgres, startExternal } from "../store/Postgres.ts"

const PEYK_SECRET = randomBytes(32).toString("base64")

const tokenOf = async (server: Running, customer: string) =>
  ((await server.cli("token", "create", "--customer", customer, "--scope", "full")) as { secret: string })
    .secret

const connectSimulated = async (server: Running, customer: string) =>
  request(server, "POST", "/v1/manage/accounts", {
    headers: {
      authorization: `apikey ${await tokenOf(server, customer)}`,
      "content-type": "application/json"
    },
    body: JSON.stringify({
      channel: "bale",
      provider: "simulator",
      label: "Bale",
      settings: {},
      check: false
    })
  })

describe("a simulator that is switched off after it was on", () => {
  let postgres: ExternalPostgres
  let url: string
  let server: Running
  let customer: Awaited<ReturnType<typeof customerWith>>
  const kept = () => answerOf(url, "select count(*)::int as answer from simulator_messages")

  beforeAll(async () => {
    postgres = await startExternal()
    url = await postgres.newDatabase()
    const env = { DATABASE_URL: url, PEYK_SECRET }
    const on = await startProcess({ env: { ...env, PEYK_SIMULATOR: "true" } })
    customer = await customerWith(on, { bale: {} })
    await sentCode(on, customer.live, { channels: "bale" })
    expect(await kept()).toBe(1)
    await on.stop()
    server = await startProcess({ env: { ...env, PEYK_SIMULATOR: "false" } })
  })
  afterAll(async () => {
    await server?.stop()
    await postgres?.discard()
  })

  it("keeps no code that it received before", async () => {
    expect(await kept()).toBe(0)
  })

  it("sends nothing with the accounts there are, says why, and keeps nothing", async () => {
    const api = otp(server, customer.live)
    const { verification_id: id, status } = await api.sent({ phone: newPhone(), channels: "bale" })
    expect(status).toBe("failed")
    expect((await api.status(id)).attempts).toMatchObject([{ status: "failed" }])
    expect(await kept()).toBe(0)
  })

  it("says in doctor why it refuses the accounts there are", async () => {
    const { out } = await server.run("doctor", "--json")
    expect(out).toMatch(/refused: the simulator is switched off \(PEYK_SIMULATOR\)/)
  })

  it("refuses to connect an account by the API: 422 channel_unavailable, with the reason", async () => {
    const reply = await connectSimulated(server, customer.id)
    refused(reply, 422, "channel_unavailable")
    const { error } = json<{ error: { details: unknown } }>(reply)
    expect(error.details).toEqual({
      channel: "bale",
      reason: expect.stringMatching(/^the simulator is switched off/)
    })
  })

  it("refuses to connect an account on the command line, with exit code 1", async () => {
    const owner = ["--customer", customer.id, "--channel", "sms", "--provider", "simulator"]
    const { code, err } = await server.run("account", "connect", ...owner, "--label", "SMS")
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringMatching(/the simulator is switched off \(PEYK_SIMULATOR\)/)
    })
  })
})

describe("an embedded store behind an address that others reach", () => {
  let server: Server
  beforeAll(async () => {
    // an empty store: the prepared one has accounts of the simulator
    server = await startServer({ dataDir: await makeDataDir(), env: { PEYK_HOST: "0.0.0.0" } })
  })
  afterAll(() => server?.stop())

  it("has no simulator unless it is asked for", async () => {
    refused(await request(server, "GET", "/simulator"), 404, "not_found")
    refused(await request(server, "GET", "/simulator/messages"), 404, "not_found")
    refused(await connectSimulated(server, (await newCustomer(server)).id), 422, "channel_unavailable")
  })

  it("wants a token for the metrics, from local callers too", async () => {
    refused(await request(server, "GET", "/metrics"), 401, "unauthenticated")
  })

  it("has a demo customer without accounts, whose codes are refused before anything is written", async () => {
    refused(await otp(server, server.demo.live_key).send({ channels: "bale" }), 422, "no_credentials")
    expect(server.output()).toMatch(/The simulator is off: connect an account/)
    expect(await readFile(join(server.dataDir, "demo.json"), "utf8")).toContain(server.demo.test_key)
  })
})

describe("an embedded store behind such an address, with PEYK_SIMULATOR=true", () => {
  it("has the simulator", async () => {
    const server = await startServer({ env: { PEYK_HOST: "0.0.0.0", PEYK_SIMULATOR: "true" } })
    try {
      expect((await request(server, "GET", "/simulator")).status).toBe(200)
    } finally {
      await server.stop()
    }
  }, 60_000)
})
