import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { messages, newPhone, ok, otp, refused, type Reply, request } from "../../contract/Client.ts"
import { codeOf } from "../../contract/Operator.ts"
import { type Running, type Server, startProcess, startServer, until } from "../../contract/Server.ts"
import { programFile } from "../../support/Programs.ts"

const lease = { PEYK_LEASE_MS: "1000" }

let right: Server
let wrong: Running
beforeAll(async () => {
  right = await startServer({ env: lease })
  wrong = await startProcess({
    dataDir: right.dataDir,
    command: [programFile("ServeJumping")],
    env: lease
  })
})
afterAll(async () => {
  await wrong?.terminate()
  await right?.stop()
})

const readiness = async (server: Running) => (await request(server, "GET", "/readyz")).status

const untilReadiness = (server: Running, status: 200 | 503) =>
  until(
    `/readyz to answer ${status}`,
    async () => ((await readiness(server)) === status ? true : undefined),
    60_000
  )

const offset = async () =>
  Number(/^peyk_clock_offset_seconds (\S+)/m.exec(await (await fetch(`${wrong.url}/metrics`)).text())?.[1])

const unavailable = (reply: Reply) => {
  refused(reply, 503, "service_unavailable")
  expect(reply.headers.get("retry-after")).toMatch(/^[1-9]\d*$/)
}

describe("two processes, and the clock of one is set an hour ahead", () => {
  it("no code of the other expires, nothing scheduled is sent early, and it serves again when its clock agrees", async () => {
    const key = right.demo.live_key
    const phone = newPhone()
    const { verification_id: id } = await otp(right, key).sent({ phone, channels: ["bale", "sms"] })
    const code = await codeOf(right, phone)
    const { message_id: message } = await messages(right, key).created({ delay: "30m" })
    const before = await messages(right, key).status(message)

    process.kill(wrong.pid, "SIGUSR2")
    await untilReadiness(wrong, 503)
    await until("the clock to be measured", async () => ((await offset()) > 3590 ? true : undefined), 60_000)
    unavailable(await otp(wrong, key).send({ channels: "sms" }))
    unavailable(await otp(wrong, key).verify(id, code))
    unavailable(await messages(wrong, key).send())
    unavailable(await request(wrong, "GET", "/v1/manage/me"))
    expect((await request(wrong, "GET", "/healthz")).status).toBe(200)
    expect(await readiness(right)).toBe(200)

    process.kill(wrong.pid, "SIGUSR2")
    await untilReadiness(wrong, 200)
    expect(wrong.output()).toMatch(/3\d{3}\.\d s ahead of PostgreSQL's/)
    expect(await messages(right, key).status(message)).toEqual(before)
    expect((await otp(right, key).status(id)).attempts).toHaveLength(1)
    expect(await otp(wrong, key).outcome(id, code)).toEqual({ verified: true, reason: "ok" })
    ok(await otp(wrong, key).send({ channels: "sms" }))
  }, 120_000)

  it("a process whose clock is an hour ahead when it starts ends, and says why", async () => {
    const late = startProcess({
      dataDir: right.dataDir,
      command: [programFile("ServeJumping")],
      env: { ...lease, PEYK_TEST_AHEAD_MS: "3600000" }
    })
    await expect(late).rejects.toThrow(/3\d{3}\.\d s ahead of PostgreSQL's.*NTP/)
  }, 60_000)
})
