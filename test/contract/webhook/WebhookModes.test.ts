import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { FakeFarEnd, Received } from "../../support/fakes/FakeFarEnd.ts"
import { issues, ok, otp, refused, request, sandbox } from "../Client.ts"
import { until } from "../Server.ts"
import type { SharedServer } from "../SharedServer.ts"
import { startReceiver } from "./Receiver.ts"

interface Hook {
  readonly id: number
  readonly mode: string
}
interface Payload {
  readonly type: string
  readonly mode: string
  readonly data: { readonly verification_id: string }
}

let server: SharedServer
let token: string
let fake: FakeFarEnd
let close: () => Promise<void>

beforeAll(async () => {
  ;({ server, owner: token, fake, close } = await startReceiver(200))
})
afterAll(() => close())

const post = (path: string, body: unknown) =>
  request(server, "POST", `/v1/manage/webhooks${path}`, {
    headers: { authorization: `apikey ${token}`, "content-type": "application/json" },
    body: JSON.stringify(body)
  })

const payloadOf = ({ json }: Received) => json as Payload

const toldAt = (path: string, count: number) =>
  until(`${count} events at ${path}`, async () => {
    const payloads = fake.received.filter((each) => each.path === path).map(payloadOf)
    return payloads.length >= count ? payloads : undefined
  })

describe("a webhook", () => {
  it("takes the events of live requests, or of the sandbox, by its mode", async () => {
    const hook = (path: string, mode?: string) => post("", { url: `${fake.url}${path}`, events: ["*"], mode })
    expect(ok<Hook>(await hook("/live"), 201).mode).toBe("live")
    expect(ok<Hook>(await hook("/test", "test"), 201).mode).toBe("test")
    expect(issues(await hook("/none", "sandbox"))).toEqual(["body.mode"])

    const trial = await sandbox(server, server.demo.test_key).sent({ channels: "bale" })
    await sandbox(server, server.demo.test_key).outcome(trial.verification_id, "123456")
    const real = await otp(server, server.demo.live_key).sent({ channels: "bale" })

    const payloads = await toldAt("/test", 3)
    expect(payloads.map(({ type, mode, data }) => [type, mode, data.verification_id]).toSorted()).toEqual([
      ["verification.attempt_sent", "test", trial.verification_id],
      ["verification.queued", "test", trial.verification_id],
      ["verification.verified", "test", trial.verification_id]
    ])
    const live = await toldAt("/live", 2)
    expect(live.map(({ mode, data }) => [mode, data.verification_id])).toEqual(
      live.map(() => ["live", real.verification_id])
    )
  })

  it("of mode test has test events and replays of that mode", async () => {
    const { id } = ok<Hook>(await post("", { url: `${fake.url}/more`, events: ["*"], mode: "test" }), 201)
    ok(await post(`/${id}/test`, {}), 202)
    expect((await toldAt("/more", 1)).map(({ type, mode }) => [type, mode])).toEqual([
      ["webhook.test", "test"]
    ])
    await sandbox(server, server.demo.test_key).sent({ channels: "bale" })
    await toldAt("/more", 3)
    const earlier = fake.received.length
    ok(await post(`/${id}/replay`, { since: "2020-01-01T00:00:00Z" }), 202)
    await toldAt("/more", 6)
    for (const each of fake.received.slice(earlier)) expect(payloadOf(each).mode).toBe("test")
  })
})

describe("a phone of the sandbox", () => {
  it("forces refusals of a send", async () => {
    const send = (digit: number) =>
      sandbox(server, server.demo.test_key).send({ phone: `+98900000000${digit}`, channels: ["bale", "sms"] })
    const tooMany = await send(5)
    refused(tooMany, 429, "too_many_requests_phone_hour")
    expect(tooMany.headers.get("retry-after")).toBe("3600")
    refused(await send(6), 402, "insufficient_balance")
    const unavailable = await send(7)
    refused(unavailable, 503, "service_unavailable")
    expect(unavailable.headers.get("retry-after")).toBe("1")
  })

  it("makes every channel refuse a code, which then has failed", async () => {
    const trial = sandbox(server, server.demo.test_key)
    const { verification_id } = await trial.sent({ phone: "+989000000001", channels: ["bale", "sms"] })
    await expect.poll(async () => (await trial.status(verification_id)).status).toBe("failed")
  })

  it("means nothing on live paths", async () => {
    const { status } = await otp(server, server.demo.live_key).sent({
      phone: "+989000000001",
      channels: "bale"
    })
    expect(status).toBe("queued")
  })
})
